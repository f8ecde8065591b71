"""The slide negative binomial estimator: the share of the population that is unique, from the bins
of a sample.

The size of a bin in the population, less one, is taken as negative binomial with parameters alpha
and beta. See Chen and Keller-McNulty 1998, "Estimation of identification disclosure risk in
microdata". The number of bins of the population is estimated by Shlosser's rule (Haas and Stokes
1998, "Estimating the number of classes in a finite population"). Alpha and beta are those for which
a sample is expected to hold as many bins of one and of two rows as this one does.

Departure: the two equations are solved along one line instead of by Newton's method from a random
start. That start makes the implementation in ARX 3.9.2 fail to converge. Their ratio is a quadratic
in alpha with one positive root."""

from __future__ import annotations

import math

import numpy as np

from .histograms import Reals
from .uniqueness_estimators import SampleSizes

_WIDEST = 18.0  # beta is looked for from logistic(-18) to logistic(18)
_PLACES = 721
_HALVINGS = 50


def slide_negative_binomial(sample: SampleSizes, population: float) -> float:
    """The share of the population that is unique; nan where no parameters fit the sample.

    Example:
        >>> sample = SampleSizes.of(np.array([1] * 40 + [2] * 20 + [5] * 8))
        >>> round(slide_negative_binomial(sample, 1200), 4)
        0.0438
    """
    if not sample.unique:
        return 0.0
    pairs = float(sample.bins[sample.sizes == 2].sum())
    if not pairs:
        return math.nan
    fraction = sample.rows / population
    bins = shlosser(sample, fraction)
    fits = [
        (abs(bins * (1 + alpha * (1 - beta) / beta) - population), bins * beta**alpha / population)
        for alpha, beta in _fits(sample.unique, pairs, bins=bins, fraction=fraction)
    ]
    # Where several parameters fit, those whose population is nearest in size.
    return min(min(fits)[1], 1.0) if fits else math.nan


def shlosser(sample: SampleSizes, fraction: float) -> float:
    """How many bins the population has; Shlosser's rule as modified by Haas and Stokes (1998).

    Example:
        >>> sample = SampleSizes.of(np.array([1] * 40 + [2] * 20 + [5] * 8))
        >>> round(shlosser(sample, 0.1), 1)
        216.0
    """
    size, bins, missed = sample.sizes, sample.bins, (1 - fraction) ** sample.sizes
    once = float(bins @ (size * fraction**2 * (1 - fraction**2) ** (size - 1)))
    seen = float(bins @ (missed * ((1 + fraction) ** size - 1)))
    unseen = float(bins @ missed) / float(bins @ (size * fraction * (1 - fraction) ** (size - 1)))
    return sample.many + sample.unique * once / seen * unseen**2


def _fits(ones: float, twos: float, *, bins: float, fraction: float) -> list[tuple[float, float]]:
    """Every alpha and beta with these expected numbers of bins of one and of two rows."""
    places = np.linspace(-_WIDEST, _WIDEST, _PLACES)

    def excess(at: Reals) -> Reals:
        return _excess(at, ones=ones, twos=twos, bins=bins, fraction=fraction)[0]

    found = excess(places)
    low, high = places[:-1].copy(), places[1:].copy()
    crosses = np.sign(found[:-1]) * np.sign(found[1:]) < 0
    low, high, rises = low[crosses], high[crosses], found[:-1][crosses] < 0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        before = (excess(middle) < 0) == rises
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    at = (low + high) / 2
    alphas = _excess(at, ones=ones, twos=twos, bins=bins, fraction=fraction)[1]
    return list(zip(alphas.tolist(), _logistic(at).tolist(), strict=True))


def _logistic(at: Reals) -> Reals:
    found: Reals = 1 / (1 + np.exp(-at))
    return found


def _excess(
    at: Reals, *, ones: float, twos: float, bins: float, fraction: float
) -> tuple[Reals, Reals]:
    """For each beta (as a logit): the alpha with the right ratio of twos to ones. It also has the
    excess of the logarithm of the expected number of ones over the sample's."""
    beta = _logistic(at)
    rest = 1 - beta
    q = (1 - fraction) * rest
    r = 1 - q
    ratio = twos / ones
    square, linear = fraction * rest * q, fraction * rest * (2 - q) - 2 * ratio * r * q
    alpha = (np.sqrt(linear**2 + 8 * square * ratio * r**2) - linear) / (2 * square)
    expected = math.log(bins * fraction) + alpha * np.log(beta / r) + np.log1p(alpha * q / r)
    return expected - math.log(ones), alpha
