"""Clusters for t-closeness: each takes only as many rows of a sensitive value as the model allows.

Clusters of whole bins have the sensitive values that their bins have, and need to be wide until
these are spread like the table's. Here the rows of a bin are divided by their sensitive value. The
nodes of the lattice are visited from the cheapest. Wherever rows meet, the largest part of them
whose values are spread nearly as in the table becomes a cluster; the others wait for a coarser
node. Rows that are left in the end are suppressed, as far as that is allowed; the others are put
together with the dearest clusters. (Taking rows by sensitive value so that every cluster is close:
Soria-Comas et al. 2015, "t-closeness through microaggregation"; the walk over the lattice is ours.)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from sfumato.bins import Bins, LocalRecoding, ValueSplit
from sfumato.engines import Histogram
from sfumato.hierarchies import Codes
from sfumato.protection import Model, TCloseness

from ..effort import Effort
from ..k_similar_ladders import Floats, Numbers, lowest_levels
from ..k_similar_portions import Portions
from .clusters import Clusters
from .space import Space
from .widths import RangeWidths, SetWidths

MOST_VALUES = 200
MOST_NODES = 20_000
"""Nodes that are visited; of a larger lattice, so many at even steps of their price."""
HALVINGS = 24
_SLACK = 1e-9
_ROUNDING = 5e-13
"""Half of what the model itself allows for rounding."""


def closeness_alone(models: Sequence[Model], space: Space) -> TCloseness | None:
    """The model, where t-closeness with equal distances over all fields is all that is asked
    besides k, and all rows can meet in one cluster of tree labels."""
    if len(models) != 1 or space.labels != "tree" or not space.bins.adds_up:
        return None
    model, bins = models[0], space.bins
    if not isinstance(model, TCloseness) or model.distance != "equal":
        return None
    found = bins.histograms.get(model.sensitive)
    fits = found is not None and len(found.values) <= MOST_VALUES
    alike = set(model.fields) == set(bins.fields) and not space.component.any()
    return model if fits and alike else None


@dataclass(frozen=True, eq=False)
class BalancedClusters:
    """Items are the rows of one bin with one sensitive value: `item_of` are entries of the
    histogram, in portions of clusters; `left` are the rows of each item that are suppressed."""

    clusters: Clusters
    inside: Histogram
    left: Numbers
    field: str

    @property
    def suppressed(self) -> int:
        return int(self.left.sum())

    def total(self, fields: int) -> float:
        """The loss of all rows; a suppressed one loses every field."""
        return self.clusters.total + fields * self.suppressed

    def fails(self, space: Space, model: Model, k: int) -> bool:
        """Whether a bin of the release would break k or the model, with clusters of equal labels as
        one bin."""
        clusters, values = self.clusters, len(self.inside.values)
        named = [
            namer.name(states)
            for namer, states in zip(space.namers, clusters.states(), strict=True)
        ]
        keys = clusters.cluster * values + self.inside.value_of[clusters.bin_of]
        counted = np.bincount(keys, weights=clusters.rows, minlength=len(clusters) * values)
        some = np.flatnonzero(counted)
        inside = replace(
            self.inside,
            bin_of=some // values,
            value_of=(some % values).astype(np.int32),
            counts=counted[some].astype(np.int64),
        )
        codes = np.stack([found.codes for found in named], axis=1)
        labels = tuple(found.labels for found in named)
        fields = space.bins.fields
        released = Bins(fields, labels, codes, clusters.sizes, {self.field: inside}).project(fields)
        return bool((released.counts < k).any() or model.failing(released).any())

    def recoding(self, space: Space) -> LocalRecoding:
        """Portions by bin and sensitive value."""
        portions, inside = self.clusters.portions(), self.inside
        gone = np.flatnonzero(self.left)
        item = np.concatenate([portions.bin_of, gone])
        bin_of = inside.bin_of[item]
        levels = np.zeros((len(item), len(space.bins.fields)), np.int16)
        for f, (width, states) in enumerate(zip(space.widths, self.clusters.states(), strict=True)):
            assert not isinstance(width, RangeWidths | SetWidths)
            lowest = lowest_levels(space.hierarchies[space.bins.fields[f]])
            level = width.nodes(states)[0][portions.cluster]
            levels[: len(level), f] = lowest[level, space.bins.codes[bin_of[: len(level)], f]]
        return LocalRecoding(
            bin_of=bin_of,
            rows=np.concatenate([portions.rows, self.left[gone]]),
            levels=levels,
            suppressed=np.arange(len(item)) >= len(portions.bin_of),
            split=ValueSplit(self.field, inside.values, inside.value_of[item]),
        )


def balanced_clusters(
    space: Space, model: TCloseness, *, k: int, may_leave: int, effort: Effort
) -> BalancedClusters:
    """Clusters that keep k and `model`, with at most `may_leave` rows suppressed."""
    inside = space.bins.histograms[model.sensitive]
    shares = np.array([model.reference.get(value, 0.0) for value in inside.values])
    walk = _Walk(space, inside, _Closeness(shares, model.t), k)
    for node in _nodes(space):
        if effort.spent(0) or not walk.visit(node):
            break
    parts = walk.portions()
    parts, left = _place_rest(space, walk, parts, may_leave)
    clusters = Clusters(space.widths, space.bins.codes[inside.bin_of], parts)
    return BalancedClusters(clusters, inside, left, model.sensitive)


class _Closeness:
    """How many rows of each value may be together: half the sum of differences of shares is at most
    t."""

    def __init__(self, shares: Floats, t: float) -> None:
        self.shares, self.t, self.most = shares, t, t + _ROUNDING

    def distances(self, counts: Floats) -> Floats:
        sizes = np.maximum(counts.sum(axis=1, keepdims=True), 1)
        distances: Floats = np.abs(counts / sizes - self.shares).sum(axis=1) / 2
        return distances

    def least(self, k: int) -> int:
        """The fewest rows that can be close at all."""
        sizes = np.arange(max(k, 1), max(k, 1) + 10 * len(self.shares) + 1)
        supply = np.repeat(sizes[:, None].astype(float), len(self.shares), axis=1)
        close = self.distances(self._filled(supply, sizes)) <= self.most
        return int(sizes[close.argmax()]) if close.any() else int(sizes[-1])

    def parts(self, counts: Floats) -> Floats:
        """Of each group the largest part that is close, as rows per value; nothing where none is.

        The shares that are missing from a part add up to its distance. What is missing only grows
        with the size, so the largest size is found by halving."""
        most = counts.sum(axis=1)
        low, high = np.zeros(len(counts)), most.copy()
        for _ in range(HALVINGS):
            size = (low + high) / 2
            enough = self._reach(counts, size) >= (1 - self.t) * size - _SLACK
            low, high = np.where(enough, size, low), np.where(enough, high, size)
        whole = self._reach(counts, most) >= (1 - self.t) * most - _SLACK
        size = np.floor(np.where(whole, most, high) + 1e-3).astype(np.int64)
        out = self._filled(counts, size)
        for _ in range(len(self.shares)):  # whole rows reach a little less than shares of rows
            far = (self.distances(out) > self.most) & (size > 0)
            if not far.any():
                break
            size[far] -= 1
            out[far] = self._filled(counts[far], size[far])
        out[self.distances(out) > self.most] = 0
        return out

    def _reach(self, counts: Floats, size: Floats) -> Floats:
        reach: Floats = np.minimum(counts, self.shares * size[:, None]).sum(axis=1)
        return reach

    def _filled(self, counts: Floats, sizes: Numbers) -> Floats:
        """So many rows of each group, as near to the shares as what is there allows."""
        wanted = self.shares * sizes[:, None]
        out: Floats = np.minimum(counts, np.floor(wanted + _SLACK))
        while True:
            short = np.flatnonzero(out.sum(axis=1) < sizes - 0.5)
            if not len(short):
                return out
            missing = np.where(counts[short] > out[short], (wanted - out)[short], -np.inf)
            out[short, missing.argmax(axis=1)] += 1


def _nodes(space: Space) -> list[tuple[int, ...]]:
    """Nodes of the lattice by what they cost a row, the cheapest first."""
    bins, prices = space.bins, []
    for f, name in enumerate(bins.fields):
        levels = space.penalty.of_levels(name, space.hierarchies[name], bins.labels[f])
        prices.append(np.average(levels[:, bins.codes[:, f]], axis=1, weights=bins.counts))
    finest = [
        range(space.hierarchies[name].finest, len(prices[f])) for f, name in enumerate(bins.fields)
    ]
    size = int(np.prod([len(levels) for levels in finest], dtype=float))
    step = max(1, -(-size // MOST_NODES))
    nodes = np.array([node for i, node in enumerate(product(*finest)) if i % step == 0], np.int64)
    top = np.array([[levels[-1] for levels in finest]])
    nodes = np.concatenate([nodes, top]).reshape(-1, len(bins.fields))
    cost = sum((price[nodes[:, f]] for f, price in enumerate(prices)), np.zeros(len(nodes)))
    return [tuple(node) for node in nodes[np.argsort(cost, kind="stable")].tolist()]


class _Walk:
    """The state of a walk: `left` rows of each item, and the portions of the clusters so far."""

    def __init__(self, space: Space, inside: Histogram, closeness: _Closeness, k: int) -> None:
        self.inside, self.closeness, self.k = inside, closeness, k
        self.least = closeness.least(k)
        self.left = inside.counts.astype(np.int64)
        codes = space.bins.codes[inside.bin_of]
        hierarchies = [space.hierarchies[name] for name in space.bins.fields]
        self.labels: list[list[Codes]] = [
            [up[codes[:, f]] for up in hierarchy.up] for f, hierarchy in enumerate(hierarchies)
        ]
        self.sizes = [[len(names) for names in hierarchy.labels] for hierarchy in hierarchies]
        self.taken: list[tuple[Numbers, Numbers, Numbers]] = []
        self.clusters = 0

    @property
    def values(self) -> int:
        return len(self.inside.values)

    def visit(self, node: tuple[int, ...]) -> bool:
        """Take the clusters of a node; false where so few rows are left that none can be made."""
        alive = np.flatnonzero(self.left)
        if int(self.left[alive].sum()) < self.least:
            return False
        groups = self._groups(alive, node)
        rows = np.bincount(groups, weights=self.left[alive])
        large = rows >= self.least
        if not large.any():
            return True
        number = np.where(large, np.cumsum(large) - 1, -1)[groups]
        items, number = alive[number >= 0], number[number >= 0]
        key = (number * self.values + self.inside.value_of[items]).astype(np.int64)
        counts = np.bincount(
            key, weights=self.left[items], minlength=int(large.sum()) * self.values
        ).reshape(-1, self.values)
        part = self.closeness.parts(counts.astype(np.float64))
        part[part.sum(axis=1) < self.k] = 0
        self._take(items, key, part)
        return True

    def _groups(self, alive: Numbers, node: tuple[int, ...]) -> Numbers:
        groups = np.zeros(len(alive), np.int64)
        for f, level in enumerate(node):
            groups = groups * self.sizes[f][level] + self.labels[f][level][alive]
            if groups.max(initial=0) > 2**40:
                groups = np.unique(groups, return_inverse=True)[1]
        numbers: Numbers = np.unique(groups, return_inverse=True)[1]
        return numbers

    def _take(self, items: Numbers, key: Numbers, part: Floats) -> None:
        """Rows of the items in order, until a group has its part of each value."""
        order = np.argsort(key, kind="stable")
        items, key = items[order], key[order]
        rows = self.left[items]
        before = np.cumsum(rows) - rows
        starts = np.diff(key, prepend=-1) != 0
        before -= before[starts][np.cumsum(starts) - 1]
        taken = np.clip(part.reshape(-1)[key].astype(np.int64) - before, 0, rows)
        some = np.flatnonzero(taken)
        if not len(some):
            return
        self.left[items[some]] -= taken[some]
        cluster = np.unique(key[some] // self.values, return_inverse=True)[1]
        self.taken.append((items[some], taken[some], self.clusters + cluster))
        self.clusters += int(cluster.max()) + 1

    def portions(self) -> Portions:
        if not self.taken:
            none = np.zeros(0, np.int64)
            return Portions(none, none, none)
        item, rows, cluster = (np.concatenate(part) for part in zip(*self.taken, strict=True))
        return Portions(item, rows, cluster)


def _place_rest(
    space: Space, walk: _Walk, parts: Portions, may_leave: int
) -> tuple[Portions, Numbers]:
    """Rows that are in no cluster are suppressed as far as that is allowed; the others form one
    with the dearest clusters, as many as it takes to be close."""
    kept = _kept(walk, may_leave)
    left = walk.left - kept
    if not kept.any():
        return parts, left
    values, inside = walk.values, walk.inside
    clusters = Clusters(space.widths, space.bins.codes[inside.bin_of], parts)
    counted = np.bincount(
        clusters.cluster * values + inside.value_of[clusters.bin_of],
        weights=clusters.rows,
        minlength=len(clusters) * values,
    ).reshape(-1, values)
    order = np.argsort(-clusters.costs, kind="stable")
    own = np.bincount(inside.value_of, weights=kept, minlength=values)
    together = own + np.concatenate([np.zeros((1, values)), np.cumsum(counted[order], axis=0)])
    fine = (walk.closeness.distances(together) <= walk.closeness.most) & (
        together.sum(axis=1) >= walk.k
    )
    merged = int(fine.argmax()) if fine.any() else len(order)
    rest = len(clusters)
    number = np.arange(rest)
    number[order[:merged]] = rest
    items = np.flatnonzero(kept)
    return Portions(
        np.concatenate([clusters.bin_of, items]),
        np.concatenate([clusters.rows, kept[items]]),
        np.concatenate([number[clusters.cluster], np.full(len(items), rest)]),
    ), left


def _kept(walk: _Walk, may_leave: int) -> Numbers:
    """The rows of each item that must be released, of those in no cluster: rows of the values that
    are the most too many are suppressed first."""
    remaining = int(walk.left.sum())
    if remaining <= may_leave:
        return np.zeros(len(walk.left), np.int64)
    by_value = np.bincount(walk.inside.value_of, weights=walk.left, minlength=walk.values)
    shares, low, high = np.maximum(walk.closeness.shares, 1e-12), 0.0, 1e13
    for _ in range(2 * HALVINGS):
        middle = (low + high) / 2
        enough = np.minimum(by_value, shares * middle).sum() >= remaining - may_leave
        low, high = (low, middle) if enough else (middle, high)
    wanted = np.ceil(np.minimum(by_value, shares * high) - _SLACK).astype(np.int64)
    order = np.argsort(walk.inside.value_of, kind="stable")
    rows, value = walk.left[order], walk.inside.value_of[order]
    before = np.cumsum(rows) - rows
    starts = np.diff(value, prepend=-1) != 0
    before -= before[starts][np.cumsum(starts) - 1]
    kept = np.zeros(len(rows), np.int64)
    kept[order] = np.clip(wanted[value] - before, 0, rows)
    return kept
