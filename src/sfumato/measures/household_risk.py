"""Household risk: how likely it is that a member of a household is recognised, and with them all
members."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.engines import Engine

Reals = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseholdRisk:
    """The risk of a household, on average over households and at most."""

    average: float
    maximum: float


def household_risk(sizes: Counts, household_of: Counts) -> HouseholdRisk:
    """The risk that at least one member is recognised: 1 - (1 - 1/size) multiplied over a
    household's members.

    `sizes` has the size of the bin of each released member and `household_of` a number for the
    household. A member whose bin has n rows is recognised with probability 1/n, and members are
    tried one after the other. Somebody who lives with a recognised person is recognised too. So a
    large household is at more risk than each of its members.

    Example:
        >>> household_risk(np.array([2, 4, 5]), np.array([0, 0, 1]))
        HouseholdRisk(average=0.4125, maximum=0.625)
    """
    if not len(sizes):
        return HouseholdRisk(average=0.0, maximum=0.0)
    found = household_chances(1.0 / sizes, household_of)[0]
    return HouseholdRisk(average=float(found.mean()), maximum=float(found.max()))


def household_chances(chances: Reals, household_of: Counts) -> tuple[Reals, Counts]:
    """The chance that somebody of each household is recognised, from the chance of each member; and
    the members.

    With the individual risk of Benedetti and Franconi as `chances` this is the household risk of
    sdcMicro and mu-Argus (Franconi and Polettini 2004).

    Example:
        >>> household_chances(np.array([0.5, 0.25, 0.2]), np.array([7, 7, 3]))[0].tolist()
        [0.19999999999999996, 0.625]
    """
    _, number, members = np.unique(household_of, return_inverse=True, return_counts=True)
    unseen = np.ones(len(members))
    np.multiply.at(unseen, number, 1.0 - chances)
    return 1.0 - unseen, members


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseholdFinding:
    """The households of one table: their risk, and how many rows are expected to be recognised with
    them."""

    field: str
    households: int
    average: float
    maximum: float
    expected_rows: float

    def as_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


def measure_households(
    engine: Engine, bins: Bins, field: str, *, chance_of: Callable[[Bins], Reals]
) -> HouseholdFinding:
    """The risk of the households of a table. A row without a household is a household of its own.

    `chance_of` gives the chance of each bin of the known fields; bins are counted again with the
    household."""
    homes = Bins.count(engine, tuple(dict.fromkeys((*bins.fields, field))))
    groups, _ = homes.group_of(bins.fields)
    member = chance_of(homes.project(bins.fields))[groups]
    place = homes.column(field)
    column, names = homes.codes[:, place], homes.labels[place]
    alone = np.array([name is None for name in names], bool)[column]
    number = np.repeat(column.astype(np.int64), homes.counts)
    single = np.repeat(alone, homes.counts)
    number[single] = np.arange(int(single.sum())) + len(names)
    found, members = household_chances(np.repeat(member, homes.counts), number)
    return HouseholdFinding(
        field=field,
        households=len(found),
        average=float(found.mean()) if len(found) else 0.0,
        maximum=float(found.max(initial=0.0)),
        expected_rows=float(found @ members),
    )
