"""The tables of docs/what-works-with-what.md, from declarations: marks, notes with reasons, and
shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from sfumato.engines import ENGINES
from sfumato.engines.compatibility import engine_in, read_in, released_in
from sfumato.engines.formats import FORMATS
from sfumato.parts import Shape
from sfumato.policy import MODELS, SOLVERS, TECHNIQUES, model_keys
from sfumato.policy.compatibility import (
    SETTINGS_OF_REQUIRE,
    WORKS,
    Compatibility,
    PairState,
    model_in,
    model_with,
    setting_in,
    solver_in,
    technique_in,
)

SHAPES: Final = (
    Shape.ONE_ROW,
    Shape.SEVERAL_ROWS,
    Shape.SEVERAL_TABLES,
    Shape.ACROSS_TABLES,
    Shape.HOUSEHOLDS,
    Shape.WEIGHTS,
    Shape.NULL_READINGS,
)
SIGNS: Final = {PairState.WORKS: "yes", PairState.NOT_YET: "not yet", PairState.NO_MEANING: "–"}
Grid = Mapping[str, Mapping[str, Compatibility]]


def grids() -> dict[str, Grid]:
    """Every table by its name, row by row."""
    models, solvers = _own(MODELS), _own(SOLVERS)
    settings = {
        key: {shape.value: setting_in(key, shape) for shape in SHAPES}
        for key in SETTINGS_OF_REQUIRE
    }
    shaped = {
        key: {shape.value: model_in(MODELS[key], shape) for shape in SHAPES} for key in models
    }
    solved = {
        key: {name: model_with(MODELS[key], SOLVERS[name]) for name in solvers} for key in models
    }
    return {
        "requirement × shape": shaped | settings,
        "requirement × solver": solved
        | {key: _setting_with(key, solvers) for key in SETTINGS_OF_REQUIRE},
        "solver × shape": {
            key: {s.value: solver_in(SOLVERS[key], s) for s in SHAPES} for key in solvers
        },
        "technique × shape": {
            key: {s.value: technique_in(TECHNIQUES[key], s) for s in SHAPES}
            for key in _own(TECHNIQUES)
        },
        "engine × shape": {
            key: {s.value: engine_in(ENGINES[key], s) for s in SHAPES} for key in _own(ENGINES)
        },
        "format × shape": _formats(),
    }


def compatibility_tables() -> dict[str, str]:
    """Every table as Markdown by the name of its mark in the page, and the summary of all."""
    found = grids()
    return {f"matrix {name}": table(grid) for name, grid in found.items()} | {
        "matrix summary": summary(found)
    }


def table(grid: Grid) -> str:
    """A table with a mark in each cell, and below it the reasons of the cells that have no
    meaning."""
    notes: dict[str, int] = {}
    columns = list(next(iter(grid.values())))
    lines = [_line(("", *columns)), _line("---" for _ in (*columns, ""))]
    for row, cells in grid.items():
        lines.append(_line((f"`{row}`", *(_mark(cells[column], notes) for column in columns))))
    lines += ["", *(f"{number}. {_sentence(reason)}" for reason, number in notes.items())]
    return "\n".join(lines).rstrip()


def summary(found: Mapping[str, Grid]) -> str:
    """How many cells of each table work, and which share of those that have a meaning."""
    lines = [
        "| table | cells | work | not yet | no meaning | work, of those with a meaning |",
        _line(["---"] * 6),
    ]
    every: Counter[PairState] = Counter()
    for name, grid in found.items():
        states = Counter(cell.state for cells in grid.values() for cell in cells.values())
        lines.append(_line((name, *_counts(states))))
        every += states
    return "\n".join([*lines, _line(("all", *_counts(every)))])


def _counts(states: Counter[PairState]) -> tuple[str, ...]:
    meant = states[PairState.WORKS] + states[PairState.NOT_YET]
    share = f"{100 * states[PairState.WORKS] / max(meant, 1):.0f} %"
    return (str(states.total()), *(str(states[state]) for state in PairState), share)


def _mark(cell: Compatibility, notes: dict[str, int]) -> str:
    if cell.state is not PairState.NO_MEANING:
        return SIGNS[cell.state]
    return f"– ({notes.setdefault(cell.reason, len(notes) + 1)})"


def _sentence(reason: str) -> str:
    """A reason as a sentence; the key of a part stays as a policy writes it."""
    first, rest = reason.split(" ", 1)
    return (
        f"`{first}` {rest}."
        if first in MODELS or first in SOLVERS
        else f"{first.capitalize()} {rest}."
    )


def _formats() -> Grid:
    known = FORMATS.all()
    read = {
        f"{key}, read": {s.value: read_in(each, s) for s in SHAPES} for key, each in known.items()
    }
    written = {key: each for key, each in known.items() if each.released}
    return read | {
        f"{key}, released": {s.value: released_in(each, s) for s in SHAPES}
        for key, each in written.items()
    }


def _setting_with(key: str, solvers: Iterable[str]) -> dict[str, Compatibility]:
    return {
        name: solver_in(SOLVERS[name], Shape.NULL_READINGS) if key == "nulls" else WORKS
        for name in solvers
    }


def _own(registry: object) -> tuple[str, ...]:
    """The keys of Sfumato's own parts; models in the order of policies."""
    keys = model_keys() if registry is MODELS else tuple(registry.all())  # type: ignore[attr-defined]
    return tuple(key for key in keys if not registry.origin(key))  # type: ignore[attr-defined]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
