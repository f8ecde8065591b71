"""Counts of bins in DuckDB: one grouping for each group of fields, over bins in narrow types.

DuckDB counts small whole numbers in an array where they are grouped alone, and in a hash table where
they are one of several grouping sets, which takes three times as long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from ..sql.queries import SOURCE, column, count_all, named, numbered_cells, table


def binned_rows(
    names: Sequence[str],
    bins: Sequence[NDArray[np.int64]],
    maps: Mapping[str, str],
    source: exp.Expr,
) -> exp.Select:
    """The bin c0, c1, … of each named field of each row. `maps` names tables with the bin of each
    code; fields without one have their codes as bins."""
    shown = []
    for i, (name, own) in enumerate(zip(names, bins, strict=True)):
        place = column("bin", maps[name]) if name in maps else column(name, SOURCE)
        shown.append(named(exp.cast(place, narrow(int(own.max()) + 1)), f"c{i}"))
    query = exp.select(*shown).from_(source)
    for name, kept in maps.items():
        same = exp.EQ(this=column(name, SOURCE), expression=column("code", kept))
        query = query.join(table(kept), on=same, join_type="left")
    return query


def map_entries(bins: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """A table of the bin of each code."""
    return {"code": np.arange(len(bins)), "bin": bins}


def counted_bins(kept: str, sizes: Sequence[int], groups: Sequence[Sequence[int]]) -> exp.Expr:
    """Rows n by cell v of all groups, numbered one after the other."""
    parts = [
        exp.select(named(cell, "v"), named(count_all(), "n"))
        .from_(table(kept))
        .group_by(exp.Literal.number(1))
        for cell in numbered_cells(sizes, groups)
    ]
    return exp.union(*parts, distinct=False) if len(parts) > 1 else parts[0]


def has_bins(kept: Mapping[str, NDArray[np.int64]], bins: Mapping[str, NDArray[np.int64]]) -> bool:
    """Whether bins that are kept are those that are asked for."""
    return all(name in kept and np.array_equal(kept[name], own) for name, own in bins.items())


def narrow(size: int) -> Any:
    """The narrowest type of whole numbers below a size."""
    kind = exp.DataType.Type
    return kind.UTINYINT if size <= 1 << 8 else kind.USMALLINT if size <= 1 << 16 else kind.INT
