"""Cells of linked tables with their equations: what is counted, and which counts are sums of which.

A cell is an area, or the whole, and a value or a total for each field. Tables that share cells share
them here too, so that they are protected together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from .area_tree import AreaTree
from .released_table import SUM_LABEL, Labels, ReleasedTable

Whole = NDArray[np.int64]
Key = tuple[int, ...]
WHOLE_SUM = -1
"""The code of a total."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedCells:
    """All cells, by level, area and codes (-1 for a total), with their values, the people behind
    each, and the largest contributions with their contributors.

    `parts[e]` and `totals[e]` are the places of the cells of one equation: the cell `totals[e]` is
    the sum of `parts[e]`."""

    tree: AreaTree
    fields: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...] = field(repr=False)
    keys: tuple[Key, ...] = field(repr=False)
    values: Whole = field(repr=False)
    people: Whole = field(repr=False)
    largest: Whole = field(repr=False)
    who: Whole = field(repr=False)
    zeros: NDArray[np.bool_] | None = field(default=None, repr=False)
    """Cells that everybody knows to be empty, by a rule of the policy."""

    @cached_property
    def equations(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Totals with their parts, over areas and over each field."""
        return tuple(self._equations())

    def _equations(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        place = {key: n for n, key in enumerate(self.keys)}
        inside: dict[Key, list[int]] = {}
        for n, (level, area, *codes) in enumerate(self.keys):
            if level:
                above = (level - 1, int(self.tree.parents[level][area]), *codes)
                inside.setdefault(above, []).append(n)
            for i, code in enumerate(codes):
                if code != WHOLE_SUM:
                    total = (level, area, *codes[:i], WHOLE_SUM, *codes[i + 1 :])
                    inside.setdefault((*total, i), []).append(n)
        width = 2 + len(self.fields)
        for key, parts in inside.items():
            if key[:width] in place:
                yield place[key[:width]], tuple(parts)

    def label_of(self, key: Key) -> Labels:
        level, area, *codes = key
        first = (self.tree.levels[level], self.tree.names[level][area]) if self.has_areas else ()
        names = (
            SUM_LABEL if code == WHOLE_SUM else labels[code]
            for code, labels in zip(codes, self.labels, strict=True)
        )
        return (*first, *names)

    @property
    def has_areas(self) -> bool:
        return self.tree.depth > 1

    def released(self, values: Whole, gone: NDArray[np.bool_] | None = None) -> ReleasedTable:
        """The cells with new values, of which some are suppressed."""
        hidden = np.zeros(len(self.keys), bool) if gone is None else gone
        return ReleasedTable(
            fields=self.fields,
            labels=[self.label_of(key) for key in self.keys],
            values=[
                None if away else value
                for value, away in zip(values.tolist(), hidden.tolist(), strict=True)
            ],
            has_areas=self.has_areas,
        )


def cell_keys(
    tree: AreaTree, sizes: Sequence[int], tables: Sequence[Sequence[int]]
) -> tuple[Key, ...]:
    """Every level, area and combination of values or totals of the tables, each once.

    Example:
        >>> from sfumato.tabulation import area_tree
        >>> len(cell_keys(area_tree((), ()), (2, 3), ((0,), (1,))))
        6
    """
    crosses: dict[Key, None] = {}
    for fields in tables:
        spans = [
            (WHOLE_SUM, *range(size)) if place in fields else (WHOLE_SUM,)
            for place, size in enumerate(sizes)
        ]
        crosses.update(dict.fromkeys(product(*spans)))
    return tuple(
        (level, area, *codes)
        for level, names in enumerate(tree.names)
        for area in range(len(names))
        for codes in crosses
    )
