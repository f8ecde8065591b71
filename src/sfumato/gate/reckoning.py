"""Reckoning: the rows that noisy numbers are made from, as counted entries, made once and asked by every question.

Of a person with more rows than the terms allow, so many are taken, once and for all and by a secret chance: then nobody
can add more than that to any answer, whatever is asked. Rows that agree in their corner and in the few fields that a
question uses are one entry with a number, and there are far fewer of those than rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.policy.hierarchies import Codes
from sfumato.techniques.chance import Chance

from .holding import Holding
from .noise import bounded
from .sql.predicates import Predicate
from .tallies import summed

Marks = NDArray[np.bool_]
Wholes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """Rows that agree in their corner and in some fields, and how many there are of each."""

    corner: Wholes = field(repr=False)
    codes: Mapping[str, Codes] = field(repr=False)
    times: Wholes = field(repr=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class Reckoning:
    """A holding with at most `most` rows of each person."""

    holding: Holding
    most: int
    rows: Wholes = field(repr=False)
    _entries: dict[tuple[str, ...], Entries] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, holding: Holding, *, most: int, chance: Chance) -> Reckoning:
        everything = np.arange(len(holding))
        if holding.one_row_each:
            return cls(holding=holding, most=1, rows=everything)
        rows = bounded(holding.person_of, everything, most, chance.permutation(len(holding)))
        return cls(holding=holding, most=most, rows=rows)

    def entries(self, names: tuple[str, ...]) -> Entries:
        """The rows over corners and these fields."""
        if names not in self._entries:
            keys, span = self.holding.corner_of[self.rows], len(self.holding.corners)
            widths = [max(1, len(self.holding.fields[name].values)) for name in names]
            for name, width in zip(names, widths, strict=True):
                keys, span = keys * width + self.holding.fields[name].codes[self.rows], span * width
            found, times = summed(keys, np.ones(len(keys), np.int64), span)
            codes: dict[str, Codes] = {}
            for name, width in reversed(list(zip(names, widths, strict=True))):
                codes[name], found = (found % width).astype(np.int32), found // width
            self._entries[names] = Entries(corner=found, codes=codes, times=times)
        return self._entries[names]

    def rows_of(self, having: Predicate | None, meant: Marks) -> Wholes:
        """The rows themselves, where people must be told apart."""
        rows = self.rows[meant[self.holding.corner_of[self.rows]]]
        if having is None:
            return rows
        codes = {name: self.holding.fields[name].codes[rows] for name in having.fields()}
        return rows[having.marks(self.holding.fields, codes)]

    def people(self, whole: Wholes, meant: Marks, count: int) -> Wholes:
        """How many people each group has at the least, by known fields alone: nobody has more than `most` rows here."""
        entries = self.entries(())
        chosen = meant[entries.corner]
        rows = np.bincount(whole[entries.corner[chosen]], weights=entries.times[chosen], minlength=count)
        return np.asarray(np.ceil(rows / self.most), np.int64)
