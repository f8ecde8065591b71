"""Numbers as whole numbers of their last written digit, because sums of those are exact and sums of
floats are not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cells import Reals

Grid = NDArray[Any]
"""Whole numbers: int64, or Python's own where those are too small."""

_EXACT = 2.0**53


def on_grid(values: Reals, places: int) -> Grid:
    """Numbers, none of them nan, in units of their last digit.

    Example:
        >>> on_grid(np.array([0.1, -2.75]), 2).tolist(), on_grid(np.array([1e300]), 0)[0] == int(1e300)
        ([10, -275], True)
    """
    with np.errstate(over="ignore"):
        scaled = values * 10.0**places
    if np.abs(scaled).max(initial=0.0) < _EXACT:
        return np.rint(scaled).astype(np.int64)
    return objects([round(Fraction(value) * 10**places) for value in values.tolist()])


def off_grid(units: Grid, places: int) -> Reals:
    """Units of the last digit as numbers again.

    Example:
        >>> off_grid(np.array([10, -275]), 2).tolist()
        [0.1, -2.75]
    """
    if units.dtype != object:
        return np.asarray(units / 10.0**places, np.float64)
    return np.array([_float(Fraction(unit, 10**places)) for unit in units.tolist()], np.float64)


def objects(units: list[int]) -> Grid:
    """Python's own whole numbers, which have no largest."""
    out = np.empty(len(units), object)
    out[:] = units
    return out


def _float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return float(np.copysign(np.finfo(np.float64).max, -1.0 if number < 0 else 1.0))
