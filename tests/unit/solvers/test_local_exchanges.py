"""Exchanges between near clusters: none loses more, none falls under k, and the best is found."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy
from sfumato.solvers.k_similar_portions import Portions
from sfumato.solvers.local.clusters import Clusters
from sfumato.solvers.local.exchanges import exchange
from sfumato.solvers.local.penalties import Penalty
from sfumato.solvers.local.space import Space

AGES = Hierarchy.from_rows([(f"{a}{b}", f"{a}*", "*") for a in "123" for b in "0123"])
JOBS = Hierarchy.from_rows([(job, "*") for job in ("cook", "nurse", "smith")])


def space(labels: str, bins: Bins) -> Space:
    penalty = Penalty(kind="ncp", numeric=("age",), weights={})
    return Space.of(bins, {"age": AGES, "job": JOBS}, penalty, labels=labels)


def table() -> Bins:
    """Every age with every job, one to three rows each."""
    random = np.random.default_rng(5)
    cells = list(product(AGES.labels[0], JOBS.labels[0]))
    return Bins.of(("age", "job"), {cell: int(random.integers(1, 4)) for cell in cells})


def at_random(bins: Bins, within: Space, seed: int, *, items: int) -> Clusters:
    """Clusters of so many bins, whichever they are."""
    cluster = np.random.default_rng(seed).permutation(len(bins)) // items
    return Clusters(within.widths, bins.codes, Portions.whole(bins.counts, cluster))


@pytest.mark.parametrize("labels", ["tree", "ranges"])
def test_rows_are_moved_and_never_lost(labels: str) -> None:
    bins = table()
    within = space(labels, bins)
    clusters = at_random(bins, within, 1, items=4)
    random, k = np.random.default_rng(0), int(clusters.sizes.min())
    totals = [clusters.total]
    for _ in range(30):
        clusters = exchange(clusters, within.ranks, random, k=k)
        assert (clusters.sizes >= k).all()
        assert np.array_equal(
            np.bincount(clusters.bin_of, weights=clusters.rows, minlength=len(bins)), bins.counts
        )
        totals.append(clusters.total)
    assert all(after <= before + 1e-6 for before, after in pairwise(totals))
    assert totals[-1] < 0.8 * totals[0]


@pytest.mark.parametrize("labels", ["tree", "ranges"])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_exchange_of_two_clusters_is_found(labels: str, seed: int) -> None:
    """Against every swap and every gift, priced by the clusters that it makes."""
    bins = table().only(np.arange(36) < 9)
    within = space(labels, bins)
    clusters = at_random(bins, within, seed, items=5)  # one of five bins and one of four
    k = int(clusters.sizes.min())
    member = clusters.cluster
    best = clusters.total
    here, there = np.flatnonzero(member == 0), np.flatnonzero(member == 1)
    for one, other in product([*here, None], [*there, None]):
        tried = member.copy()
        tried[[at for at in (one,) if at is not None]] = 1
        tried[[at for at in (other,) if at is not None]] = 0
        found = Clusters(within.widths, bins.codes, Portions(clusters.bin_of, clusters.rows, tried))
        if len(found) == 2 and (found.sizes >= k).all():
            best = min(best, found.total)
    totals = []
    for draw in range(4):  # an odd start of the pairs leaves the two apart
        made = exchange(clusters, within.ranks, np.random.default_rng(draw), k=k)
        totals.append(made.total)
    assert min(totals) == pytest.approx(best, abs=2e-3)
