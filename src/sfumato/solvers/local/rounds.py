"""Rounds of improvement: all clusters are put into neighbourhoods of a few, and each is grown
again.

A round sorts the clusters by one of their rows, chosen at random, with the fields in a random
order, and takes runs of neighbours. So clusters meet that have rows alike in most fields, and every
round others. One round is a fixed number of array operations over all rows; what it costs is
near-linear in the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..effort import Effort
from ..k_similar_ladders import Numbers
from ..k_similar_portions import Portions
from .clusters import Clusters
from .exchanges import exchange
from .k_member import Growth

MOST_ITEMS = 60
BATCH = 24_000
"""Items in a neighbourhood, and in all neighbourhoods that are grown at once."""
CYCLE, MOST_EXCHANGES = 4, 2
"""Where no model is judged and portions are many, one round in so many grows neighbourhoods again;
the others exchange rows so many times."""
FEWEST, MOST = 2, 6
"""Clusters in a neighbourhood, drawn anew for each round."""
LEAST_GAIN = 1e-4
LULL, LULL_GAIN, MANY_PORTIONS = 10, 0.008, 5_000
EXCHANGED_GAIN = 0.001
"""Where portions are many, rounds end once so many in a row have won less than this share: those
that a model judges, and the others."""

Failing = Callable[[Clusters], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Changes:
    """New clusters in place of `gone` ones; each belongs to a neighbourhood, which is changed as a
    whole or not."""

    added: Portions
    added_hood: Numbers
    gone: Numbers
    gone_hood: Numbers

    @property
    def hoods(self) -> int:
        return int(self.gone_hood.max(initial=-1)) + 1

    def applied(self, clusters: Clusters, wanted: NDArray[np.bool_]) -> Clusters:
        taken = wanted[self.added_hood]
        added = Portions(
            self.added.bin_of[taken], self.added.rows[taken], self.added.cluster[taken]
        )
        return clusters.replaced(self.gone[wanted[self.gone_hood]], added)


@dataclass(frozen=True, kw_only=True)
class Rounds:
    """How long to improve: `effort`, whose work is rounds. `failing` judges other models."""

    k: int
    whole: bool
    effort: Effort
    seed: int
    failing: Failing | None = None

    def improve(self, clusters: Clusters, ranks: Numbers) -> tuple[Clusters, int]:
        """The improved clusters and the number of rounds. `ranks[b, f]` sorts bins so that alike
        ones are near."""
        random = np.random.default_rng(self.seed)
        done = 0
        totals = [clusters.total]
        while totals[-1] > 0 and not self.effort.spent(done) and not self._lull(clusters, totals):
            exchanges = self._exchanges(clusters, done)
            if exchanges != MOST_EXCHANGES:
                clusters = self._round(clusters, ranks, random)
            for _ in range(exchanges):
                clusters = exchange(clusters, ranks, random, k=self.k)
            totals.append(clusters.total)
            done += 1
        return clusters, done

    def _lull(self, clusters: Clusters, totals: list[float]) -> bool:
        """Whether further rounds cost more than they will win."""
        gain = EXCHANGED_GAIN if self.failing is None else LULL_GAIN
        if len(clusters.rows) < MANY_PORTIONS or len(totals) <= LULL:
            return False
        return totals[-1 - LULL] - totals[-1] < gain * totals[-1]

    def _exchanges(self, clusters: Clusters, done: int) -> int:
        """How many times rows are exchanged in this round."""
        if self.failing is not None or len(clusters.rows) < MANY_PORTIONS:
            return 0
        return MOST_EXCHANGES if done % CYCLE else 1

    def _round(self, clusters: Clusters, ranks: Numbers, random: np.random.Generator) -> Clusters:
        k = self.k
        if self.failing is not None:  # another model may need clusters of more than k rows
            typical = min(int(clusters.sizes.mean()), MOST_ITEMS)
            k = int(random.integers(self.k, max(2 * self.k, typical) + 1))
        batches = _neighbourhoods(clusters, ranks, random, k=self.k)
        found = [_grown(clusters, batch, k=k, whole=self.whole, random=random) for batch in batches]
        changes = _joined([change for change in found if change is not None])
        if changes is None:
            return clusters
        wanted = np.ones(changes.hoods, bool)
        if self.failing is None:
            return changes.applied(clusters, wanted)
        return self._judged(clusters, changes, wanted)

    def _judged(self, clusters: Clusters, changes: Changes, wanted: NDArray[np.bool_]) -> Clusters:
        """Neighbourhoods that break a model stay as they were; if that is not enough, all do."""
        assert self.failing is not None
        changed = changes.applied(clusters, wanted)
        failing = self.failing(changed)
        if failing.any():
            hood = np.full(len(changed), -1)
            _, place = np.unique(changes.added.cluster, return_inverse=True)
            new = len(changed) - int(place.max()) - 1
            hood[new + place] = changes.added_hood
            guilty = hood[failing]
            wanted[guilty[guilty >= 0]] = False
            changed = changes.applied(clusters, wanted)
            if self.failing(changed).any():
                return clusters
        return changed


def _joined(found: list[Changes]) -> Changes | None:
    if not found:
        return None
    hoods = np.cumsum([0, *(change.hoods for change in found)])
    numbers = np.cumsum([0, *(int(change.added.cluster.max()) + 1 for change in found)])
    return Changes(
        Portions(
            np.concatenate([change.added.bin_of for change in found]),
            np.concatenate([change.added.rows for change in found]),
            np.concatenate(
                [
                    change.added.cluster + first
                    for change, first in zip(found, numbers, strict=False)
                ]
            ),
        ),
        np.concatenate(
            [change.added_hood + first for change, first in zip(found, hoods, strict=False)]
        ),
        np.concatenate([change.gone for change in found]),
        np.concatenate(
            [change.gone_hood + first for change, first in zip(found, hoods, strict=False)]
        ),
    )


def _neighbourhoods(
    clusters: Clusters, ranks: Numbers, random: np.random.Generator, *, k: int
) -> list[tuple[Numbers, Numbers]]:
    """Batches of (clusters in the order of their neighbourhoods, neighbourhood of each)."""
    active = np.flatnonzero(
        ((clusters.costs > 0) | (clusters.sizes > k)) & (clusters.held <= MOST_ITEMS)
    )
    member = clusters.first[active] + random.integers(0, clusters.held[active])
    fields = random.permutation(ranks.shape[1])
    active = (
        active[np.lexsort(ranks[clusters.bin_of[member]][:, fields].T)] if len(fields) else active
    )
    run = int(random.integers(FEWEST, MOST))
    hood = (np.arange(len(active)) + int(random.integers(run))) // run
    items = np.bincount(hood, weights=clusters.held[active]).astype(np.int64)
    cost = np.bincount(hood, weights=clusters.costs[active])
    usable = ((items <= MOST_ITEMS) & (cost > 0))[hood]
    active, hood = active[usable], hood[usable]
    order = np.argsort(
        items[hood], kind="stable"
    )  # alike in size, so that a batch has few empty places
    active, hood = active[order], hood[order]
    starts = np.diff(hood, prepend=-1) != 0
    number = np.cumsum(starts) - 1
    batch = (np.cumsum(items[hood[starts]]) // BATCH)[number]
    edges = np.flatnonzero(np.diff(batch, prepend=-1))[1:]
    parts = zip(np.split(active, edges), np.split(number, edges), strict=True)
    return [(part, place - place[0]) for part, place in parts if len(part)]


def _grown(
    clusters: Clusters,
    batch: tuple[Numbers, Numbers],
    *,
    k: int,
    whole: bool,
    random: np.random.Generator,
) -> Changes | None:
    """The neighbourhoods of a batch that cost less after growing them again."""
    numbers, hood = batch
    held = clusters.held[numbers]
    at = np.repeat(clusters.first[numbers] - np.cumsum(held) + held, held) + np.arange(
        int(held.sum())
    )
    hood_of = np.repeat(hood, held)
    items = np.bincount(hood_of)
    column = np.arange(len(at)) - np.repeat(np.cumsum(items) - items, items)
    source = np.zeros((len(items), int(items.max())), np.int64)
    rows = np.zeros(source.shape, np.int64)
    source[hood_of, column] = clusters.bin_of[at]
    rows[hood_of, column] = clusters.rows[at]
    values = [
        np.ascontiguousarray(clusters.codes[source, f]) for f in range(clusters.codes.shape[1])
    ]
    grown = Growth(clusters.widths, values, rows, k=k, whole=whole, random=random).run()
    before = np.bincount(hood, weights=clusters.costs[numbers] * clusters.sizes[numbers])
    better = grown.costs < before - LEAST_GAIN
    if not better.any():
        return None
    kept = better[grown.hood]
    cluster = grown.hood[kept] * (int(grown.cluster.max()) + 1) + grown.cluster[kept]
    added = Portions(source[grown.hood[kept], grown.item[kept]], grown.rows[kept], cluster)
    dense = np.cumsum(better) - 1
    gone = better[hood]
    return Changes(added, dense[grown.hood[kept]], numbers[gone], dense[hood[gone]])
