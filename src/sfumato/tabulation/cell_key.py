"""The cell key method: each person has a random number, each cell the sum of those of its people,
and that sum decides its noise. So the same people get the same noise, in whichever table they are
counted (Fraser and Wooton 2005; Giessing and Tent 2019).

The chances of noise have the largest entropy with mean 0, a given variance and a largest size. No
released count is below 0, or from 1 to a limit. Zeros stay."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
_KEYS = 2**32


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseChances:
    """For each true count, from 0 to the first that all larger ones are like, the noises and their
    cumulative chances."""

    noises: Whole = field(repr=False)
    cumulative: Floats = field(repr=False)
    variances: Floats = field(repr=False)

    def noise(self, counts: Whole, keys: NDArray[np.uint64]) -> Whole:
        """The noise of cells with these counts and keys."""
        rows = np.minimum(counts, len(self.cumulative) - 1)
        chance = (keys % _KEYS).astype(float) / _KEYS
        place = (chance[:, None] >= self.cumulative[rows]).sum(axis=1)
        return np.asarray(self.noises[np.minimum(place, len(self.noises) - 1)], np.int64)


def noise_chances(*, largest: int, variance: float, fewest_shown: int) -> NoiseChances:
    """The table of chances. Where no noise with that variance is possible for a count, it has the
    least larger one.

    Example:
        >>> found = noise_chances(largest=3, variance=1.0, fewest_shown=0)
        >>> found.cumulative[0].round(3).tolist()
        [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    """
    noises = np.arange(-largest, largest + 1)
    rows, variances = [], []
    for count in range(largest + fewest_shown + 1):
        shown = count + noises
        allowed = (shown >= 0) & ~((shown > 0) & (shown <= fewest_shown))
        chances = (noises == 0).astype(float) if count == 0 else _chances(noises, allowed, variance)
        rows.append(np.cumsum(chances))
        variances.append(float(chances @ noises.astype(float) ** 2))
    return NoiseChances(
        noises=noises, cumulative=np.minimum(np.array(rows), 1.0), variances=np.array(variances)
    )


def _chances(noises: Whole, allowed: NDArray[np.bool_], variance: float) -> Floats:
    support = noises[allowed].astype(float)
    found = None
    # A wider spread gives a larger variance, up to that of the two ends alone.
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        found = _unbiased(support, middle)
        low, high = (middle, high) if float(found @ support**2) < variance else (low, middle)
    assert found is not None
    out = np.zeros(len(noises))
    out[allowed] = found
    return out


def _unbiased(support: Floats, spread: float) -> Floats:
    """Chances of mean 0 proportional to exp(tilt v + spread v²)."""
    low, high = -500.0, 500.0
    weights = np.ones(len(support))
    for _ in range(90):
        tilt = (low + high) / 2
        power = tilt * support + spread * support**2
        weights = np.exp(power - power.max())
        low, high = (low, tilt) if float(weights @ support) > 0 else (tilt, high)
    return np.asarray(weights / weights.sum(), float)
