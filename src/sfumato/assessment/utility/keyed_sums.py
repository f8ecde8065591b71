"""Sums by key, the one operation under every measure here."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]
Counts = NDArray[np.int64] | Reals

_DENSE = 16_000_000


def tally(codes: NDArray[np.integer], weights: Counts, size: int) -> Reals:
    """The sum of the weights of each code below `size`.

    Example:
        >>> tally(np.array([0, 2, 2]), np.array([1, 1, 5]), 4).tolist()
        [1.0, 0.0, 6.0, 0.0]
    """
    return np.bincount(codes, weights, size).astype(np.float64)


def summed(keys: Whole, counts: Counts, *, size: int) -> tuple[Whole, Reals]:
    """The different keys and the sum of each: through a table where the keys, all below `size`,
    allow one."""
    if size <= _DENSE:
        whole = tally(keys, counts, size)
        found = np.flatnonzero(whole).astype(np.int64)
        return found, whole[found]
    found, place = np.unique(keys, return_inverse=True)
    return found, tally(place, counts, len(found))


def rows_per_label(bins: Bins, name: str) -> Reals:
    """How many rows have each label of a field."""
    column = bins.column(name)
    return tally(bins.codes[:, column], bins.counts, len(bins.labels[column]))


def narrowed(bins: Bins, names: Sequence[str]) -> Bins:
    """The bins over fewer fields; like `Bins.project`, and without sorting where the labels are few
    enough."""
    columns = [bins.column(name) for name in names]
    labels = tuple(bins.labels[column] for column in columns)
    sizes = [max(len(found), 1) for found in labels]
    if bins.fields == tuple(names):
        return bins
    if prod(sizes) > _DENSE:
        return bins.project(names)
    key = np.zeros(len(bins), np.int64)
    for column, width in zip(columns, sizes, strict=True):
        key = key * width + bins.codes[:, column]
    keys, rows = summed(key, bins.counts, size=prod(sizes))
    codes = np.stack(np.unravel_index(keys, sizes), axis=1).astype(np.int32)
    return Bins(tuple(names), labels, codes, rows.astype(np.int64))
