"""Noisy percentiles: a search over declared values, each step of it a noisy count.

A percentile is one person's value, so none is released as it is. The search halves the declared
range. At each step it counts, with noise, the rows up to the middle, and continues in the half with
the wanted share. How many steps there are follows from the declared bounds, so all of them are
charged before the first is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import ChargedMeasurement, Measurement
from sfumato.errors import NotAdmitted

from ..sql.questions import Aggregate
from .gaussian import Noise

Wholes = NDArray[np.int64]
Numbers = NDArray[np.float64]
MOST_STEPS: Final = 10
"""Halvings of a range: a thousandth of it is near enough beside the noise."""
LOW, HIGH = " low", " high"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class QuantileSearch:
    """A percentile of each group. `counts` counts the rows of each group that are at most the given
    number of steps above the least. It counts all rows where none is given."""

    aggregate: Aggregate
    between: tuple[float, float]
    step: float
    most: int
    rho: Fraction
    counts: Callable[[Wholes | None], Wholes] = field(repr=False)

    @classmethod
    def grid(cls, between: tuple[float, float], step: float, *, whole: bool) -> float:
        """In which steps a percentile is looked for."""
        low, high = between
        return step if whole else max(step, (high - low) / 2**MOST_STEPS)

    @property
    def last(self) -> int:
        """The number of the last step of the range."""
        return max(1, math.ceil((self.between[1] - self.between[0]) / self.step))

    @property
    def halvings(self) -> int:
        return max(1, math.ceil(math.log2(self.last + 1)))

    @property
    def noise(self) -> Noise:
        return Noise(rho=self.rho / (self.halvings + 1), squared=self.most**2, widest=self.most)

    def lines(self, fields: Sequence[str], *, cells: int) -> list[Measurement]:
        """The charges: a count of all rows, and one for each halving."""
        return [self.noise.line(fields, cells=cells) for _ in range(self.halvings + 1)]

    def found(self, charged: Sequence[ChargedMeasurement]) -> dict[str, Numbers]:
        """The percentile, and between which numbers it usually is."""
        first, *others = charged
        share, noisy = float(self.aggregate.other), self.noise.usually_within
        wanted = share * np.maximum(first.add_noise(self.counts(None)), 1.0)
        slack = noisy * (1 + share)
        low, high = np.zeros(len(wanted), np.int64), np.full(len(wanted), self.last)
        surely, perhaps = low.copy(), high.copy()
        for each in others:
            middle = (low + high) // 2
            reached = np.asarray(each.add_noise(self.counts(middle)), float)
            surely = np.where(reached + slack < wanted, np.maximum(surely, middle), surely)
            perhaps = np.where(reached - slack >= wanted, np.minimum(perhaps, middle), perhaps)
            low, high = (
                np.where(reached >= wanted, low, np.minimum(middle + 1, high)),
                np.where(reached >= wanted, middle, high),
            )
        name = self.aggregate.canonical()
        value = self._number(low)
        return {
            name: value,
            name + LOW: np.minimum(self._number(surely) - self.step, value),
            name + HIGH: np.maximum(self._number(perhaps) + self.step, value),
        }

    def _number(self, steps: Wholes) -> Numbers:
        return np.asarray(np.minimum(self.between[0] + steps * self.step, self.between[1]), float)


def check_share(aggregate: Aggregate) -> None:
    """Whether the share of a percentile is one."""
    try:
        share = float(aggregate.other)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise NotAdmitted(
            "A percentile has a share between 0 and 1.",
            code="not-noisy",
            attempt="PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY field).",
        )
