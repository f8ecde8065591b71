"""Noise of the gate's numbers: discrete Gaussian noise on whole numbers, and its cost in rho.

Counts and sums are whole numbers (sums in steps that the terms name), so that floating point
reveals nothing beyond the account (Mironov 2012). Nothing is drawn here: a line is charged first
(`sfumato.accounting`). For the same rho, Gaussian noise has half the variance of Laplace noise,
because epsilon-DP costs epsilon² / 2 (Bun and Steinke 2016, Proposition 1.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from sfumato.accounting import (
    THRESHOLD,
    ChargedMeasurement,
    Measurement,
    lowest_threshold,
    sigma_for,
)

Charge = Callable[[Sequence[Measurement]], tuple[ChargedMeasurement, ...]]
"""Pays for lines and gives the right to draw their noise; raises where the budget is used up."""
NOISY_ANSWER: Final = "noisy answer"
_USUALLY: Final = 1.959964
"""A normal number is within so many standard deviations 95 times of 100."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Noise that costs anybody at most `rho`. One person with all their rows changes all numbers of
    an answer by at most the root of `squared`, in Euclidean distance. Each changes by at most
    `widest`.

    Example:
        >>> noise = Noise(rho=Fraction(1, 800), squared=1)
        >>> noise.sigma, round(noise.usually_within, 1)
        (20.0, 39.7)
    """

    rho: Fraction
    squared: int
    widest: int = 1

    @property
    def sigma(self) -> float:
        return sigma_for(self.rho, self.squared)

    @property
    def usually_within(self) -> float:
        """Half the width of the range that noise stays in 95 times of 100; half a step more, because
        it is a whole number."""
        return _USUALLY * self.sigma + 0.5

    def line(self, fields: Sequence[str], *, cells: int) -> Measurement:
        """The charge for noise on so many numbers."""
        return Measurement(
            what=NOISY_ANSWER,
            fields=tuple(fields),
            cells=cells,
            sigma=self.sigma,
            squared_sensitivity=self.squared,
            rows_per_person=self.widest,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A stability-based histogram: noisy numbers of groups, of which those below a threshold are
    not released.

    Then a group that only one person is in is released with a chance of `delta` at the most
    (Korolova, Kenthapadi, Mishra and Ntoulas 2009). One person is in at most `groups` groups.
    `least` is a threshold that is wanted for other reasons."""

    noise: Noise
    delta: float
    groups: int
    least: int = 0

    def line(self, fields: Sequence[str]) -> Measurement:
        """The charge, with the lowest threshold that keeps to delta. It does not disclose how many
        groups there are."""
        line = Measurement(
            what=NOISY_ANSWER,
            fields=tuple(fields),
            cells=0,
            sigma=self.noise.sigma,
            squared_sensitivity=self.noise.squared,
            rows_per_person=self.noise.widest,
            mechanism=THRESHOLD,
            threshold=max(1, self.least),
            values_per_person=self.groups,
        )
        return lowest_threshold(line, self.delta)
