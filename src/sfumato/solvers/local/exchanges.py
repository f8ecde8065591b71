"""Exchanges: near clusters swap two of their rows, or one gives a row away, where that loses less.

Growing a neighbourhood again rarely finds better clusters once they are good: one in fifty does. A
single exchange is tried for all pairs of near clusters at once, at a fraction of the work, and far
more of them win."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..k_similar_ladders import Floats, Numbers
from ..k_similar_portions import Portions
from .clusters import Clusters
from .widths import States, Width

FEWEST, MOST = 2, 6
"""Items of a cluster that takes part."""
LEAST_GAIN = 1e-4


def exchange(
    clusters: Clusters, ranks: Numbers, random: np.random.Generator, *, k: int
) -> Clusters:
    """The clusters after the best exchange of each pair of near ones, where it wins."""
    pairs = _pairs(clusters, ranks, random, k=k)
    if not len(pairs):
        return clusters
    sides = [_Side(clusters, pairs[:, side]) for side in (0, 1)]
    change, choice = _best(clusters, sides, k)
    won = np.flatnonzero(change < -LEAST_GAIN)
    if not len(won):
        return clusters
    cluster = clusters.cluster.copy()
    width = MOST + 1
    for side, taken in ((0, choice[won] // width), (1, choice[won] % width)):
        gives = taken < MOST
        at = clusters.first[pairs[won[gives], side]] + taken[gives]
        cluster[at] = pairs[won[gives], 1 - side]
    return Clusters(
        clusters.widths, clusters.codes, Portions(clusters.bin_of, clusters.rows, cluster)
    )


def _pairs(clusters: Clusters, ranks: Numbers, random: np.random.Generator, *, k: int) -> Numbers:
    """Clusters of a few items, near ones in pairs: by one of their rows, fields in a random
    order."""
    active = np.flatnonzero(
        (clusters.held >= FEWEST)
        & (clusters.held <= MOST)
        & ((clusters.costs > 0) | (clusters.sizes > k))
    )
    member = clusters.first[active] + random.integers(0, clusters.held[active])
    fields = random.permutation(ranks.shape[1])
    order = active[np.lexsort(ranks[clusters.bin_of[member]][:, fields].T)]
    order = order[int(random.integers(2)) :]
    pairs = order[: len(order) // 2 * 2].reshape(-1, 2)
    return pairs[(clusters.costs[pairs] > 0).any(axis=1)]


class _Side:
    """One cluster of each pair: its items' values and rows, and its state without each of them."""

    def __init__(self, clusters: Clusters, numbers: Numbers) -> None:
        held = clusters.held[numbers]
        place = np.arange(MOST)
        self.there: NDArray[np.bool_] = place < held[:, None]
        at = clusters.first[numbers][:, None] + np.minimum(place, held[:, None] - 1)
        self.sizes, self.costs = clusters.sizes[numbers], clusters.costs[numbers]
        self.rows = clusters.rows[at]
        source = clusters.bin_of[at]
        self.values = [clusters.codes[source, f] for f in range(clusters.codes.shape[1])]
        self.prepared = [
            width.prepared(values)
            for width, values in zip(clusters.widths, self.values, strict=True)
        ]
        self.without: list[States] = []
        self.states: list[States] = []
        for width, values in zip(clusters.widths, self.values, strict=True):
            without, whole = _without_each(width, values, held)
            self.without.append(without)
            self.states.append(whole)


def _without_each(width: Width, values: NDArray[np.int32], held: Numbers) -> tuple[States, States]:
    """The states of clusters without each of their items, and with all of them.

    Places behind the last item repeat it, and a state does not change by what it holds already."""
    each = width.start(values)
    before, after = [each[:, 0]], [each[:, MOST - 1]]
    for i in range(1, MOST):
        before.append(width.merged(before[-1], each[:, i]))
        after.append(width.merged(after[-1], each[:, MOST - 1 - i]))
    without = each.copy()
    without[:, 0] = after[MOST - 2]
    for i in range(1, MOST - 1):
        without[:, i] = width.merged(before[i - 1], after[MOST - 2 - i])
    for last in range(1, MOST):
        at = held == last + 1
        without[at, last] = before[last - 1][at]
    return without, before[-1]


def _best(clusters: Clusters, sides: list[_Side], k: int) -> tuple[Floats, Numbers]:
    """For each pair the change of loss by its best exchange, and which item of each side goes;
    number MOST is none."""
    first, second = sides
    shape = (len(first.sizes), MOST + 1, MOST + 1)
    costs = [np.zeros(shape, np.float32), np.zeros(shape, np.float32)]
    for f, width in enumerate(clusters.widths):
        for out, own, other in ((costs[0], first, second), (costs[1], second, first)):
            one, two = own.without[f], own.states[f]
            theirs = other.prepared[f]
            swapped = width.costs_prepared(one[:, :, None], theirs[:, None])
            given = width.costs(one)
            taken = width.costs_prepared(two[:, None], theirs)
            if out is costs[0]:
                out[:, :MOST, :MOST] += swapped
                out[:, :MOST, MOST] += given
                out[:, MOST, :MOST] += taken
            else:
                out[:, :MOST, :MOST] += swapped.transpose(0, 2, 1)
                out[:, MOST, :MOST] += given
                out[:, :MOST, MOST] += taken
    none = np.zeros((len(first.sizes), 1), np.int64)
    away = [np.concatenate([np.where(side.there, side.rows, 0), none], axis=1) for side in sides]
    moved = away[0][:, :, None] - away[1][:, None, :]
    sizes = [first.sizes[:, None, None] - moved, second.sizes[:, None, None] + moved]
    lost = first.costs * first.sizes + second.costs * second.sizes
    change = sizes[0] * costs[0] + sizes[1] * costs[1] - lost[:, None, None]
    may = [np.concatenate([side.there, none == 0], axis=1) for side in sides]
    fine = may[0][:, :, None] & may[1][:, None, :] & (sizes[0] >= k) & (sizes[1] >= k)
    change[~fine] = np.inf
    change[:, MOST, MOST] = 0.0
    flat = change.reshape(len(change), -1)
    choice = flat.argmin(axis=1)
    return flat[np.arange(len(flat)), choice], choice
