"""`sfumato assess`: what can be learned from a release, what was lost, and a page on which a board
can decide."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .shared_arguments import (
    FORMAT,
    SOURCES,
    add_engine,
    add_format,
    as_policy,
    as_source,
    source_options,
)

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.assessment import Assessment, ChannelAssessment, SyntheticAssessment

READING = ("engine", "schema", *FORMAT, "memory", "master", "scratch")


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "release",
        type=as_source,
        help="folder of a release, postgresql://host/database#schema, or any table with --known "
        "or --policy",
    )
    command.add_argument("--source", type=as_source, help=f"the source of the release: {SOURCES}")
    command.add_argument(
        "--policy", type=as_policy, help="policy file (default: the one of the release)"
    )
    command.add_argument(
        "--known",
        type=_names,
        default=(),
        metavar="A,B",
        help="fields that a recipient may know of a person",
    )
    command.add_argument(
        "--sensitive",
        type=_names,
        default=(),
        metavar="C",
        help="fields whose values must not be inferred",
    )
    command.add_argument(
        "--table", default="", help="one of several tables (default: the person's)"
    )
    others = command.add_argument_group(
        "the population that the release is a sample of; give one of these"
    )
    others.add_argument(
        "--population",
        type=as_source,
        metavar="FILE",
        help="a table of everyone, with the known fields",
    )
    others.add_argument(
        "--sampling-fraction",
        type=float,
        metavar="F",
        help="share of the population that was sampled",
    )
    others.add_argument(
        "--population-size", type=int, metavar="N", help="number of people in the population"
    )
    others.add_argument(
        "--weight",
        default="",
        metavar="FIELD",
        help="field with the number of people that each row represents",
    )
    command.add_argument(
        "--household",
        default="",
        metavar="FIELD",
        help="field that identifies the household of a person",
    )
    command.add_argument(
        "--control",
        type=as_source,
        metavar="FILE",
        help="people who are not in the release, for comparison",
    )
    command.add_argument(
        "--second",
        type=as_source,
        metavar="FOLDER",
        help="another release of the same people, for a release by channels",
    )
    command.add_argument(
        "--synthetic",
        action="store_true",
        help="the rows are synthetic: compare them with --source and --control (default for tables "
        "that sfumato synthesize made)",
    )
    command.add_argument("--no-attacks", action="store_true", help="measure only; run no attack")
    command.add_argument(
        "--quick",
        action="store_true",
        help="assess the release by itself, without attacks or comparison with the source; never green",
    )
    command.add_argument(
        "--seed", type=int, default=0, help="seed of the random draws (default: 0)"
    )
    command.add_argument(
        "--to",
        type=Path,
        help="file for the page (default: RELEASE-assessment.html beside the release)",
    )
    command.add_argument(
        "--json",
        type=Path,
        nargs="?",
        const=True,
        metavar="FILE",
        help="also write all numbers to this file; without a name, print them in place of the verdicts",
    )
    command.add_argument("--replace", action="store_true", help="replace earlier files")
    reading = command.add_argument_group("how the source, or a table that is no release, is read")
    add_engine(reading)
    for name, words in (
        ("schema", "schema of a PostgreSQL database (default: public)"),
        (
            "memory",
            "memory limit, beyond which the engine spills to disk (default: 3GB; DuckDB begins with half)",
        ),
        ("master", "a Spark cluster, such as spark://host:7077, or yarn"),
        ("scratch", "a folder that all workers of a Spark cluster can read"),
    ):
        reading.add_argument(f"--{name}", default="", help=words)
    add_format(reading)


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.assessment import assess

    from .progress import bar, tell_estimate
    from .release_text import EXIT

    printed = options.json is True
    console = Console(stderr=printed)
    page = options.to or default_page(options.release)
    with bar(console, silent=printed) as (progress, moved):
        found = assess(
            options.release,
            source=options.source,
            policy=options.policy,
            population=options.population,
            control=options.control,
            known=options.known,
            sensitive=options.sensitive,
            weight=options.weight,
            household=options.household,
            sampling_fraction=options.sampling_fraction,
            population_size=options.population_size,
            table=options.table,
            second=options.second,
            synthetic=options.synthetic,
            attacks=not options.no_attacks,
            quick=options.quick,
            to=page,
            json=None if printed else options.json,
            replace=options.replace,
            seed=options.seed,
            progress=progress,
            moved=moved,
            estimated=tell_estimate,
            **_reading(options),
        )
    if printed:
        print(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
    else:
        show_assessment(found, console)
    for path in (page, *([options.json] if options.json and not printed else [])):
        console.print(f"  {path}", highlight=False, soft_wrap=True, markup=False)
    return EXIT[found.outcome]


def default_page(release: Path | str) -> Path:
    """Beside the release and not in it, because a release holds nothing else; here for an
    address."""
    from sfumato.engines import name_of_address

    if isinstance(release, str):
        address, _, schema = release.partition("#")
        return Path(f"{schema or name_of_address(address)}-assessment.html")
    folder = release.resolve()
    return release.parent / f"{folder.name if folder.is_dir() else folder.stem}-assessment.html"


def show_assessment(
    found: Assessment | ChannelAssessment | SyntheticAssessment, console: Console
) -> None:
    """The verdicts, what to know, and the outcome in one line."""
    from rich.markup import escape
    from rich.table import Table

    from .release_text import COLOUR

    words = {"pass": "green", "review": "amber", "fail": "red"}
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("verdict", "question", "found"):
        table.add_column(heading, overflow="fold")
    for one in found.judgements:
        table.add_row(
            f"[{COLOUR[one.outcome]}]{words[one.outcome]}[/]", one.question, escape(one.answer)
        )
    console.print(table, highlight=False)
    for note in found.notes:
        console.print(f"[yellow]![/] {escape(note)}", highlight=False)
    for name, reason in found.left_out.items():
        console.print(
            f"[yellow]![/] Left out, {name}: {escape(reason.rstrip('.'))}.", highlight=False
        )
    said = (
        f"[bold {COLOUR[found.outcome]}]{words[found.outcome]}[/]: {escape(found.title)}, for "
        "a person to decide on"
    )
    console.print(said, highlight=False)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _reading(options: argparse.Namespace) -> dict[str, Any]:
    """The options for reading, if any: checked by the engine of the source, or of the table
    assessed."""
    if not any(getattr(options, name) for name in READING):
        return {}
    given = {name: getattr(options, name) for name in READING}
    source = options.source if options.source is not None else options.release
    return source_options(argparse.Namespace(**given, source=source, table=""))
