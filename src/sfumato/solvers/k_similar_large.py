"""k-Similar for tables of any size (Sweeney 2000, section 6.4): the cheapest clusters first.

The paper grows clusters of closest neighbours and does not say how, nor for how many rows. Here,
all rows of a cluster are under one node of the lattice of levels. A row can do no better than the
cheapest node where k rows meet. Nodes are therefore visited in order of their cost for one row.
Where k rows or more that are in no cluster yet meet, they become one. Each visit is one keyed sum
over the rows that are left, and these are soon few. Where the lattice is too large to be searched
to its end, the remaining rows are grown into clusters of nearest neighbours inside blocks. The
result is near the optimum, not at it; see docs/solvers/k-similar.md."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .k_similar_ladders import APART, Floats, Ladders, Numbers

MOST_NODES = 60_000
MOST_WORK = 4_000
"""Nodes that are visited, and visits to rows in multiples of the bins, before the rest is grown in
blocks."""
BLOCK = 1_024
SLACK = 0.05
"""A group may be taken by a node this much cheaper than it is, instead of visiting the node again
later."""

Node = tuple[int, ...]


def cluster_large(ladders: Ladders, counts: Numbers, k: int) -> Numbers:
    """A cluster's number for each bin: bins stay whole, every cluster holds at least k rows."""
    cluster = _Sweep(ladders, counts, k).run()
    left = np.flatnonzero(cluster < 0)
    if counts[left].sum() >= k:
        left = _grow_in_blocks(ladders, counts, k, cluster=cluster, left=left)
    if len(left):
        _join_nearest(ladders, counts, cluster=cluster, left=left)
    return cluster


class _Sweep:
    """The walk over the lattice. Rows are the bins that are left; `weight` is 0 once one is in a
    cluster."""

    def __init__(self, ladders: Ladders, counts: Numbers, k: int) -> None:
        self.k = k
        self.spans = ladders.spans
        self.cluster = np.full(len(counts), -1, np.int64)
        self.clusters = 0
        self.bins = np.arange(len(counts))
        self.weight = counts.astype(np.float64)
        self.signs = _signs(ladders)
        raised = [np.cumsum(ladders.steps[:, span], axis=1) for span in ladders.spans]
        self.raised = np.ascontiguousarray(np.concatenate(raised, axis=1).T)
        self.least = [[0.0, *self.raised[span].min(axis=1).tolist()] for span in ladders.spans]

    def run(self) -> Numbers:
        """Visit nodes from the cheapest; a node whose dearer groups wait is visited again at their
        cost."""
        heap: list[tuple[float, Node, int]] = [(0.0, (0,) * len(self.spans), 0)]
        nodes, work = 0, MOST_WORK * len(self.cluster)
        while heap and nodes < MOST_NODES and work > 0 and self.weight.sum() >= self.k:
            cost, node, first = heapq.heappop(heap)
            nodes += 1
            work -= len(self.bins)
            for f in range(first, len(node)):  # each node has one parent: it is pushed once
                if node[f] < len(self.least[f]) - 1:
                    wider = (*node[:f], node[f] + 1, *node[f + 1 :])
                    more = self.least[f][node[f] + 1] - self.least[f][node[f]]
                    heapq.heappush(heap, (cost + more, wider, f))
            limit = max(cost, heap[0][0] if heap else cost) * (1 + SLACK) + 1e-12
            again = self._visit(node, limit)
            if again is not None:
                heapq.heappush(heap, (again, node, len(node)))
        return self.cluster

    def _visit(self, node: Node, limit: float) -> float | None:
        """Take the groups of k rows that cost at most `limit`; the cost of the cheapest that
        waits."""
        at, groups = self._groups(node)
        if not len(at):
            return None
        cost = np.zeros(len(at))
        for span, level in zip(self.spans, node, strict=True):
            if level:
                cost += self.raised[span.start + level - 1][at]
        weight = self.weight[
            at
        ]  # labels that stand at several levels make costs differ within a group
        cost = (
            np.bincount(groups, weights=cost * weight)
            / np.maximum(np.bincount(groups, weights=weight), 1)
        )[groups]
        now = cost <= limit
        numbers = _numbered(groups[now])
        self.cluster[self.bins[at[now]]] = self.clusters + numbers
        self.clusters += int(numbers.max(initial=-1)) + 1
        self.weight[at[now]] = 0.0
        self._forget()
        return None if now.all() else float(cost[~now].min())

    def _groups(self, node: Node) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rows that meet at least k - 1 others at a node, and the number of their group."""
        keys = np.zeros(len(self.bins), np.uint64)
        for span, level in zip(self.spans, node, strict=True):
            if span.start + level < span.stop:
                keys += self.signs[span.start + level]
        bits = max(
            4, len(keys).bit_length() + 1
        )  # a short key first: most rows meet too few others
        short = (keys >> np.uint64(64 - bits)).view(np.int64)  # no sign bit is left: no copy needed
        met = np.bincount(short, weights=self.weight, minlength=1 << bits)
        (at,) = (met.take(short) >= self.k).nonzero()
        at = at[self.weight[at] > 0]
        if not len(at):
            return at, at
        groups = _numbered(keys[at])
        enough = (np.bincount(groups, weights=self.weight[at]) >= self.k)[groups]
        return at[enough], groups[enough]

    def _forget(self) -> None:
        """Remove rows that are in a cluster, once that is worth the copy of the others."""
        left = self.weight > 0
        if left.sum() < 0.8 * len(left):
            self.bins, self.weight = self.bins[left], self.weight[left]
            self.signs, self.raised = self.signs[:, left], self.raised[:, left]


def _numbered(keys: NDArray[Any]) -> NDArray[np.intp]:
    """Equal keys numbered alike, in their order; numpy.unique takes five times as long for the few
    keys of a node."""
    order = keys.argsort()
    ordered = keys[order]
    starts = np.zeros(len(keys), np.intp)
    starts[1:] = ordered[1:] != ordered[:-1]
    numbers = np.empty(len(keys), np.intp)
    numbers[order] = starts.cumsum()
    return numbers


def _signs(ladders: Ladders) -> NDArray[np.uint64]:
    """Per column and bin a 64-bit sign of its code: sums of signs distinguish tuples of codes.

    Two tuples with one sum would only make a dear cluster: closures are computed from the codes
    themselves."""
    random = np.random.default_rng(0)
    out = np.zeros(ladders.codes.shape[::-1], np.uint64)
    for column in range(len(out)):
        codes = ladders.codes[:, column]
        out[column] = random.integers(0, 2**64, int(codes.max(initial=0)) + 1, dtype=np.uint64)[
            codes
        ]
    return out


def in_similar_order(ladders: Ladders, at: Numbers) -> Numbers:
    """Some bins in an order where neighbours are alike: by coarse columns before fine, dear before
    cheap."""
    height = np.concatenate([np.arange(span.stop - span.start, 0, -1) for span in ladders.spans])
    columns = np.lexsort((-ladders.steps.mean(axis=0), height))
    order: Numbers = np.lexsort(ladders.codes[at][:, columns[::-1]].T)
    return at[order]


def _grow_in_blocks(
    ladders: Ladders, counts: Numbers, k: int, *, cluster: Numbers, left: Numbers
) -> Numbers:
    """Put the bins that are left into new clusters, block by block; those that no block could hold
    are returned."""
    ordered = in_similar_order(ladders, left)
    carried = ordered[:0]
    for start in range(0, len(ordered), BLOCK):
        block = np.concatenate([carried, ordered[start : start + BLOCK]])
        carried = _grow(ladders.only(block), counts[block], k, cluster=cluster, block=block)
    return carried


def _grow(
    ladders: Ladders, counts: Numbers, k: int, *, cluster: Numbers, block: Numbers
) -> Numbers:
    """Clusters of nearest neighbours; each begins with the bin that is farthest from where the last
    began."""
    away = np.zeros(len(block))
    free = np.ones(len(block), bool)
    number = int(cluster.max(initial=-1)) + 1
    seed = 0
    while counts[free].sum() >= k:
        seed = int(
            np.argmax(
                np.where(free, (ladders.codes != ladders.codes[seed]) @ ladders.steps[seed], -1.0)
            )
        )
        closure, rows, chosen = ladders.codes[seed].copy(), 0, seed
        while True:
            closure[ladders.codes[chosen] != closure] = APART
            cluster[block[chosen]] = number
            free[chosen] = False
            rows += int(counts[chosen])
            if rows >= k:
                break
            away = np.where(free, (ladders.codes != closure) @ ladders.steps[seed], np.inf)
            chosen = int(np.argmin(away))
        number += 1
    return block[free]


def _join_nearest(ladders: Ladders, counts: Numbers, *, cluster: Numbers, left: Numbers) -> None:
    """Put each bin that is left into the cluster where all rows together lose least by it."""
    closures, costs, sizes = meetings(ladders, counts, cluster)
    for chosen in left.tolist():
        far = (closures != ladders.codes[chosen]) @ ladders.steps[chosen]
        best = int(np.argmin(sizes * (far - costs) + counts[chosen] * far))
        cluster[chosen] = best
        closures[best, closures[best] != ladders.codes[chosen]] = APART
        costs[best] = far[best]
        sizes[best] += counts[chosen]


def meetings(
    ladders: Ladders, counts: Numbers, cluster: Numbers
) -> tuple[NDArray[np.int32], Floats, Numbers]:
    """For each cluster: its closure, what it costs one row, and its rows. Bins with number -1 are
    not looked at."""
    at = np.flatnonzero(cluster >= 0)
    at = at[np.argsort(cluster[at], kind="stable")]
    first = np.flatnonzero(np.diff(cluster[at], prepend=-1))
    lowest = np.minimum.reduceat(ladders.codes[at], first, axis=0)
    same = lowest == np.maximum.reduceat(ladders.codes[at], first, axis=0)
    closures = np.where(same, lowest, np.int32(APART))
    costs = (~same * ladders.steps[at[first]]).sum(axis=1)
    return closures, costs, np.add.reduceat(counts[at], first)
