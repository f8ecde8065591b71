"""Where the boxes and arrows of a drawing of linked tables stand: parents left, what hangs on them to the right.

The layered drawing of Sugiyama, Tagawa and Toda (1981) in small: each table stands one column to the right of the last
that it links to, links over several columns get lanes of their own, tables stand in the order of their neighbours, and
as near to them as the others allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

BOX, TITLE, LINE, LANE, GAP = 232.0, 72.0, 17.0, 4.0, 18.0
_WIDE, _LEAST_BOX, _LEAST_SPACE, _MOST_SPACE = 896.0, 150.0, 60.0, 132.0
_SWEEPS = 4


@dataclass(eq=False, kw_only=True)
class _Node:
    """A box, or a link on its way past a column."""

    column: int
    height: float
    before: list[_Node] = field(default_factory=list, repr=False)
    after: list[_Node] = field(default_factory=list, repr=False)
    middle: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Boxes as (left, top, height), one for each table, and arrows as points from a box to the one it links to.

    Between its first and last point, an arrow goes level through each pair of points.
    """

    width: float
    height: float
    box: float
    boxes: tuple[tuple[float, float, float], ...]
    arrows: tuple[tuple[tuple[float, float], ...], ...]


def laid_out(parents: Sequence[Sequence[int | None]], *, person: int | None) -> Layout:
    """Places for tables, of which `parents` says where each link leads: to an earlier table, or nowhere."""
    columns = _columns(parents, person)
    nodes = [_Node(column=at, height=TITLE + LINE * len(links)) for at, links in zip(columns, parents, strict=True)]
    links = [
        (at, line, parent)
        for at, found in enumerate(parents)
        for line, parent in enumerate(found)
        if parent is not None
    ]
    lanes = [_lanes(nodes[at], nodes[parent]) for at, _, parent in links]
    rows = _ordered([*nodes, *(node for lane in lanes for node in lane)])
    _settle(rows)
    top = min((node.middle - node.height / 2 for row in rows for node in row), default=0.0)
    for row in rows:
        for node in row:
            node.middle -= top
    return _drawn(nodes, links, lanes, columns=max(columns, default=0) + 1)


def _columns(parents: Sequence[Sequence[int | None]], person: int | None) -> list[int]:
    """One to the right of the last parent; a table for reference stands beside the first that links to it."""
    out: list[int] = []
    for found in parents:
        out.append(1 + max((out[parent] for parent in found if parent is not None), default=-1))
    for at, found in enumerate(parents):
        children = [out[child] for child, links in enumerate(parents) if at in links]
        if at != person and children and all(parent is None for parent in found):
            out[at] = min(children) - 1
    return out


def _lanes(child: _Node, parent: _Node) -> list[_Node]:
    """The places where a link passes the columns between, from the child on; all of them are made neighbours."""
    passed = [_Node(column=column, height=LANE) for column in range(child.column - 1, parent.column, -1)]
    chain = [child, *passed, parent]
    for right, left in zip(chain, chain[1:], strict=False):
        right.before.append(left)
        left.after.append(right)
    return passed


def _ordered(nodes: Sequence[_Node]) -> list[list[_Node]]:
    """The columns, each in the order of its neighbours' places, looked at from both sides in turn."""
    rows = [
        [node for node in nodes if node.column == column]
        for column in range(max((node.column for node in nodes), default=-1) + 1)
    ]
    for row in rows:
        _number(row)
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            near = {id(node): node.before if sweep % 2 == 0 else node.after for node in row}
            row.sort(key=lambda node: fmean(n.middle for n in near[id(node)]) if near[id(node)] else node.middle)
            _number(row)
    return rows


def _number(row: Sequence[_Node]) -> None:
    """Places within a column while only the order counts: from 0 to 1, so that columns can be compared."""
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
                fmean(n.middle for n in found) if found else node.middle for node, found in zip(row, near, strict=True)
            ]
            _place(row, wanted)


def _place(row: Sequence[_Node], wanted: Sequence[float]) -> None:
    """Middles nearest to those wanted, in order and without overlap: least squares, by pooling those that collide."""
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


def _drawn(
    nodes: Sequence[_Node],
    links: Sequence[tuple[int, int, int]],
    lanes: Sequence[Sequence[_Node]],
    *,
    columns: int,
) -> Layout:
    between = max(columns - 1, 1)
    box = max(_LEAST_BOX, min(BOX, (_WIDE - _LEAST_SPACE * (columns - 1)) / columns))
    space = max(_LEAST_SPACE, min(_MOST_SPACE, (_WIDE - box * columns) / between))

    def left(node: _Node) -> float:
        return node.column * (box + space)

    def top(node: _Node) -> float:
        return node.middle - node.height / 2

    arrows = []
    for (at, line, parent), passed in zip(links, lanes, strict=True):
        child = nodes[at]
        start = (left(child), top(child) + TITLE + LINE * (line + 0.2))
        through = [point for lane in passed for point in ((left(lane) + box, lane.middle), (left(lane), lane.middle))]
        arrows.append((start, *through, (left(nodes[parent]) + box, _landing(nodes, links, lanes, (at, line, parent)))))
    bottoms = [node.middle + node.height / 2 for node in (*nodes, *(lane for found in lanes for lane in found))]
    return Layout(
        width=max((left(node) + box for node in nodes), default=0.0),
        height=max(bottoms, default=0.0),
        box=box,
        boxes=tuple((left(node), top(node), node.height) for node in nodes),
        arrows=tuple(arrows),
    )


def _landing(
    nodes: Sequence[_Node],
    links: Sequence[tuple[int, int, int]],
    lanes: Sequence[Sequence[_Node]],
    link: tuple[int, int, int],
) -> float:
    """Where an arrow meets its parent: those that meet there are spread over the side, in the order they come from."""
    parent = nodes[link[2]]
    coming = sorted(
        ((passed[-1] if passed else nodes[other[0]]).middle, other)
        for other, passed in zip(links, lanes, strict=True)
        if other[2] == link[2]
    )
    place = [other for _, other in coming].index(link)
    room = min(parent.height - 24, 14.0 * len(coming))
    return parent.middle + room * ((place + 0.5) / len(coming) - 0.5)
