"""Counted itemsets, and upper bounds for coarser cuts before these are counted: the sum of the
merged counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import group
from sfumato.engines import Itemsets
from sfumato.errors import Bug

from .apriori_tree import ROOT, ItemTree, Nodes, Reals

NONE = -1
_TOUCHED = 0.1
"""The worth of raising an item of a rare itemset where it brings nobody yet: the next raise may."""
_FREE = 1e-9


@dataclass(frozen=True, eq=False)
class ItemsetTable:
    """Itemsets over the nodes of a cut: `nodes` sorted within a row, NONE first where there are
    fewer.

    `people` is how many hold each, or the most that can. People who hold coarse items together hold
    finer ones under them together. The sum over the finer ones is therefore a bound, and exact
    where nobody is counted twice."""

    tree: ItemTree
    nodes: Nodes
    groups: Nodes
    people: Nodes

    @classmethod
    def counted(cls, tree: ItemTree, at: Nodes, found: Itemsets) -> ItemsetTable:
        """An engine's counts of items released by the cut `at`."""
        node_of = {tree.labels[node]: node for node in np.unique(at).tolist()}
        try:
            places = np.array([*(node_of[label] for label in found.values), NONE], np.int64)
        except KeyError:
            raise Bug(
                "itemsets were counted over labels that the recoding does not give."
            ) from None
        return cls(tree, np.sort(places[found.codes], axis=1), found.groups, found.people)

    def recoded(self, at: Nodes) -> ItemsetTable:
        """The same itemsets over a coarser cut, with the most people that may hold each."""
        lifted = np.where(self.nodes < 0, NONE, at[self.tree.first[self.nodes]])
        lifted.sort(axis=1)
        # Two items that became one: the smaller itemset is among these anyway, and its people are
        # counted there.
        whole = ~_repeats(lifted).any(axis=1)
        return self._summed(lifted[whole], self.groups[whole], self.people[whole])

    def _summed(self, nodes: Nodes, groups: Nodes, people: Nodes) -> ItemsetTable:
        numbers, first = _grouped(self.tree, nodes, groups)
        sums = np.bincount(numbers, people, minlength=len(first)).astype(np.int64)
        return ItemsetTable(self.tree, nodes[first], groups[first], sums)

    def rare(self, k: int) -> NDArray[np.bool_]:
        return np.asarray(self.people < k)

    def raises(self, k: int) -> Raises:
        """Every way to raise one item of a rare itemset to the node above it, and how near that
        takes it to `k`."""
        rare = self.rare(k)
        useful = np.zeros(len(self.tree.labels) + 1, bool)
        useful[self.tree.parent[self.nodes[rare]][self.nodes[rare] >= 0]] = True
        useful[ROOT] = False
        row_of, uppers, lifted = [], [], []
        for column in range(self.nodes.shape[1]):
            item = self.nodes[:, column]
            upper = np.where(item < 0, ROOT, self.tree.parent[item])
            at = np.flatnonzero(useful[upper])
            upper = upper[at]
            under = self.tree.covers(upper[:, None], self.nodes[at]) & (self.nodes[at] >= 0)
            raised = np.sort(np.where(under, upper[:, None], self.nodes[at]), axis=1)
            row_of.append(at)
            uppers.append(upper)
            lifted.append(raised)
        rows, upper, nodes = np.concatenate(row_of), np.concatenate(uppers), np.concatenate(lifted)
        repeated = _repeats(nodes)
        nodes = np.sort(np.where(repeated, NONE, nodes), axis=1)
        numbers, _ = _grouped(self.tree, nodes, self.groups[rows])
        people = np.bincount(numbers, np.where(repeated.any(axis=1), 0, self.people[rows]))[numbers]
        asked = rare[rows]
        rows, upper, people = rows[asked], upper[asked], people[asked]
        before = self.people[rows]
        gain = np.clip((np.minimum(people, k) - before) / (k - before), 0, 1) + _TOUCHED
        return Raises(rows=rows, upper=upper, gain=gain)


@dataclass(frozen=True, eq=False, kw_only=True)
class Raises:
    """Raising an item of itemset `rows[i]` to the node `upper[i]` is worth `gain[i]`; 1 where it is
    then held by k."""

    rows: Nodes
    upper: Nodes
    gain: Reals

    def chosen(self, added_loss: Reals, *, share: float) -> Nodes:
        """Nodes worth the most for what they lose, until `share` of the itemsets, at least one, are
        touched."""
        nodes, place = np.unique(self.upper, return_inverse=True)
        _, itemset = np.unique(self.rows, return_inverse=True)
        ways = _table_of(
            itemset
        )  # The ways to raise each itemset, and the itemsets that each node touches.
        by_node = np.argsort(place, kind="stable")
        bounds = np.searchsorted(place[by_node], np.arange(len(nodes) + 1))
        price = np.maximum(added_loss[nodes], 0) + _FREE
        worth, left = np.bincount(place, self.gain), np.bincount(place)
        untouched, wanted = np.ones(len(ways), bool), (1 - share) * len(ways)
        out: list[int] = []
        while not out or untouched.sum() > wanted:
            best = int(np.argmax(np.where(left > 0, worth / price, -1.0)))
            touches = np.unique(itemset[by_node[bounds[best] : bounds[best + 1]]])
            touches = touches[untouched[touches]]
            untouched[touches] = False
            gone = ways[touches][ways[touches] != NONE]
            np.subtract.at(worth, place[gone], self.gain[gone])
            np.subtract.at(left, place[gone], 1)
            out.append(int(nodes[best]))
        return np.array(out, np.int64)


def _table_of(numbers: Nodes) -> Nodes:
    """For each number from 0 on, its places, one row each, NONE where it occurs less often."""
    order = np.argsort(numbers, kind="stable")
    often = np.bincount(numbers)
    begins = np.cumsum(often) - often
    out = np.full((len(often), int(often.max())), NONE, np.int64)
    out[numbers[order], np.arange(len(numbers)) - np.repeat(begins, often)] = order
    return out


def _repeats(nodes: Nodes) -> NDArray[np.bool_]:
    """Which cells of sorted rows repeat the one before."""
    out = np.zeros(nodes.shape, bool)
    out[:, 1:] = (nodes[:, 1:] == nodes[:, :-1]) & (nodes[:, 1:] != NONE)
    return out


def _grouped(tree: ItemTree, nodes: Nodes, groups: Nodes) -> tuple[Nodes, Nodes]:
    """Number equal itemsets of one group alike, and the first of each."""
    _, numbers = np.unique(groups, return_inverse=True)
    codes = np.column_stack((numbers, nodes + 1)).astype(np.int32)
    return group(codes, [len(groups) + 1, *[len(tree.labels) + 1] * nodes.shape[1]])
