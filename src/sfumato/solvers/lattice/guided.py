"""The guided way (Chiang et al. 2001, section 3.2; Sweeney 2000, section 6.3): a person moves along
the lattice, looks, and undoes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.hierarchies import Hierarchy
from sfumato.protection import Model

from .node_check import Checker
from .nodes import Lattice
from .objectives import objective_for


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The view of a node: sizes before suppression, suppressed rows, cost and remaining risk.

    `highest_risk` and `average_risk` are the chances of picking the right row for someone known to
    be in the release, over the bins that stay."""

    levels: Mapping[str, int]
    bins: int
    smallest: int
    rows_suppressed: int
    share_suppressed: float
    feasible: bool
    loss: float
    highest_risk: float
    average_risk: float


class Guided:
    """A place in the lattice with a history. Moving changes the place; looking elsewhere does not.

    Example:
        >>> from sfumato.protection import KAnonymity
        >>> bins = Bins.of(("zip",), {("02138",): 1, ("02139",): 1})
        >>> zips = Hierarchy.from_rows([("02138", "0213*", "*"), ("02139", "0213*", "*")])
        >>> walk = Guided(bins, {"zip": zips}, (KAnonymity(k=2, fields=("zip",)),))
        >>> walk.here.rows_suppressed, walk.move("zip", 1).rows_suppressed, walk.undo().rows_suppressed
        (2, 0, 2)
    """

    def __init__(
        self,
        bins: Bins,
        hierarchies: Mapping[str, Hierarchy],
        models: Sequence[Model],
        *,
        objective: str = "loss",
        max_suppression: float = 0.0,
        start: Mapping[str, int] | None = None,
    ) -> None:
        self.lattice = Lattice.over(bins.fields, hierarchies)
        goal = objective_for(objective, bins, hierarchies)
        self._checker = Checker(bins, hierarchies, models, goal, max_suppression=max_suppression)
        first = tuple((start or {}).get(name, 0) for name in bins.fields)
        self._past: list[tuple[int, ...]] = [first]
        self._future: list[tuple[int, ...]] = []

    @property
    def levels(self) -> dict[str, int]:
        return self.lattice.named(self._past[-1])

    @property
    def here(self) -> View:
        return self._view(self._past[-1])

    def look(self, field: str, level: int) -> View:
        """The effect of setting one field to a level, without going there."""
        return self._view(self._changed(field, level))

    def move(self, field: str, level: int) -> View:
        """Set one field to a level."""
        self._past.append(self._changed(field, level))
        self._future.clear()
        return self.here

    def undo(self) -> View:
        """Back to the node before the last move; at the start it stays."""
        if len(self._past) > 1:
            self._future.append(self._past.pop())
        return self.here

    def redo(self) -> View:
        """Take back the last undo."""
        if self._future:
            self._past.append(self._future.pop())
        return self.here

    def choices(self) -> dict[str, dict[int, View]]:
        """For each field, the views one level finer and one level coarser than here."""
        out: dict[str, dict[int, View]] = {}
        for name, level, top in zip(
            self.lattice.fields, self._past[-1], self.lattice.top, strict=True
        ):
            near = [step for step in (level - 1, level + 1) if 0 <= step <= top]
            out[name] = {step: self.look(name, step) for step in near}
        return out

    def _changed(self, field: str, level: int) -> tuple[int, ...]:
        if field not in self.lattice.fields:
            raise Mistake(
                f"No known field is called {field!r}.",
                attempt=f"one of {', '.join(self.lattice.fields)}.",
            )
        place = self.lattice.fields.index(field)
        top = self.lattice.top[place]
        if not 0 <= level <= top:
            raise Mistake(
                f"Level {level} of {field} was asked for.", found=f"Its levels go from 0 to {top}."
            )
        here = self._past[-1]
        return (*here[:place], level, *here[place + 1 :])

    def _view(self, levels: tuple[int, ...]) -> View:
        rolled = self._checker.roll_up.at(levels)
        failing = self._checker.failing(rolled)
        suppressed = int(rolled.counts[failing].sum())
        kept = rolled.counts[~failing]
        rows = self._checker.rows
        return View(
            levels=self.lattice.named(levels),
            bins=len(rolled),
            smallest=int(rolled.counts.min()) if len(rolled) else 0,
            rows_suppressed=suppressed,
            share_suppressed=suppressed / rows if rows else 0.0,
            feasible=suppressed <= self._checker.allowed,
            loss=self._checker.objective.score(rolled, failing),
            highest_risk=1 / int(kept.min()) if len(kept) else 0.0,
            average_risk=len(kept) / int(kept.sum()) if len(kept) else 0.0,
        )
