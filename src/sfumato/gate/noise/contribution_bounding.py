"""Contribution bounding: the rows that noisy numbers are made from, added up once for all
questions.

Of a person with more rows than the terms allow, so many are sampled, once and with a secret. Nobody
can then add more than that to any answer, whatever is asked. Rows that agree in the few fields that
a question uses are one entry with a number. There are far fewer entries than rows, and a question
is a sum over some entries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Codes
from sfumato.techniques import KeyedRandom

from ..decide.people_counts import numbered, summed
from ..decide.protected_table import HeldField, ProtectedTable, bounded
from ..sql.predicates import Predicate

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]
Names = tuple[str, ...]
Number = TypeVar("Number", bound=np.generic)

ROOM = 4_000_000
"""Entries that are kept at hand for one table; beyond, those not asked for longest are worked out
again."""
MOST_STEPS = 16
"""Rows of one person up to which they are compared with each other; more are sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """The summand of each row: one where a field is there, or its value between bounds, in whole
    steps."""

    field: str = ""
    """Empty where all rows count."""
    between: tuple[float, float] | None = None
    step: float = 1.0

    def worth(self, held: HeldField) -> Wholes:
        """The summand of each value of the field, nothing where there is none."""
        if self.between is None:
            return held.present.astype(np.int64)
        clipped = np.clip(np.nan_to_num(held.numbers()), *self.between)
        return np.where(held.present, np.rint(clipped / self.step), 0).astype(np.int64)

    @property
    def reach(self) -> int:
        """The most that one row adds, or takes away where it has another value: of the steps,
        rounded as they are."""
        if self.between is None:
            return 1
        low, high = (int(np.rint(end / self.step)) for end in self.between)
        return max(1, abs(low), abs(high), high - low)


ROWS = Measure()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Entries:
    """Rows that agree in their unit, a bin or a place, and in other fields, as one; and the sum of
    what they add.

    `codes` has the different combinations of those other fields, `combination` which one an entry
    has. Entries are in the order of their units; `starts` is where each unit that has any begins.
    """

    unit: Wholes = field(repr=False)
    combination: Wholes = field(repr=False)
    number: Wholes = field(repr=False)
    starts: Wholes = field(repr=False)
    codes: Mapping[str, Codes] = field(repr=False)
    combinations: int

    def over(self, place_of: Wholes, places: int) -> Entries:
        """The entries of coarser units."""
        keys = place_of[self.unit] * self.combinations + self.combination
        return entries_of(
            keys, self.number, places, codes=self.codes, combinations=self.combinations
        )

    def totals(
        self, units: Marks, having: Predicate | None, fields: Mapping[str, HeldField]
    ) -> Wholes:
        """The sum of each unit that is marked, over the rows that meet a condition; zero for the
        others."""
        out = np.zeros(len(units), np.int64)
        number = self.number
        if having is not None:
            number = number * having.marks(fields, self.codes).take(self.combination)
        if len(number):
            out[self.unit[self.starts]] = np.add.reduceat(number, self.starts)
        return out * units


def entries_of(
    keys: Wholes, numbers: Wholes, units: int, *, codes: Mapping[str, Codes], combinations: int
) -> Entries:
    """Entries from keys `unit * combinations + combination`."""
    found, number = summed(keys, numbers, units * combinations)
    unit, combination = np.divmod(found, combinations)
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    return Entries(
        unit=unit,
        combination=combination,
        number=number,
        starts=starts,
        codes=codes,
        combinations=combinations,
    )


def added(groups: Wholes, numbers: Wholes, count: int) -> Wholes:
    """Sums of whole numbers by group: exact, because no sum of ours is near the 53 bits of a
    double."""
    return np.rint(np.bincount(groups, weights=numbers, minlength=count)).astype(np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundedRows:
    """A protected table with at most `most` rows of each person."""

    holding: ProtectedTable
    most: int
    rows: Wholes | None = field(repr=False)
    """The places of the rows that count; None where all do."""
    _kept: dict[object, Entries] = field(default_factory=dict, init=False, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)
    _ordered: dict[bool, tuple[Wholes, Wholes, Wholes]] = field(
        default_factory=dict, init=False, repr=False
    )

    @classmethod
    def of(cls, holding: ProtectedTable, *, most: int, chance: KeyedRandom) -> BoundedRows:
        if not holding.has_person_key:
            return cls(holding=holding, most=1, rows=None)
        person_of = holding.person_of
        many = (np.bincount(person_of) > most)[person_of]
        if not many.any():
            return cls(holding=holding, most=most, rows=None)
        places = np.flatnonzero(many)
        chosen = bounded(person_of, places, most, chance.permutation(len(places)))
        return cls(
            holding=holding,
            most=most,
            rows=np.sort(np.concatenate([np.flatnonzero(~many), chosen])),
        )

    def entries(self, known: Names, names: Names = (), measure: Measure = ROWS) -> Entries:
        """The sums of rows over the places of a projection of `known` fields, and over other
        fields."""

        def made() -> Entries:
            projection = self.holding.projection(known)
            return self._at_corners(names, measure).over(projection.place_of, projection.places)

        return self._at_hand((known, names, measure), made)

    def _at_corners(self, names: Names, measure: Measure) -> Entries:
        return self._at_hand((names, measure), lambda: self._counted(names, measure))

    def _counted(self, names: Names, measure: Measure) -> Entries:
        """One pass over the rows, from which the entries of every projection are made."""
        bin = self._taken(self.holding.bin_of)
        columns = {name: self._taken(self.holding.fields[name].codes) for name in names}
        combination, count = np.zeros(len(bin), np.int64), 1
        for name, column in columns.items():
            width = max(1, len(self.holding.fields[name].values))
            combination, count = numbered(combination * width + column, count * width)
        somewhere = np.zeros(count, np.int64)
        somewhere[combination] = np.arange(len(combination))
        worth = np.ones(len(bin), np.int64)
        if measure.field:
            held = self.holding.fields[measure.field]
            worth = measure.worth(held)[self._taken(held.codes)]
        return entries_of(
            bin * count + combination if names else bin,
            worth,
            len(self.holding.bins),
            codes={name: column[somewhere] for name, column in columns.items()},
            combinations=count,
        )

    def _taken(self, column: NDArray[Number]) -> NDArray[Number]:
        return column if self.rows is None else column[self.rows]

    def _at_hand(self, key: object, made: Callable[[], Entries]) -> Entries:
        """The one that was made before, or is made now; the oldest make room for it."""
        with self._lock:
            found = self._kept.pop(key, None) or made()
            self._kept[key] = found
            while (
                len(self._kept) > 1 and sum(len(each.number) for each in self._kept.values()) > ROOM
            ):
                del self._kept[next(iter(self._kept))]
            return found

    def people_of_groups(
        self, having: Predicate | None, meant: Marks, whole: Wholes, count: int, *, once: bool
    ) -> Wholes:
        """How many people each group has, where they must be distinguished; `meant` and `whole` are
        of bins.

        With `once` everybody is counted in one group alone, whatever their rows are, and all their
        rows are read."""
        rows, bins, person = self._by_person(every=once)
        there = meant[bins]
        if having is not None:
            codes = {name: self.holding.fields[name].codes[rows] for name in having.fields()}
            there &= having.marks(self.holding.fields, codes)
        person, group = person[there], whole[bins[there]]
        if once:
            starts = np.flatnonzero(np.diff(person, prepend=-1))
            first = np.minimum.reduceat(group, starts) if len(starts) else group
            return np.bincount(first, minlength=count)
        return np.bincount(group[_first_in_group(person, group)], minlength=count)

    def _by_person(self, *, every: bool) -> tuple[Wholes, Wholes, Wholes]:
        """The rows that count, or all of them, those of one person together; with the bin and the
        person of each."""
        found = self._ordered.get(every)
        if found is None:
            rows = np.arange(len(self.holding)) if self.rows is None or every else self.rows
            rows = rows[np.argsort(self.holding.person_of[rows], kind="stable")]
            found = rows, self.holding.bin_of[rows], self.holding.person_of[rows]
            self._ordered[every] = found
        return found


def _first_in_group(person: Wholes, group: Wholes) -> Marks:
    """Of rows in the order of their people, the first of each person in each group.

    Example:
        >>> _first_in_group(np.array([0, 0, 0, 1]), np.array([2, 5, 2, 2])).tolist()
        [True, True, False, True]
    """
    out = np.ones(len(person), bool)
    for step in range(1, len(person)):
        same = person[step:] == person[:-step]
        if not same.any():
            break
        if step > MOST_STEPS:
            _, first = np.unique(np.stack([person, group]), axis=1, return_index=True)
            out = np.zeros(len(person), bool)
            out[first] = True
            break
        out[step:] &= ~(same & (group[step:] == group[:-step]))
    return out
