"""The lattice as a picture: nodes that were visited, that passed, that were concluded without a
count, and the chosen one.

Up to a few hundred nodes every node is drawn, finest at the bottom, with its edges. A larger
lattice is summed up by height: how many nodes of each kind there are between the untouched table
and full suppression."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from .nodes import Lattice

DRAWN = 400
KINDS = {
    "chosen": ("#b3341b", "chosen"),
    "minimal": ("#d98a1f", "most specific that passes"),
    "passes": ("#2f7d5b", "counted: passes"),
    "concluded": ("#bcd9cc", "passes, concluded without counting"),
    "fails": ("#5b6b7a", "counted: fails"),
    "pruned": ("#dde2e6", "ruled out without counting"),
}


def kinds_of(
    lattice: Lattice,
    *,
    passes: Collection[int],
    fails: Collection[int],
    concluded: Collection[int] = (),
    minimal: Collection[int] = (),
    chosen: Collection[int] = (),
) -> NDArray[np.int8]:
    """The kind of every node, as its place in KINDS; later words win over earlier ones."""
    names = list(KINDS)
    out = np.full(lattice.size, names.index("pruned"), np.int8)
    for name, numbers in (
        ("concluded", concluded),
        ("fails", fails),
        ("passes", passes),
        ("minimal", minimal),
        ("chosen", chosen),
    ):
        out[list(numbers)] = names.index(name)
    return out


def as_svg(lattice: Lattice, kinds: NDArray[np.int8]) -> str:
    """One self-contained SVG with a legend."""
    body, width, height = (
        _nodes(lattice, kinds) if lattice.size <= DRAWN else _summary(lattice, kinds)
    )
    legend, tall = _legend(kinds, height)
    fields = escape(", ".join(lattice.fields))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {tall:.0f}" role="img" '
        f'aria-label="Lattice of {lattice.size} recodings of {fields}" '
        f'font-family="system-ui, sans-serif" font-size="11">{body}{legend}</svg>'
    )


def _nodes(lattice: Lattice, kinds: NDArray[np.int8]) -> tuple[str, float, float]:
    rows = [np.flatnonzero(lattice.heights == h) for h in range(int(lattice.heights.max()) + 1)]
    widest = max(len(row) for row in rows)
    step = max(26.0, min(80.0, 1000 / widest))
    width, height = max(widest * step + 40, 560.0), len(rows) * 56.0 + 30
    place: dict[int, tuple[float, float]] = {}
    for h, row in enumerate(rows):
        left = width / 2 - (len(row) - 1) * step / 2
        for i, number in enumerate(row.tolist()):
            place[number] = (left + i * step, height - 30 - h * 56.0)
    edges, dots = [], []
    for number, (x, y) in place.items():
        levels = lattice.levels[number].tolist()
        for axis, stride in enumerate(lattice.strides):
            if levels[axis] < lattice.top[axis]:
                x2, y2 = place[number + stride]
                edges.append(f'<path d="M{x:.1f} {y:.1f}L{x2:.1f} {y2:.1f}"/>')
        colour, words = list(KINDS.values())[kinds[number]]
        told = escape(
            ", ".join(f"{n} {v}" for n, v in lattice.named(levels).items()) + f": {words}"
        )
        label = "".join(str(v) for v in levels)
        text = (
            f'<text x="{x:.1f}" y="{y + 19:.1f}" text-anchor="middle" fill="#444">{label}</text>'
            if step > 34
            else ""
        )
        dots.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" '
            f'fill="{colour}"><title>{told}</title></circle>{text}'
        )
    return f'<g stroke="#ccc" fill="none">{"".join(edges)}</g>{"".join(dots)}', width, height


def _summary(lattice: Lattice, kinds: NDArray[np.int8]) -> tuple[str, float, float]:
    heights = int(lattice.heights.max()) + 1
    table = np.zeros((heights, len(KINDS)), np.int64)
    np.add.at(table, (lattice.heights, kinds), 1)
    most = int(table.sum(axis=1).max())
    bars = []
    for h in range(heights):
        y = (heights - 1 - h) * 20 + 30
        x = 90.0
        bars.append(f'<text x="82" y="{y + 12}" text-anchor="end" fill="#444">height {h}</text>')
        for kind, (colour, words) in enumerate(KINDS.values()):
            count = int(table[h, kind])
            if count:
                wide = max(count / most * 560, 2.0)
                bars.append(
                    f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="15" fill="{colour}">'
                    f"<title>height {h}: {count} nodes, {words}</title></rect>"
                )
                x += wide
        bars.append(
            f'<text x="{x + 6:.1f}" y="{y + 12}" fill="#777">{int(table[h].sum()):,}</text>'
        )
    words = (
        f"{lattice.size:,} recodings by height (sum of levels): untouched at the bottom, all "
        "suppressed at the top"
    )
    return (
        f'<text x="0" y="16" fill="#222">{words}</text>{"".join(bars)}',
        740.0,
        heights * 20 + 40.0,
    )


def _legend(kinds: NDArray[np.int8], top: float) -> tuple[str, float]:
    present = [kind for kind in range(len(KINDS)) if (kinds == kind).any()]
    out = []
    for line, kind in enumerate(present):
        colour, words = list(KINDS.values())[kind]
        y = top + 14 + line * 18
        count = int((kinds == kind).sum())
        out.append(
            f'<circle cx="12" cy="{y:.0f}" r="6" fill="{colour}"/>'
            f'<text x="26" y="{y + 4:.0f}" fill="#222">{escape(words)} ({count:,})</text>'
        )
    return "".join(out), top + 20 + len(present) * 18


def picture_of_search(
    lattice: Lattice, checked: Sequence[tuple[tuple[int, ...], bool]], chosen: Sequence[int]
) -> str:
    """The picture of an optimal search from the nodes it counted."""
    passes = [lattice.number(levels) for levels, feasible in checked if feasible]
    fails = [lattice.number(levels) for levels, feasible in checked if not feasible]
    return as_svg(
        lattice, kinds_of(lattice, passes=passes, fails=fails, chosen=[lattice.number(chosen)])
    )
