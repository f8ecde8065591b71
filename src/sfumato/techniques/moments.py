"""Whole numbers near given ones with exactly the sum and the sum of squares of others.

Where two numbers a, b become a + s, b - s, their sum stays, and half of their squares' sum changes
by s (a - b + s)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .cells import Reals
from .grid import Grid, objects
from .keyed_random import Wholes

_STEPS = 60
_SIZES = (1, -1, 2, -2, 3, -3)
_EXACT = 2.0**52
_CLOSE = 10**9


class _Move(NamedTuple):
    """The numbers at `up` grow by `size`, those at `down`, one for each, get less by it."""

    up: Wholes
    down: Wholes
    size: int


def with_moments(near: Reals, like: Grid) -> Grid | None:
    """Whole numbers near `near`, their sum that of `like`, and so the sum of squares; None where
    none were found.

    For sums of squares of more than nine digits, nine are kept where all are not found.

    Example:
        >>> like = objects([1, 4, 6, 9, 12, 12, 15, 21])
        >>> found = with_moments(np.array([2.4, 2.2, 7.3, 7.5, 13.3, 11.1, 14.6, 21.4]), like)
        >>> [int(sum(x**n for x in found) - sum(x**n for x in like)) for n in (1, 2)]
        [0, 0]
    """
    if np.abs(near).max() >= _EXACT:
        return None
    wholes = _summing(near, sum(like.tolist()))
    if wholes is None:
        return None
    wanted = sum(one * one for one in like.tolist())
    missing = (wanted - sum(one * one for one in wholes.tolist())) // 2
    for _ in range(_STEPS):
        move = _closing(wholes, missing) or _nearing(wholes, missing) if missing else None
        if move is None:
            break
        apart = (wholes[move.up] - wholes[move.down] + move.size).tolist()
        missing -= move.size * sum(apart)
        wholes[move.up] += move.size
        wholes[move.down] -= move.size
    return objects(wholes.tolist()) if 2 * abs(missing) * _CLOSE <= wanted or missing == 0 else None


def _summing(near: Reals, total: int) -> Grid | None:
    """Each number rounded up or down, so that their sum is `total`; those nearest to the next are
    rounded up."""
    low = np.floor(near)
    up = total - sum(int(one) for one in low.tolist())
    if not 0 <= up <= len(near):
        return None
    out: Grid = low.astype(np.int64)
    out[np.argsort(low - near, kind="stable")[:up]] += 1
    return out


def _closing(wholes: Grid, missing: int) -> _Move | None:
    """Two numbers with which one move closes what is missing."""
    order = np.argsort(wholes, kind="stable")
    ordered = wholes[order]
    for size in _SIZES:
        if missing % size == 0 and abs(missing) < _EXACT:
            wanted = ordered + (missing // size - size)
            at = np.maximum(np.searchsorted(ordered, wanted, side="right") - 1, 0)
            hits = np.flatnonzero((ordered[at] == wanted) & (order[at] != order))
            if len(hits):
                one = hits[len(hits) // 2 : len(hits) // 2 + 1]
                return _Move(order[at[one]], order[one], size)
    return None


def _nearing(wholes: Grid, missing: int) -> _Move | None:
    """Moves by 1 after which less is missing: of the highest against the lowest numbers while much
    is missing, then of two whose difference is nearest to it."""
    order = np.argsort(wholes, kind="stable")
    ordered = wholes[order]
    size, half = (1 if missing > 0 else -1), len(order) // 2
    gains = ordered[::-1][:half] - ordered[:half] + size
    gains = gains[gains > 0]
    many = int(np.searchsorted(np.cumsum(gains, dtype=np.float64), abs(missing), side="right"))
    if many:
        return _Move(order[::-1][:many], order[:many], size)
    wanted = ordered + (missing - 1)
    at = np.clip(np.searchsorted(ordered, wanted), 1, len(ordered) - 1)
    at = at - (wanted - ordered[at - 1] < ordered[at] - wanted)
    off = np.where(order[at] == order, np.iinfo(np.int64).max, np.abs(wanted - ordered[at]))
    one = np.argmin(off, keepdims=True)
    return _Move(order[at[one]], order[one], 1) if off[one[0]] < abs(missing) else None
