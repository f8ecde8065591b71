"""Grouping equal rows of a code matrix: the keyed sum under every roll-up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Codes


def group(codes: Codes, sizes: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number equal rows of `codes` alike: (group of each row, first row of each group), groups in
    key order.

    Codes of a column lie below its entry in `sizes`. Columns are packed into one 64-bit key; where
    the product of the sizes is too large for that, the key so far is numbered afresh before the
    next column is packed."""
    rows = len(codes)
    key = np.zeros(rows, np.int64)
    span = 1
    for column, size in enumerate(sizes):
        size = max(size, 1)
        if span > (2**62) // size:
            _, key = np.unique(key, return_inverse=True)
            span = rows + 1
        key = key * size + codes[:, column]
        span *= size
    _, first, groups = np.unique(key, return_index=True, return_inverse=True)
    return groups.astype(np.int64), first.astype(np.int64)
