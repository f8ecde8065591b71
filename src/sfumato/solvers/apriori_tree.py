"""The values of a set-valued field as the leaves of a tree, and a cut through it: the released
label of each value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import HierarchyError
from sfumato.hierarchies import Hierarchy
from sfumato.wording import counted

Nodes = NDArray[np.int64]
Reals = NDArray[np.float64]

ROOT = -1
"""The parent of a node that has none."""


class ItemTree:
    """The labels of a hierarchy as nodes, one for each different set of values that a label covers.

    Nodes are numbered from the values up, so that a parent is after its children. The values under
    a node are consecutive: `size[node]` of them, from `first[node]` on. A label that covers no more
    than the one below it is no node, because releasing it would hide nothing. A label that the next
    level repeats, as in trees of uneven depth, is no node either. Null is no value.

    A cut is an array `at`: for each value the node that it is released as. Values under a node of
    the cut are all released as that node, so no released label covers another.

    Example:
        >>> rows = [("a1", "A", "*"), ("a2", "A", "*"), ("b", "B", "*"), (None, None, "*")]
        >>> tree = ItemTree(Hierarchy.from_rows(rows))
        >>> tree.labels, tree.parent.tolist()
        (['a1', 'a2', 'b', 'A', '*'], [3, 3, 4, 4, -1])
        >>> tree.named(tree.raised(tree.whole(), np.array([3])))
        {'a1': 'A', 'a2': 'A', 'b': 'b'}
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        names = hierarchy.labels[0]
        leaves = np.array(
            [code for code in np.lexsort(hierarchy.up).tolist() if names[code] is not None],
            np.int64,
        )
        self.leaves = len(leaves)
        self.labels = [names[code] or "" for code in leaves.tolist()]
        self.parent = np.full(self.leaves, ROOT, np.int64)
        self.first, self.size = np.arange(self.leaves), np.ones(self.leaves, np.int64)
        top = np.arange(self.leaves)
        for level in range(1, hierarchy.height + 1):
            codes, begins, counts = np.unique(
                hierarchy.up[level][leaves], return_index=True, return_counts=True
            )
            new = (counts > self.size[top[begins]]) & ~_repeated(hierarchy, level)[codes]
            for code, begin, count in zip(
                codes[new].tolist(), begins[new].tolist(), counts[new].tolist(), strict=True
            ):
                self.parent[top[begin : begin + count]] = len(self.labels)
                top[begin : begin + count] = len(self.labels)
                self.labels.append(_named(hierarchy.labels[level][code]))
            self.parent = np.concatenate((self.parent, np.full(int(new.sum()), ROOT, np.int64)))
            self.first = np.concatenate((self.first, begins[new]))
            self.size = np.concatenate((self.size, counts[new]))
        self._check_labels()
        self.price: Reals = (self.size - 1) / max(self.leaves - 1, 1)

    def _check_labels(self) -> None:
        """Two nodes need two labels, but a value may be called as a group that it is in."""
        seen: dict[str, int] = {}
        wrong = 0
        for node, label in enumerate(self.labels):
            other = seen.setdefault(label, node)
            inside = other < self.leaves and bool(
                self.covers(np.array([node]), np.array([other]))[0]
            )
            wrong += other != node and not inside
            seen[label] = node
        if wrong:
            raise HierarchyError(
                "A label of a set-valued field must cover one set of values.",
                found=f"{counted(wrong, 'label covers', 'labels cover')} several.",
                attempt="giving each group a name of its own.",
            )

    def covers(self, upper: Nodes, lower: Nodes) -> NDArray[np.bool_]:
        """Whether each of `upper` is, or is above, the node of `lower` beside it."""
        begin = self.first[upper]
        return np.asarray(
            (begin <= self.first[lower]) & (self.first[lower] < begin + self.size[upper])
        )

    def whole(self) -> Nodes:
        """The finest cut: every value as it is."""
        return np.arange(self.leaves)

    def raised(self, at: Nodes, nodes: Nodes) -> Nodes:
        """The cut after everything under each of `nodes` is released as that node."""
        out = at.copy()
        for node in np.sort(nodes).tolist():  # A node that lies above another one comes after it.
            out[self.first[node] : self.first[node] + self.size[node]] = node
        return out

    def named(self, at: Nodes) -> dict[str, str]:
        """The released label of each value."""
        return {self.labels[leaf]: self.labels[node] for leaf, node in enumerate(at.tolist())}

    def loss(self, at: Nodes, weights: Reals) -> float:
        """The mean over held values of (values under the released label - 1) / (values - 1)."""
        total = float(weights.sum())
        return float(weights @ self.price[at]) / total if total else 0.0

    def added_loss(self, at: Nodes, weights: Reals) -> Reals:
        """For each node: what releasing all under it as that node would add to the loss of a cut,
        not divided."""
        last = self.first + self.size
        held = np.concatenate(([0.0], np.cumsum(weights)))
        lost = np.concatenate(([0.0], np.cumsum(weights * self.price[at])))
        added: Reals = self.price * (held[last] - held[self.first]) - (
            lost[last] - lost[self.first]
        )
        return added


def _repeated(hierarchy: Hierarchy, level: int) -> NDArray[np.bool_]:
    """Which labels of a level have themselves as their parent."""
    names = hierarchy.labels[level]
    if level == hierarchy.height:
        return np.zeros(len(names), bool)
    above = hierarchy.labels[level + 1]
    return np.array(
        [above[up] == name for up, name in zip(hierarchy.parents[level], names, strict=True)], bool
    )


def _named(label: str | None) -> str:
    if label is None:
        raise HierarchyError(
            "Above a value of a set-valued field every label needs a name.",
            found="A level gives null to a value: it would be released as if nobody had it.",
            attempt='the label "*" for what is suppressed.',
        )
    return label
