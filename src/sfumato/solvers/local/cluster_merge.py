"""Clusters that break a model are merged with near ones until none does.

Models about sensitive values hold the sooner the more a cluster's values are spread like those of
the whole table. Nearness may be weighed against that: `pull` is what a cluster that is all unlike
the table costs each row."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Histogram

from ..k_similar_ladders import Floats, Numbers
from ..k_similar_portions import Portions
from .clusters import Clusters
from .widths import APART

MOST_PAIRS = 600_000
LEAST_WINDOW, ORDERS = 24, 4
"""Pairs that are looked at in one pass: the fewer clusters fail, the farther each looks, in several
orders."""
MOST_VALUES = 200
CHUNK = 2_000

Failing = Callable[[Clusters], NDArray[np.bool_]]


class Pull:
    """How unlike the whole table clusters are, over the sensitive fields of which every bin's
    values are known."""

    def __init__(self, histograms: Mapping[str, Histogram], weight: float) -> None:
        self.histograms = [
            found for found in histograms.values() if len(found.values) <= MOST_VALUES
        ]
        self.weight = weight

    def counts(self, clusters: Clusters) -> list[Floats]:
        """Per sensitive field, how often each cluster has each value."""
        cluster_of = np.zeros(len(clusters.codes), np.int64)
        cluster_of[clusters.bin_of] = clusters.cluster
        out: list[Floats] = []
        for found in self.histograms:
            width = len(found.values)
            keys = cluster_of[found.bin_of] * width + found.value_of
            counted = np.bincount(keys, weights=found.counts, minlength=len(clusters) * width)
            out.append(counted.reshape(-1, width).astype(np.float64))
        return out

    def of(self, counted: list[Floats], bad: Numbers, near: Numbers) -> Floats:
        """The cost of failing clusters merged with each of some others, by their distance from the
        table's distribution."""
        out = np.zeros(near.shape)
        for counts in counted:
            table = counts.sum(axis=0) / max(counts.sum(), 1)
            for start in range(0, len(bad), CHUNK):
                part = slice(start, start + CHUNK)
                both = counts[bad[part]][:, None] + counts[near[part]]
                rows = both.sum(axis=2)
                unlike = np.abs(both / np.maximum(rows, 1)[..., None] - table).sum(axis=2) / 2
                out[part] += self.weight * rows * unlike
        return out


def merge_failing(
    clusters: Clusters, ranks: Numbers, failing: Failing, *, seed: int, pull: Pull | None = None
) -> Clusters | None:
    """Clusters that all pass, or None when those that fail have no other left to merge with."""
    random = np.random.default_rng(seed)
    while True:
        bad = failing(clusters)
        if not bad.any():
            return clusters
        pairs = _pairs(clusters, np.flatnonzero(bad), ranks, random, pull)
        if not len(pairs):
            return None
        into = np.arange(len(clusters))
        into[pairs[:, 0]] = pairs[:, 1]
        merged = Portions(clusters.bin_of, clusters.rows, into[clusters.cluster])
        clusters = Clusters(clusters.widths, clusters.codes, merged)


def _pairs(
    clusters: Clusters, bad: Numbers, ranks: Numbers, random: np.random.Generator, pull: Pull | None
) -> Numbers:
    """Failing clusters with the one where both lose least, cheapest pairs first, no cluster in two
    pairs."""
    window = max(MOST_PAIRS // (2 * ORDERS * len(bad)), LEAST_WINDOW)
    if 2 * ORDERS * window >= len(clusters):
        near = np.broadcast_to(np.arange(len(clusters)), (len(bad), len(clusters)))
    else:
        near = np.concatenate(
            [_near(clusters, bad, ranks, random, window) for _ in range(ORDERS)], axis=1
        )
    change = _change(clusters, bad, near)
    if pull is not None:
        change += pull.of(pull.counts(clusters), bad, near)
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


def _near(
    clusters: Clusters, bad: Numbers, ranks: Numbers, random: np.random.Generator, window: int
) -> Numbers:
    """As many neighbours on each side as `window`, in an order by one row of each cluster."""
    member = clusters.first + random.integers(0, clusters.held)
    fields = random.permutation(ranks.shape[1])
    keys = ranks[clusters.bin_of[member]][:, fields].T
    order = np.lexsort(keys) if len(fields) else np.arange(len(clusters))
    place = np.argsort(order)
    sides = np.concatenate([np.arange(-window, 0), np.arange(1, window + 1)])
    near: Numbers = order[(place[bad][:, None] + sides) % len(order)]
    return near


def _change(clusters: Clusters, bad: Numbers, near: Numbers) -> Floats:
    together = np.zeros(near.shape)
    for width, states in zip(clusters.widths, clusters.states(), strict=True):
        together += width.costs(width.merged(states[bad][:, None], states[near]))
    sizes, lost = clusters.sizes, clusters.costs * clusters.sizes
    change: Floats = (
        (sizes[bad][:, None] + sizes[near]) * together - lost[bad][:, None] - lost[near]
    )
    change[(near == bad[:, None]) | (together >= APART)] = np.inf
    return change
