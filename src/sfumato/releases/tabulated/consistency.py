"""Recounting a released table: sums over areas and fields from its labels alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.tabulation import SUM_LABEL, AreaTree, ReleasedTable

from ..checks import Check

Labels = tuple[str, ...]
Equation = tuple[int, list[int]]


def equations_of(table: ReleasedTable, tree: AreaTree) -> Iterator[Equation]:
    """Each cell that is a sum with the cells that it is a sum of, by their places.

    A cell is the sum over the areas inside its area, and over the values of each field in which it
    is a total. Cells that the table does not have make no equation."""
    place = {labels: n for n, labels in enumerate(table.labels)}
    if table.has_areas:
        yield from _of_areas(table.labels, tree)
    first = 2 if table.has_areas else 0
    for column in range(first, first + len(table.fields)):
        parts: dict[Labels, list[int]] = {}
        if not any(labels[column] == SUM_LABEL for labels in table.labels):
            continue
        for n, labels in enumerate(table.labels):
            if labels[column] != SUM_LABEL:
                parts.setdefault((*labels[:column], SUM_LABEL, *labels[column + 1 :]), []).append(n)
        for labels, children in parts.items():
            if labels in place:
                yield place[labels], children


def _of_areas(cells: Sequence[Labels], tree: AreaTree) -> Iterator[Equation]:
    above = {
        (tree.levels[level], name): (tree.levels[level - 1], tree.names[level - 1][parent])
        for level in range(1, tree.depth)
        for name, parent in zip(tree.names[level], tree.parents[level].tolist(), strict=True)
    }
    place = {labels: n for n, labels in enumerate(cells)}
    parts: dict[Labels, list[int]] = {}
    for n, labels in enumerate(cells):
        parent = above.get((labels[0], labels[1]))
        if parent is not None:
            parts.setdefault((*parent, *labels[2:]), []).append(n)
    for labels, children in parts.items():
        if labels in place:
            yield place[labels], children


def broken_sums(table: ReleasedTable, tree: AreaTree) -> int:
    """How many sums are not those of their parts, among those whose parts are all shown."""
    broken = 0
    for total, parts in equations_of(table, tree):
        values = [table.values[n] for n in (total, *parts)]
        if None not in values:
            broken += values[0] != sum(value for value in values[1:] if value is not None)
    return broken


def sums_check(table: ReleasedTable, tree: AreaTree) -> Check:
    broken = broken_sums(table, tree)
    return Check(
        claim="sums are exact over all levels and fields",
        outcome="fail" if broken else "pass",
        found=f"{broken:,} are not" if broken else "so it is",
    )
