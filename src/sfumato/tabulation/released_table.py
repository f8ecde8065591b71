"""A table of counts as it is released: cells by their labels, each with a value or suppressed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .area_tree import AreaTree

SUM_LABEL: Final = "Total"
LEVEL, AREA = "level", "area"
Labels = tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleasedTable:
    """Cells in order. With areas, the first two labels are the level and the area. A value is a
    whole number of the table's unit, or None where the cell is suppressed."""

    fields: tuple[str, ...]
    labels: Sequence[Labels] = field(repr=False)
    values: Sequence[int | None] = field(repr=False)
    has_areas: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (*((LEVEL, AREA) if self.has_areas else ()), *self.fields)

    def __len__(self) -> int:
        return len(self.values)


def private_table(
    tree: AreaTree,
    counts: Sequence[NDArray[np.int64]],
    *,
    fields: Sequence[str],
    domains: Sequence[Sequence[str]],
) -> ReleasedTable:
    """Every level, area and combination of values, with its count."""
    cells = [tuple(labels) for labels in product(*domains)]
    has_areas = tree.depth > 1

    def labels() -> Iterator[Labels]:
        for level, names in zip(tree.levels, tree.names, strict=True):
            for area in names:
                first = (level, area) if has_areas else ()
                for cell in cells:
                    yield (*first, *cell)

    return ReleasedTable(
        fields=tuple(fields),
        labels=list(labels()),
        values=np.concatenate([each.ravel() for each in counts]).tolist(),
        has_areas=has_areas,
    )
