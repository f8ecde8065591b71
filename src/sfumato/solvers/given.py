"""The recoding that a person chose, level by level; what still fails is suppressed, within the
limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.bins import Bins, GlobalRecoding
from sfumato.errors import NoRecodingFound
from sfumato.parts import parameter
from sfumato.protection import Model

from .declaration import (
    COUNTED,
    RecodingKind,
    Shape,
    SolverAbilities,
    SolverDeclaration,
    SolverRequest,
)
from .solver import Hierarchies, Solution, Step, failing_rows


@dataclass(frozen=True, kw_only=True)
class Given:
    """Apply `levels` as they are; 0 where a field is not named. A level above a hierarchy's top
    means its top, and one below the finest that is allowed means that one.

    Example:
        >>> from sfumato.hierarchies import Hierarchy
        >>> from sfumato.protection import KAnonymity
        >>> bins = Bins.of(("zip",), {("02138",): 1, ("02139",): 1})
        >>> zips = Hierarchy.from_rows([("02138", "0213*", "*"), ("02139", "0213*", "*")])
        >>> solver = Given(levels={"zip": 1}, models=(KAnonymity(k=2, fields=("zip",)),))
        >>> solver.solve(bins, {"zip": zips}).recoding.levels
        {'zip': 1}
    """

    levels: Mapping[str, int]
    models: Sequence[Model]
    max_suppression: float = 0.0

    name: ClassVar[str] = "given"

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        levels = {
            name: min(
                max(self.levels.get(name, 0), hierarchies[name].finest), hierarchies[name].height
            )
            for name in bins.fields
        }
        failing = failing_rows(bins, hierarchies, levels, self.models)
        rows = int(bins.rows_in_bins[failing].sum())
        told = ", ".join(f"{name} {level}" for name, level in levels.items())
        if not bins.may_leave_out(failing, self.max_suppression):
            inside = bins.people_in(failing)
            raise NoRecodingFound(
                f"The given levels ({told}) do not meet the requirements with at most "
                f"{self.max_suppression:.1%} of "
                f"{bins.unit} suppressed.",
                found=f"{inside} of {bins.people} {bins.unit} ({inside / bins.people:.1%}) are "
                "in bins that fail.",
                attempt="coarser levels (sfumato explore shows their effect), or a larger "
                "max_suppression.",
            )
        step = Step(
            what=f"as given: {told}",
            levels=levels,
            bins=len(bins.recode(hierarchies, levels)),
            rows_failing=rows,
        )
        recoding = GlobalRecoding(levels=levels, suppressed=failing)
        return Solution(solver=self.name, recoding=recoding, steps=(step,))


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSettings:
    """The levels that a person chose."""

    levels: Mapping[str, int] = parameter(
        "the level of each known field, 0 where it is not named",
        default_factory=dict,
        example="{ zip = 1 }",
    )


def _build(settings: GivenSettings, request: SolverRequest) -> Given:
    return Given(
        levels=settings.levels, models=request.models, max_suppression=request.max_suppression
    )


DECLARATION = SolverDeclaration(
    key="given",
    doc="your own levels, checked like any others",
    settings=GivenSettings,
    abilities=SolverAbilities(
        recodes=RecodingKind.GLOBAL,
        shapes=COUNTED | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.HOUSEHOLDS},
        holds_finest=True,
        only_climbs=True,
    ),
    build=_build,
    page="solvers/lattice.md",
)
