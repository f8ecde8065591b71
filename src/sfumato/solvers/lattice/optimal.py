"""The node of least loss with a suppression limit, exactly: the lattice of paper 004 searched to the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.bins import Bins
from sfumato.protection import Model

from ..effort import Effort
from ..solver import Hierarchies, Solution
from .below import Unreached
from .boxes import Boxes, Found, Progress, no_progress, solution_of
from .checking import Checker
from .nodes import Lattice
from .objectives import objective_for


@dataclass(frozen=True, kw_only=True)
class Optimal:
    """The exact optimum over all global recodings.

    `seconds` of CPU time, `work` nodes counted, or best and bound within `gap` end it early, with the best found and
    the bound proven so far. So does Ctrl-C, unless `keeps_best` is false: a release that is interrupted should not go
    on.

    Of a table that was rolled up first, recodings at or above the raised levels are searched; the bound holds for all.

    Example:
        >>> from sfumato.policy.hierarchies import Hierarchy
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
    seconds: float = float("inf")
    work: int | None = None
    gap: float = 0.0
    keeps_best: bool = True
    progress: Progress = no_progress

    name: ClassVar[str] = "optimal"

    def search(self, bins: Bins, hierarchies: Hierarchies) -> Found:
        """The best node, or NoRecodingFound."""
        effort = Effort(seconds=self.seconds, work=self.work)
        lattice = Lattice.over(bins.fields, hierarchies)
        goal = objective_for(self.objective, bins, hierarchies, weights=self.weights)
        checker = Checker(bins, hierarchies, self.models, goal, max_suppression=self.max_suppression)
        below = Unreached(bins, hierarchies, checker, objective=self.objective, weights=self.weights)
        boxes = Boxes(lattice, checker, effort=effort, gap=self.gap, progress=self.progress, below=below)
        return boxes.run(keeps_best=self.keeps_best)

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        return solution_of(self.name, self.search(bins, hierarchies), bins, hierarchies, self.models, self.objective)
