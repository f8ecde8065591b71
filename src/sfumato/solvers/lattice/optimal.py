"""The node of least loss with a suppression limit, exactly: the lattice of Chiang et al. 2001
searched to the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from sfumato.bins import Bins
from sfumato.parts import parameter
from sfumato.protection import KAnonymity, Model

from ..datafly2 import Datafly2, datafly2_of
from ..declaration import (
    COUNTED,
    PeopleRequest,
    PeopleSolver,
    RecodingKind,
    Shape,
    SolverAbilities,
    SolverDeclaration,
    SolverRequest,
)
from ..effort import Effort
from ..solver import Hierarchies, Solution
from .boxes import Boxes, Progress, SearchOutcome, no_progress, solution_of
from .field_groups import ADDITIVE, GroupBound, bound_by_groups
from .node_check import Checker
from .nodes import Lattice
from .objectives import objective_for
from .rollup_bound import UnreachedNodes


@dataclass(frozen=True, kw_only=True)
class Optimal:
    """The exact optimum over all global recodings.

    `seconds` of CPU time, `work` nodes counted, or best and bound within `gap` end it early, with
    the best found and the proven bound. So does Ctrl-C, unless `keeps_best` is false: a release
    that is interrupted should not go on.

    Where a lattice is too large to be searched to the end, groups of fields are bounded by
    themselves, if `bounds_groups`.

    However early it ends, it loses no more than `greedy`, which is Datafly II under the same models
    unless another is given.

    Of a table that was rolled up first, recodings at or above the raised levels are searched; the
    bound holds for all.

    Example:
        >>> from sfumato.hierarchies import Hierarchy
        >>> from sfumato.protection import KAnonymity
        >>> bins = Bins.of(("zip",), {("02138",): 1, ("02139",): 1})
        >>> zips = Hierarchy.from_rows([("02138", "0213*", "*"), ("02139", "0213*", "*")])
        >>> solver = Optimal(models=(KAnonymity(k=2, fields=("zip",)),), objective="precision")
        >>> solver.solve(bins, {"zip": zips}).recoding.levels
        {'zip': 1}
    """

    models: Sequence[Model]
    max_suppression: float = 0.0
    objective: str = "loss"
    weights: Mapping[str, float] = field(default_factory=dict)
    greedy: Datafly2 | None = None
    seconds: float = float("inf")
    work: int | None = None
    gap: float = 0.0
    keeps_best: bool = True
    progress: Progress = no_progress
    bounds_groups: bool = True

    name: ClassVar[str] = "optimal"

    def search(self, bins: Bins, hierarchies: Hierarchies) -> SearchOutcome:
        """The best node, or NoRecodingFound."""
        effort = Effort(seconds=self.seconds, work=self.work)
        lattice = Lattice.over(bins.fields, hierarchies)
        goal = objective_for(self.objective, bins, hierarchies, weights=self.weights)
        checker = Checker(
            bins, hierarchies, self.models, goal, max_suppression=self.max_suppression
        )
        below = UnreachedNodes(
            bins, hierarchies, checker, objective=self.objective, weights=self.weights
        )
        boxes = Boxes(
            lattice,
            checker,
            effort=effort,
            gap=self.gap,
            progress=self.progress,
            below=below,
            climb=self._climb(bins, hierarchies),
            groups=self._groups(bins, hierarchies, k=checker.least),
        )
        return boxes.run(keeps_best=self.keeps_best)

    def _groups(
        self, bins: Bins, hierarchies: Hierarchies, *, k: int
    ) -> Callable[[Effort], GroupBound] | None:
        """The bound by groups of fields, under plain k-anonymity and a mean over fields."""
        if not k or self.objective not in ADDITIVE or not self.bounds_groups:
            return None

        def bound(effort: Effort) -> GroupBound:
            def search(group: Bins, effort: Effort) -> GroupBound:
                part = replace(
                    self,
                    models=(KAnonymity(k=k, fields=group.fields),),
                    greedy=None,
                    seconds=effort.seconds,
                    work=effort.work,
                    gap=0.0,
                    keeps_best=False,
                    progress=no_progress,
                    bounds_groups=False,
                )
                found = part.search(group, hierarchies)
                return GroupBound(
                    bound=found.searched_bound, work=found.visited, complete=not found.stopped
                )

            return bound_by_groups(
                bins,
                search,
                effort=effort,
                objective=self.objective,
                weight=lambda name: self.weights.get(name, 1.0),
            )

        return bound

    def _climb(self, bins: Bins, hierarchies: Hierarchies) -> Iterator[tuple[int, ...]]:
        """The nodes that Datafly II would try, in its order."""
        greedy = self.greedy or Datafly2(models=self.models)
        for _, levels in greedy.climb(bins, hierarchies):
            yield tuple(levels[name] for name in bins.fields)

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        return solution_of(
            self.name,
            self.search(bins, hierarchies),
            bins,
            hierarchies,
            self.models,
            self.objective,
            self.weights,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimalSettings:
    """The settings of the search to the end in a policy; without a limit it is searched to the
    end."""

    seconds: float | None = parameter(
        "CPU seconds after which the search stops", default=None, least=0.1
    )
    work: int | None = parameter(
        "nodes of the lattice after which the search stops", default=None, least=1
    )
    gap: float = parameter(
        "the search stops when the best found is proven to be within this of the optimum",
        default=0.0,
        least=0,
    )


def build_search(
    search: type[Optimal], settings: OptimalSettings, request: SolverRequest
) -> Optimal:
    """A search of one table's lattice. An interrupted release continues with nothing, so the best
    is not kept."""
    return search(
        models=request.models,
        max_suppression=request.max_suppression,
        objective=request.policy.solve.objective,
        weights=request.weights,
        greedy=datafly2_of(request),
        seconds=float("inf") if settings.seconds is None else settings.seconds,
        work=settings.work,
        gap=settings.gap,
        keeps_best=False,
    )


def build_people_search(settings: OptimalSettings, request: PeopleRequest) -> PeopleSolver:
    """The same search where people are counted. Tables are compared by the plain mean of what their
    cells lose."""
    from ..people import CountingPeople

    solve = request.policy.solve
    return CountingPeople(
        k=request.k,
        max_suppression=request.max_suppression,
        objective="ncp" if solve.objective == "loss" else solve.objective,
        weights=request.weights,
        seconds=float("inf") if settings.seconds is None else settings.seconds,
        work=settings.work,
        gap=settings.gap,
        keeps_best=False,
    )


def _build(settings: OptimalSettings, request: SolverRequest) -> Optimal:
    return build_search(Optimal, settings, request)


SEARCH_ABILITIES = SolverAbilities(
    recodes=RecodingKind.GLOBAL,
    shapes=COUNTED | {Shape.SEVERAL_ROWS, Shape.ACROSS_TABLES, Shape.HOUSEHOLDS},
    limits=("seconds", "work"),
    proves=True,
    rolls_up=True,
    holds_finest=True,
)
DECLARATION = SolverDeclaration(
    key="optimal",
    doc="the recoding of least loss, searched to the end",
    settings=OptimalSettings,
    abilities=SEARCH_ABILITIES,
    build=_build,
    build_people=build_people_search,
    page="solvers/lattice.md",
)
