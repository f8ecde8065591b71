"""How often an attack succeeded, with its interval, and how much of that is due to the release."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, sqrt
from typing import Any

Z = 1.959963984540054
"""For intervals that hold 95 times in 100."""


TAIL = 0.025
BISECTIONS = 40
MOST_EXACT = 1_000
"""Beyond so many attempts the interval of Wilson is as good, and the exact one slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateEstimate:
    """A number and its 95 % interval."""

    value: float
    low: float
    high: float

    def as_dict(self) -> dict[str, float]:
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Successes among attempts, with the interval of Wilson (1927), which also holds near 0 and 1.

    Example:
        >>> rate = Rate(successes=0, attempts=100)
        >>> rate.value, round(rate.low, 3), round(rate.high, 3)
        (0.0, 0.0, 0.037)
    """

    successes: int
    attempts: int

    @property
    def value(self) -> float:
        return self.successes / self.attempts if self.attempts else 0.0

    @property
    def middle(self) -> float:
        """The centre of the interval, which anonymeter prints as the rate."""
        return (self.successes + Z * Z / 2) / (self.attempts + Z * Z)

    @property
    def margin(self) -> float:
        spread = (
            self.successes * (self.attempts - self.successes) / self.attempts
            if self.attempts
            else 0.0
        )
        return Z / (self.attempts + Z * Z) * sqrt(spread + Z * Z / 4)

    @property
    def low(self) -> float:
        return max(self.middle - self.margin, 0.0) if self.successes else 0.0

    @property
    def high(self) -> float:
        return min(self.middle + self.margin, 1.0) if self.successes < self.attempts else 1.0

    @property
    def least(self) -> float:
        """The lower end of the exact interval of Clopper and Pearson (1934): it holds for a single
        attempt too.

        Example:
            >>> [round(Rate(successes=n, attempts=n).least, 3) for n in (1, 3, 10)]
            [0.025, 0.292, 0.692]
        """
        if not self.successes or self.attempts > MOST_EXACT:
            return self.low
        low, high = 0.0, self.value
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (middle, high) if _at_least(self, middle) < TAIL else (low, middle)
        return low

    def as_dict(self) -> dict[str, Any]:
        return {
            "successes": self.successes,
            "attempts": self.attempts,
            "value": self.value,
            "low": self.low,
            "high": self.high,
        }


def _at_least(rate: Rate, chance: float) -> float:
    """How likely so many successes or more are where each has this chance."""
    missed = 1.0 - chance
    return sum(
        comb(rate.attempts, n) * chance**n * missed ** (rate.attempts - n)
        for n in range(rate.successes, rate.attempts + 1)
    )


def excess(attack: Rate, reference: Rate) -> RateEstimate | None:
    """The part that is due to the release: (attack - reference) / (1 - reference), the share of the
    remainder that a guess does not get.

    The reference is the control group's rate, as Giomi et al. (2022) define the risk, or the
    baseline's where there is no control group. The interval combines the margins of both rates. It
    is None where every attempt of the reference succeeded, so that no excess is possible.

    Example:
        >>> risk = excess(Rate(successes=60, attempts=100), Rate(successes=20, attempts=100))
        >>> round(risk.value, 2), risk.low < 0.5 < risk.high
        (0.5, True)
        >>> excess(Rate(successes=5, attempts=100), Rate(successes=20, attempts=100)).value
        0.0
    """
    if not reference.attempts or reference.successes == reference.attempts:
        return None
    room = 1 - reference.middle
    centre = (attack.middle - reference.middle) / room
    margin = sqrt(
        (attack.margin / room) ** 2 + (reference.margin * (attack.middle - 1) / room**2) ** 2
    )
    value = (attack.value - reference.value) / (1 - reference.value)
    return RateEstimate(
        value=_share(value),
        low=_share(min(centre - margin, value)),
        high=_share(max(centre + margin, value)),
    )


def _share(number: float) -> float:
    return min(max(number, 0.0), 1.0)
