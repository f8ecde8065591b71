"""Numbers in cells, exactly: read from text, printed as plain decimals, named as intervals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

# What engines print and people write. Not what float() takes besides: inf, nan, 1_000, digits of
# other scripts.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_WHOLE_LINES = re.compile(r"(?>[+-]?[0-9]{1,18}\n)*+")
_LARGEST_EXPONENT = 400  # beyond any double; a longer one would cost memory and means nothing


def exact(value: str) -> Fraction | None:
    """The number in a text, or None where there is none.

    Example:
        >>> exact("0.1"), exact("1e2"), exact("nan")
        (Fraction(1, 10), Fraction(100, 1), None)
    """
    text = value.strip()
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    if number and abs(number.adjusted()) > _LARGEST_EXPONENT:
        return None
    return Fraction(number)


def exact_number(value: str) -> Fraction | int | None:
    """The same; a whole number as an int, whose arithmetic is ten times as fast.

    Example:
        >>> exact_number("40"), exact_number("0.5"), exact_number("nan")
        (40, Fraction(1, 2), None)
    """
    return int(value) if _WHOLE.fullmatch(value) else exact(value)


def whole_numbers(values: Sequence[str]) -> NDArray[np.int64] | None:
    """All numbers of texts at once where each is a whole one of up to 18 digits, else None.

    Example:
        >>> whole_numbers(["40", "-7"]).tolist(), whole_numbers(["40", "0.5"])
        ([40, -7], None)
    """
    lines = "\n".join([*values, ""])
    if lines.count("\n") != len(values) or not _WHOLE_LINES.fullmatch(lines):
        return None
    return np.fromstring(lines, np.int64, sep="\n")


def parameter(number: int | float) -> Fraction:
    """A number of a policy as it was written: 0.1 is one tenth, not the float next to it."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def plain(number: Fraction) -> str:
    """A finite decimal without an exponent.

    Example:
        >>> plain(Fraction(5, 2)), plain(Fraction(-40)), plain(Fraction(1, 1000))
        ('2.5', '-40', '0.001')
    """
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    digits = str(abs(number * 10**places).numerator).rjust(places + 1, "0")
    sign = "-" if number < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def interval(low: Fraction | None, high: Fraction | None, *, whole: bool) -> str:
    """The label of the numbers from `low` up to but not including `high`; None is no bound.

    Example:
        >>> interval(Fraction(20), Fraction(25), whole=True), interval(Fraction(20), Fraction(25), whole=False)
        ('20-24', '[20, 25)')
        >>> interval(None, Fraction(20), whole=True), interval(Fraction(-5), Fraction(0), whole=True)
        ('<20', '-5..-1')
    """
    if low is None:
        return "*" if high is None else f"<{plain(high)}"
    if high is None:
        return f"≥{plain(low)}"
    if not whole or low.denominator != 1 or high.denominator != 1:
        return f"[{plain(low)}, {plain(high)})"
    if high - low == 1:
        return plain(low)
    return f"{plain(low)}{'-' if low >= 0 else '..'}{plain(high - 1)}"
