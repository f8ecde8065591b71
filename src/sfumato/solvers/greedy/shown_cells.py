"""Which cells can be shown: fields are placed in turn, and cells that would make a combination too
rare, or disclose a value, are blanked.

Rows with equal register labels are a group of their own, because every bounded recipient knows
these. In each group a field starts blank, which breaks nothing. Labels are shown that are frequent
enough with every label of the fields that were put in before. All others stay `*`, together: read
strictly, `*` is a value, and it must be frequent enough too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.protection import KnownGroups, largest_shares, sizes_of_groups

Numbers = NDArray[np.int64]
Marks = NDArray[np.bool_]
BLANK = 0

# A key space of up to this many times the bins is counted in an array; a larger one is numbered.
DENSE = 8
FEW_KEYS = 65_536
FEW_LEFT = 16
"""Groups are numbered afresh where bins are this many times fewer."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class InferenceLimit:
    """At most the share `confidence` of a group may have one of the `limited` values of a field."""

    sensitive: str
    limited: Marks
    confidence: float


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GroupRule:
    """The rule for every group: `k` rows, or people, and no value inferred."""

    bins: Bins
    k: int
    limits: tuple[InferenceLimit, ...] = ()

    def broken(self, at: Numbers, groups: Numbers, count: int) -> Marks:
        """Which of the bins `at` are in a group that breaks it."""
        found = KnownGroups((), at, groups, count, np.ones(len(at), bool))
        bad = sizes_of_groups(self.bins, found) < self.k
        for limit in self.limits:
            left = ~bad[groups]
            if not left.any():
                break
            rest, count_left = (
                numbered(groups[left])
                if FEW_LEFT * left.sum() < count
                else (
                    groups[left],
                    count,
                )
            )
            found = KnownGroups((), at[left], rest, count_left, np.ones(len(rest), bool))
            shares = largest_shares(self.bins, found, limit.sensitive, limited=limit.limited)
            bad[groups[left]] |= (shares > limit.confidence)[rest]
        return bad[groups]


@dataclass(frozen=True, slots=True, eq=False)
class ShownColumn:
    """The labels of one field as shown: a code for each bin, 0 where it is blank."""

    codes: Numbers
    values: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShownCells:
    """The cells that are shown so far: `groups` by the labels of the register fields, and `columns`
    of other fields. A recipient knows any `m` of these."""

    rule: GroupRule
    m: int
    groups: Numbers
    count: int
    columns: Mapping[str, ShownColumn] = field(default_factory=dict)

    @classmethod
    def nothing(cls, rule: GroupRule, m: int) -> ShownCells:
        return cls(rule=rule, m=m, groups=np.zeros(len(rule.bins), np.int64), count=1)

    def with_register(self, column: ShownColumn) -> ShownCells:
        """Groups that differ in one register field more."""
        groups, count = numbered(self.groups * column.values + column.codes)
        return replace(self, groups=groups, count=count)

    def with_column(self, name: str, column: ShownColumn) -> ShownCells:
        return replace(self, columns={**self.columns, name: column})

    def without(self, name: str) -> ShownCells:
        return replace(self, columns={key: c for key, c in self.columns.items() if key != name})

    def fitted(
        self,
        column: ShownColumn,
        *,
        is_register: bool = False,
        blame: NDArray[np.float64] | None = None,
    ) -> ShownColumn:
        """The column with as many cells blank as it takes to keep the rule with all others.

        `blame` collects for each bin how many cells of its group are blank because of it."""
        others = () if is_register else tuple(self._others())
        units, count = numbered(self.groups * column.values + column.codes)
        shown = column.codes != BLANK
        at = np.flatnonzero(shown)
        bad = np.zeros(count, bool)
        bad[units[self._broken(at, units[at], count, others)]] = True
        blank = ~shown | bad[units]
        blank = self._pooled(blank, units, count, others, blame)
        return ShownColumn(np.where(blank, BLANK, column.codes), column.values)

    def _pooled(
        self,
        blank: Marks,
        units: Numbers,
        count: int,
        others: Sequence[ShownColumn],
        blame: NDArray[np.float64] | None,
    ) -> Marks:
        """Blank the rarest labels of a group, too, until its blank cells keep the rule."""
        sizes = np.bincount(units, self.rule.bins.counts, count)
        waiting, most = np.ones(self.count, bool), 1
        while True:
            at = np.flatnonzero(blank & waiting[self.groups])
            broken = self._broken(at, self.groups[at], self.count, others)
            waiting = np.zeros(self.count, bool)
            waiting[self.groups[broken]] = True
            kept = np.flatnonzero(~blank & waiting[self.groups])
            if not len(kept):
                return blank
            if blame is not None:
                lost = np.bincount(self.groups[kept], minlength=self.count)
                guilty = np.bincount(self.groups[broken], minlength=self.count)
                blame[broken] += (lost / np.maximum(guilty, 1))[self.groups[broken]]
            labels, first = np.unique(units[kept], return_index=True)
            groups = self.groups[kept[first]]
            order = np.lexsort((sizes[labels], groups))
            starts = np.searchsorted(groups[order], groups[order])
            rarest = labels[order[np.arange(len(order)) - starts < most]]
            blank = blank | np.isin(units, rarest)
            most *= 2

    def _others(self) -> Iterator[ShownColumn]:
        """Each set of m - 1 other columns, as one."""
        known = [column for column in self.columns.values() if column.codes.any()]
        for several in combinations(known, min(self.m - 1, len(known))):
            if not several:
                return
            codes, values = several[0].codes, several[0].values
            for column in several[1:]:
                codes, values = codes * column.values + column.codes, values * column.values
            yield ShownColumn(codes, values)

    def _broken(
        self, at: Numbers, groups: Numbers, count: int, others: Sequence[ShownColumn]
    ) -> Numbers:
        """The bins of those `at` that are in a group which breaks the rule, also with any of
        `others`. Once one does, no other bin of it is looked at."""
        out = [np.zeros(0, np.int64)]
        bad = np.zeros(count, bool)
        for other in (None, *others):
            if other is None:
                broken = self.rule.broken(at, groups, count)
            else:
                keys, span = groups * other.values + other.codes[at], count * other.values
                if span > max(DENSE * len(keys), FEW_KEYS):
                    keys, span = numbered(keys)
                broken = self.rule.broken(at, keys, span)
            if broken.any():
                out.append(at[broken])
                bad[groups[broken]] = True
                left = ~bad[groups]
                at, groups = at[left], groups[left]
        return np.concatenate(out)


def numbered(keys: Numbers) -> tuple[Numbers, int]:
    """Keys numbered from 0 in their order, and how many there are."""
    distinct, numbers = np.unique(keys, return_inverse=True)
    return numbers.astype(np.int64), len(distinct)
