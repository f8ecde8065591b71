"""The number of rows of a person in a table, as bins over that number (Sweeney 1997, section
3.8)."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import Label


def with_none(found: Bins, everyone: Bins) -> Bins:
    """The numbers of rows with the people who have none: all of them, less those who have some."""
    sizes = found.sizes()
    having: Counter[tuple[Label, ...]] = Counter()
    for key, people in sizes.items():
        having[key[:-1]] += people
    for key, people in everyone.sizes().items():
        if people > having[key]:
            sizes[*key, "0"] = people - having[key]
    return Bins.of(found.fields, sizes)


def row_numbers(counted: Bins) -> NDArray[np.int64]:
    """The number of rows of each bin, which is its last field."""
    numbers = np.array([int(label or 0) for label in counted.labels[-1]], np.int64)
    return numbers[counted.codes[:, -1]] if len(counted) else np.zeros(0, np.int64)


def renumbered(counted: Bins, rows: NDArray[np.int64]) -> Bins:
    """The bins when everyone in each has another number of rows."""
    sizes: Counter[tuple[Label, ...]] = Counter()
    for (*key, _), new, people in zip(
        counted.tuples(), rows.tolist(), counted.counts.tolist(), strict=True
    ):
        sizes[*key, str(new)] += people
    return Bins.of(counted.fields, sizes)
