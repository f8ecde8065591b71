"""How a cluster is cut in one field: by the children of its label, or at the middle of its rows."""

from __future__ import annotations

import numpy as np

from sfumato.hierarchies import Hierarchy

from ..k_similar_ladders import Numbers
from .clusters import Clusters


class ByChildren:
    """One part for each child of the lowest common ancestor."""

    def __init__(self, hierarchy: Hierarchy, field: int) -> None:
        self.up, self.field = np.stack(hierarchy.up), field

    def __call__(self, clusters: Clusters) -> Numbers:
        values = clusters.codes[clusters.bin_of, self.field]
        ladder = self.up[:, values]
        same = np.minimum.reduceat(ladder, clusters.first, axis=1) == np.maximum.reduceat(
            ladder, clusters.first, axis=1
        )
        met = np.where(same.any(axis=0), same.argmax(axis=0), len(self.up))
        below = np.maximum(met - 1, 0)[clusters.cluster]
        child: Numbers = self.up[below, values].astype(np.int64)
        return child


class AtTheMiddle:
    """Two parts at the median row, for values that have an order."""

    def __init__(self, ranks: Numbers, field: int) -> None:
        self.ranks, self.field = ranks, field

    def __call__(self, clusters: Clusters) -> Numbers:
        rank = self.ranks[clusters.bin_of, self.field]
        order = np.lexsort((rank, clusters.cluster))
        rows = clusters.rows[order]
        before = np.cumsum(rows) - rows
        before -= before[clusters.first][clusters.cluster]
        middle = clusters.sizes[clusters.cluster] / 2
        ranked = rank[order]
        reached = np.where(before <= middle, ranked, np.iinfo(np.int64).min)
        median = np.maximum.reduceat(reached, clusters.first)
        lowest = np.minimum.reduceat(ranked, clusters.first)
        cut = np.where(median > lowest, median, lowest + 1)
        out: Numbers = (rank >= cut[clusters.cluster]).astype(np.int64)
        return out
