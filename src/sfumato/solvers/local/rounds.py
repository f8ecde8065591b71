"""Rounds of improvement: all clusters are put into neighbourhoods of a few, and each is grown again.

A round sorts the clusters by one of their rows, chosen at random, with the fields in a random order, and takes
runs of neighbours. So clusters meet that have rows alike in most fields, and every round others. One round is a
fixed number of array operations over all rows; what it costs is near-linear in the rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..k_similar_ladders import Numbers
from ..k_similar_portions import Portions
from .clusters import Clusters
from .growing import Growth

MOST_ITEMS = 48
BATCH = 24_000
"""Items in a neighbourhood, and in all neighbourhoods that are grown at once."""
LEAST_GAIN = 1e-4
RUN = [2,6]

Judge = Callable[[Clusters], NDArray[np.bool_]]
"""Which clusters break a model."""


@dataclass(frozen=True, kw_only=True)
class Rounds:
    """How long to improve: at most `rounds` rounds and `seconds` of processor time."""

    k: int
    whole: bool
    rounds: int
    seconds: float
    seed: int
    judge: Judge | None = None

    def improve(self, clusters: Clusters, ranks: Numbers) -> tuple[Clusters, int]:
        """The improved clusters and the number of rounds. `ranks[b, f]` sorts bins so that alike ones are near."""
        random = np.random.default_rng(self.seed)
        until = time.process_time() + self.seconds
        done = 0
        while done < self.rounds and clusters.total > 0 and time.process_time() < until:
            clusters = self._round(clusters, ranks, random)
            done += 1
        return clusters, done

    def _round(self, clusters: Clusters, ranks: Numbers, random: np.random.Generator) -> Clusters:
        hoods = _neighbourhoods(clusters, ranks, random, k=self.k)
        added, dissolved = [], []
        for batch in hoods:
            grown = _grown(clusters, batch, k=self.k, whole=self.whole, random=random)
            if grown is not None:
                added.append(grown[0])
                dissolved.append(grown[1])
        if not added:
            return clusters
        parts = [(np.arange(len(clusters.codes)), portions) for portions in added]
        found = clusters.replaced(np.concatenate(dissolved), Portions.joined(parts))
        return found


def _neighbourhoods(
    clusters: Clusters, ranks: Numbers, random: np.random.Generator, *, k: int
) -> list[tuple[Numbers, Numbers]]:
    """Batches of (clusters in the order of their neighbourhoods, neighbourhood of each)."""
    active = np.flatnonzero(((clusters.costs > 0) | (clusters.sizes > k)) & (clusters.held <= MOST_ITEMS))
    if not len(active):
        return []
    member = clusters.first[active] + random.integers(0, clusters.held[active])
    fields = random.permutation(ranks.shape[1])
    active = active[np.lexsort(ranks[clusters.bin_of[member]][:, fields].T)]
    run = int(random.integers(*RUN))
    hood = (np.arange(len(active)) + int(random.integers(run))) // run
    items = np.bincount(hood, weights=clusters.held[active]).astype(np.int64)
    cost = np.bincount(hood, weights=clusters.costs[active])
    usable = (items <= MOST_ITEMS) & (cost > 0)
    keep = usable[hood]
    active, hood = active[keep], hood[keep]
    order = np.argsort(items[hood], kind="stable")
    active, hood = active[order], hood[order]
    starts = np.diff(hood, prepend=-1) != 0
    number = np.cumsum(starts) - 1
    volume = np.cumsum(items[hood[starts]])
    batch = (volume // BATCH)[number] if len(volume) else number
    edges = np.flatnonzero(np.diff(batch, prepend=-1))
    return [
        (part, place - place[0])
        for part, place in zip(np.split(active, edges[1:]), np.split(number, edges[1:]), strict=True)
        if len(part)
    ]


def _grown(
    clusters: Clusters, batch: tuple[Numbers, Numbers], *, k: int, whole: bool, random: np.random.Generator
) -> tuple[Portions, Numbers] | None:
    """The clusters that cost less than those they replace, and the replaced ones."""
    numbers, hood = batch
    held = clusters.held[numbers]
    at = np.repeat(clusters.first[numbers] - np.cumsum(held) + held, held) + np.arange(int(held.sum()))
    hood_of = np.repeat(hood, held)
    items = np.bincount(hood_of)
    column = np.arange(len(at)) - np.repeat(np.cumsum(items) - items, items)
    source = np.zeros((len(items), int(items.max())), np.int64)
    rows = np.zeros(source.shape, np.int64)
    source[hood_of, column] = clusters.bin_of[at]
    rows[hood_of, column] = clusters.rows[at]
    values = [np.ascontiguousarray(clusters.codes[source, f]) for f in range(clusters.codes.shape[1])]
    grown = Growth(clusters.widths, values, rows, k=k, whole=whole, random=random).run()
    before = np.bincount(hood, weights=clusters.costs[numbers] * clusters.sizes[numbers])
    better = grown.costs < before - LEAST_GAIN
    if not better.any():
        return None
    kept = better[grown.hood]
    widest = int(grown.cluster.max()) + 1
    cluster = grown.hood[kept] * widest + grown.cluster[kept]
    return (
        Portions(source[grown.hood[kept], grown.item[kept]], grown.rows[kept], cluster),
        numbers[better[hood]],
    )
