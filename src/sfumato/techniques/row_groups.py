"""Rows in groups, and random exchange partners and donors within each group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .keyed_random import KeyedRandom, Wholes


@dataclass(frozen=True, eq=False, kw_only=True)
class RowGroups:
    """Rows by group: `order` has the rows of group 0, then those of group 1 and so on; the rows of
    group g are `sizes[g]` places from `starts[g]` on. `of` is each row's group.

    Example:
        >>> grouping = RowGroups.of_groups(np.array([7, 3, 7]))
        >>> grouping.of.tolist(), grouping.sizes.tolist(), grouping.order.tolist()
        ([1, 0, 1], [1, 2], [1, 0, 2])
    """

    of: Wholes
    order: Wholes
    starts: Wholes
    sizes: Wholes

    @classmethod
    def of_groups(cls, groups: Wholes) -> RowGroups:
        _, of, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        order = np.argsort(of, kind="stable")
        return cls(
            of=of.astype(np.int64), order=order, starts=np.cumsum(sizes) - sizes, sizes=sizes
        )

    def anyone(self, rows: Wholes, chance: KeyedRandom) -> Wholes:
        """For each of these rows, a random row of its group; it may be the row itself."""
        groups = self.of[rows]
        places = (chance.uniform(len(rows)) * self.sizes[groups]).astype(np.int64)
        return self.order[self.starts[groups] + np.minimum(places, self.sizes[groups] - 1)]

    def shuffled(self, chance: KeyedRandom) -> Wholes:
        """For each row, the row of its group whose values it gets: each row of a group gives
        once."""
        out = np.empty(len(self.of), np.int64)
        out[self.order] = np.lexsort((chance.words(len(self.of)), self.of))
        return out

    def part(self, share: float, chance: KeyedRandom) -> NDArray[np.bool_]:
        """Rows chosen at random: of each group its share, up to the next whole number by chance.

        Sizes are rounded along one running sum that starts at a random place (systematic sampling).
        All of them together are off by less than one row, and every row has the same chance."""
        shuffled = np.argsort(chance.words(len(self.sizes)), kind="stable")
        total = np.cumsum(self.sizes[shuffled] * share) + chance.uniform(1)
        ends = np.floor(total + 1e-9)
        chosen = np.empty(len(self.sizes), np.int64)
        chosen[shuffled] = np.diff(ends, prepend=0.0).astype(np.int64)
        place = np.empty(len(self.of), np.int64)
        mixed = np.lexsort((chance.words(len(self.of)), self.of))
        place[mixed] = np.arange(len(self.of)) - np.repeat(self.starts, self.sizes)
        return np.asarray(place < chosen[self.of])
