"""Interactive mu-Argus: preview, apply and undo the generalisation of a field; list the rare
combinations, and blank them one by one (Sweeney 2000, section 6.3).

The paper: "the mu-Argus program operates in an interactive mode so the user can see the effect of
generalizing and can then select to undo the step". The holder sees counts; values are only in the
list of rare combinations, on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.hierarchies import Label

from .mu_argus import MuArgus, count_unsafe, recoded_bins, with_blanks
from .mu_argus_choices import BlankedCell, chosen_cells
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RareCombination:
    """Values of a checked combination that fewer than k rows have, by the number under which a
    person chooses it."""

    number: int
    fields: tuple[str, ...]
    labels: tuple[Label, ...] = field(repr=False)
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRarity:
    """How many rare combinations of one, two and three fields a field is in, and how many rows are
    in one of them."""

    field: str
    by_size: tuple[int, int, int]
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    levels: Mapping[str, int]
    blanked: tuple[BlankedCell, ...] = ()


class MuArgusSession:
    """The interactive way: preview, apply and undo the generalisation of a field, blank rare
    combinations by hand, and let the solver blank the rest.

    Example:
        >>> from sfumato.hierarchies import Hierarchy
        >>> bins = Bins.of(("zip",), {("02138",): 1, ("02139",): 1})
        >>> zips = Hierarchy.from_rows([("02138", "0213*", "*"), ("02139", "0213*", "*")])
        >>> session = MuArgusSession(bins, {"zip": zips}, MuArgus(k=2, ranks={"zip": 2}))
        >>> effect = session.preview("zip", 1)
        >>> effect.cells_before, effect.cells_after, session.levels["zip"]
        (2, 0, 0)
        >>> [(rare.number, rare.fields, rare.rows) for rare in session.rare()]
        [(1, ('zip',), 1), (2, ('zip',), 1)]
        >>> session.blank(1, "zip")
        >>> len(session.rare()), len(session.blanked)
        (1, 1)
        >>> session.undo()
        >>> len(session.rare())
        2
    """

    def __init__(self, bins: Bins, hierarchies: Hierarchies, solver: MuArgus) -> None:
        self.bins, self.hierarchies, self.solver = bins, hierarchies, solver
        levels = dict.fromkeys(bins.fields, 0)
        self._done = [_State(levels=levels, blanked=solver.choices(bins.fields))]
        self._undone: list[_State] = []

    @property
    def levels(self) -> Mapping[str, int]:
        """The level of each field now."""
        return dict(self._done[-1].levels)

    @property
    def blanked(self) -> tuple[BlankedCell, ...]:
        """The cells that were blanked by hand."""
        return self._done[-1].blanked

    def preview(self, field: str, level: int) -> Effect:
        """The effect that `recode` would have; nothing is changed."""
        self._check(field, level)
        before = self._now(self.levels)
        after = self._now({**self.levels, field: level})
        model = self.solver.model(self.bins.fields)
        return Effect(
            field=field,
            level=level,
            unsafe_before=count_unsafe(before, model),
            unsafe_after=count_unsafe(after, model),
            cells_before=self._cells(self.levels),
            cells_after=self._cells({**self.levels, field: level}),
            distinct_before=before.distinct(field),
            distinct_after=after.distinct(field),
        )

    def recode(self, field: str, level: int) -> None:
        """Take a field to a level, coarser or finer than now."""
        self._check(field, level)
        self._do(replace(self._done[-1], levels={**self.levels, field: level}))

    def rare(self, field: str | None = None) -> tuple[RareCombination, ...]:
        """The rare combinations, smallest first, or those that `field` is in. A number stays that
        of its combination until something is recoded or blanked."""
        model, bins = self.solver.model(self.bins.fields), self._now(self.levels)
        found: list[RareCombination] = []
        for names in model.combinations:
            unsafe = model.unsafe(bins, names)
            if not unsafe.any():
                continue
            for labels, rows in bins.only(unsafe).project(names).sizes().items():
                number = len(found) + 1
                found.append(RareCombination(number=number, fields=names, labels=labels, rows=rows))
        return tuple(rare for rare in found if field is None or field in rare.fields)

    def table(self) -> tuple[FieldRarity, ...]:
        """A line for each field: its rare combinations by size, and the rows in them."""
        model, bins = self.solver.model(self.bins.fields), self._now(self.levels)
        unsafe = {names: model.unsafe(bins, names) for names in model.combinations}
        rare = self.rare()
        out = []
        for name in self.bins.fields:
            own = [each for each in rare if name in each.fields]
            sizes = tuple(sum(len(each.fields) == size for each in own) for size in (1, 2, 3))
            inside = np.zeros(len(bins), bool)
            for names, found in unsafe.items():
                inside |= found & (name in names)
            rows = int(bins.counts[inside].sum())
            out.append(FieldRarity(field=name, by_size=(sizes[0], sizes[1], sizes[2]), rows=rows))
        return tuple(out)

    def blank(self, number: int, field: str) -> None:
        """Blank the cell of `field` in all rows with the rare combination of that number."""
        chosen = next((rare for rare in self.rare() if rare.number == number), None)
        if chosen is None:
            raise Mistake(
                f"There is no rare combination {number}.",
                found=f"There are {len(self.rare())}.",
                attempt="a number of the list.",
            )
        if field not in chosen.fields:
            raise Mistake(
                f"{field} is not in combination {number}.",
                attempt=f"one of {', '.join(chosen.fields)}.",
            )
        cell = BlankedCell(fields=chosen.fields, labels=chosen.labels, field=field)
        self._do(replace(self._done[-1], blanked=(*self.blanked, cell)))

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
        return self._solver().solve_at(self.bins, self.hierarchies, self.levels)

    def _do(self, state: _State) -> None:
        self._done.append(state)
        self._undone.clear()

    def _solver(self) -> MuArgus:
        return replace(self.solver, chosen=self.blanked)

    def _now(self, levels: Mapping[str, int]) -> Bins:
        """The bins at these levels, with the cells that were blanked by hand."""
        bins = recoded_bins(self.bins, self.hierarchies, levels)
        return with_blanks(bins, chosen_cells(bins, self.blanked))

    def _cells(self, levels: Mapping[str, int]) -> int:
        bins = recoded_bins(self.bins, self.hierarchies, levels)
        blank, _ = self._solver().blanked(bins)
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
