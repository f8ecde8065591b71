"""From one cluster downwards (Mondrian, LeFevre et al. 2006, on trees): split while every model
still holds.

All clusters are split at once, by each field in turn, and judged together; each takes the field
that loses least afterwards. Parts that would fail are put together into one rest. This is how
models that need large clusters, such as t-closeness, are met: they hold at the top, and every split
keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..k_similar_ladders import Floats, Numbers
from ..k_similar_portions import Portions
from .clusters import Clusters

Failing = Callable[[Clusters], NDArray[np.bool_]]
Splitter = Callable[[Clusters], Numbers]
"""For each portion a number that identifies the part of its cluster."""


def split_down(
    clusters: Clusters, splitters: Sequence[Splitter], failing: Failing, *, k: int
) -> Clusters:
    """Clusters that all pass, when the given ones do."""
    open_ = np.ones(len(clusters), bool)
    while open_.any():
        number, gain = clusters.cluster, np.full(len(clusters), 1e-9)
        best = number * 0
        for splitter in splitters:
            parts = _parts(clusters, splitter(clusters), open_, failing, k=k)
            won = _won(clusters, parts)
            better = won > gain
            gain = np.where(better, won, gain)
            best = np.where(better[number], parts, best)
        _, combined = np.unique(np.stack([number, best], axis=1), axis=0, return_inverse=True)
        split = Clusters(clusters.widths, clusters.codes, _portions(clusters, combined.reshape(-1)))
        if len(split) == len(clusters) or failing(split).any():
            return clusters
        open_ = np.bincount(split.cluster, weights=(gain > 1e-9)[number], minlength=len(split)) > 0
        clusters = split
    return clusters


def _portions(clusters: Clusters, number: Numbers) -> Portions:
    return Portions(clusters.bin_of, clusters.rows, number.astype(np.int64))


def _parts(
    clusters: Clusters, part: Numbers, open_: NDArray[np.bool_], failing: Failing, *, k: int
) -> Numbers:
    """The parts of each open cluster, failing ones put together; all 0 where even their rest
    fails."""
    number = clusters.cluster
    part = np.where(open_[number], part + 1, 0)
    for last in (False, True):
        keys, place = np.unique(np.stack([number, part], axis=1), axis=0, return_inverse=True)
        place = place.reshape(-1)
        divided = Clusters(clusters.widths, clusters.codes, _portions(clusters, place))
        bad = (divided.sizes < k) | failing(divided)
        if not bad.any():
            return part
        if last:
            whole = np.zeros(len(clusters), bool)
            whole[keys[bad, 0]] = True
            return np.where(whole[number], 0, part)
        part = np.where(bad[place] & open_[number], 0, part)
    return part


def _won(clusters: Clusters, part: Numbers) -> Floats:
    """The gain of the rows of each cluster."""
    keys, place = np.unique(np.stack([clusters.cluster, part], axis=1), axis=0, return_inverse=True)
    divided = Clusters(clusters.widths, clusters.codes, _portions(clusters, place.reshape(-1)))
    after = np.bincount(keys[:, 0], weights=divided.costs * divided.sizes, minlength=len(clusters))
    return clusters.costs * clusters.sizes - after
