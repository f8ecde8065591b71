"""Compatible people: those who cannot be ruled out as the person of some rows over all releases.

Where labels overlap (ranges, sets, prefixes, `*`, blanks), somebody with another label may still be
the one. A person is compatible with another if in every release either both are absent, or both are
there and their labels overlap in every field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .joint_classes import JointClasses

Numbers = NDArray[np.int32]
Counts = NDArray[np.int64]

MOST_PAIRS: Final = 20_000_000
"""The most pairs of classes, times releases, that are compared; where there are more, nothing is
counted."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BinLabels:
    """The labels of one release's bins: a row of codes for each bin, the first for those absent;
    `overlaps` has pairs of codes by field."""

    labels: Numbers = field(repr=False)
    overlaps: dict[int, Numbers] = field(repr=False)

    def components(self) -> Numbers:
        """The bins, numbered so that compatible ones have one number: labels that are linked by
        overlaps, directly or not, are taken for one."""
        if not self.labels.shape[1]:
            return np.arange(len(self.labels), dtype=np.int32)
        number = np.zeros(len(self.labels), np.int64)
        for at, column in enumerate(self.labels.T):
            merged = _linked(int(column.max(initial=0)) + 1, self.overlaps.get(at))[column]
            _, number = np.unique(number * (merged.max() + 1) + merged, return_inverse=True)
        out = number.astype(np.int32) + 1
        out[0] = 0
        return out

    def meet(self, one: Numbers, other: Numbers) -> NDArray[np.bool_]:
        """Whether bins are compatible, pair by pair."""
        both = (one > 0) & (other > 0)
        met = both | ((one == 0) & (other == 0))
        for at, pairs in self.overlaps.items():
            met &= ~both | self._labels_meet(at, pairs, one, other)
        for at in range(self.labels.shape[1]):
            if at not in self.overlaps:
                met &= ~both | (self.labels[one, at] == self.labels[other, at])
        if not self.labels.shape[1]:
            met &= one == other
        return np.asarray(met, bool)

    def _labels_meet(
        self, at: int, pairs: Numbers, one: Numbers, other: Numbers
    ) -> NDArray[np.bool_]:
        mine, theirs = self.labels[one, at], self.labels[other, at]
        low, high = np.minimum(mine, theirs).astype(np.int64), np.maximum(mine, theirs)
        width = int(self.labels[:, at].max(initial=0)) + 1
        known = np.sort(pairs[:, 0].astype(np.int64) * width + pairs[:, 1])
        return np.asarray((mine == theirs) | np.isin(low * width + high, known), bool)


def compatible_counts(
    sizes: Counts,
    codes: Callable[[], Sequence[Numbers]],
    releases: Sequence[BinLabels],
    *,
    wanted: NDArray[np.bool_],
) -> Counts | None:
    """For each wanted class the number of people compatible with it; 0 for others; None where there
    are too many pairs.

    `codes` gives for each release the bin of every class, 0 where absent."""
    there = np.flatnonzero(sizes > 0)
    columns = [column[there] for column in codes()]
    block = JointClasses.of(
        labels.components()[column] for column, labels in zip(columns, releases, strict=True)
    ).class_of
    order = np.argsort(block, kind="stable")
    starts = np.flatnonzero(np.diff(block[order], prepend=-1))
    groups = np.split(order, starts[1:]) if len(order) else []
    out = np.where(wanted, sizes, 0)  # A class alone in its block is compatible with itself only.
    groups = [group for group in groups if len(group) > 1]
    work = sum(int(wanted[there[group]].sum()) * len(group) for group in groups)
    if work * max(len(releases), 1) > MOST_PAIRS:
        return None
    for group in groups:
        mine = group[wanted[there[group]]]
        if not len(mine):
            continue
        met = np.ones(len(mine) * len(group), bool)
        for column, labels in zip(columns, releases, strict=True):
            met &= labels.meet(
                np.repeat(column[mine], len(group)), np.tile(column[group], len(mine))
            )
        out[there[mine]] = met.reshape(len(mine), len(group)) @ sizes[there[group]]
    return out


def _linked(size: int, pairs: Numbers | None) -> Counts:
    """The smallest number of those that are linked with each."""
    number = np.arange(size, dtype=np.int64)
    while pairs is not None and len(pairs):
        lower = np.minimum(number[pairs[:, 0]], number[pairs[:, 1]])
        before = number.copy()
        np.minimum.at(number, pairs[:, 0], lower)
        np.minimum.at(number, pairs[:, 1], lower)
        number = number[number]
        if (before == number).all():
            break
    return number
