"""Clusters of portions of bins, with what each costs: the state that the rounds of `local`
improve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.hierarchies import Codes

from ..k_similar_ladders import Floats, Numbers
from ..k_similar_portions import Portions
from .widths import States, Width


class Clusters:
    """Portions in the order of their clusters, which are numbered from 0 without a gap."""

    def __init__(self, widths: Sequence[Width], codes: Codes, portions: Portions) -> None:
        order = np.argsort(portions.cluster, kind="stable")
        self.widths, self.codes = widths, codes
        self.bin_of, self.rows = portions.bin_of[order], portions.rows[order]
        cluster = portions.cluster[order]
        starts = np.diff(cluster, prepend=-1) != 0
        self.first = np.flatnonzero(starts).astype(np.int64)
        self.cluster = (np.cumsum(starts) - 1).astype(np.int64)
        self.held = np.diff(self.first, append=len(cluster)).astype(np.int64)
        self.sizes = (
            np.add.reduceat(self.rows, self.first) if len(cluster) else np.zeros(0, np.int64)
        )
        self.costs = self._costs()

    def __len__(self) -> int:
        return len(self.first)

    @property
    def total(self) -> float:
        """The loss of all rows together."""
        return float(self.costs @ self.sizes)

    def states(self) -> list[States]:
        """Per field the state of every cluster."""
        return [
            width.over(self.codes[self.bin_of, f], self.first)
            for f, width in enumerate(self.widths)
        ]

    def portions(self) -> Portions:
        """With the portions of one bin in one cluster put together."""
        width = int(self.bin_of.max(initial=0)) + 1
        keys, place = np.unique(self.cluster * width + self.bin_of, return_inverse=True)
        rows = np.bincount(place, weights=self.rows, minlength=len(keys)).astype(np.int64)
        return Portions(keys % width, rows, keys // width)

    def replaced(self, hoods: Numbers, added: Portions) -> Clusters:
        """Without the clusters of `hoods`, and with others in their place; those are numbered from
        0."""
        stays = np.ones(len(self), bool)
        stays[hoods] = False
        kept = stays[self.cluster]
        both = Portions(
            np.concatenate([self.bin_of[kept], added.bin_of]),
            np.concatenate([self.rows[kept], added.rows]),
            np.concatenate([self.cluster[kept], len(self) + added.cluster]),
        )
        return Clusters(self.widths, self.codes, both)

    def _costs(self) -> Floats:
        out = np.zeros(len(self))
        if len(self):
            for width, state in zip(self.widths, self.states(), strict=True):
                out += width.costs(state)
        return out


def cut(clusters: Clusters, k: int, key: Numbers) -> Clusters:
    """Clusters of 2k rows and more cut into runs of similar bins, which costs nothing; `key` sorts
    bins."""
    order = np.lexsort((key[clusters.bin_of], clusters.cluster))
    rows, cluster = clusters.rows[order], clusters.cluster[order]
    before = np.cumsum(rows) - rows
    before -= before[clusters.first][cluster]
    runs = np.stack([cluster, before // k], axis=1)
    starts = (
        np.concatenate([[True], (runs[1:] != runs[:-1]).any(axis=1)])
        if len(runs)
        else np.zeros(0, bool)
    )
    run = np.cumsum(starts) - 1
    enough = np.bincount(run, weights=rows) >= k
    number = np.cumsum(enough) - 1  # a run under k stays with the one before it
    return Clusters(
        clusters.widths, clusters.codes, Portions(clusters.bin_of[order], rows, number[run])
    )
