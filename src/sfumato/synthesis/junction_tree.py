"""Junction tree: cliques of fields in a tree, and marginals of a distribution that factors over them.

Cliques are found by a greedy elimination of fields, cheapest first; the tree joins cliques over the
most fields in common. Beliefs are calibrated by messages to the root and back (Lauritzen and
Spiegelhalter 1988), on logarithms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import combinations

import numpy as np

from .coded_table import Reals

Fields = tuple[int, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class JunctionTree:
    """Cliques, root first; `parents` has the place of each clique's parent, -1 for the root."""

    sizes: tuple[int, ...]
    cliques: tuple[Fields, ...]
    parents: tuple[int, ...]

    @cached_property
    def separators(self) -> tuple[Fields, ...]:
        return tuple(
            tuple(sorted(set(clique) & set(self.cliques[parent]))) if parent >= 0 else ()
            for clique, parent in zip(self.cliques, self.parents, strict=True)
        )

    @cached_property
    def cells(self) -> int:
        return sum(cells_of(clique, self.sizes) for clique in self.cliques)

    def home(self, fields: Fields) -> int:
        """The smallest clique that has all of some fields."""
        inside = [place for place, clique in enumerate(self.cliques) if set(fields) <= set(clique)]
        return min(inside, key=lambda place: cells_of(self.cliques[place], self.sizes))

    def calibrate(self, potentials: Sequence[Reals]) -> tuple[list[Reals], float]:
        """Log-probabilities of each clique's cells, and the log of the sum over all."""
        beliefs = [np.array(each) for each in potentials]
        sent: list[Reals] = [np.zeros(())] * len(beliefs)
        for place in range(len(beliefs) - 1, 0, -1):
            parent = self.parents[place]
            sent[place] = self._summed(beliefs[place], place, self.separators[place])
            beliefs[parent] += self._spread(sent[place], self.separators[place], parent)
        total = float(log_sum(beliefs[0], tuple(range(beliefs[0].ndim))))
        beliefs[0] -= total
        for place in range(1, len(beliefs)):
            parent, between = self.parents[place], self.separators[place]
            message = self._summed(beliefs[parent], parent, between) - sent[place]
            beliefs[place] += self._spread(message, between, place)
        return beliefs, total

    def _summed(self, belief: Reals, place: int, kept: Fields) -> Reals:
        axes = tuple(n for n, name in enumerate(self.cliques[place]) if name not in kept)
        return log_sum(belief, axes)

    def _spread(self, message: Reals, fields: Fields, place: int) -> Reals:
        """A message with an axis for each field of a clique."""
        shape = [self.sizes[n] if n in fields else 1 for n in self.cliques[place]]
        return message.reshape(shape)


def log_sum(values: Reals, axes: tuple[int, ...]) -> Reals:
    """The logarithm of the sum of exponentials along some axes."""
    if not axes:
        return values
    top = values.max(axis=axes, keepdims=True)
    found: Reals = np.log(np.exp(values - top).sum(axis=axes)) + np.squeeze(top, axis=axes)
    return found


def cells_of(fields: Iterable[int], sizes: Sequence[int]) -> int:
    return math.prod(sizes[name] for name in fields)


def tree_of(groups: Iterable[Fields], sizes: Sequence[int]) -> JunctionTree:
    """The junction tree in which each group of fields is inside a clique.

    Example:
        >>> tree = tree_of([(0, 1), (1, 2), (2, 3), (3, 0)], (2, 2, 2, 2))
        >>> sorted(map(len, tree.cliques)), len(tree.parents)
        ([3, 3], 2)
    """
    cliques = _maximal(_eliminated(groups, sizes))
    weights = {
        (a, b): len(set(cliques[a]) & set(cliques[b]))
        for a, b in combinations(range(len(cliques)), 2)
    }
    order, parents, places = [0], [-1], {0: 0}
    while len(order) < len(cliques):
        inside, outside = max(
            ((a, b) for a in places for b in range(len(cliques)) if b not in places),
            key=lambda pair: weights[min(pair), max(pair)],
        )
        places[outside] = len(order)
        order.append(outside)
        parents.append(places[inside])
    return JunctionTree(
        sizes=tuple(sizes), cliques=tuple(cliques[n] for n in order), parents=tuple(parents)
    )


def tree_cells(groups: Iterable[Fields], sizes: Sequence[int]) -> int:
    """How many cells the cliques would have, without building the tree."""
    return sum(cells_of(clique, sizes) for clique in _maximal(_eliminated(groups, sizes)))


def _eliminated(groups: Iterable[Fields], sizes: Sequence[int]) -> list[Fields]:
    near: dict[int, set[int]] = {name: set() for name in range(len(sizes))}
    for group in groups:
        for a, b in combinations(group, 2):
            near[a].add(b)
            near[b].add(a)
    cost = {name: cells_of((name, *others), sizes) for name, others in near.items()}
    waiting = [(cells, name) for name, cells in cost.items()]
    heapify(waiting)
    cliques = []
    while near:
        cells, name = heappop(waiting)
        if name not in near or cells != cost[name]:
            continue
        others = near.pop(name)
        cliques.append(tuple(sorted((name, *others))))
        for a in others:
            near[a] |= others
            near[a] -= {a, name}
        # Only the cost of its neighbours has changed.
        for a in others:
            cost[a] = cells_of((a, *near[a]), sizes)
            heappush(waiting, (cost[a], a))
    return cliques


def _maximal(cliques: Sequence[Fields]) -> list[Fields]:
    ordered = sorted(set(cliques), key=lambda each: (-len(each), each))
    kept: list[Fields] = []
    inside: dict[int, list[set[int]]] = {}
    for clique in ordered:
        fields = set(clique)
        if not any(fields <= other for other in inside.get(clique[0], ())):
            kept.append(clique)
            for name in clique:
                inside.setdefault(name, []).append(fields)
    return kept
