"""Clusters that break a model are merged with near ones until none does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..k_similar_ladders import Floats, Numbers
from ..k_similar_portions import Portions
from .clusters import Clusters
from .widths import APART

WINDOW = 24
"""How many neighbours on each side, in each of the orders that are looked at, may be merged with."""
ORDERS = 3

Failing = Callable[[Clusters], NDArray[np.bool_]]


def merge_failing(clusters: Clusters, ranks: Numbers, failing: Failing, *, seed: int) -> Clusters | None:
    """Clusters that all pass, or None when those that fail have nobody left to merge with."""
    random = np.random.default_rng(seed)
    while True:
        bad = failing(clusters)
        if not bad.any():
            return clusters
        pairs = _pairs(clusters, np.flatnonzero(bad), ranks, random)
        if not len(pairs):
            return None
        into = np.arange(len(clusters))
        into[pairs[:, 0]] = pairs[:, 1]
        merged = Portions(clusters.bin_of, clusters.rows, into[clusters.cluster])
        clusters = Clusters(clusters.widths, clusters.codes, merged)


def _pairs(clusters: Clusters, bad: Numbers, ranks: Numbers, random: np.random.Generator) -> Numbers:
    """Failing clusters with the one where both lose least, cheapest pairs first, no cluster in two pairs."""
    near = np.concatenate([_near(clusters, bad, ranks, random) for _ in range(ORDERS)], axis=1)
    change = _change(clusters, bad, near)
    best = change.argmin(axis=1)
    rows = np.arange(len(bad))
    cost, other = change[rows, best], near[rows, best]
    taken = np.zeros(len(clusters), bool)
    out = []
    for at in np.argsort(cost, kind="stable").tolist():
        one, two = int(bad[at]), int(other[at])
        if not np.isfinite(cost[at]) or taken[one] or taken[two]:
            continue
        taken[one] = taken[two] = True
        out.append((one, two))
    return np.array(out, np.int64).reshape(-1, 2)


def _near(clusters: Clusters, bad: Numbers, ranks: Numbers, random: np.random.Generator) -> Numbers:
    member = clusters.first + random.integers(0, clusters.held)
    fields = random.permutation(ranks.shape[1])
    keys = ranks[clusters.bin_of[member]][:, fields].T
    order = np.lexsort(keys) if len(fields) else np.arange(len(clusters))
    place = np.argsort(order)
    window = np.concatenate([np.arange(-WINDOW, 0), np.arange(1, WINDOW + 1)])
    near: Numbers = order[(place[bad][:, None] + window) % len(order)]
    return near


def _change(clusters: Clusters, bad: Numbers, near: Numbers) -> Floats:
    together = np.zeros(near.shape)
    for width, states in zip(clusters.widths, clusters.states(), strict=True):
        together += width.costs(width.merged(states[bad][:, None], states[near]))
    sizes, lost = clusters.sizes, clusters.costs * clusters.sizes
    change: Floats = (sizes[bad][:, None] + sizes[near]) * together - lost[bad][:, None] - lost[near]
    change[(near == bad[:, None]) | (together >= APART)] = np.inf
    return change
