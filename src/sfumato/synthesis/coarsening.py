"""Coarsening: noisy counts of one field cut it into bins of enough people, on which pairs are
measured.

A bin has at least a share of the people, or so many times the noise; codes of an ordered field are
merged with their neighbours, others with one another, smallest first. Only noisy counts are
read."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from .coded_table import DomainField, Reals, Wholes

SHARE: Final = 0.04
NOISE: Final = 0.00125
"""The noise, as a share of people, at which a bin has at least `SHARE` of them."""
LEAST_SHARE, MOST_SHARE = 0.01, 0.15
SIGMAS: Final = 4.0


def least_people(total: float, sigma: float) -> float:
    """How many people a bin should have: a share that follows the noise, and four times the noise.

    Example:
        >>> least_people(40_000, 50), least_people(40_000, 800)
        (1600.0, 6000.0)
    """
    share = SHARE * math.sqrt(sigma / total / NOISE)
    return max(min(max(share, LEAST_SHARE), MOST_SHARE) * total, SIGMAS * sigma)


def bins_of(spec: DomainField, noisy: Reals, *, least: float) -> Wholes:
    """The bin of each code, so that bins have at least `least` people by the noisy counts where
    that can be.

    Example:
        >>> field = DomainField(name="age", size=6, ordered=True)
        >>> bins_of(field, np.array([9.0, 1, 1, 8, 0, 2]), least=4).tolist()
        [0, 1, 1, 1, 1, 1]
        >>> bins_of(DomainField(name="city", size=4), np.array([9.0, 1, 8, 2]), least=2.5).tolist()
        [0, 2, 1, 2]
    """
    out = np.zeros(spec.size, np.int64)
    bins = 0
    for part in _parts(spec):
        inside = np.flatnonzero(part)
        own = (
            ordered_bins(noisy[inside], least)
            if spec.ordered
            else unordered_bins(noisy[inside], least)
        )
        out[inside] = own + bins
        bins += int(own.max()) + 1
    return out


def _parts(spec: DomainField) -> list[np.ndarray]:
    """The codes that may share a bin: those that the same rules name."""
    named = np.zeros(spec.size, np.int64)
    for number, codes in enumerate(spec.apart):
        named[list(codes)] += 1 << number
    return [named == each for each in np.unique(named)]


def ordered_bins(noisy: Reals, least: float, *, heavy: float = math.inf) -> Wholes:
    """Neighbours together, from the first on; a last bin that is too small joins the one before. A
    count of at least `heavy` is alone, and so the bin before it may be small.

    Example:
        >>> ordered_bins(np.array([1.0, 1.0, 90.0, 4.0, 4.0]), 5).tolist()
        [0, 0, 0, 1, 1]
        >>> ordered_bins(np.array([1.0, 1.0, 90.0, 4.0, 4.0]), 5, heavy=50).tolist()
        [0, 0, 1, 2, 2]
    """
    out = np.zeros(len(noisy), np.int64)
    bins, inside = 0, 0.0
    for place, count in enumerate(noisy):
        # A large value is alone, unless what stands before it is too small to be.
        if count >= heavy and place and out[place - 1] == bins:
            bins, inside = bins + 1, 0.0
        out[place] = bins
        inside += max(float(count), 0.0)
        if inside >= least:
            bins, inside = bins + 1, 0.0
    return np.minimum(out, max(bins - 1, 0)) if inside < least else out


def unordered_bins(noisy: Reals, least: float) -> Wholes:
    """Values with enough people alone, the others together."""
    large = noisy >= least
    out = np.zeros(len(noisy), np.int64)
    out[large] = np.arange(int(large.sum()))
    rest = ~large
    if not rest.any():
        return out
    if large.any() and max(float(noisy[rest].sum()), 0.0) < least / 2:
        smallest = int(np.flatnonzero(large)[np.argmin(noisy[large])])
        out[rest] = out[smallest]
    else:
        out[rest] = int(large.sum())
    return out


def on_simplex(noisy: Reals, total: float) -> Reals:
    """The nearest non-negative counts with that total, in Euclidean distance (Duchi and others
    2008).

    Example:
        >>> on_simplex(np.array([6.0, 5.0, -3.0]), 10.0).tolist()
        [5.5, 4.5, 0.0]
    """
    order = np.sort(noisy)[::-1]
    over = (np.cumsum(order) - total) / np.arange(1, len(noisy) + 1)
    last = int(np.flatnonzero(order > over)[-1])
    found: Reals = np.maximum(noisy - over[last], 0.0)
    return found
