"""Estimators of the share of a population that is unique, from the bin sizes of a sample.

Pitman: the sample is one of Pitman's random partitions with parameters theta and alpha, fitted by
maximum likelihood. See Hoshino 2001, "Applying Pitman's sampling formula to microdata disclosure
risk assessment". Zayatz: sizes in the population are spread as in the sample; the number of sample
uniques that are population uniques then follows from sampling without replacement. See Zayatz 1991,
"Estimation of the percent of unique population elements on a microdata file using the sample"."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .histograms import Counts, Reals

_STEPS = 30  # of Newton's method, which needs about six
_NUDGE = 1e-6
_CLOSE = 1e-10
_HALVINGS = 60
_LOWEST = 1e-4  # an alpha below this is taken as 0
_FAR = 1e4  # where two terms of an asymptotic series are exact


@dataclass(frozen=True, slots=True)
class SampleSizes:
    """The bin sizes that occur in a sample, and how many bins have each."""

    sizes: Reals
    bins: Reals

    @classmethod
    def of(cls, counts: Counts) -> SampleSizes:
        sizes, bins = np.unique(counts, return_counts=True)
        return cls(sizes.astype(float), bins.astype(float))

    @property
    def rows(self) -> float:
        return float(self.sizes @ self.bins)

    @property
    def many(self) -> float:
        """The number of bins."""
        return float(self.bins.sum())

    @property
    def unique(self) -> float:
        """The number of bins of one row."""
        return float(self.bins[self.sizes == 1].sum())


def pitman(sample: SampleSizes, population: float) -> float:
    """The share of the population that is alone; nan where the sample does not say.

    Example:
        >>> sample = SampleSizes.of(np.array([1] * 40 + [2] * 20 + [5] * 8))
        >>> round(pitman(sample, 1200), 4)
        0.0508
    """
    if not sample.unique:
        return 0.0
    if sample.many == sample.rows:
        return math.nan  # Every row is alone: nothing bounds how many kinds of people there are.
    return pitman_share(*pitman_parameters(sample), population)


def pitman_share(theta: float, alpha: float, population: float) -> float:
    """The share of a population of Pitman's model that is expected to be unique."""
    # The expected share is G(theta+1) G(theta+alpha+N-1) / (G(theta+alpha) G(theta+N)), with G the
    # gamma function.
    at = np.array([theta + population, theta + 1])
    end, start = log_gamma_rise(at, np.full(2, alpha - 1))
    return min(math.exp(end - start), 1.0)


def pitman_parameters(
    sample: SampleSizes, *, near: tuple[float, float] | None = None
) -> tuple[float, float]:
    """The most likely theta and alpha, 0 <= alpha < 1: by Newton's method, or by halving where that
    diverges.

    `near` are parameters of a sample much like this one, to begin with.

    For each alpha the likelihood has one best theta, and the slope along those falls to minus
    infinity as alpha nears 1. Where it starts below 0, the best alpha in range is 0 (Ewens's
    formula), which counts more uniques than a negative alpha would."""
    found = _newton(sample, *(near or _first_guess(sample)))
    if found is not None:
        return found
    if near is not None:
        return pitman_parameters(sample)

    def slope_along(alpha: float) -> float:
        """The slope by alpha at the best theta."""
        return _slopes(sample, _best_theta(sample, alpha), alpha)[1]

    if slope_along(_LOWEST) <= 0:
        return _best_theta(sample, 0.0), 0.0
    rough = _root(slope_along, _LOWEST, 1 - 1e-9, halvings=8)
    found = _newton(sample, _best_theta(sample, rough), rough)
    if found is not None:
        return found
    alpha = _root(slope_along, _LOWEST, 1 - 1e-9)
    return _best_theta(sample, alpha), alpha


def _newton(sample: SampleSizes, theta: float, alpha: float) -> tuple[float, float] | None:
    """The root of both slopes near a guess; None where the steps leave the range or do not
    converge."""
    for _ in range(_STEPS):
        if not (_LOWEST <= alpha < 1 and theta > -alpha):
            return None
        by, step = max(abs(theta), 1e-3) * _NUDGE, -alpha * _NUDGE
        at = _slopes(sample, theta, alpha)
        along_theta = [
            (there - here) / by
            for there, here in zip(_slopes(sample, theta + by, alpha), at, strict=True)
        ]
        along_alpha = [
            (there - here) / step
            for there, here in zip(_slopes(sample, theta, alpha + step), at, strict=True)
        ]
        determinant = along_theta[0] * along_alpha[1] - along_alpha[0] * along_theta[1]
        if not determinant:
            return None
        theta_by = (along_alpha[0] * at[1] - along_alpha[1] * at[0]) / determinant
        alpha_by = (along_theta[1] * at[0] - along_theta[0] * at[1]) / determinant
        theta, alpha = theta + theta_by, alpha + alpha_by
        if abs(theta_by) <= _CLOSE * max(abs(theta), 1.0) and abs(alpha_by) <= _CLOSE:
            return (theta, alpha) if _LOWEST <= alpha < 1 and theta > -alpha else None
    return None


def _first_guess(sample: SampleSizes) -> tuple[float, float]:
    """From the numbers of bins of one and two rows (Hoshino 2001); 0 for both where they do not
    say."""
    n, u, ones = sample.rows, sample.many, sample.unique
    c = ones * (ones - 1) / max(float(sample.bins[sample.sizes == 2].sum()), 1.0)
    below = 2 * ones * u + ones * c - n * c
    theta = (n * u * c - ones * (n - 1) * (2 * u + c)) / below if below else 0.0
    return theta, (theta * (ones - n) + (n - 1) * ones) / (n * u)


def _slopes(sample: SampleSizes, theta: float, alpha: float) -> tuple[float, float]:
    """The derivatives of the log likelihood by theta and by alpha; the second is not used where
    alpha is 0."""
    u = sample.many
    over_rows = _reciprocals(theta, sample.rows - 1)
    if not alpha:
        return (u - 1) / theta - over_rows, -math.inf
    over_bins = _reciprocals(theta / alpha, u - 1) / alpha
    in_bins = digamma(np.concatenate(([1.0], sample.sizes)) - alpha)
    within = float(sample.bins @ (in_bins[1:] - in_bins[0]))
    return over_bins - over_rows, (u - 1 - theta * over_bins) / alpha - within


def _reciprocals(x: float, many: float) -> float:
    """1/(x+1) + 1/(x+2) + ... + 1/(x+many): a difference of digammas, taken so that a large x loses
    no digits."""
    first, last = x + 1, x + many + 1
    if first < _FAR:
        return _digamma(last) - _digamma(first)
    return math.log1p(many / first) - (1 / last - 1 / first) / 2 - (1 / last**2 - 1 / first**2) / 12


def _best_theta(sample: SampleSizes, alpha: float) -> float:
    """The root of the slope by theta, looked for in the logarithm of theta + alpha."""
    found = _root(
        lambda log: _slopes(sample, math.exp(log) - alpha, alpha)[0], math.log(1e-9), math.log(1e15)
    )
    return math.exp(found) - alpha


def _root(
    function: Callable[[float], float], low: float, high: float, *, halvings: int = _HALVINGS
) -> float:
    """Where a function that starts above 0 and ends below it crosses."""
    for _ in range(halvings):
        middle = (low + high) / 2
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def zayatz(sample: SampleSizes, population: float) -> float:
    """The share of the population that is alone; nan where the sample does not say.

    Example:
        >>> sample = SampleSizes.of(np.array([1] * 40 + [2] * 20 + [5] * 8))
        >>> round(zayatz(sample, 1200), 4)
        0.1303
    """
    n, unique, sizes = sample.rows, sample.unique, sample.sizes
    if not unique:
        return 0.0
    # Exactly one of s people is drawn with chance s * n/N * (N-n)/(N-1) * ... * (N-n-s+2)/(N-s+1).
    possible = sizes <= population - n + 1
    s = np.where(possible, sizes, 1.0)
    others_missed = log_gamma_rise(population - n - s + 2, s - 1) - log_gamma_rise(
        population - s + 1, s - 1
    )
    seen_once = sample.bins @ np.where(possible, s * np.exp(others_missed), 0.0)
    return min(unique / float(seen_once) * unique / n, 1.0)


def log_gamma_rise(x: Reals, by: Reals) -> Reals:
    """log(gamma(x + by) / gamma(x)); for a large x from Stirling's series, so that no digits are
    lost.

    Example:
        >>> log_gamma_rise(np.array([3.0, 1e9]), np.array([2.0, -0.5])).round(4).tolist()
        [2.4849, -10.3616]
    """
    far = np.minimum(x, x + by) > _FAR
    low, step = np.where(far, x, _FAR), np.where(far, by, 0.0)
    high = low + step
    rise: Reals = (
        step * np.log(high) + (low - 0.5) * np.log1p(step / low) - step + (1 / high - 1 / low) / 12
    )
    near = [
        math.lgamma(start + more) - math.lgamma(start)
        for start, more in zip(x[~far], by[~far], strict=True)
    ]
    rise[~far] = near
    return rise


def digamma(x: Reals) -> Reals:
    """The logarithmic derivative of the gamma function, for x above 0: shifted up, then its
    asymptotic series.

    Example:
        >>> digamma(np.array([1.0, 10.0])).round(6).tolist()
        [-0.577216, 2.251753]
    """
    small = x < 8
    shift = np.where(small, -(1 / (x[..., None] + np.arange(8.0))).sum(axis=-1), 0.0)
    x = np.where(small, x + 8, x)
    square = 1 / (x * x)
    series = square * (
        1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132)))
    )
    found: Reals = shift + np.log(x) - 0.5 / x - series
    return found


def _digamma(x: float) -> float:
    """The same for one number, without arrays."""
    shift = 0.0
    while x < 8:
        shift -= 1 / x
        x += 1
    square = 1 / (x * x)
    series = square * (
        1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132)))
    )
    return shift + math.log(x) - 0.5 / x - series
