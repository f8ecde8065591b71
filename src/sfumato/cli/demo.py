"""`sfumato demo`: the main job on a made-up hospital, one table or a database of several; or a gate
over it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from .shared_arguments import add_json, print_json

if TYPE_CHECKING:
    from rich.console import Console

ROWS = 10_000
FEWEST_VISITS = 100
"""Of fewer visits, there are too few patients to share anything."""


def configure(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "what",
        nargs="?",
        choices=("release", "gate", "paper", "linking"),
        default="release",
        help="a release (default), a gate that stays open until Ctrl-C and whose folder is then removed, "
        "the tables of a paper, or a voter list linked with discharges that have no names",
    )
    command.add_argument(
        "paper",
        nargs="?",
        metavar="NAME",
        help="name of the paper: foundations, datafly, channels, government, cellsecu",
    )
    command.add_argument(
        "--to",
        type=Path,
        help="a new folder (default: demo-release; demo-database-release with --database)",
    )
    command.add_argument(
        "--rows", type=int, help=f"number of patients to make up (default: {ROWS:,})"
    )
    command.add_argument(
        "--database", action="store_true", help="a database: patients, visits, diagnoses and others"
    )
    command.add_argument(
        "--visits", type=int, help="number of visits in the database, 100 or more (default: 7,617)"
    )
    command.add_argument(
        "--http-port", type=int, help="HTTP port of the gate (default: 8417; 0 takes any)"
    )
    command.add_argument(
        "--wire-port", type=int, help="PostgreSQL port of the gate (default: 5417; 0 takes any)"
    )
    add_json(command, what="outcome, verdicts and places of the release")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.releases import Key, release

    from .progress import stages
    from .release_text import EXIT, release_facts, show_release

    _check(options)
    if options.what == "paper":
        from .demo_paper import run_paper

        return run_paper(options, options.paper)
    if options.what == "linking":
        from .demo_linkage import run_linkage

        return run_linkage(options)
    if options.what == "gate":
        from .demo_gate import run_gate

        return run_gate(options, rows=options.rows or ROWS)
    console = Console(stderr=options.json)
    folder: Path = options.to or Path(
        "demo-database-release" if options.database else "demo-release"
    )
    secret = _made_folder(folder, "hospital" if options.database else "patients.csv")
    source, policy = (
        _database(folder, options, console)
        if options.database
        else _table(folder, options, console)
    )
    key = Key.from_file(secret) if secret.exists() else Key.create_file(secret)
    with stages(console) as progress:
        made = release(
            source, policy, to=folder / "release", key=key, replace=True, progress=progress
        )
    if options.json:
        print_json(release_facts(made))
        return EXIT[made.outcome]
    show_release(made, console)
    console.print(
        f"Next: open {folder / 'release' / 'report.html'}, and run: sfumato verify "
        f"{folder / 'release'}",
        soft_wrap=True,
    )
    return EXIT[made.outcome]


def _check(options: argparse.Namespace) -> None:
    from sfumato.datasets import PAPERS
    from sfumato.errors import Mistake

    if (options.what == "paper") != (options.paper in PAPERS):
        raise Mistake(
            "A demo of a paper needs its name."
            if options.what == "paper"
            else "A name is for a paper.",
            attempt=f"sfumato demo paper, with one of {', '.join(PAPERS)}.",
        )
    if options.what == "paper" and (options.database or options.rows or options.visits):
        raise Mistake(
            "The tables of a paper have the rows that it prints.",
            attempt="leaving out --rows, --database and --visits.",
        )
    if options.what in ("gate", "linking") and options.database:
        raise Mistake(
            f"The hospital of demo {options.what} is one table.",
            attempt=f"sfumato demo {options.what}, without --database.",
        )
    if (options.rows if options.database else options.visits) is not None:
        raise Mistake(
            "--rows is for the one table, and --visits for --database.",
            attempt="the other of the two.",
        )
    for name in ("rows", "visits"):
        given = getattr(options, name)
        least = FEWEST_VISITS if name == "visits" else 1
        if given is not None and given < least:
            raise Mistake(f"--{name} is {given}, and must be {least} or more.")


def _made_folder(folder: Path, holds: str) -> Path:
    """Make the demo's folder, which is its own where it has the demo's key; where that key is."""
    from sfumato.errors import TargetError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TargetError(f"{folder} cannot be made.", found=f"{error.strerror}.") from None
    secret = folder / "pseudonyms.key"
    if (folder / holds).exists() and not secret.exists():
        raise TargetError(
            f"{folder} holds a {holds} that is not the demo's.",
            attempt="a new folder with --to; it was not touched.",
        )
    return secret


def _table(folder: Path, options: argparse.Namespace, console: Console) -> tuple[Path, Path]:
    from sfumato.datasets import HOSPITAL_POLICY, write_hospital

    rows = options.rows or ROWS
    source = write_hospital(folder / "patients.csv", rows=rows)
    policy = folder / "patients.policy.toml"
    policy.write_text(HOSPITAL_POLICY, encoding="utf-8")
    console.print(f"{rows:,} made-up patients: {source}", highlight=False, soft_wrap=True)
    return source, policy


def _database(folder: Path, options: argparse.Namespace, console: Console) -> tuple[Path, Path]:
    """The tables in a folder of their own and the policy beside it, where `sfumato release` looks
    for it."""
    from sfumato.datasets import write_hospital_database

    given = {} if options.visits is None else {"visits": options.visits}
    source = write_hospital_database(folder / "hospital", **given)
    policy = (source / "hospital.policy.toml").replace(folder / "hospital.policy.toml")
    said = f"{options.visits:,} made-up visits" if options.visits else "A made-up hospital database"
    console.print(f"{said}: {source}", highlight=False, soft_wrap=True)
    return source, policy
