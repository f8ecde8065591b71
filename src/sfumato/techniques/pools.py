"""Groups of rows, and groups that are large enough for the facts stated about each of them."""

from __future__ import annotations

import numpy as np

from .keyed_random import Wholes

NOBODY = -1


def pooled(groups: Wholes, least: int) -> tuple[Wholes, bool]:
    """Groups with at least `least` rows each, and whether any were joined for that. Small ones are
    joined with each other, and with the smallest other one where they are too few even then; -1 for
    all where all are.

    Example:
        >>> pooled(np.array([0, 0, 0, 1, 2, 0]), 2)
        (array([0, 0, 0, 1, 1, 0]), True)
        >>> pooled(np.array([0, 0, 1]), 2), pooled(np.array([0, 1]), 3)
        ((array([0, 0, 0]), True), (array([-1, -1]), True))
    """
    _, codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    small = sizes < least
    if not small.any():
        return codes, False
    if len(groups) < least:
        return np.full(len(groups), NOBODY), True
    if sizes[small].sum() < least:
        small[np.argmin(np.where(small, len(groups) + 1, sizes))] = True
    return np.unique(np.where(small[codes], len(sizes), codes), return_inverse=True)[1], True


def members(groups: Wholes) -> list[Wholes]:
    """The rows of each group, without those that are in none.

    Example:
        >>> members(np.array([5, -1, 2, 5]))
        [array([2]), array([0, 3])]
    """
    order = np.argsort(groups, kind="stable")
    order = order[groups[order] != NOBODY]
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1) if len(order) else []
