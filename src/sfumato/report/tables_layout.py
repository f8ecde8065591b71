"""The places of boxes and arrows in a drawing of linked tables: parents left, children to the
right.

The layered drawing of Sugiyama, Tagawa and Toda (1981) in small. Each table is one column to the
right of the last that it links to, and links over several columns get lanes of their own. Tables
are in the order of their neighbours, and as near to them as the others allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from statistics import fmean

BOX, TITLE, LINE, LANE, GAP = 232.0, 72.0, 17.0, 4.0, 18.0
_WIDE, _LEAST_BOX, _LEAST_SPACE, _MOST_SPACE = 884.0, 170.0, 60.0, 132.0
_SPREAD = 4
_SWEEPS = 4

Link = tuple[int, int, int]
"""Of which table, which of its links, to which table."""


@dataclass(eq=False, kw_only=True)
class _Node:
    """A box, or a link on its way past a column."""

    column: int
    links: int = 0
    height: float = LANE
    before: list[_Node] = field(default_factory=list, repr=False)
    after: list[_Node] = field(default_factory=list, repr=False)
    middle: float = 0.0
    left: float = 0.0

    @property
    def top(self) -> float:
        return self.middle - self.height / 2


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Boxes as (left, top, height), one for each table, and arrows as points from a box to the one
    it links to.

    Between its first and last point, an arrow is level through each pair of points. `lines` is, for
    each table, the order of its links in its box so that arrows do not cross at once."""

    width: float
    height: float
    box: float
    boxes: tuple[tuple[float, float, float], ...]
    lines: tuple[tuple[int, ...], ...]
    arrows: tuple[tuple[tuple[float, float], ...], ...]


def laid_out(parents: Sequence[Sequence[int | None]], *, person: int | None) -> Layout:
    """Places for tables, of which `parents` has the target of each link: an earlier table, or
    none."""
    columns = _columns(parents, person)
    nodes = [
        _Node(column=at, links=len(links), height=TITLE + LINE * len(links))
        for at, links in zip(columns, parents, strict=True)
    ]
    links = [
        (at, line, parent)
        for at, found in enumerate(parents)
        for line, parent in enumerate(found)
        if parent is not None
    ]
    lanes = [_lanes(nodes[at], nodes[parent]) for at, _, parent in links]
    _settle(_ordered([*nodes, *(node for lane in lanes for node in lane)]))
    return _drawn(nodes, links, lanes, lines=_lines(nodes, links, lanes))


def _columns(parents: Sequence[Sequence[int | None]], person: int | None) -> list[int]:
    """One to the right of the last parent; a table for reference is beside the first that links to
    it."""
    out: list[int] = []
    for found in parents:
        out.append(1 + max((out[parent] for parent in found if parent is not None), default=-1))
    for at, found in enumerate(parents):
        children = [out[child] for child, links in enumerate(parents) if at in links]
        if at != person and children and all(parent is None for parent in found):
            out[at] = min(children) - 1
    return out


def _lanes(child: _Node, parent: _Node) -> list[_Node]:
    """The places where a link passes the columns between, from the child on; all of them are made
    neighbours."""
    passed = [_Node(column=column) for column in range(child.column - 1, parent.column, -1)]
    chain = [child, *passed, parent]
    for right, left in pairwise(chain):
        right.before.append(left)
        left.after.append(right)
    return passed


def _ordered(nodes: Sequence[_Node]) -> list[list[_Node]]:
    """The columns, each in the order of its neighbours' places, looked at from both sides in
    turn."""
    rows = [
        [node for node in nodes if node.column == column]
        for column in range(max((node.column for node in nodes), default=-1) + 1)
    ]
    for row in rows:
        _number(row)
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            near = {id(node): node.before if sweep % 2 == 0 else node.after for node in row}
            row.sort(
                key=lambda node: (
                    fmean(n.middle for n in near[id(node)]) if near[id(node)] else node.middle
                )
            )
            _number(row)
    return rows


def _number(row: Sequence[_Node]) -> None:
    """Places within a column while only the order counts: from 0 to 1, so that columns can be
    compared."""
    for at, node in enumerate(row):
        node.middle = (at + 0.5) / len(row)


def _settle(rows: Sequence[Sequence[_Node]]) -> None:
    """Heights on the page: each as near to its neighbours as the others in its column allow."""
    for row in rows:
        _place(row, [0.0] * len(row))
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            near = [node.before if sweep % 2 == 0 else node.after for node in row]
            wanted = [
                fmean(n.middle for n in found) if found else node.middle
                for node, found in zip(row, near, strict=True)
            ]
            _place(row, wanted)


def _place(row: Sequence[_Node], wanted: Sequence[float]) -> None:
    """Middles nearest to those wanted, in order and without overlap: least squares, by pooling
    those that collide."""
    offsets, reach = [], 0.0
    for at, node in enumerate(row):
        reach += (row[at - 1].height / 2 + GAP + node.height / 2) if at else 0.0
        offsets.append(reach)
    pools: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        mean, size = want - offset, 1
        while pools and pools[-1][0] > mean:
            other, count = pools.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        pools.append((mean, size))
    levels = [mean for mean, size in pools for _ in range(size)]
    for node, level, offset in zip(row, levels, offsets, strict=True):
        node.middle = level + offset


def _lines(
    nodes: Sequence[_Node], links: Sequence[Link], lanes: Sequence[Sequence[_Node]]
) -> list[tuple[int, ...]]:
    """Links in the order of their first targets; those without a target are last."""
    going = {
        (at, line): (passed[0] if passed else nodes[parent]).middle
        for (at, line, parent), passed in zip(links, lanes, strict=True)
    }
    return [
        tuple(sorted(range(node.links), key=lambda line, at=at: going.get((at, line), inf)))  # type: ignore[misc]
        for at, node in enumerate(nodes)
    ]


def _drawn(
    nodes: Sequence[_Node],
    links: Sequence[Link],
    lanes: Sequence[Sequence[_Node]],
    *,
    lines: Sequence[tuple[int, ...]],
) -> Layout:
    columns = max((node.column for node in nodes), default=0) + 1
    box = max(_LEAST_BOX, min(BOX, (_WIDE - _LEAST_SPACE * (columns - 1)) / columns))
    space = max(_LEAST_SPACE, min(_MOST_SPACE, (_WIDE - box * columns) / max(columns - 1, 1)))
    everything = [*nodes, *(lane for found in lanes for lane in found)]
    top = min((node.middle - node.height / 2 for node in everything), default=0.0)
    for node in everything:
        node.left, node.middle = node.column * (box + space), node.middle - top
    arrows = []
    for link, passed in zip(links, lanes, strict=True):
        child, parent = nodes[link[0]], nodes[link[2]]
        start = (child.left, child.top + TITLE + LINE * (lines[link[0]].index(link[1]) + 0.2))
        through = [
            point
            for lane in passed
            for point in ((lane.left + box, lane.middle), (lane.left, lane.middle))
        ]
        arrows.append((start, *through, (parent.left + box, _landing(nodes, links, lanes, link))))
    return Layout(
        width=max((node.left + box for node in nodes), default=0.0),
        height=max((node.middle + node.height / 2 for node in everything), default=0.0),
        box=box,
        boxes=tuple((node.left, node.top, node.height) for node in nodes),
        lines=tuple(lines),
        arrows=tuple(arrows),
    )


def _landing(
    nodes: Sequence[_Node], links: Sequence[Link], lanes: Sequence[Sequence[_Node]], link: Link
) -> float:
    """Where an arrow meets its parent: a few are spread over its side in their order, many share a
    tip."""
    parent = nodes[link[2]]
    coming = sorted(
        ((passed[-1] if passed else nodes[other[0]]).middle, other)
        for other, passed in zip(links, lanes, strict=True)
        if other[2] == link[2]
    )
    place = [other for _, other in coming].index(link)
    room = 14.0 * len(coming) if len(coming) <= _SPREAD else 0.0
    return parent.middle + room * ((place + 0.5) / len(coming) - 0.5)
