"""A measurement: one line of a privacy account, and its cost to a person.

Discrete Gaussian noise with parameter sigma on whole numbers is rho-zCDP with rho = d² / (2
sigma²). Here d is the largest Euclidean distance by which one person changes the vector (Canonne,
Kamath and Steinke 2020, Theorem 4). Costs are exact fractions: sigma is the fraction that its
floating-point number is, and d² is a whole number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

DISCRETE_GAUSSIAN: Final = "discrete Gaussian"
THRESHOLD: Final = "discrete Gaussian, values above a threshold"
MECHANISMS: Final = (DISCRETE_GAUSSIAN, THRESHOLD)
_DIGITS: Final = 12


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A measurement: its fields, and its noise.

    `squared_sensitivity` bounds the squared Euclidean change of all numbers by one person with all
    their rows, of which `rows_per_person` are counted at most. `threshold` is that of a selection
    of values: a value that one person alone has is selected with a chance of at most `delta`. One
    person has `values_per_person` values at most; 0 means as many as rows.

    Example:
        >>> line = Measurement(what="counts", fields=("age",), cells=85, sigma=20.0)
        >>> line.rho, line.delta
        (Fraction(1, 800), Fraction(0, 1))
    """

    what: str
    fields: tuple[str, ...]
    cells: int
    sigma: float
    squared_sensitivity: int = 1
    rows_per_person: int = 1
    mechanism: str = DISCRETE_GAUSSIAN
    threshold: int = 0
    values_per_person: int = 0

    def __post_init__(self) -> None:
        if self.mechanism not in MECHANISMS:
            raise ValueError("the mechanism of a measurement is not known")
        if not (math.isfinite(self.sigma) and self.sigma > 0):
            raise ValueError("sigma is a finite number above 0")
        if min(self.squared_sensitivity, self.rows_per_person) < 1 or self.cells < 0:
            raise ValueError("a measurement has a sensitivity, rows per person and cells")
        if self.squared_sensitivity < self.rows_per_person**2:
            raise ValueError("one person changes the counts by more than the sensitivity says")
        if (self.mechanism == THRESHOLD) != (self.threshold > 0):
            raise ValueError("a selection has a threshold, and other measurements have none")
        if self.values_per_person < 0 or (self.values_per_person and not self.threshold):
            raise ValueError("values of a person are counted for a selection alone")

    @cached_property
    def rho(self) -> Fraction:
        """The cost in zero-concentrated differential privacy, exactly."""
        return Fraction(self.squared_sensitivity) / (2 * Fraction(self.sigma) ** 2)

    @cached_property
    def delta(self) -> Fraction:
        """The chance, rounded up, that a selection shows a value that one person alone has."""
        if self.mechanism != THRESHOLD:
            return Fraction(0)
        most = self.rows_per_person
        return Fraction(self.values_per_person or most) * _tail(
            (self.threshold - most) / self.sigma, self.sigma
        )

    def as_dict(self) -> dict[str, Any]:
        """The line as a manifest and an account file hold it; `rho` and `delta` are rounded up."""
        facts: dict[str, Any] = {
            "what": self.what,
            "fields": list(self.fields),
            "cells": self.cells,
            "mechanism": self.mechanism,
            "sigma": self.sigma,
            "squared_sensitivity": self.squared_sensitivity,
            "rows_per_person": self.rows_per_person,
            "rho": rounded_up(self.rho),
        }
        if self.mechanism == THRESHOLD:
            facts |= {"threshold": self.threshold, "delta": rounded_up(self.delta)}
        if self.values_per_person:
            facts["values_per_person"] = self.values_per_person
        return facts

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Measurement:
        """The line that was written; ValueError where its cost is not the one that it states."""
        try:
            line = cls(
                what=_text(facts["what"]),
                fields=tuple(_text(name) for name in facts["fields"]),
                cells=_whole(facts["cells"]),
                sigma=_number(facts["sigma"]),
                squared_sensitivity=_whole(facts["squared_sensitivity"]),
                rows_per_person=_whole(facts["rows_per_person"]),
                mechanism=_text(facts["mechanism"]),
                threshold=_whole(facts.get("threshold", 0)),
                values_per_person=_whole(facts.get("values_per_person", 0)),
            )
        except (KeyError, TypeError) as error:
            raise ValueError("a measurement lacks a part") from error
        if line.as_dict() != dict(facts):
            raise ValueError("a measurement states another cost than its noise has")
        return line


def sigma_for(rho: Fraction, squared_sensitivity: int) -> float:
    """The least noise that costs at most `rho`.

    Example:
        >>> sigma_for(Fraction(1, 800), 1)
        20.0
    """
    sigma = math.sqrt(squared_sensitivity / (2 * float(rho)))
    while Fraction(squared_sensitivity) / (2 * Fraction(sigma) ** 2) > rho:
        sigma = math.nextafter(sigma, math.inf)
    return sigma


def lowest_threshold(line: Measurement, delta: float) -> Measurement:
    """A selection with the lowest threshold, from that of `line` upwards, that keeps to a delta."""
    low, step = line.threshold, 1
    while replace(line, threshold=low + step).delta > Fraction(delta):
        step *= 2
    high = low + step
    while low < high:
        middle = (low + high) // 2
        keeps = replace(line, threshold=middle).delta <= Fraction(delta)
        low, high = (low, middle) if keeps else (middle + 1, high)
    return replace(line, threshold=low)


def rounded_up(number: Fraction) -> str:
    """A fraction as a decimal number of twelve digits that is never below it.

    Example:
        >>> rounded_up(Fraction(1, 3)), rounded_up(Fraction(1, 800)), rounded_up(Fraction(0))
        ('0.333333333334', '0.00125', '0')
    """
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING)
    found = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    return str(found.normalize(context)) if found else "0"


def _tail(z: float, sigma: float) -> Fraction:
    """A bound on the chance that discrete Gaussian noise is above z sigma, rounded up. It is the
    chance that the continuous one is above z sigma - 1 (Canonne, Kamath and Steinke 2020,
    Proposition 25)."""
    chance = math.erfc((z - 1 / sigma) / math.sqrt(2)) / 2
    return Fraction(min(1.0, chance * (1 + 1e-9)) or 5e-324)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a part of a measurement is not a text")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("a part of a measurement is not a whole number")
    return value


def _number(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError("a part of a measurement is not a number")
    return float(value)
