"""mu-Argus as a person uses it: see what generalising a field would do, do it, undo it (Sweeney
2000, section 6.3).

The paper: "the mu-Argus program operates in an interactive mode so the user can see the effect of
generalizing and can then select to undo the step". It shows counts, never a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sfumato.bins import Bins
from sfumato.errors import Mistake

from .mu_argus import MuArgus, count_unsafe
from .solver import Hierarchies, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The effect of recoding one field, in counts: unsafe values of combinations, cells to blank,
    distinct values."""

    field: str
    level: int
    unsafe_before: int
    unsafe_after: int
    cells_before: int
    cells_after: int
    distinct_before: int
    distinct_after: int


class MuArgusSession:
    """The interactive way: see what generalising a field would do, do it, undo it, and blank the
    rest.

    Example:
        >>> from sfumato.hierarchies import Hierarchy
        >>> bins = Bins.of(("zip",), {("02138",): 1, ("02139",): 1})
        >>> zips = Hierarchy.from_rows([("02138", "0213*", "*"), ("02139", "0213*", "*")])
        >>> session = MuArgusSession(bins, {"zip": zips}, MuArgus(k=2, ranks={"zip": 2}))
        >>> effect = session.preview("zip", 1)
        >>> effect.cells_before, effect.cells_after, session.levels["zip"]
        (2, 0, 0)
    """

    def __init__(self, bins: Bins, hierarchies: Hierarchies, solver: MuArgus) -> None:
        self.bins, self.hierarchies, self.solver = bins, hierarchies, solver
        self._done: list[dict[str, int]] = [dict.fromkeys(bins.fields, 0)]
        self._undone: list[dict[str, int]] = []

    @property
    def levels(self) -> Mapping[str, int]:
        """The level of each field now."""
        return dict(self._done[-1])

    def preview(self, field: str, level: int) -> Effect:
        """The effect of `recode`; nothing is changed."""
        self._check(field, level)
        before = self.bins.recode(self.hierarchies, self.levels)
        after = self.bins.recode(self.hierarchies, {**self.levels, field: level})
        model = self.solver.model(self.bins.fields)
        return Effect(
            field=field,
            level=level,
            unsafe_before=count_unsafe(before, model),
            unsafe_after=count_unsafe(after, model),
            cells_before=self._cells(before),
            cells_after=self._cells(after),
            distinct_before=before.distinct(field),
            distinct_after=after.distinct(field),
        )

    def recode(self, field: str, level: int) -> None:
        """Take a field to a level, coarser or finer than now."""
        self._check(field, level)
        self._done.append({**self.levels, field: level})
        self._undone.clear()

    def undo(self) -> None:
        if len(self._done) == 1:
            raise Mistake("There is no recoding to undo.")
        self._undone.append(self._done.pop())

    def redo(self) -> None:
        if not self._undone:
            raise Mistake("There is no recoding to redo.")
        self._done.append(self._undone.pop())

    def solve(self) -> Solution:
        """Blank what is still unsafe; the recoding starts from the bins that the session was
        given."""
        return self.solver.solve_at(self.bins, self.hierarchies, self.levels)

    def _cells(self, bins: Bins) -> int:
        blank, _ = self.solver.blanked(bins)
        return int(bins.counts @ blank.sum(axis=1))

    def _check(self, field: str, level: int) -> None:
        if field not in self.bins.fields:
            raise Mistake(
                f"There is no field '{field}' to recode.",
                attempt=f"one of: {', '.join(self.bins.fields)}.",
            )
        if not 0 <= level <= self.hierarchies[field].height:
            raise Mistake(
                f"There is no level {level} of {field}.",
                found=f"Its top level is {self.hierarchies[field].height}.",
            )
