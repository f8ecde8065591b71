"""The best groups of at least k numbers, along one line (Hansen and Mukherjee 2003).

In sorted order, the groups that lose least are runs of k to 2k - 1 numbers. They are therefore a
shortest path over the places between numbers. The loss of a group is the sum of squares around its
mean; here it grows backwards from its last number (Welford 1962), so that large numbers beside
small ones cost no digits. Time grows with rows times k."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .cells import Reals
from .keyed_random import Wholes

_CHUNK = 1 << 14


def optimal_groups(values: Reals, k: int) -> Wholes:
    """A group for each number; each has at least k, if there are as many.

    Example:
        >>> optimal_groups(np.array([1.0, 2.0, 50.0, 51.0, 3.0, 49.0, 52.0]), 3).tolist()
        [0, 0, 1, 1, 0, 1, 1]
    """
    order = np.argsort(values, kind="stable")
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    ends = _ends(values[order] / largest, k)
    sizes = np.diff(ends, prepend=0)
    out = np.empty(len(values), np.int64)
    out[order] = np.repeat(np.arange(len(ends)), sizes)
    return out


def _ends(ordered: Reals, k: int) -> Wholes:
    """Where each group ends."""
    many = len(ordered)
    if many < 2 * k:
        return np.array([many] if many else [], np.int64)
    # best[j + i] is what the first i numbers lose at least; the j places before have no meaning and
    # are never best.
    j = 2 * k - 1
    best, starts = [np.inf] * j + [0.0] + [np.inf] * many, [0] * (many + 1)
    for first in range(k, many + 1, _CHUNK):
        chunk = range(first, min(first + _CHUNK, many + 1))
        for end, row in zip(chunk, _losses(ordered, chunk, k).tolist(), strict=True):
            # A group that ends here starts at one of k places, the longest first.
            losses = [before + own for before, own in zip(best[end : end + k], row, strict=True)]
            least = min(losses)
            best[j + end], starts[end] = least, end - j + losses.index(least)
    ends, end = [], many
    while end > 0:
        ends.append(end)
        end = starts[end]
    return np.array(ends[::-1], np.int64)


def _losses(ordered: Reals, ends: range, k: int) -> NDArray[np.float64]:
    """For each end, the losses of groups of 2k - 1 down to k numbers; groups that would begin
    before the first are skipped."""
    at = np.arange(ends.start, ends.stop)
    mean, loss = np.zeros(len(at)), np.zeros(len(at))
    out = np.empty((len(at), k))
    for size in range(1, 2 * k):
        new = ordered[np.maximum(at - size, 0)]
        away = new - mean
        mean = mean + away / size
        loss = loss + away * (new - mean)
        if size >= k:
            out[:, 2 * k - 1 - size] = loss
    return out
