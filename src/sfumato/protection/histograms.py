"""The content of bins: sums, shares and extremes over the histograms of a sensitive field, without
loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Histogram
from sfumato.errors import Mistake

from .value_steps import as_judged

Reals = NDArray[np.float64]
Counts = NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)

# Differences below this are rounding, not protection: a share of exactly t must pass t-closeness.
ROUNDING = 1e-12
_STEPS = 4


def per_bin(
    bins: Bins, fields: tuple[str, ...], measure: Callable[[Bins], NDArray[Scalar]]
) -> NDArray[Scalar]:
    """`measure` of the bins over `fields`, given to every bin that they contain."""
    if bins.fields == fields:
        return measure(bins)
    groups, _ = bins.group_of(fields)
    return measure(bins.project(fields))[groups]


def inside(bins: Bins, name: str, *, spread: bool = False) -> Histogram:
    """The histogram of a sensitive field: how many have each value, or everybody `spread` over
    their values."""
    bins = as_judged(bins, name)
    found = bins.spread(name) if spread else bins.histograms.get(name)
    if found is None:
        raise Mistake(
            f"The bins were counted without the values of {name} inside them.",
            attempt=f"Bins.count(engine, fields, sensitive=({name!r},)).",
        )
    return found


def distinct_values(bins: Bins, name: str) -> Counts:
    """How many different values of the field each bin holds; null is one."""
    return np.bincount(inside(bins, name).bin_of, minlength=len(bins))


def shared_by_all(bins: Bins, name: str) -> NDArray[np.bool_]:
    """Mark the bins in which all people share a value, so that membership reveals it.

    Where each person has one row this is a bin with one value. Where people have several, such a
    bin may have more."""
    histogram = inside(bins, name)
    out: NDArray[np.bool_] = largest(histogram, histogram.counts, len(bins)) >= bins.counts
    return out


def summed(histogram: Histogram, amounts: NDArray[Any], bins: int) -> Reals:
    """The sum of `amounts`, one for each entry of the histogram, in each bin."""
    return np.bincount(histogram.bin_of, amounts, minlength=bins).astype(float, copy=False)


def largest(histogram: Histogram, amounts: NDArray[Any], bins: int) -> Reals:
    """The largest of `amounts` in each bin, at least 0; entries are ordered by bin."""
    out = np.zeros(bins)
    if len(amounts):
        starts = starts_of(histogram)
        out[histogram.bin_of[starts]] = np.maximum(np.maximum.reduceat(amounts, starts), 0)
    return out


def starts_of(histogram: Histogram) -> Counts:
    """The first entry of each bin."""
    changed = histogram.bin_of[1:] != histogram.bin_of[:-1]
    return np.concatenate(([0], np.flatnonzero(changed) + 1))


def shares(bins: Bins, histogram: Histogram) -> Reals:
    """For each entry: the share of its bin's rows that have its value."""
    found: Reals = histogram.counts / bins.counts[histogram.bin_of]
    return found


def most_kept(bins: Bins, histogram: Histogram, caps: Reals, *, covered: float) -> Reals:
    """At most so many rows of each bin can be in a part of it that obeys `caps`.

    Of m kept rows, at most m times its cap may have a value, and values within their caps must
    cover the share `covered`. That is: sum of min(count, m * cap) >= covered * m. The difference of
    the two sides is concave in m and 0 at m = 0. Newton's steps from the whole bin therefore
    descend to the largest such m and never pass it. Every step is a bound; a few are enough. Rows
    above the bound break the rule in the bin and in all its parts."""
    kept = bins.counts.astype(float)
    for _ in range(_STEPS):
        allowed = kept[histogram.bin_of] * caps
        within = allowed < histogram.counts
        excess = (
            summed(histogram, np.where(within, allowed, histogram.counts), len(bins))
            - covered * kept
        )
        slope = summed(histogram, np.where(within, caps, 0.0), len(bins)) - covered
        over = excess < -ROUNDING * kept
        kept = np.where(over, np.maximum(kept - excess / np.where(over, slope, 1.0), 0), kept)
    found: Reals = np.floor(kept + 1e-6)
    return found
