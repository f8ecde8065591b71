"""How many people of the population share the values of a bin, given the whole sample: Pitman's
random partition.

Parameters theta and alpha are fitted to the bin sizes of a sample of n (Hoshino 2001;
`uniqueness_estimators.py`). Given the sample, the weight of a bin of f rows is Beta(f - alpha,
theta + n - f + alpha) (Pitman 1996, "Some developments of the Blackwell-MacQueen urn scheme",
corollary 20). Each of the N - n people outside the sample is in the bin with that chance. The
people of a bin are therefore f more than a beta-binomial number. The chance to name the right one
is the expectation of 1 over their number.

On samples of 2 to 30 % of Adult this is within a tenth of the truth. Benedetti and Franconi's
model, which treats one bin at a time, gives an eighth to two thirds of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.protection import SampleSizes, pitman_parameters

Reals = NDArray[np.float64]

_MOSTLY_ALONE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class PitmanFit:
    """The parameters, or why there are none."""

    theta: float
    alpha: float
    reason: str = ""


def fit_pitman(sample: SampleSizes, *, near: PitmanFit | None = None) -> PitmanFit:
    """The most likely parameters, unless the sample hardly determines them. `near` is the fit of a
    sample much like it.

    Where the best alpha is at the edge of its range, the model is Ewens's, which underestimates
    unique people; so it is refused where most rows are unique."""
    if sample.many == sample.rows:
        return PitmanFit(
            theta=0,
            alpha=0,
            reason="every row is unique, so the number of kinds of people is unbounded",
        )
    begin = (near.theta, near.alpha) if near is not None and near.alpha else None
    theta, alpha = pitman_parameters(sample, near=begin)
    if not alpha and sample.unique > _MOSTLY_ALONE * sample.rows:
        return PitmanFit(
            theta=theta,
            alpha=alpha,
            reason="Pitman's model does not fit: too few rows share their values with others",
        )
    return PitmanFit(theta=theta, alpha=alpha)


def expected_chances(
    sizes: Reals,
    fit: PitmanFit,
    *,
    rows: float,
    population: float,
    few: int = 64,
    exact: int = 4096,
    points: int = 1500,
) -> Reals:
    """The expectation of 1 over the people of a bin of each size.

    Up to `few` rows the distribution is summed up: numbers of people up to `exact` one by one, and
    beyond that at so many `points`. For more rows its first two moments are enough.

    Example:
        >>> fit = PitmanFit(theta=100.0, alpha=0.5)
        >>> expected_chances(np.array([1.0, 5.0]), fit, rows=1000, population=1002).round(4).tolist()
        [0.9995, 0.1997]
    """
    more = float(np.floor(population - rows))
    first, second = sizes - fit.alpha, fit.theta + rows - sizes + fit.alpha
    both = first + second
    mean = sizes + more * first / both
    spread = more * first * second * (both + more) / (both**2 * (both + 1))
    found: Reals = 1 / mean + spread / mean**3
    small = sizes <= few
    outside, widths = _grid(more, exact=exact, points=points)
    ways = np.log(widths) - log_gamma(outside + 1) - log_gamma(more - outside + 1)  # and a constant
    log_mass = (
        ways
        + log_gamma(first[small, None] + outside)
        + log_gamma(second[small, None] + more - outside)
    )
    mass = np.exp(log_mass - log_mass.max(axis=1, keepdims=True, initial=-np.inf))
    found[small] = (mass / (sizes[small, None] + outside)).sum(axis=1) / mass.sum(axis=1)
    return np.minimum(found, 1 / sizes)


def average_chance(sample: SampleSizes, fit: PitmanFit, population: float) -> float:
    """The average over rows, on a coarser grid: for resampling. nan where the model does not
    fit."""
    if fit.reason:
        return math.nan
    found = expected_chances(
        sample.sizes, fit, rows=sample.rows, population=population, few=16, exact=128, points=120
    )
    return float((sample.sizes * sample.bins) @ found) / sample.rows


def _grid(most: float, *, exact: int, points: int) -> tuple[Reals, Reals]:
    """Numbers from 0 to `most`: all of them to begin with, then further and further apart, and how
    many each is for."""
    near = np.arange(min(most, exact) + 1.0)
    if most <= exact:
        return near, np.ones(len(near))
    far = np.unique(np.geomspace(exact + 1, most, points).round())
    edges = np.concatenate(([exact + 0.5], (far[:-1] + far[1:]) / 2, [most + 0.5]))
    return np.concatenate((near, far)), np.concatenate((np.ones(len(near)), np.diff(edges)))


def log_gamma(x: Reals) -> Reals:
    """The logarithm of the gamma function, for x above 0: shifted up by eight, then Stirling's
    series.

    Example:
        >>> log_gamma(np.array([0.5, 10.0])).round(8).tolist()
        [0.57236494, 12.80182748]
    """
    high, shift = x, np.zeros(())
    if x.size and float(x.min()) < 8:
        product = x.copy()
        for step in range(1, 8):
            product *= x + step
        small = x < 8
        high, shift = np.where(small, x + 8, x), np.log(np.where(small, product, 1.0))
    square = 1 / (high * high)
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / high
    found: Reals = (high - 0.5) * np.log(high) - high + 0.5 * np.log(2 * np.pi) + series - shift
    return found
