"""A hierarchy from one of its levels up, for a table that was rolled up before it was searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .hierarchy import Codes, Hierarchy, Label

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class RaisedHierarchy(Hierarchy):
    """Level 0 is level `raised_by` of the policy's hierarchy, `whole`; figures are those of
    `whole`.

    `order` has the code in `whole` of each label of level 0, and `counts` the rows of each value of
    `whole`. With them a solver can price and bound recodings that it cannot search.

    Example:
        >>> rows = [("02138", "0213*", "*"), ("02139", "0213*", "*"), ("02141", "0214*", "*")]
        >>> zips = RaisedHierarchy.of(Hierarchy.from_rows(rows), 1, counts=[5, 2, 1], occurring=("0214*", "0213*"))
        >>> zips.labels, zips.leaves[0].tolist(), zips.values, zips.level_name(1)
        ((('0214*', '0213*'), ('*',)), [1, 2], 3, 'level 2')
    """

    whole: Hierarchy = field(kw_only=True)
    raised_by: int = field(kw_only=True)
    order: Codes = field(kw_only=True)
    counts: Counts = field(kw_only=True)

    @classmethod
    def of(
        cls,
        whole: Hierarchy,
        start: int,
        *,
        counts: Sequence[int] | Counts,
        occurring: Sequence[Label],
    ) -> RaisedHierarchy:
        """`whole` from level `start` up, the labels that occur there first, as bins need them."""
        old = whole.labels[start]
        place = {label: code for code, label in enumerate(old)}
        there = set(occurring)
        names = (*occurring, *(label for label in old if label not in there))
        order = np.array([place[label] for label in names], np.int32)
        up: list[Codes] = [np.arange(len(names), dtype=np.int32)]
        for level in range(start + 1, whole.height + 1):
            above = np.zeros(len(old), np.int32)
            above[whole.up[start]] = whole.up[level]
            up.append(above[order])
        padded = np.zeros(len(whole.labels[0]), np.int64)
        padded[: len(counts)] = counts
        return cls(
            (names, *whole.labels[start + 1 :]),
            tuple(up),
            whole.level_names[start:],
            finest=max(whole.finest - start, 0),
            whole=whole,
            raised_by=start,
            order=order,
            counts=padded,
        )

    @property
    def start(self) -> int:
        return self.raised_by

    @property
    def values(self) -> int:
        return len(self.whole.labels[0])

    @cached_property
    def leaves(self) -> tuple[Counts, ...]:
        start = self.raised_by
        return (self.whole.leaves[start][self.order], *self.whole.leaves[start + 1 :])

    def level_name(self, level: int) -> str:
        return self.whole.level_name(level + self.raised_by)
