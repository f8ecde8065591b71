"""`sfumato explore`: move along the lattice by hand, see the effect of each step, undo it, and keep
the result.

A solver that declares a session, as mu_argus does, has a view of its own: unsafe combinations and
cells to blank. All other solvers share the view of the lattice: rows to suppress, loss and risk.
With channels, the numbers of the policy are moved. With `--json`, each view is one line of JSON."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from .shared_arguments import add_json, add_policy, add_source, policy_place, print_line

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
    add_json(command, what="each view and the policy to write, a line each,")


class Walk(Protocol):
    """A recoding, or numbers of a policy, moved step by step.

    `facts` has the numbers of the present view; `policy_part` is what a policy must hold to release
    it. `step` raises ValueError where a line is not understood."""

    @property
    def help(self) -> str: ...

    def step(self, name: str, to: str) -> None: ...

    def undo(self) -> None: ...

    def redo(self) -> None: ...

    def show(self, console: Console) -> None: ...

    def facts(self) -> dict[str, object]: ...

    def policy_part(self) -> dict[str, dict[str, object]]: ...


def run(options: argparse.Namespace) -> int:
    from rich.console import Console

    walk = _walk(options)
    if options.json:
        if _follow(walk, lambda: print_line(walk.facts()), lambda why: print_line({"error": why})):
            print_line({"policy": walk.policy_part()})
        return 0
    console = Console()
    console.print(walk.help)
    if _follow(walk, lambda: walk.show(console), lambda why: console.print(why, markup=False)):
        console.print("To release this, write into the policy:", highlight=False)
        print(_toml(walk.policy_part()))
    return 0


def _walk(options: argparse.Namespace) -> Walk:
    from sfumato.policy import read_policy
    from sfumato.solvers import SOLVERS

    from .opened_source import prepared_for

    policy = read_policy(policy_place(options))
    if policy.channels is not None:
        from .channel_search import ChannelWalk, solve_for

        return ChannelWalk(policy, solve_for(options, policy))
    prepared = prepared_for(options, policy)
    session = SOLVERS[policy.solve.solver].session
    if session is None:
        return LatticeWalk(prepared, options.objective)
    return SessionWalk(prepared, session)


def _follow(walk: Walk, show: Callable[[], None], refuse: Callable[[str], None]) -> bool:
    """Read one line after the other; whether the last one was `done`."""
    from sfumato.errors import Mistake

    show()
    while True:
        try:
            line = input("> " if sys.stdin.isatty() else "").strip()
        except EOFError:
            return False
        if line in ("quit", "q", "done"):
            return line == "done"
        try:
            if line == "undo":
                walk.undo()
            elif line == "redo":
                walk.redo()
            elif line and line != "show":
                name, to = line.rsplit(maxsplit=1)
                walk.step(name, to)
            show()
        except ValueError:
            refuse(walk.help)
        except Mistake as error:
            refuse(str(error))


def _toml(part: Mapping[str, Mapping[str, object]]) -> str:
    """A part of a policy file: tables of names, numbers and one mapping within another."""

    def value(of: object) -> str:
        if isinstance(of, dict):
            return "{ " + ", ".join(f"{json.dumps(k)} = {value(v)}" for k, v in of.items()) + " }"
        return f"{of:g}" if isinstance(of, float) else json.dumps(of)

    return "\n".join(
        line
        for name, table in part.items()
        for line in (f"[{name}]", *(f"{key} = {value(of)}" for key, of in table.items()))
    )


class LatticeWalk:
    """The view of the lattice."""

    help = HELP

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

    def step(self, name: str, to: str) -> None:
        self._walk.move(name, _level(self._walk.levels, name, to))

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
            self._walk.levels,
            {
                name: {
                    step: f"{v.share_suppressed:.1%} suppressed, loss {v.loss:.4f}"
                    for step, v in views.items()
                }
                for name, views in near.items()
            },
            console,
        )

    def facts(self) -> dict[str, object]:
        choices = {
            name: {str(level): asdict(view) for level, view in views.items()}
            for name, views in self._walk.choices().items()
        }
        return {**asdict(self._walk.here), "choices": choices}

    def policy_part(self) -> dict[str, dict[str, object]]:
        return {"solve": {"solver": "given", "levels": dict(self._walk.levels)}}


class SessionWalk:
    """The view of a solver that has steps of its own, as mu-Argus has."""

    help = HELP

    def __init__(self, prepared: PreparedSource, session: Callable[..., Any]) -> None:
        self._solver = prepared.policy.solve.solver
        self._tops = {name: prepared.hierarchies[name].height for name in prepared.known}
        self._session = session(prepared.bins, prepared.hierarchies, prepared.solver)
        for name, level in prepared.policy.solve.levels.items():
            self._session.recode(name, level)

    @property
    def _levels(self) -> dict[str, int]:
        return dict(self._session.levels)

    def step(self, name: str, to: str) -> None:
        self._session.recode(name, _level(self._levels, name, to))

    def undo(self) -> None:
        self._session.undo()

    def redo(self) -> None:
        self._session.redo()

    def _effects(self) -> dict[str, dict[int, Any]]:
        """For each field, the effect of one level finer and one coarser."""
        return {
            name: {
                step: self._session.preview(name, step)
                for step in (level - 1, level + 1)
                if 0 <= step <= self._tops[name]
            }
            for name, level in self._levels.items()
        }

    def _here(self) -> Any:
        name, level = next(iter(self._levels.items()))
        return self._session.preview(name, level)

    def show(self, console: Console) -> None:
        here = self._here()
        console.print(
            f"{here.unsafe_before:,} unsafe values of combinations, {here.cells_before:,} "
            "cells to blank",
            highlight=False,
        )
        cells = {
            name: {
                step: f"{e.unsafe_after:,} unsafe, {e.cells_after:,} cells to blank"
                for step, e in effects.items()
            }
            for name, effects in self._effects().items()
        }
        _table(self._levels, cells, console)

    def facts(self) -> dict[str, object]:
        here = self._here()
        choices = {
            name: {
                str(step): {"unsafe": e.unsafe_after, "cells_to_blank": e.cells_after}
                for step, e in effects.items()
            }
            for name, effects in self._effects().items()
        }
        return {
            "levels": self._levels,
            "unsafe": here.unsafe_before,
            "cells_to_blank": here.cells_before,
            "choices": choices,
        }

    def policy_part(self) -> dict[str, dict[str, object]]:
        return {"solve": {"solver": self._solver, "levels": self._levels}}


def _level(levels: Mapping[str, int], name: str, to: str) -> int:
    return levels.get(name, 0) + {"+": 1, "-": -1}[to] if to in ("+", "-") else int(to)


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
