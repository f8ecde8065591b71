"""Tables of the docs about solvers, from their declarations: the settings and the abilities of
each."""

from __future__ import annotations

from typing import Any

from sfumato.parts import Shape, parameters_of, table_of
from sfumato.policy import SolveSettings

from .declaration import SOLVERS, SolverDeclaration

SHAPES = (
    Shape.SEVERAL_ROWS,
    Shape.SEVERAL_TABLES,
    Shape.ACROSS_TABLES,
    Shape.HOUSEHOLDS,
    Shape.WEIGHTS,
    Shape.NULL_READINGS,
)
"""The shapes of data besides one row per person; the other shapes are the business of models and
the gate."""


def solver_tables() -> dict[str, str]:
    """Every table by the name that a marker in a page of the docs gives it."""
    tables = {f"solver {key}": _settings(declared) for key, declared in SOLVERS.all().items()}
    return {
        "solve settings": table_of(SolveSettings),
        "solvers": _overview(),
        "solver shapes": _shapes(),
        **tables,
    }


def page_of(declared: SolverDeclaration[Any]) -> str:
    """Where the docs describe a solver, from the folder docs."""
    return declared.page or f"solvers/{declared.key.replace('_', '-')}.md"


def _settings(declared: SolverDeclaration[Any]) -> str:
    return table_of(declared.settings) or f"`{declared.key}` has no settings of its own."


def _overview() -> str:
    rows = [_row(declared) for declared in SOLVERS.all().values()]
    return "\n".join(("| solver | what it finds | its settings |", "| --- | --- | --- |", *rows))


def _row(declared: SolverDeclaration[Any]) -> str:
    record: type = declared.settings
    names = ", ".join(f"`{each.name}`" for each in parameters_of(record)) or "none"
    return f"| [`{declared.key}`]({page_of(declared)}) | {declared.doc} | {names} |"


def _shapes() -> str:
    heads = (
        "solver",
        "recodes",
        "works towards",
        "needs",
        "ends by",
        *(shape.value for shape in SHAPES),
    )
    rows = [_abilities(declared) for declared in SOLVERS.all().values()]
    return "\n".join((f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}", *rows))


def _abilities(declared: SolverDeclaration[Any]) -> str:
    able = declared.abilities
    need = "" if able.need is None else " or ".join(f"`{key}`" for key in able.need.requirements)
    limits = ", ".join(f"`{name}`" for name in able.limits)
    shapes = ("yes" if shape in able.shapes else "no" for shape in SHAPES)
    return f"| {' | '.join((f'`{declared.key}`', able.recodes.value, able.models.value, need, limits, *shapes))} |"
