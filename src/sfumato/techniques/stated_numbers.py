"""How numbers about the data are stated to a recipient: with few digits, and no small counts.

The numbers of a step must let results be corrected. An exact statistic discloses more: an attacker
who knows all rows but one can solve it for the last. A count of one or two singles somebody out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.wording import counted

from .cells import Reals

RARE = (0.01, 0.05)
"""Shares of rows: the continuum tries values as rare as these."""


def two_digits(number: float) -> float:
    """A number with two digits that count.

    Example:
        >>> two_digits(12345.6), two_digits(0.0987), two_digits(0.0)
        (12000.0, 0.099, 0.0)
    """
    return float(f"{number:.1e}")


def told_count(count: int, least: int) -> int | str:
    """A count of rows, unless there are some and fewer than `least`.

    Example:
        >>> told_count(0, 5), told_count(4, 5), told_count(5, 5)
        (0, 'fewer than 5', 5)
    """
    return count if count == 0 or count >= least else f"fewer than {least}"


def deviation(values: Reals) -> float:
    """The standard deviation of numbers, which may be so large that their squares are not finite.

    Example:
        >>> deviation(np.array([2e200, -2e200])), deviation(np.zeros(0))
        (2e+200, 0.0)
    """
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0 or values.min() == values.max():
        return 0.0
    return min(float(np.std(values / largest)) * largest, 1e308)


def drawn_anew(fields: Sequence[str]) -> str:
    """A warning: random draws protect only once."""
    return (
        f"The random amounts in {', '.join(fields)} are drawn anew when the source has "
        "changed, and each time if there is no key. Several releases about the same people "
        "can be averaged: n releases leave an n-th of the variance."
    )


def left_empty(name: str, cells: int, why: str) -> str:
    """A warning: cells that a technique could not treat are left empty, not released unchanged."""
    return f"{counted(cells, f'cell of {name} was', f'cells of {name} were')} left empty: {why}."
