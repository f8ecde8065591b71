"""`sfumato explore`: move along the lattice by hand, see what each step does, undo it, and keep
what you like.

With a solver that declares a session, mu_argus, the view is its own: unsafe combinations and cells
to blank. With any other it is that of the lattice: rows to suppress, loss and risk. With channels,
numbers of the policy are moved."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, Protocol

from .shared_arguments import add_policy, add_source, policy_place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.console import Console

    from sfumato.releases import PreparedSource

HELP = (
    "FIELD LEVEL sets a field, FIELD + and FIELD - climb and descend, undo, redo, show, done, quit"
)


def configure(command: argparse.ArgumentParser) -> None:
    add_source(command)
    add_policy(command)
    command.add_argument("--objective", default="", help="loss function (default: the policy's)")


class Walk(Protocol):
    """A place that can be moved, and shown; `solver` releases what is found there."""

    @property
    def solver(self) -> str: ...

    @property
    def levels(self) -> Mapping[str, int]: ...

    def move(self, field: str, level: int) -> None: ...

    def undo(self) -> None: ...

    def redo(self) -> None: ...

    def show(self, console: Console) -> None: ...


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from sfumato.policy import read_policy
    from sfumato.solvers import SOLVERS

    from .opened_source import prepared_for

    console = Console()
    policy = read_policy(policy_place(options))
    if policy.channels is not None:
        from .channel_search import explore_channels

        return explore_channels(options, policy, console)
    prepared = prepared_for(options, policy)
    session = SOLVERS[policy.solve.solver].session
    walk: Walk = (
        LatticeWalk(prepared, options.objective)
        if session is None
        else SessionWalk(prepared, session)
    )
    console.print(HELP)
    walk.show(console)
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


def _obey(walk: Walk, line: str, console: Console) -> None:
    from sfumato.errors import Mistake

    try:
        if line == "undo":
            walk.undo()
        elif line == "redo":
            walk.redo()
        elif line and line != "show":
            field, step = line.rsplit(maxsplit=1)
            level = (
                walk.levels.get(field, 0) + {"+": 1, "-": -1}[step]
                if step in ("+", "-")
                else int(step)
            )
            walk.move(field, level)
        walk.show(console)
    except ValueError:
        console.print(HELP)
    except Mistake as error:
        console.print(str(error))


class LatticeWalk:
    """The view of the lattice."""

    solver = "given"

    def __init__(self, prepared: PreparedSource, objective: str) -> None:
        from sfumato.solvers import Guided

        policy = prepared.policy
        self._walk = Guided(
            prepared.bins,
            prepared.hierarchies,
            prepared.models,
            objective=objective or policy.solve.objective,
            max_suppression=policy.require.max_suppression,
            start=policy.solve.levels,
        )

    @property
    def levels(self) -> Mapping[str, int]:
        return self._walk.levels

    def move(self, field: str, level: int) -> None:
        self._walk.move(field, level)

    def undo(self) -> None:
        self._walk.undo()

    def redo(self) -> None:
        self._walk.redo()

    def show(self, console: Console) -> None:
        here = self._walk.here
        word = "[green]within the limit[/]" if here.feasible else "[red]over the limit[/]"
        console.print(
            f"{here.bins:,} bins, smallest {here.smallest}; {here.rows_suppressed:,} rows "
            "to suppress "
            f"({here.share_suppressed:.1%}, {word}); loss {here.loss:.4f}; risk at most "
            f"{here.highest_risk:.1%}, "
            f"on average {here.average_risk:.1%}",
            highlight=False,
        )
        near = self._walk.choices()
        _table(
            self.levels,
            {
                name: {
                    step: f"{v.share_suppressed:.1%} suppressed, loss {v.loss:.4f}"
                    for step, v in views.items()
                }
                for name, views in near.items()
            },
            console,
        )


class SessionWalk:
    """The view of a solver that has steps of its own, as mu-Argus has."""

    def __init__(self, prepared: PreparedSource, session: Callable[..., Any]) -> None:
        self.solver = prepared.policy.solve.solver
        self._tops = {name: prepared.hierarchies[name].height for name in prepared.known}
        self._session = session(prepared.bins, prepared.hierarchies, prepared.solver)
        for name, level in prepared.policy.solve.levels.items():
            self._session.recode(name, level)

    @property
    def levels(self) -> Mapping[str, int]:
        levels: Mapping[str, int] = self._session.levels
        return levels

    def move(self, field: str, level: int) -> None:
        self._session.recode(field, level)

    def undo(self) -> None:
        self._session.undo()

    def redo(self) -> None:
        self._session.redo()

    def show(self, console: Console) -> None:
        levels = self.levels
        cells: dict[str, dict[int, str]] = {}
        for name, level in levels.items():
            near = [step for step in (level - 1, level + 1) if 0 <= step <= self._tops[name]]
            found = {step: self._session.preview(name, step) for step in near}
            cells[name] = {
                s: f"{e.unsafe_after:,} unsafe, {e.cells_after:,} cells to blank"
                for s, e in found.items()
            }
        name, level = next(iter(levels.items()))
        here = self._session.preview(name, level)
        console.print(
            f"{here.unsafe_before:,} unsafe values of combinations, {here.cells_before:,} "
            "cells to blank",
            highlight=False,
        )
        _table(levels, cells, console)


def _table(
    levels: Mapping[str, int], cells: Mapping[str, Mapping[int, str]], console: Console
) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("field", "level", "one finer", "one coarser"):
        table.add_column(heading)
    for name, level in levels.items():
        table.add_row(
            name, str(level), cells[name].get(level - 1, ""), cells[name].get(level + 1, "")
        )
    console.print(table)


def _keep(walk: Walk, console: Console) -> None:
    levels = ", ".join(f'"{name}" = {level}' for name, level in walk.levels.items())
    console.print("To release this, write into the policy:", highlight=False)
    print(f'[solve]\nsolver = "{walk.solver}"\nlevels = {{ {levels} }}')
