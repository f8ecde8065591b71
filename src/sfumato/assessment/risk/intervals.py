"""Intervals around estimates: bins drawn again, on the histogram of their sizes and never on rows.

An interval covers the chance by which these people and not others were sampled. It does not cover
an error of the estimator's model, which appears where estimators disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.protection import SampleSizes

from .pitman_people import PitmanFit, fit_pitman

Reals = NDArray[np.float64]

TIMES = 100
_ENOUGH = 0.75
_NORMAL = 1.959964
BY_RESAMPLING = f"95 %, from {TIMES} samples of bins drawn again, each fitted anew"
OVER_BINS = "95 %, bins taken as drawn at random"


@dataclass(frozen=True, eq=False)
class ResampledBins:
    """A sample's bin sizes, and those of samples of as many bins that are drawn from it with
    replacement."""

    sample: SampleSizes
    seed: np.random.Generator

    @cached_property
    def fit(self) -> PitmanFit:
        """Pitman's model of the sample."""
        return fit_pitman(self.sample)

    @cached_property
    def again(self) -> tuple[SampleSizes, ...]:
        drawn = self.seed.multinomial(
            int(self.sample.many), self.sample.bins / self.sample.many, size=TIMES
        )
        return tuple(
            SampleSizes(self.sample.sizes[bins > 0], bins[bins > 0].astype(float)) for bins in drawn
        )

    @cached_property
    def fits(self) -> tuple[PitmanFit, ...]:
        """Pitman's model of each of them."""
        return tuple(fit_pitman(sample, near=self.fit) for sample in self.again)


def middle(numbers: Sequence[float]) -> tuple[float, float] | None:
    """The middle 95 % of some numbers; None where more than a quarter of them are none.

    Example:
        >>> middle([0.25] * 80 + [float("nan")] * 20), middle([0.25] * 20 + [float("nan")] * 20)
        ((0.25, 0.25), None)
    """
    found = np.array(numbers)[~np.isnan(numbers)]
    if len(found) < _ENOUGH * len(numbers):
        return None
    low, high = np.percentile(found, (2.5, 97.5))
    return float(low), float(high)


def interval_over_bins(rows: Reals, values: Reals) -> tuple[float, float] | None:
    """Around the average of `values` over rows, which is a ratio of two sums over bins, linearised.

    Example:
        >>> interval_over_bins(np.array([1.0, 2.0, 1.0]), np.array([0.1, 0.1, 0.1]))
        (0.1, 0.1)
    """
    bins, total = len(rows), float(rows.sum())
    if bins < 2:
        return None
    average = float(values @ rows) / total
    away = rows * (values - average)
    half = _NORMAL * float(np.sqrt(bins / (bins - 1) * (away @ away))) / total
    return max(average - half, 0.0), min(average + half, 1.0)
