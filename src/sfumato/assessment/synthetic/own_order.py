"""The cells of one field by their place in the order of their own table: numbers by size, texts by how
often they occur. Shifted numbers and other codes keep their place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def own_order(cells: Sequence[Any], *, numbers: bool, classes: int) -> NDArray[np.int32]:
    """From 1 on; 0 for null. Of more different numbers, `classes` of about equal size.

    Example:
        >>> own_order([30, 10, None, 20], numbers=True, classes=50).tolist()
        [3, 1, 0, 2]
        >>> own_order(["b", "b", "a"], numbers=False, classes=50).tolist()
        [1, 1, 2]
    """
    out = np.zeros(len(cells), np.int32)
    there = np.flatnonzero([cell is not None for cell in cells])
    if not len(there):
        return out
    held = np.array([cells[place] for place in there.tolist()], float if numbers else str)
    _, place, counts = np.unique(held, return_inverse=True, return_counts=True)
    if not numbers:
        places = np.empty(len(counts), np.int64)
        places[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    elif len(counts) > classes:
        middle = np.cumsum(counts) - counts / 2
        places = (middle / len(held) * classes).astype(np.int64)
    else:
        places = np.arange(len(counts))
    out[there] = places[place] + 1
    return out
