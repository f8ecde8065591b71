"""How wide a cluster is in one field, and what it becomes when one more value joins: the distances
of `local`.

Every kind of label is a small state that widens: the lowest common ancestor, a range from low to
high, or a set. States of many clusters are in one array, and all methods work on whole arrays of
them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Codes, Hierarchy, Label

from ..k_similar_ladders import Floats, Numbers
from .penalties import Penalty, places_of

States = NDArray[Any]
Costs = NDArray[np.float32]

APART = 1_000.0
"""The price of values that have no common ancestor: more than any cluster that has one."""
MOST_TABLE = 4_000_000
"""Entries of a table of every node with every value; larger hierarchies are compared level by
level."""
MOST_BITS = 62
"""Of a number that holds the way from the top of a hierarchy to a value."""
FULL = 1.0


class Width(Protocol):
    """States have one axis more than the values they are asked about where a state is not one
    number."""

    def start(self, values: Codes) -> States:
        """The state of a cluster that holds one value."""
        ...

    def costs_with(self, states: States, values: Codes) -> Costs:
        """The price of a row's cell in each cluster after a value has joined it; both broadcast."""
        ...

    def prepared(self, values: Codes) -> NDArray[Any]:
        """Values as `costs_prepared` takes them, for those that are asked about again and again."""
        ...

    def costs_prepared(self, states: States, prepared: NDArray[Any]) -> Costs:
        """As `costs_with`."""
        ...

    def joined(self, states: States, values: Codes) -> States: ...

    def merged(self, states: States, others: States) -> States:
        """Two clusters as one."""
        ...

    def costs(self, states: States) -> Costs:
        """The price of a row's cell in each cluster."""
        ...

    def over(self, values: Codes, first: Numbers) -> States:
        """The states of clusters whose values are consecutive, each beginning at an entry of
        `first`."""
        ...


class TreeTable:
    """Lowest common ancestors by table: a state is the number of a node."""

    def __init__(self, hierarchy: Hierarchy, prices: Floats) -> None:
        size = len(hierarchy.labels[0])
        offsets = np.cumsum([0, *(len(names) for names in hierarchy.labels)])
        chains = np.stack(
            [up + offset for up, offset in zip(hierarchy.up, offsets[:-1], strict=True)]
        )
        top = int(offsets[-1])
        chains = np.concatenate([chains, np.full((1, size), top)])
        chains[: hierarchy.finest] = chains[hierarchy.finest]
        price = np.full(top + 1, APART)
        price[chains[:-1]] = 0.0
        np.maximum.at(price, chains[:-1], prices)
        under = np.zeros((top + 1, size), bool)
        under[chains, np.arange(size)] = True
        example = under.argmax(axis=1)
        level = np.repeat(np.arange(len(chains)), [*(len(names) for names in hierarchy.labels), 1])
        join = np.full((top + 1, size), top, np.int32)
        for height in range(len(chains) - 1, -1, -1):  # the lowest common node is written last
            ancestor = chains[np.maximum(height, level), example][:, None]
            meets = under[ancestor[:, 0]]
            join = np.where(meets, ancestor, join).astype(np.int32)
        self.size, self.example, self.level = size, example.astype(np.int32), level
        self.code = np.arange(top + 1) - np.append(offsets[:-1], top)[level]
        self.leaf: Codes = chains[0].astype(np.int32)
        self.price = price.astype(np.float32)
        self.join = join.reshape(-1)
        self.price_with = self.price[self.join]
        self.rank = np.lexsort(chains).argsort().astype(np.int32)
        self.by_rank = self.rank.argsort().astype(np.int32)

    def start(self, values: Codes) -> States:
        return self.leaf[values]

    def costs_with(self, states: States, values: Codes) -> Costs:
        return self.price_with.take(states * self.size + values)

    def prepared(self, values: Codes) -> NDArray[Any]:
        return values

    def costs_prepared(self, states: States, prepared: NDArray[Any]) -> Costs:
        return self.costs_with(states, prepared)

    def joined(self, states: States, values: Codes) -> States:
        wider: States = self.join.take(states * self.size + values)
        return wider

    def merged(self, states: States, others: States) -> States:
        """Both meetings are on one path to the top, and nodes are numbered level by level: the
        later one is the higher."""
        here, there = (
            self.joined(states, self.example[others]),
            self.joined(others, self.example[states]),
        )
        higher: States = np.maximum(here, there)
        return higher

    def nodes(self, states: States) -> tuple[Numbers, Numbers]:
        """The level of each state and its code there."""
        return self.level[states], self.code[states]

    def costs(self, states: States) -> Costs:
        return self.price.take(states)

    def over(self, values: Codes, first: Numbers) -> States:
        ranks = self.rank[values]
        low, high = np.minimum.reduceat(ranks, first), np.maximum.reduceat(ranks, first)
        return self.joined(self.leaf[self.by_rank[low]], self.by_rank[high])


class TreeLevels:
    """Lowest common ancestors level by level, for hierarchies too large for a table: a state is
    (value, level)."""

    def __init__(self, hierarchy: Hierarchy, prices: Floats) -> None:
        self.up, self.finest = np.stack(hierarchy.up), hierarchy.finest
        self.size = self.up.shape[1]
        prices = np.concatenate([prices, np.full((1, self.size), APART)])
        self.prices = prices.astype(np.float32).reshape(-1)
        order = np.lexsort(self.up)
        self.rank = order.argsort().astype(np.int32)
        self.by_rank = order.astype(np.int32)
        self.path, self.least = _paths(self.up, order) if hierarchy.is_nested else _none(self.up)

    def start(self, values: Codes) -> States:
        return np.stack([values, np.full_like(values, self.finest)], axis=-1)

    def _levels_to(self, states: States, paths: NDArray[Any]) -> NDArray[np.int32]:
        """The level of each state after the value of a path has joined it."""
        own = self.path.take(states[..., 0])
        apart = own ^ paths
        meet = np.zeros(apart.shape, np.int32)
        for least in self.least:
            meet += apart >= least
        if not self.least:
            for up in self.up:
                meet += up[own] != up[paths]
        return np.maximum(states[..., 1], meet, out=meet)

    def costs_with(self, states: States, values: Codes) -> Costs:
        return self.costs_prepared(states, self.path.take(values))

    def prepared(self, values: Codes) -> NDArray[Any]:
        return self.path.take(values)

    def costs_prepared(self, states: States, prepared: NDArray[Any]) -> Costs:
        return self._price(states[..., 0], self._levels_to(states, prepared))

    def joined(self, states: States, values: Codes) -> States:
        levels = self._levels_to(states, self.path.take(values))
        return np.stack([np.broadcast_to(states[..., 0], levels.shape), levels], axis=-1)

    def merged(self, states: States, others: States) -> States:
        out = self.joined(states, others[..., 0])
        out[..., 1] = np.maximum(out[..., 1], others[..., 1])
        return out

    def nodes(self, states: States) -> tuple[Numbers, Numbers]:
        """The level of each state and its code there."""
        level = states[..., 1].astype(np.int64)
        return level, self.up[np.minimum(level, len(self.up) - 1), states[..., 0]].astype(np.int64)

    def costs(self, states: States) -> Costs:
        return self._price(states[..., 0], states[..., 1])

    def _price(self, values: Codes, levels: NDArray[np.int32]) -> Costs:
        price: Costs = self.prices.take(levels.astype(np.int64) * self.size + values)
        return price

    def over(self, values: Codes, first: Numbers) -> States:
        ranks = self.rank[values]
        low, high = np.minimum.reduceat(ranks, first), np.maximum.reduceat(ranks, first)
        return self.joined(self.start(self.by_rank[low]), self.by_rank[high])


Paths = tuple[NDArray[np.int32] | NDArray[np.int64], list[int]]


def _paths(up: NDArray[np.int32], order: Numbers) -> Paths:
    """The way from the top to each value as one number, and for each level the least difference, by
    exclusive or, of two values that do not share a label there.

    Level by level from the top, a number has the place of a label among those that share its
    parent, so that two values agree in as many bits as their ways do. `order` puts values with one
    label next to each other, at every level."""
    parent = np.zeros(up.shape[1], np.int64)
    places: list[Numbers] = []
    for codes in up[::-1, order]:
        number = np.cumsum(np.diff(codes, prepend=codes[:1]) != 0)
        first = np.flatnonzero(np.diff(parent, prepend=-1))
        places.append(number - np.repeat(number[first], np.diff(first, append=len(codes))))
        parent = number
    bits = [int(place.max(initial=0)).bit_length() for place in reversed(places)]
    shifts = np.cumsum([0, *bits]).tolist()
    if shifts[-1] > MOST_BITS:
        return _none(up)
    path = np.zeros(up.shape[1], np.int64)
    for place, shift in zip(reversed(places), shifts, strict=False):
        path[order] |= place << shift
    short = shifts[-1] < 31  # Half as many bytes are compared.
    return path.astype(np.int32) if short else path, [1 << shift for shift in shifts[:-1]]


def _none(up: NDArray[np.int32]) -> Paths:
    """The values themselves, whose labels are compared at each level."""
    return np.arange(up.shape[1], dtype=np.int32), []


class RangeWidths:
    """Ranges of numbers: a state is (low, high). A value that is no number is beyond: a range that
    reaches it is full."""

    def __init__(self, values: tuple[Label, ...], *, occurring: int, weight: float) -> None:
        places, _ = places_of(values[:occurring])
        _, self.span = places_of(values[:occurring])
        finite = places[np.isfinite(places)]
        self.lowest = float(finite.min()) if len(finite) else 0.0
        self.highest = float(finite.max()) if len(finite) else 0.0
        all_places, _ = places_of(values)
        shares = (np.clip(all_places, self.lowest, self.highest) - self.lowest) / self.span
        beyond = 2.0 + np.arange(
            len(values)
        )  # each thing that is no number is far from every other
        self.shares = np.where(np.isfinite(all_places), shares, beyond).astype(np.float32)
        self.weight = np.float32(weight)

    def start(self, values: Codes) -> States:
        shares = self.shares[values]
        return np.stack([shares, shares], axis=-1)

    def costs_with(self, states: States, values: Codes) -> Costs:
        return self.costs_prepared(states, self.shares.take(values))

    def prepared(self, values: Codes) -> NDArray[Any]:
        return self.shares.take(values)

    def costs_prepared(self, states: States, prepared: NDArray[Any]) -> Costs:
        width = np.maximum(states[..., 1], prepared) - np.minimum(states[..., 0], prepared)
        return self._price(width)

    def joined(self, states: States, values: Codes) -> States:
        shares = self.shares[values]
        return np.stack(
            [np.minimum(states[..., 0], shares), np.maximum(states[..., 1], shares)], axis=-1
        )

    def merged(self, states: States, others: States) -> States:
        low = np.minimum(states[..., 0], others[..., 0])
        return np.stack([low, np.maximum(states[..., 1], others[..., 1])], axis=-1)

    def costs(self, states: States) -> Costs:
        return self._price(states[..., 1] - states[..., 0])

    def over(self, values: Codes, first: Numbers) -> States:
        shares = self.shares[values]
        return np.stack(
            [np.minimum.reduceat(shares, first), np.maximum.reduceat(shares, first)], axis=-1
        )

    def _price(self, width: Costs) -> Costs:
        price: Costs = np.minimum(width, np.float32(FULL)) * self.weight
        return price


class SetWidths:
    """Sets of values: a state is a row of bits, one per value, in 64-bit words."""

    def __init__(self, prices: Floats, *, size: int) -> None:
        self.prices = prices.astype(np.float32)
        self.words = max((size + 63) // 64, 1)
        self.word = (np.arange(size) // 64).astype(np.int64)
        self.bit = np.uint64(1) << (np.arange(size) % 64).astype(np.uint64)

    def start(self, values: Codes) -> States:
        if self.words == 1:
            return self.bit.take(values)[..., None]
        out = np.zeros((*values.shape, self.words), np.uint64)
        np.put_along_axis(out, self.word[values][..., None], self.bit[values][..., None], axis=-1)
        return out

    def costs_with(self, states: States, values: Codes) -> Costs:
        return self.costs_prepared(states, self.prepared(values))

    def prepared(self, values: Codes) -> NDArray[Any]:
        """The bit of each value, and above one word its place too."""
        if self.words == 1:
            return self.bit.take(values)
        return np.stack([self.bit.take(values), self.word.take(values).view(np.uint64)], axis=-1)

    def costs_prepared(self, states: States, prepared: NDArray[Any]) -> Costs:
        if self.words == 1:
            there, bits = states[..., 0], prepared
        else:
            bits, word = prepared[..., 0], prepared[..., 1].view(np.int64)
            there = np.take_along_axis(states, word[..., None], axis=-1)[..., 0]
        price: Costs = self.prices.take(self._held(states) + ((there & bits) == 0), mode="clip")
        return price

    def _held(self, states: States) -> NDArray[Any]:
        """How many values each set has."""
        if self.words == 1:
            return np.bitwise_count(states[..., 0])
        held: NDArray[np.int32] = np.bitwise_count(states).sum(axis=-1, dtype=np.int32)
        return held

    def joined(self, states: States, values: Codes) -> States:
        return states | self.start(values)

    def merged(self, states: States, others: States) -> States:
        return states | others

    def costs(self, states: States) -> Costs:
        price: Costs = self.prices.take(self._held(states))
        return price

    def over(self, values: Codes, first: Numbers) -> States:
        out = np.zeros((len(first), self.words), np.uint64)
        for word in range(self.words):
            bits = np.where(self.word[values] == word, self.bit[values], np.uint64(0))
            out[:, word] = np.bitwise_or.reduceat(bits, first)
        return out


Tree = TreeTable | TreeLevels


def tree_width(hierarchy: Hierarchy, prices: Floats) -> Tree:
    nodes = sum(len(names) for names in hierarchy.labels) + 1
    small = nodes * len(hierarchy.labels[0]) <= MOST_TABLE
    return TreeTable(hierarchy, prices) if small else TreeLevels(hierarchy, prices)


def free_width(
    name: str, hierarchy: Hierarchy, values: tuple[Label, ...], penalty: Penalty
) -> RangeWidths | SetWidths:
    """A range where the field is a number, else a set. `values` are those that occur; they are
    first."""
    leaves = len(hierarchy.labels[0])
    if name in penalty.numeric:
        return RangeWidths(hierarchy.labels[0], occurring=len(values), weight=penalty.weight(name))
    return SetWidths(penalty.of_sets(name, leaves), size=leaves)
