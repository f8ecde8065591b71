"""Judging a node of several tables: which bins have too few people, and which are children of
dropped rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import PeopleBins, group
from sfumato.errors import Bug
from sfumato.hierarchies import Codes
from sfumato.protection import broken_by

from ..effort import Effort
from .people_rollup import Levels, PeopleRollUp
from .people_tables import PlacedTable, Placement


@dataclass(frozen=True, eq=False, slots=True)
class JudgedTable:
    """One table at a node: its bins and which of them are left out.

    `few` have too few people, or are below such bins, and are dropped at all finer levels too;
    `out` are all of them."""

    bins: PeopleBins
    few: NDArray[np.bool_]
    out: NDArray[np.bool_]

    @property
    def rows(self) -> int:
        """How many rows are left out."""
        return int(self.bins.rows[self.out].sum())

    @property
    def stuck_rows(self) -> int:
        """How many rows are left out here and at all finer levels."""
        return int(self.bins.rows[self.few].sum())


class PeopleJudge:
    """Judges tables at nodes of the lattice of all their fields.

    A row in a bin with too few people is dropped at all finer levels. Its bin there has no more
    people, and its parent's bin is dropped there too. The limit of rows left out is monotone too:
    once kept, it is kept at coarser levels. The tables' models promise nothing of that kind,
    because one person may bring the same value into several bins.

    The limit binds people who would have no row left, in tables whose people are all known; rows in
    others, and where it is 0. A person who loses all rows loses them at finer levels too."""

    def __init__(self, placement: Placement, *, k: int, max_suppression: float) -> None:
        self.placement = placement
        self.k = k
        self.max_suppression = max_suppression
        self.allowed = [
            max_suppression * self.everyone(place) + 1e-9 for place in range(len(placement.tables))
        ]
        self._rolls = [PeopleRollUp(placed.bins, placed.hierarchies) for placed in placement.tables]

    def at(self, place: int, levels: Levels) -> JudgedTable:
        """The table at `place` where the fields of all tables have `levels`."""
        here = self.levels_in(place, levels)
        bins = self._rolls[place].at(here)
        return self._judged(place, bins, levels)

    def levels_in(self, place: int, levels: Levels) -> Levels:
        return tuple(levels[axis] for axis in self.placement.tables[place].axes)

    def keeps(self, levels: Levels) -> bool:
        """Whether in each table no more people, or rows, are in bins with too few people than may
        be left out."""
        return all(
            self.lost(place, self.at(place, levels), levels, stuck=True) <= self.allowed[place]
            for place in range(len(self.allowed))
        )

    def unit(self, place: int) -> str:
        """The unit of the limit in a table."""
        known = self.placement.tables[place].counted is not None
        return "people" if known and self.max_suppression > 0 else "rows"

    def everyone(self, place: int) -> int:
        """How many people, or rows, a table has."""
        placed = self.placement.tables[place]
        if placed.counted is None or self.unit(place) == "rows":
            return placed.table.rows
        return placed.counted.people

    def lost(self, place: int, judged: JudgedTable, levels: Levels, *, stuck: bool = False) -> int:
        """How many people have no row left, or how many rows are left out. With `stuck`, only bins
        that are left out at all finer levels too count."""
        out = judged.few if stuck else judged.out
        placed = self.placement.tables[place]
        if placed.counted is None or self.unit(place) == "rows" or not out.any():
            return int(judged.bins.rows[out].sum())
        counted, here = placed.counted, self.levels_in(place, levels)
        codes = [
            hierarchy.up[level][counted.codes[:, column]]
            for column, (hierarchy, level) in enumerate(zip(placed.hierarchies, here, strict=True))
        ]
        gone = _among(np.stack(codes, axis=1), judged.bins.codes[out], judged.bins)
        return counted.people_lost(gone)

    def marks(self, place: int, levels: Levels) -> tuple[JudgedTable, NDArray[np.bool_]]:
        """The table at a node, counted from its finest bins, and which of those are left out."""
        placed = self.placement.tables[place]
        here = self.levels_in(place, levels)
        labels = tuple(h.labels[level] for h, level in zip(placed.hierarchies, here, strict=True))
        bins, groups = placed.bins.merged(
            labels, [h.up[at] for h, at in zip(placed.hierarchies, here, strict=True)]
        )
        judged = self._judged(place, bins, levels)
        return judged, judged.out[groups]

    def _judged(self, place: int, bins: PeopleBins, levels: Levels) -> JudgedTable:
        """Bins with fewer than k people, those that break a model, and those under a left-out bin
        of the table above.

        A coarse bin is in one coarse bin of the table above as a whole, for that table's fields
        have the same levels there. So none of the other bins has lost anyone, and they need not be
        counted again."""
        placed = self.placement.tables[place]
        if not bins.fields:
            nothing = np.zeros(
                len(bins), bool
            )  # Nothing is known of these rows, so nothing is asked of them.
            return JudgedTable(bins, nothing, nothing)
        few = bins.people < self.k
        out = few.copy()
        if placed.above is not None:
            parent = self.at(placed.above, levels)
            _follow(few, parent.few, bins, parent.bins, placed.shared)
            _follow(out, parent.out, bins, parent.bins, placed.shared)
        if placed.counted is not None and placed.table.models:
            out = self._broken(placed, bins, out, self.levels_in(place, levels))
        return JudgedTable(bins, few, out)

    def _broken(
        self, placed: PlacedTable, bins: PeopleBins, out: NDArray[np.bool_], levels: Levels
    ) -> NDArray[np.bool_]:
        """The bins to leave out so that the others keep every model of the table."""
        assert placed.counted is not None
        fields = placed.table.bins.fields
        hierarchies = dict(zip(fields, placed.hierarchies, strict=True))
        counted = placed.counted.recode(hierarchies, dict(zip(fields, levels, strict=True)))
        order = np.lexsort(
            bins.codes.T[::-1]
        )  # Bins that were counted together are in the order of their codes.
        if not np.array_equal(counted.codes, bins.codes[order]):
            raise Bug("people and their values were counted in different bins")
        broken = out.copy()
        broken[order] = broken_by(placed.table.models, counted, out[order])
        return broken


def _follow(
    out: NDArray[np.bool_],
    gone: NDArray[np.bool_],
    bins: PeopleBins,
    above: PeopleBins,
    shared: tuple[int, ...],
) -> None:
    """Mark the bins that are in a bin of the table above that is left out."""
    if not gone.any():
        return
    kept = np.flatnonzero(~out)
    out[kept] = _among(bins.codes[:, list(shared)][kept], above.codes[gone], above)


def _among(codes: Codes, marked: Codes, bins: PeopleBins) -> NDArray[np.bool_]:
    """Which tuples of codes are among those that are marked; both have the labels of `bins`."""
    groups, first = group(np.concatenate([marked, codes]), [len(names) for names in bins.labels])
    return np.asarray((first < len(marked))[groups[len(marked) :]])


def floors_of(judge: PeopleJudge, *, effort: Effort) -> tuple[Levels, set[Levels]]:
    """The finest level of each field that keeps the limit where all others are at their tops, and
    the nodes judged.

    No node with a finer level keeps it. A floor that is not found in time is 0, which is always
    true."""
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
