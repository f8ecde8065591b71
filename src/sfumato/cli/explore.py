"""`sfumato explore`: move along the lattice by hand, see what each step does, undo it, and keep what you like."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .reading import add_source, source_options

if TYPE_CHECKING:
    from rich.console import Console

    from sfumato.solvers.lattice import Guided

HELP = "FIELD LEVEL sets a field, FIELD + and FIELD - climb and descend, undo, redo, show, done, quit"


def configure(command: argparse.ArgumentParser) -> None:
    add_source(command)
    command.add_argument("--policy", type=Path, help="policy file (default: SOURCE.policy.toml beside the data)")
    command.add_argument("--objective", default="", help="loss function (default: the policy's)")


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.policy import read_policy
    from sfumato.releases import beside, prepare
    from sfumato.solvers import Guided
    from sfumato.sources import open_source

    console = Console()
    policy = read_policy(options.policy or beside(options.source))
    with open_source(options.source, **source_options(options)) as engine:
        prepared = prepare(engine, policy)
    walk = Guided(
        prepared.bins,
        prepared.hierarchies,
        prepared.models,
        objective=options.objective or policy.solve.objective,
        max_suppression=policy.require.max_suppression,
        start=policy.solve.levels,
    )
    console.print(HELP)
    _show(walk, console)
    while True:
        try:
            line = input("> " if sys.stdin.isatty() else "").strip()
        except EOFError:
            return 0
        if line in ("quit", "q"):
            return 0
        if line == "done":
            _keep(walk, console)
            return 0
        _obey(walk, line, console)


def _obey(walk: Guided, line: str, console: Console) -> None:
    from sfumato.errors import Mistake

    words = line.rsplit(maxsplit=1)
    try:
        if line == "undo":
            walk.undo()
        elif line == "redo":
            walk.redo()
        elif line and line != "show":
            field, step = words if len(words) == 2 else (line, "")
            level = walk.levels.get(field, 0) + {"+": 1, "-": -1}[step] if step in ("+", "-") else int(step)
            walk.move(field, level)
        _show(walk, console)
    except ValueError:
        console.print(HELP)
    except Mistake as error:
        console.print(str(error))


def _show(walk: Guided, console: Console) -> None:
    from rich.table import Table

    here = walk.here
    word = "[green]within the limit[/]" if here.feasible else "[red]over the limit[/]"
    console.print(
        f"{here.bins:,} bins, smallest {here.smallest}; {here.rows_suppressed:,} rows to suppress "
        f"({here.share_suppressed:.1%}, {word}); loss {here.loss:.4f}; risk at most {here.highest_risk:.1%}, "
        f"on average {here.average_risk:.1%}",
        highlight=False,
    )
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("field", "level", "one finer", "one coarser"):
        table.add_column(heading)
    for name, near in walk.choices().items():
        level = walk.levels[name]
        cells = [
            f"{near[step].share_suppressed:6.1%} suppressed, loss {near[step].loss:.4f}" if step in near else ""
            for step in (level - 1, level + 1)
        ]
        table.add_row(name, str(level), *cells)
    console.print(table)


def _keep(walk: Guided, console: Console) -> None:
    levels = ", ".join(f'"{name}" = {level}' for name, level in walk.levels.items())
    console.print("To release this, write into the policy:", highlight=False)
    print(f'[solve]\nsolver = "given"\nlevels = {{ {levels} }}')
