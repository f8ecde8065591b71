"""Bins of a node, rolled up from the nearest finer node already counted: coarser bins are sums of
finer ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Histogram
from sfumato.hierarchies import Hierarchy

# A key space of up to this many times the bins is summed in an array; a larger one is sorted.
DENSE = 4
KEPT_CELLS = 60_000_000  # Codes of rolled-up bins that may be kept for later nodes: some 240 MB.
Groups = NDArray[np.int64]
Keys = NDArray[np.signedinteger[Any]]


class NodeBins:
    """The bins at one node: `codes[f]` of level `levels[f]`, counts, and sensitive values by
    bin."""

    __slots__ = ("codes", "counts", "histograms", "levels")

    def __init__(
        self,
        levels: tuple[int, ...],
        codes: list[NDArray[np.int32]],
        counts: NDArray[np.int64],
        histograms: Mapping[str, Histogram],
    ) -> None:
        self.levels = levels
        self.codes = codes
        self.counts = counts
        self.histograms = histograms

    def __len__(self) -> int:
        return len(self.counts)


class RollUp:
    """Counts any node of the lattice, keeping what it counted for coarser nodes while memory
    allows."""

    def __init__(self, bins: Bins, hierarchies: Mapping[str, Hierarchy]) -> None:
        self.fields = bins.fields
        self.hierarchies = tuple(hierarchies[name] for name in bins.fields)
        self.rows = bins.rows
        self._between: dict[tuple[int, int, int], NDArray[np.int32]] = {}
        codes = [np.ascontiguousarray(bins.codes[:, f]) for f in range(len(bins.fields))]
        self.base = NodeBins((0,) * len(bins.fields), codes, bins.counts, bins.histograms)
        self._kept = [self.base]
        self._levels = np.zeros((64, max(len(bins.fields), 1)), np.int8)
        self._sizes = np.full(64, len(self.base), np.int64)
        self._cells = 0
        self._lock = Lock()

    def bins(self, rolled: NodeBins) -> Bins:
        """The same bins for a protection model to judge."""
        labels = tuple(
            h.labels[level] for h, level in zip(self.hierarchies, rolled.levels, strict=True)
        )
        matrix = (
            np.array(rolled.codes, np.int32).T
            if rolled.codes
            else np.zeros((len(rolled), 0), np.int32)
        )
        return Bins(self.fields, labels, matrix, rolled.counts, rolled.histograms)

    def nearest(self, levels: Sequence[int]) -> NodeBins:
        """The kept bins with the fewest entries that `levels` can be rolled up from."""
        count = len(self._kept)
        kept, sizes = self._levels[:count, : len(levels)], self._sizes
        finer = np.flatnonzero((kept <= np.asarray(levels, np.int8)).all(axis=1))
        return self._kept[int(finer[np.argmin(sizes[finer])])]

    def at(self, levels: Sequence[int]) -> NodeBins:
        """The bins at a node."""
        source = self.nearest(levels)
        wanted = tuple(int(level) for level in levels)
        if source.levels == wanted:
            return source
        rolled = self.roll(source, wanted)
        self._keep(rolled)
        return rolled

    def _keep(self, rolled: NodeBins) -> None:
        with self._lock:
            self._keep_alone(rolled)

    def _keep_alone(self, rolled: NodeBins) -> None:
        cells = len(rolled) * max(len(rolled.codes), 1)
        if self._cells + cells > KEPT_CELLS:
            return
        self._cells += cells
        count = len(self._kept)
        if count == len(self._sizes):
            self._levels = np.concatenate([self._levels, np.zeros_like(self._levels)])
            self._sizes = np.concatenate([self._sizes, np.zeros_like(self._sizes)])
        self._levels[count, : len(rolled.levels)] = rolled.levels
        self._sizes[count] = len(rolled)
        self._kept.append(rolled)  # Last: whoever looks meanwhile sees only what is whole.

    def _table(self, field: int, low: int, high: int) -> NDArray[np.int32]:
        """Codes of level `high` by code of level `low`."""
        known = self._between.get((field, low, high))
        if known is None:
            hierarchy = self.hierarchies[field]
            known = np.zeros(len(hierarchy.labels[low]), np.int32)
            known[hierarchy.up[low]] = hierarchy.up[high]
            self._between[field, low, high] = known
        return known

    def roll(self, source: NodeBins, levels: tuple[int, ...]) -> NodeBins:
        """One keyed sum. Codes are packed into one integer per bin; the sum runs over an array or
        over sorted keys."""
        sizes = [len(h.labels[level]) for h, level in zip(self.hierarchies, levels, strict=True)]
        span = 1
        strides = [1] * len(sizes)
        for f in range(len(sizes) - 1, -1, -1):
            strides[f] = span
            span *= sizes[f]
        if span >= 2**62:
            return self._roll_wide(source, levels, sizes)
        keys = self._keys(source, levels, sizes, strides, wide=span >= 2**31)
        distinct, counts, groups = _summed(
            keys, source.counts, span, need_groups=bool(source.histograms)
        )
        codes = [
            ((distinct // strides[f]) % sizes[f]).astype(np.int32)
            if sizes[f] > 1
            else np.zeros(len(counts), np.int32)
            for f in range(len(sizes))
        ]
        return NodeBins(levels, codes, counts, _rolled_up(source.histograms, groups))

    def _keys(
        self,
        source: NodeBins,
        levels: tuple[int, ...],
        sizes: list[int],
        strides: list[int],
        *,
        wide: bool,
    ) -> Keys:
        kind: type[np.signedinteger[Any]] = np.int64 if wide else np.int32
        keys: Keys = np.zeros(len(source), kind)
        for f, (low, high) in enumerate(zip(source.levels, levels, strict=True)):
            if sizes[f] == 1:
                continue
            if low == high:
                keys += source.codes[f] * kind(strides[f])
            else:
                table: Keys = self._table(f, low, high).astype(kind) * kind(strides[f])
                keys += table[source.codes[f]]
        return keys

    def _roll_wide(self, source: NodeBins, levels: tuple[int, ...], sizes: list[int]) -> NodeBins:
        """Where the product of the sizes does not fit an integer: number the key afresh before it
        would overflow."""
        keys = np.zeros(len(source), np.int64)
        span = 1
        columns = []
        for f, (low, high) in enumerate(zip(source.levels, levels, strict=True)):
            column = source.codes[f] if low == high else self._table(f, low, high)[source.codes[f]]
            columns.append(column)
            if span > 2**62 // sizes[f]:
                keys = np.unique(keys, return_inverse=True)[1]
                span = len(source) + 1
            keys = keys * sizes[f] + column
            span *= sizes[f]
        _, first, groups = np.unique(keys, return_index=True, return_inverse=True)
        counts = np.bincount(groups, weights=source.counts).astype(np.int64)
        return NodeBins(
            levels, [c[first] for c in columns], counts, _rolled_up(source.histograms, groups)
        )


def _summed(
    keys: Keys, counts: NDArray[np.int64], span: int, *, need_groups: bool
) -> tuple[Groups, NDArray[np.int64], Groups]:
    """Distinct keys, their counts, and (where needed) the place of each entry's key among them."""
    none = np.zeros(0, np.int64)
    if span <= max(DENSE * len(keys), 4_096):
        dense = np.bincount(keys, weights=counts, minlength=span)
        distinct = np.flatnonzero(dense)
        groups = none
        if need_groups:
            place = np.zeros(span, np.int64)
            place[distinct] = np.arange(len(distinct))
            groups = place[keys]
        return distinct, dense[distinct].astype(np.int64), groups
    order = np.argsort(keys)
    ordered = keys[order]
    starts = np.empty(len(keys), bool)
    starts[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    first = np.flatnonzero(starts)
    groups = none
    if need_groups:
        groups = np.empty(len(keys), np.int64)
        groups[order] = np.cumsum(starts) - 1
    return ordered[first].astype(np.int64), np.add.reduceat(counts[order], first), groups


def _rolled_up(histograms: Mapping[str, Histogram], groups: Groups) -> dict[str, Histogram]:
    out = {}
    for name, old in histograms.items():
        width = max(len(old.values), 1)
        bins = int(groups.max()) + 1 if len(groups) else 0
        keys = groups[old.bin_of] * width + old.value_of
        distinct, counts, _ = _summed(keys, old.counts, bins * width, need_groups=False)
        out[name] = Histogram(
            values=old.values,
            bin_of=distinct // width,
            value_of=(distinct % width).astype(np.int32),
            counts=counts,
        )
    return out
