"""The people of a node's bins, rolled up from the nearest finer node already counted."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np

from sfumato.bins import PeopleBins
from sfumato.hierarchies import Codes, Hierarchy

Levels = tuple[int, ...]

# Bins and entries from which on a node on the way is counted first, for those that follow.
LARGE = 200_000
SMALLER = 4  # That node has at most one bin for so many of those it is rolled up from.
KEPT_CELLS = 60_000_000  # Codes and entries that may be kept for later nodes: some 300 MB.


class PeopleRollUp:
    """Counts any node of one table's lattice, keeping what it counted for coarser nodes while
    memory allows."""

    def __init__(self, bins: PeopleBins, hierarchies: Sequence[Hierarchy]) -> None:
        self.base = bins
        self._hierarchies = tuple(hierarchies)
        self._between: dict[tuple[int, int, int], Codes] = {}
        self._kept: dict[Levels, PeopleBins] = {(0,) * len(self._hierarchies): bins}
        self._levels = np.zeros((1, len(self._hierarchies)), np.int8)
        self._costs = np.array([_cost(bins)])
        self._cells = 0
        self._lock = Lock()

    def at(self, levels: Levels) -> PeopleBins:
        """The bins at a node."""
        known = self._kept.get(levels)
        if known is not None:
            return known
        low, source = self._nearest(levels)
        if _cost(source) > LARGE:
            on_the_way = self._on_the_way(low, levels, len(source) // SMALLER)
            if on_the_way != levels:
                low, source = on_the_way, self._roll(source, low, on_the_way)
        return self._roll(source, low, levels)

    def _on_the_way(self, low: Levels, high: Levels, most: int) -> Levels:
        """The node below `high` from which its neighbours will be rolled up. It is as fine as its
        labels allow no more than `most` bins, every field as far below as the others."""
        here = list(high)
        labels = [[len(names) for names in hierarchy.labels] for hierarchy in self._hierarchies]
        span = int(np.prod([labels[f][level] for f, level in enumerate(here)], dtype=object))
        falling = True
        while falling:
            falling = False
            for f, level in enumerate(here):
                wider = span // labels[f][level] * labels[f][level - 1]
                if level > low[f] and wider <= most:
                    here[f], span, falling = level - 1, wider, True
        return tuple(here)

    def _nearest(self, levels: Levels) -> tuple[Levels, PeopleBins]:
        """The kept bins that are quickest to roll up."""
        with self._lock:
            finer = np.flatnonzero((self._levels <= np.asarray(levels, np.int8)).all(axis=1))
            low = tuple(self._levels[finer[np.argmin(self._costs[finer])]].tolist())
            return low, self._kept[low]

    def _roll(self, source: PeopleBins, low: Levels, levels: Levels) -> PeopleBins:
        labels = tuple(h.labels[level] for h, level in zip(self._hierarchies, levels, strict=True))
        lifts = [
            None if a == b else self._table(f, a, b)
            for f, (a, b) in enumerate(zip(low, levels, strict=True))
        ]
        rolled, _ = source.merged(labels, lifts)
        cells = len(rolled) * (len(levels) + 2) + 2 * len(rolled.bin_of)
        worth = 2 * _cost(rolled) <= _cost(source)  # What is hardly smaller saves hardly any time.
        with self._lock:
            if worth and levels not in self._kept and self._cells + cells <= KEPT_CELLS:
                self._cells += cells
                self._kept[levels] = rolled
                self._levels = np.concatenate([self._levels, np.array([levels], np.int8)])
                self._costs = np.append(self._costs, _cost(rolled))
        return rolled

    def _table(self, field: int, low: int, high: int) -> Codes:
        """Codes of level `high` by code of level `low`."""
        known = self._between.get((field, low, high))
        if known is None:
            hierarchy = self._hierarchies[field]
            known = np.zeros(len(hierarchy.labels[low]), np.int32)
            known[hierarchy.up[low]] = hierarchy.up[high]
            self._between[field, low, high] = known
        return known


def _cost(bins: PeopleBins) -> int:
    return len(bins) + len(bins.bin_of)
