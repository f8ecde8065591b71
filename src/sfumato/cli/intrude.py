"""`sfumato intrude`: play the motivated intruder against a release, and print the result without
naming anyone."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from .shared_arguments import SOURCES, as_policy, as_source

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.assessment import Intrusion
    from sfumato.assessment.attacks import AttackRun, Rate

LONGEST_WORD = len("homogeneity,")
COLOUR = {
    "beats its baseline": "red",
    "does not beat its baseline": "green",
    "undecided": "yellow",
}


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "release",
        type=as_source,
        help="folder of a release, postgresql://host/database#schema, or any table with --known "
        "or --policy",
    )
    command.add_argument(
        "--register",
        type=as_source,
        action="append",
        metavar="FILE",
        help="a table of people with names and fields of the release; may be given several times",
    )
    command.add_argument(
        "--source",
        type=as_source,
        help=f"the source of the release, to check claims: {SOURCES}",
    )
    command.add_argument(
        "--policy", type=as_policy, help="policy file (default: the one of the release)"
    )
    command.add_argument(
        "--second", type=as_source, metavar="RELEASE2", help="another release about the same people"
    )
    command.add_argument(
        "--newcomers",
        type=as_source,
        metavar="FILE",
        help="people who joined between the two releases",
    )
    command.add_argument(
        "--control", type=as_source, metavar="FILE", help="people who are not in the release"
    )
    command.add_argument(
        "--population",
        type=as_source,
        metavar="FILE",
        help="the register that the policy's requirements count in",
    )
    command.add_argument(
        "--on",
        type=_names,
        default=(),
        metavar="A,B",
        help="fields to link on (default: all shared fields)",
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
        "--counts",
        default="",
        metavar="FIELD",
        help="both are tables of counts, and this field holds the counts",
    )
    command.add_argument(
        "--everything", action="store_true", help="run all other attacks as well; needs --source"
    )
    command.add_argument(
        "--targets",
        type=int,
        metavar="N",
        help="number of people to attack (default: 2000, fewer with very many bins)",
    )
    command.add_argument(
        "--seed", type=int, default=0, help="seed of the random draws (default: 0)"
    )
    command.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.assessment import intrude

    from .progress import bar

    console = Console()
    with bar(console, silent=options.json) as (progress, moved):
        found = intrude(
            options.release,
            register=options.register,
            source=options.source,
            policy=options.policy,
            population=options.population,
            second=options.second,
            newcomers=options.newcomers,
            control=options.control,
            on=options.on,
            known=options.known,
            sensitive=options.sensitive,
            counts=options.counts,
            everything=options.everything,
            targets=options.targets,
            seed=options.seed,
            progress=progress,
            moved=moved,
        )
    if options.json:
        print(json.dumps(found.as_dict(), indent=2))
    else:
        show(found, console)
    return exit_code(found)


def exit_code(found: Intrusion) -> int:
    """1 where an attack beats its baseline, 3 where claims were made that nobody could check, else
    0."""
    if found.attacks.beaten:
        return 1
    return 3 if any(run.outcome == "undecided" for run in found.attacks) else 0


def show(found: Intrusion, console: Console) -> None:
    """Each attack as a story, then all of them in a table."""
    from rich.markup import escape
    from rich.table import Table

    if found.linked_on:
        console.print(f"Linked on {', '.join(found.linked_on)}.", highlight=False, markup=False)
    for run in found.attacks:
        _tell(run, console)
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("attack", "attempts", "claims", "right", "a guess", "control", "outcome"):
        words = heading in ("attack", "outcome")
        table.add_column(
            heading,
            justify="left" if words else "right",
            overflow="fold",
            no_wrap=not words,
            min_width=LONGEST_WORD if heading == "attack" else None,
        )
    for run in found.attacks:
        rates = (_share(rate) for rate in (run.rate, run.baseline, run.control))
        outcome = f"[{COLOUR[run.outcome]}]{run.outcome}[/]"
        table.add_row(
            escape(run.name.replace(":", ", ")),
            f"{run.attempts:,}",
            f"{run.claims:,}",
            *rates,
            outcome,
        )
    console.print()
    console.print(table, highlight=False)
    for note in found.notes:
        console.print(f"[yellow]![/] {escape(note)}", highlight=False)


def _tell(run: AttackRun, console: Console) -> None:
    from rich.markup import escape

    console.print()
    console.print(f"[bold]{escape(run.title)}[/]", highlight=False)
    story = run.story
    for head, words in (
        ("who", story.attacker),
        ("knows", story.knows),
        ("tries", story.tries),
        ("got", run.got),
    ):
        console.print(f"  [dim]{head}:[/] {escape(words)}", highlight=False)
    for note in run.notes:
        console.print(f"  {note}", highlight=False, markup=False)
    console.print(
        f"  [{COLOUR[run.outcome]}]{run.outcome}[/]: {escape(run.reason)}", highlight=False
    )


def _share(rate: Rate | None) -> str:
    return "–" if rate is None else f"{rate.value:.1%} ({rate.low * 100:.0f}–{rate.high * 100:.0f})"


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
