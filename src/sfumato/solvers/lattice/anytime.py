"""The best recoding found so far with a proven bound, for lattices too large to finish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.parts import parameter

from ..declaration import SolverDeclaration, SolverRequest
from ..effort import USUAL_SECONDS
from .optimal import SEARCH_ABILITIES, Optimal, OptimalSettings, build_people_search, build_search


@dataclass(frozen=True, kw_only=True)
class Anytime(Optimal):
    """Search for `seconds` of CPU time, or `work` nodes, or until best and bound are within `gap`,
    and prove the gap.

    Example:
        >>> from sfumato.bins import Bins
        >>> from sfumato.hierarchies import Hierarchy
        >>> from sfumato.protection import KAnonymity
        >>> bins = Bins.of(("zip",), {("02138",): 1, ("02139",): 1})
        >>> zips = Hierarchy.from_rows([("02138", "0213*", "*"), ("02139", "0213*", "*")])
        >>> solver = Anytime(models=(KAnonymity(k=2, fields=("zip",)),), objective="precision")
        >>> found = solver.search(bins, {"zip": zips})
        >>> found.levels, found.complete
        ((1,), True)
    """

    seconds: float = USUAL_SECONDS

    name: ClassVar[str] = "anytime"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnytimeSettings(OptimalSettings):
    """The settings of the search with a time limit in a policy."""

    seconds: float | None = parameter(
        "CPU seconds after which the search stops", default=USUAL_SECONDS, least=0.1
    )


def _build(settings: AnytimeSettings, request: SolverRequest) -> Optimal:
    return build_search(Anytime, settings, request)


DECLARATION = SolverDeclaration(
    key="anytime",
    doc="the recoding of least loss, or the best found in `seconds` with a proven bound",
    settings=AnytimeSettings,
    abilities=SEARCH_ABILITIES,
    build=_build,
    build_people=build_people_search,
    page="solvers/lattice.md",
)
