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
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from .shared_arguments import add_json, add_policy, add_source, policy_place, print_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from rich.console import Console

    from sfumato.releases import PreparedSource
    from sfumato.solvers import RareCombination

HELP = (
    "FIELD LEVEL sets a field, FIELD + and FIELD - climb and descend, undo, redo, show, done, quit"
)


MORE_HELP = (
    "\nrare FIELD, or rare all, lists rare combinations by number; blank NUMBER FIELD blanks the "
    "cell of one"
)
MOST_LISTED = 40


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
    return SessionWalk(prepared, session, policy_place(options))


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

    help = HELP + MORE_HELP

    def __init__(self, prepared: PreparedSource, session: Callable[..., Any], policy: Path) -> None:
        self._policy = policy
        self._listed: tuple[RareCombination, ...] = ()
        self._solver = prepared.policy.solve.solver
        self._tops = {name: prepared.hierarchies[name].height for name in prepared.known}
        self._session = session(prepared.bins, prepared.hierarchies, prepared.solver)
        for name, level in prepared.policy.solve.levels.items():
            self._session.recode(name, level)

    @property
    def _levels(self) -> dict[str, int]:
        return dict(self._session.levels)

    def step(self, name: str, to: str) -> None:
        if name == "rare" and "rare" not in self._tops:
            self._listed = self._session.rare(None if to == "all" else to)
        elif name.startswith("blank ") and name not in self._tops:
            self._session.blank(int(name.removeprefix("blank ")), to)
        else:
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
        rare = {
            line.field: (*(f"{count:,}" for count in line.by_size), f"{line.rows:,}")
            for line in self._session.table()
        }
        _table(self._levels, cells, console, rare=rare)
        if self._session.blanked:
            from sfumato.wording import counted

            console.print(f"{counted(len(self._session.blanked), 'combination')} blanked by hand")
        _show_rare(self._listed, console)
        self._listed = ()

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
            "rare": [asdict(line) for line in self._session.table()],
            "blanked": len(self._session.blanked),
            **self._listing(),
        }

    def _listing(self) -> dict[str, object]:
        listed, self._listed = self._listed, ()
        return {"listed": [asdict(rare) for rare in listed]} if listed else {}

    def policy_part(self) -> dict[str, dict[str, object]]:
        part: dict[str, object] = {"solver": self._solver, "levels": self._levels}
        if self._session.blanked:
            part["blanks"] = self._kept()
        return {"solve": part}

    def _kept(self) -> str:
        """The cells that were blanked by hand, in a file of the holder's beside the policy."""
        from sfumato.solvers import write_choices

        path = self._policy.with_name(f"{self._policy.name.removesuffix('.toml')}.blanks.csv")
        write_choices(path, self._session.blanked)
        return path.name


def _show_rare(found: tuple[RareCombination, ...], console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    if not found:
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("number", "rows", "rare combination"):
        table.add_column(heading, justify="left" if heading == "rare combination" else "right")
    for rare in found[:MOST_LISTED]:
        words = ", ".join(
            f"{name} {'(null)' if label is None else label}"
            for name, label in zip(rare.fields, rare.labels, strict=True)
        )
        table.add_row(str(rare.number), f"{rare.rows:,}", Text(words))
    console.print(table)
    if len(found) > MOST_LISTED:
        console.print(f"… and {len(found) - MOST_LISTED:,} more; rare FIELD lists fewer.")


def _level(levels: Mapping[str, int], name: str, to: str) -> int:
    return levels.get(name, 0) + {"+": 1, "-": -1}[to] if to in ("+", "-") else int(to)


def _table(
    levels: Mapping[str, int],
    cells: Mapping[str, Mapping[int, str]],
    console: Console,
    *,
    rare: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> None:
    """A line for each field. `rare` counts its rare combinations by size, and the rows in them."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    counts = ("rare alone", "in pairs", "in threes", "rows") if rare else ()
    for heading in ("field", "level", *counts, "one finer", "one coarser"):
        table.add_column(heading, justify="right" if heading in counts else "left")
    for name, level in levels.items():
        near = (cells[name].get(level - 1, ""), cells[name].get(level + 1, ""))
        table.add_row(name, str(level), *rare.get(name, ()), *near)
    console.print(table)
