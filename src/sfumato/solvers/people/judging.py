"""Judging a node of several tables: which bins have too few people, and which hang on rows that are left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import PeopleBins, group

from ..effort import Effort
from .rolling import Levels, PeopleRollUp
from .tables import Placement


@dataclass(frozen=True, eq=False, slots=True)
class Judged:
    """One table at a node: its bins and which of them are left out."""

    bins: PeopleBins
    out: NDArray[np.bool_]

    @property
    def rows(self) -> int:
        """How many rows are left out."""
        return int(self.bins.rows[self.out].sum())


class Judge:
    """Judges tables at nodes of the lattice of all their fields.

    A row that is left out at some levels is left out at all finer ones: its bin there has no more people, and the bin
    that it hangs on is left out there too. So is the limit of rows left out: once kept, it is kept at coarser levels.
    """

    def __init__(self, placement: Placement, *, k: int, max_suppression: float) -> None:
        self.placement = placement
        self.k = k
        self.max_suppression = max_suppression
        self.allowed = [max_suppression * placed.table.rows + 1e-9 for placed in placement.tables]
        self._rolls = [PeopleRollUp(placed.bins, placed.hierarchies) for placed in placement.tables]

    def at(self, place: int, levels: Levels) -> Judged:
        """The table at `place` where the fields of all tables have `levels`."""
        here = self.levels_in(place, levels)
        bins = self._rolls[place].at(here)
        return Judged(bins, self._out(place, bins, levels))

    def levels_in(self, place: int, levels: Levels) -> Levels:
        return tuple(levels[axis] for axis in self.placement.tables[place].axes)

    def keeps(self, levels: Levels) -> bool:
        """Whether in each table no more rows are left out than may be."""
        return all(self.at(place, levels).rows <= self.allowed[place] for place in range(len(self.allowed)))

    def marks(self, place: int, levels: Levels) -> tuple[Judged, NDArray[np.bool_]]:
        """The table at a node, counted from its finest bins, and which of those are left out."""
        placed = self.placement.tables[place]
        here = self.levels_in(place, levels)
        labels = tuple(h.labels[level] for h, level in zip(placed.hierarchies, here, strict=True))
        bins, groups = placed.bins.merged(labels, [h.up[at] for h, at in zip(placed.hierarchies, here, strict=True)])
        judged = Judged(bins, self._out(place, bins, levels))
        return judged, judged.out[groups]

    def _out(self, place: int, bins: PeopleBins, levels: Levels) -> NDArray[np.bool_]:
        """Bins with fewer than k people, and those under a bin of the table above that is left out.

        A coarse bin lies in one coarse bin of the table above as a whole, for that table's fields have the same
        levels there. So none of the other bins has lost anyone, and they need not be judged again.
        """
        placed = self.placement.tables[place]
        if not bins.fields:
            return np.zeros(len(bins), bool)  # Nothing is known of these rows, so nothing is asked of them.
        out = bins.people < self.k
        if placed.above is None:
            return out
        parent = self.at(placed.above, levels)
        if parent.out.any():
            kept = np.flatnonzero(~out)
            gone = parent.bins.codes[parent.out]
            both = np.concatenate([gone, bins.codes[:, list(placed.shared)][kept]])
            groups, first = group(both, [len(names) for names in parent.bins.labels])
            out[kept] = (first < len(gone))[groups[len(gone) :]]
        return out


def floors_of(judge: Judge, *, effort: Effort) -> tuple[Levels, set[Levels]]:
    """The finest level of each field that keeps the limit where all others are at their tops, and the nodes judged.

    No node with a finer level keeps it. What is not found in time is left at 0, which is always true.
    """
    top = judge.placement.top
    floors = [0] * len(top)
    nodes = set[Levels]()
    for axis, height in enumerate(top):
        low, high = 0, height
        ask = 0  # Most fields alone keep it as they are.
        while low < high and not effort.spent(len(nodes)):
            node = (*top[:axis], ask, *top[axis + 1 :])
            nodes.add(node)
            if judge.keeps(node):
                high = ask
            else:
                low = ask + 1
            ask = (low + high) // 2
        floors[axis] = low
    return tuple(floors), nodes
