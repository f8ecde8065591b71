"""A hierarchy drawn as a tree, for the terminal and for a page. Drawn when the holder asks: it
shows values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .hierarchy import Hierarchy, Label

if TYPE_CHECKING:
    from rich.tree import Tree

_NULL = "(null)"


@dataclass(frozen=True)
class Node:
    """One label, how many values it covers, the children that are drawn, and how many are not."""

    label: str
    values: int
    children: tuple[Node, ...] = ()
    more: int = 0

    @property
    def caption(self) -> str:
        """The label and, above the values, how many of them it covers."""
        return (
            f"{self.label}  ({self.values:,} {'value' if self.values == 1 else 'values'})"
            if self.values
            else self.label
        )


def outline(
    hierarchy: Hierarchy, *, max_children: int = 12, values: bool = True
) -> tuple[Node, ...]:
    """The drawn labels: those of the top level with their children, at most `max_children` each.

    `values=False` omits level 0, the values of the data. A label that only repeats the one above
    it, as in a tree of uneven depth, is drawn once.

    Example:
        >>> zips = Hierarchy.from_rows([("02138", "021**", "*"), ("02141", "021**", "*")])
        >>> outline(zips, values=False)
        (Node(label='*', values=2, children=(Node(label='021**', values=2, children=(), more=0),), more=0),)
    """
    return _Drawing(hierarchy, max_children, 0 if values else 1).roots()


@dataclass(frozen=True, eq=False)
class _Drawing:
    hierarchy: Hierarchy
    max_children: int
    lowest: int

    @cached_property
    def _below(self) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]:
        """Per level from 1: the codes of the level below sorted by parent, and where each parent's
        begin."""
        out = []
        for level, parents in enumerate(self.hierarchy.parents, start=1):
            edges = np.arange(len(self.hierarchy.labels[level]) + 1)
            order = np.argsort(parents, kind="stable").astype(np.int64)
            out.append((order, np.searchsorted(parents[order], edges).astype(np.int64)))
        return tuple(out)

    def roots(self) -> tuple[Node, ...]:
        top = self.hierarchy.height
        if not self.hierarchy.is_nested:
            return tuple(self._level(level) for level in range(top, max(self.lowest, 1) - 1, -1))
        return tuple(self._node(top, code) for code in range(len(self.hierarchy.labels[top])))

    def _level(self, level: int) -> Node:
        """A level by itself, with its labels: where levels do not nest, there is no tree."""
        names = self.hierarchy.labels[level]
        values = self.hierarchy.leaves[level].tolist()
        drawn = zip(names[: self.max_children], values, strict=False)
        return Node(
            self.hierarchy.level_name(level),
            0,
            tuple(Node(_NULL if name is None else name, count) for name, count in drawn),
            max(0, len(names) - self.max_children),
        )

    def _node(self, level: int, code: int) -> Node:
        label = self.hierarchy.labels[level][code]
        below = self._codes_below(level, code)
        # A chain of one label is one node: go down to where it branches or changes.
        while (
            len(below) == 1
            and level > self.lowest
            and self.hierarchy.labels[level - 1][below[0]] == label
        ):
            level, code = level - 1, int(below[0])
            below = self._codes_below(level, code)
        drawn = below[: self.max_children]
        return Node(
            _shown(label),
            int(self.hierarchy.leaves[level][code]) if level else 0,
            tuple(self._node(level - 1, int(child)) for child in drawn),
            len(below) - len(drawn),
        )

    def _codes_below(self, level: int, code: int) -> NDArray[np.int64]:
        if level <= self.lowest:
            return np.zeros(0, np.int64)
        order, edges = self._below[level - 1]
        return order[edges[code] : edges[code + 1]]


def _shown(label: Label) -> str:
    return _NULL if label is None else label


def as_tree(
    hierarchy: Hierarchy, *, title: str = "", max_children: int = 12, values: bool = True
) -> Tree:
    """The hierarchy for the terminal: print it with rich."""
    from rich.text import Text
    from rich.tree import Tree

    def grow(branch: Tree, nodes: tuple[Node, ...], more: int) -> None:
        for node in nodes:
            grow(branch.add(Text(node.caption)), node.children, node.more)
        if more:
            branch.add(Text(_more(more)))

    nodes = outline(hierarchy, max_children=max_children, values=values)
    if len(nodes) == 1 and not title:
        tree = Tree(Text(nodes[0].caption))
        grow(tree, nodes[0].children, nodes[0].more)
    else:
        tree = Tree(Text(title or "hierarchy"))
        grow(tree, nodes, 0)
    return tree


def as_html(hierarchy: Hierarchy, *, max_children: int = 12, values: bool = True) -> str:
    """The hierarchy for a page: nested lists that fold, escaped, with nothing to load.

    Example:
        >>> as_html(Hierarchy.from_rows([("<b>", "*")]), values=False)
        '<ul class="hierarchy"><li>*  (1 value)</li></ul>'
    """
    nodes = outline(hierarchy, max_children=max_children, values=values)
    items = "".join(part for node in nodes for part in _items(node, opened=True))
    return f'<ul class="hierarchy">{items}</ul>'


def _items(node: Node, *, opened: bool = False) -> Iterator[str]:
    if not node.children:
        yield f"<li>{escape(node.caption)}</li>"
        return
    yield f"<li><details{' open' if opened else ''}><summary>{escape(node.caption)}</summary><ul>"
    for child in node.children:
        yield from _items(child)
    if node.more:
        yield f"<li>{_more(node.more)}</li>"
    yield "</ul></details></li>"


def _more(count: int) -> str:
    return f"… {count:,} more"
