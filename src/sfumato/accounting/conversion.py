"""Conversion between zero-concentrated differential privacy (rho) and epsilon at a delta.

Follows Canonne, Kamath and Steinke (2020), Proposition 12: rho-zCDP (Bun and Steinke 2016) implies
(epsilon, delta)-DP for every order alpha > 1 with

    epsilon = alpha * rho + (log(1 / delta) + alpha * log(1 - 1 / alpha) - log(alpha - 1)) / (alpha - 1).

Each alpha gives a valid epsilon, so the numerical search can only give one that is too large."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Final

_ROUNDING: Final = 1e-12
"""Relative: more than what floating point may lose in the sums below."""
_STEPS: Final = 70
_HALVINGS: Final = 200


def epsilon_of(rho: Fraction | float, delta: float) -> float:
    """The epsilon that a total of `rho` implies at `delta`, rounded up.

    Example:
        >>> round(epsilon_of(0.0138, 1e-9), 3)
        0.958
        >>> epsilon_of(0, 1e-9)
        0.0
    """
    _check_delta(delta)
    number = float(rho)
    if number < 0 or not math.isfinite(number):
        raise ValueError("rho is a finite number of at least 0")
    if number == 0:
        return 0.0
    low, high = math.log(1e-12), math.log(1e12)  # The order less one, on a log scale.
    golden = (math.sqrt(5) - 1) / 2
    for _ in range(_STEPS):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if _epsilon_at(number, delta, left) <= _epsilon_at(number, delta, right):
            high = right
        else:
            low = left
    found = max(0.0, _epsilon_at(number, delta, (low + high) / 2))
    return math.nextafter(found * (1 + _ROUNDING), math.inf)


@lru_cache(maxsize=256)
def rho_of(epsilon: float, delta: float) -> Fraction:
    """The largest rho whose epsilon at `delta` is at most `epsilon`, rounded down.

    Example:
        >>> rho = rho_of(1.0, 1e-9)
        >>> 0.0148 < rho < 0.015, epsilon_of(rho, 1e-9) <= 1.0
        (True, True)
    """
    _check_delta(delta)
    if epsilon <= 0 or not math.isfinite(epsilon):
        raise ValueError("epsilon is a finite number above 0")
    low, high = 0.0, epsilon + math.sqrt(epsilon) + 1.0
    while epsilon_of(high, delta) <= epsilon:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if epsilon_of(middle, delta) <= epsilon:
            low = middle
        else:
            high = middle
    return Fraction(low)


def _epsilon_at(rho: float, delta: float, log_order: float) -> float:
    """The epsilon of one order alpha = 1 + exp(log_order)."""
    beyond = math.exp(log_order)
    order = 1 + beyond
    # log(1 - 1 / alpha) = log(alpha - 1) - log(alpha), without the difference of two near numbers.
    shrink = order * (log_order - math.log1p(beyond))
    return order * rho + (-math.log(delta) + shrink - log_order) / beyond


def _check_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise ValueError("delta is between 0 and 1")
