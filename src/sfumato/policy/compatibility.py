"""Which models, solvers and techniques work with each other and with shapes of data, by their
declarations.

Each pair works, has no meaning (a definition fails, and the reason is declared), or does not work
yet. The tables of the docs are made from this, and `make matrix` runs each pair and compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sfumato.parts import Shape

from .declared_models import MODELS, LooksAt, RequirementDeclaration
from .declared_solvers import SOLVERS, DeclaredSolver, ModelScope, RecodingKind
from .step_records import TechniqueDeclaration

_FINE_CELLS: Final = (RecodingKind.LOCAL, RecodingKind.NUMERIC)
"""Kinds of recoding that keep some cells at their level in the source."""


class PairState(StrEnum):
    """Whether two parts, or a part and a shape of data, work together."""

    WORKS = "works"
    NOT_YET = "not yet"
    NO_MEANING = "no meaning"


@dataclass(frozen=True, slots=True)
class Compatibility:
    """The state of a pair. `reason` is why it has no meaning; a release that asks for it is refused
    with it."""

    state: PairState
    reason: str = ""

    def __and__(self, other: Compatibility) -> Compatibility:
        """Both at once: as much as the worse of the two."""
        order = list(PairState)
        return self if order.index(self.state) >= order.index(other.state) else other


WORKS: Final = Compatibility(PairState.WORKS)
NOT_YET: Final = Compatibility(PairState.NOT_YET)

_TABLES: Final = frozenset({Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES})
SETTINGS_OF_REQUIRE: Final[Mapping[str, frozenset[Shape]]] = {
    "quasi_identifiers": frozenset(Shape),
    "reading": frozenset(Shape) - _TABLES,
    "nulls": frozenset(Shape) - _TABLES,
}
"""The shapes in which settings beside the models can be asked for."""


def setting_in(key: str, shape: Shape) -> Compatibility:
    """A setting of [require] that is no model, with a shape."""
    return WORKS if shape in SETTINGS_OF_REQUIRE[key] else NOT_YET


def model_in(declared: RequirementDeclaration, shape: Shape) -> Compatibility:
    """A protection model with a shape.

    Example:
        >>> model_in(MODELS["k"], Shape.SEVERAL_ROWS).state.value
        'works'
    """
    return _in_shape(shape, declared.shapes, declared.reasons)


def solver_in(solver: DeclaredSolver, shape: Shape) -> Compatibility:
    """A solver with a shape, in which a requirement that it needs must have a meaning too."""
    able = solver.abilities
    own, need = _in_shape(shape, able.shapes, able.reasons), able.need
    if need is None:
        return own
    needed = [model_in(MODELS[key], shape) for key in need.requirements]
    return own & min(needed, key=lambda each: list(PairState).index(each.state))


def technique_in(technique: TechniqueDeclaration, shape: Shape) -> Compatibility:
    """A technique with a shape."""
    return _in_shape(shape, technique.shapes, technique.reasons)


def model_with(declared: RequirementDeclaration, solver: DeclaredSolver) -> Compatibility:
    """A protection model with a solver, on a table in which the model has a meaning.

    Example:
        >>> model_with(MODELS["l_diversity"], SOLVERS["anytime"]).state.value
        'works'
    """
    able = solver.abilities
    found = why_not_with(declared, solver)
    if found:
        return Compatibility(PairState.NO_MEANING, found)
    if able.models is ModelScope.COUNTS and not declared.counted:
        return NOT_YET
    return solver_in(solver, Shape.SEVERAL_ROWS) if declared.looks_at is LooksAt.SETS else WORKS


def why_not_with(declared: RequirementDeclaration, solver: DeclaredSolver) -> str:
    """Why a requirement has no meaning with a solver; empty where it has one."""
    able, key = solver.abilities, declared.key
    if declared.needs_reading and key not in solver.readings:
        able_to = ", ".join(name for name, each in SOLVERS.all().items() if key in each.readings)
        return f"only {able_to} {declared.needs_reading}"
    if able.models is ModelScope.COUNTS and not declared.counted and able.counts_because:
        return f"{solver.key} does not support {key}: {able.counts_because}"
    if declared.against_blanks and able.blanks_cells:
        return f"{solver.key} blanks cells, and {declared.against_blanks}"
    if declared.reads_labels and able.recodes is RecodingKind.NUMERIC:
        return f"{key} looks labels up in the hierarchies, and means are not among them"
    fine = able.recodes in _FINE_CELLS and not able.holds_finest
    if declared.looks_at is LooksAt.LABELS and fine:
        return (
            f"{solver.key} makes a cell only as coarse as its bin needs and keeps to no finest "
            f"level, and {key} asks for coarse labels everywhere"
        )
    return ""


def _in_shape(
    shape: Shape, shapes: frozenset[Shape], reasons: Mapping[Shape, str]
) -> Compatibility:
    if shape in shapes:
        return WORKS
    return Compatibility(PairState.NO_MEANING, reasons[shape]) if shape in reasons else NOT_YET
