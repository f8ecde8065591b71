"""What noise does not hide: how much of it comes off again by rounding and by regression, and who
stays alone.

Agrawal and Srikant 2000 hid numbers by noise; Kargupta, Datta, Wang and Sivakumar 2003 and Huang,
Du and Chen 2005 took it off again where fields are correlated. What they gain on average follows
from the correlations alone."""

from __future__ import annotations

import math

import numpy as np

from .cells import Reals
from .grid import on_grid

_MOST = 0.5
_FAR = 4.0
_TERMS = 12


def correlations(table: Reals) -> Reals:
    """The fields' correlations over the rows that have all of them; 0 where a field does not vary
    there.

    Example:
        >>> correlations(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, np.nan]])).round(6).tolist()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    whole = table[~np.isnan(table).any(axis=1)]
    width = table.shape[1]
    if len(whole) < 2:
        return np.eye(width)
    whole = whole / np.maximum(np.abs(whole).max(axis=0), 1e-300)
    apart = whole - whole.mean(axis=0)
    lengths = np.sqrt((apart**2).sum(axis=0))
    varies = lengths > 1e-12 * math.sqrt(len(whole))
    scaled = np.where(varies, apart / np.where(varies, lengths, 1.0), 0.0)
    found = scaled.T @ scaled
    found[np.diag_indices(width)] = 1.0
    return np.asarray(found, np.float64)


def filtered(correlated: Reals, shares: Reals) -> Reals:
    """How much of the error is left to the best linear guess from all noisy fields, of what is left
    to the best from the field alone. Noise is independent between fields, its deviations are
    `shares` of the fields'.

    Example:
        >>> filtered(np.eye(2), np.array([0.5, 0.5])).round(6).tolist()
        [1.0, 1.0]
        >>> filtered(np.ones((2, 2)), np.array([0.1, 0.1])).round(2).tolist()
        [0.5, 0.5]
    """
    squares = shares**2
    alone = squares / (1 + squares)
    together = np.linalg.pinv(correlated + np.diag(squares), hermitian=True)
    left = np.diag(correlated - correlated @ together @ correlated)
    return np.asarray(
        np.where(alone > 0, np.clip(left / np.where(alone > 0, alone, 1.0), 0.0, 1.0), 1.0)
    )


def heaped(values: Reals, unit: float) -> float:
    """The coarsest of the steps 1, 5, 10, 50 ... units of which most numbers are multiples; people
    say round numbers.

    Example:
        >>> heaped(np.array([52000.0, 71000.0, 88500.0]), 1.0)
        1000.0
    """
    units = on_grid(values[values != 0], round(-math.log10(unit)))
    found, step = 1, 5
    while len(units) and (units % step == 0).mean() > _MOST and step <= abs(units).max():
        found, step = step, step * (2 if str(step).startswith("5") else 5)
    return found * unit


def recovered(deviation: float, step: float) -> float:
    """The chance that a multiple of `step` with normal noise is found again by rounding.

    Example:
        >>> round(recovered(1.0, 1.0), 3), recovered(0.0, 1.0)
        (0.383, 1.0)
    """
    return math.erf(step / (2 * math.sqrt(2) * deviation)) if deviation > 0 else 1.0


def variance_on_grid(deviation: float, unit: float) -> float:
    """The variance of normal noise, added to multiples of `unit` and rounded to them again.

    Example:
        >>> round(variance_on_grid(2.0, 1.0), 6), round(variance_on_grid(0.1, 1.0), 6)
        (4.083333, 1e-06)
    """
    if deviation >= unit:
        return deviation**2 + unit**2 / 12  # Sheppard 1898; what it leaves out is below 1e-8 of it
    if deviation == 0.0:
        return 0.0
    edges = [(i + 0.5) * unit / (math.sqrt(2) * deviation) for i in range(_TERMS)]
    tails = [math.erfc(edge) / 2 for edge in edges]  # the chance to be rounded to more than i units
    return 2 * unit**2 * sum((2 * i + 1) * tail for i, tail in enumerate(tails))


def still_alone(values: Reals, deviations: Reals) -> bool:
    """Whether some number is farther from every other than noise of these deviations is likely to
    bring them."""
    if len(values) < 2:
        return False
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order] / 2) * 2
    nearest = np.minimum(np.append(gaps, np.inf), np.insert(gaps, 0, np.inf))
    return bool((nearest > _FAR * deviations[order]).any())
