"""Household risk: how likely it is that somebody of a household is recognised, and so the whole of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseholdRisk:
    """The risk of a household, on average over households and at most."""

    average: float
    maximum: float


def household_risk(sizes: NDArray[np.int64], household_of: NDArray[np.int64]) -> HouseholdRisk:
    """The risk that at least one member is recognised: 1 - (1 - 1/size) multiplied over a household's members.

    `sizes` has the size of the bin of each released member and `household_of` a number for the household. A member
    whose bin has n rows is recognised with probability 1/n, and members are tried one after the other: who
    lives with someone recognised is recognised too. So a large household is at more risk than each of its members.

    Example:
        >>> household_risk(np.array([2, 4, 5]), np.array([0, 0, 1]))
        HouseholdRisk(average=0.4125, maximum=0.625)
    """
    if not len(sizes):
        return HouseholdRisk(average=0.0, maximum=0.0)
    _, number = np.unique(household_of, return_inverse=True)
    unseen = np.ones(int(number.max()) + 1)
    np.multiply.at(unseen, number, 1.0 - 1.0 / sizes)
    return HouseholdRisk(average=float(1.0 - unseen.mean()), maximum=float(1.0 - unseen.min()))
