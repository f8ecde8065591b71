"""The re-identification probabilities of Garfinkel 2016, section 3.2.1: KIRP, UIRP, RMP and
inclusion probability.

In a bin, f is the number of rows of the table and F the number of people of the population with its
values. n and N are all rows and all people, and u is the number of bins of the table.

KIRP, known inclusion re-identification probability ("prosecutor"): "the probability of finding the
record that matches a specific individual known to be in the population corresponding to a specific
record". One of the f rows of the bin is that person's: 1/f. Averaged over the dataset (AKIRP): the
sum over bins of f * 1/f, over n, which is u/n. UIRP, unknown inclusion re-identification
probability ("journalist"): "the probability of finding the record that matches a specific
individual, without first knowing if the individual is or is not in the dataset". The person is in
with chance f/F, and then the right row is picked with 1/f: 1/F. "Averaged over the entire
population" (AUIRP): the sum over bins of F * 1/F, over N, which is u/N; people of whose kind no row
is released count 0. RMP, record matching probability ("marketer"): "the probability of finding the
record that matches a specific individual chosen from the population". Named for a row, one of the F
people of its kind is the right one: 1/F, the same number as UIRP, but it is "averaged over the
entire dataset" (ARMP): the sum over bins of f * 1/F, over n. n times this is the expected number of
re-identified rows when each is given a name. IP, inclusion probability: "the probability that a
specific individual's presence in the dataset can be inferred". Of the F people of a kind f are in:
f/F. Averaged over the population it is n/N, whatever is released.

Where F is estimated, 1/F is replaced by its expectation, which is larger than 1 over the
expectation of F. The averages of UIRP and IP follow from N alone and have no interval; that of RMP
has one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .population import Alike, PopulationCounts

Reals = NDArray[np.float64]
Counts = NDArray[np.int64]
Name = Literal["KIRP", "UIRP", "RMP", "IP"]

EDGES = (0.0, 0.01, 0.05, 0.1, 0.2, 1 / 3, 0.5, 1.0)
"""A class holds what is above its lower edge and at most its upper; the first holds 0 too."""
THRESHOLDS = (0.5, 1 / 3, 0.2, 0.1, 0.05)
_ROUNDING = 1e-12

LONG: dict[Name, str] = {
    "KIRP": "known inclusion re-identification probability",
    "UIRP": "unknown inclusion re-identification probability",
    "RMP": "record matching probability",
    "IP": "inclusion probability",
}
OLDER: dict[Name, str] = {"KIRP": "prosecutor", "UIRP": "journalist", "RMP": "marketer", "IP": ""}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Probability:
    """One of the four, for every bin and summed up over `over`. `values` has it for each entry of
    `alike`.

    `within` are the rows or people in each class between EDGES, `above` the share above each of
    THRESHOLDS. Where `reason` is given the probability is unknown, and every number is None.
    """

    name: Name
    over: Literal["rows", "people"]
    average: float | None = None
    maximum: float | None = None
    interval: tuple[float, float] | None = None
    interval_by: str = ""
    within: tuple[float, ...] = ()
    above: tuple[float, ...] = ()
    values: Reals | None = field(default=None, repr=False)
    alike: Alike | None = field(default=None, repr=False)
    estimated: bool = False
    reason: str = ""

    @property
    def per_bin(self) -> Reals | None:
        """The probability of each row of each bin."""
        return (
            None if self.values is None or self.alike is None else self.alike.per_bin(self.values)
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "long_name": LONG[self.name],
            "older_name": OLDER[self.name],
            "over": self.over,
            "average": self.average,
            "maximum": self.maximum,
            "interval": None if self.interval is None else list(self.interval),
            "interval_by": self.interval_by,
            "distribution": {"edges": list(EDGES), self.over: list(self.within)},
            "above": {
                f"{threshold:.2g}": share
                for threshold, share in zip(THRESHOLDS, self.above, strict=False)
            },
            "estimated": self.estimated,
            "reason": self.reason,
        }


def kirp(counts: Counts, sizes: Counts) -> Probability:
    """1/f for each row, counted. `sizes` are the rows a bin could be confused with, `counts` its
    own.

    Example:
        >>> found = kirp(np.array([1, 4]), np.array([1, 4]))
        >>> found.average, found.maximum, found.above[0]
        (0.4, 1.0, 0.2)
    """
    if not len(counts):
        return Probability(name="KIRP", over="rows", reason="the table is empty")
    alike = Alike.by_size(counts) if sizes is counts else Alike.each(counts)
    values = 1.0 / (alike.rows if sizes is counts else sizes)
    return _summed("KIRP", "rows", alike, values=values, weights=alike.rows * alike.bins)


def rmp(people: PopulationCounts) -> Probability:
    """1/F for each row."""
    alike = people.alike
    if alike is None or people.chance is None or not len(alike.rows):
        return Probability(name="RMP", over="rows", reason=people.reason or "the table is empty")
    weights = alike.rows * alike.bins
    found = _summed(
        "RMP", "rows", alike, values=people.chance, weights=weights, estimated=people.estimated
    )
    return replace(found, interval=people.interval, interval_by=people.interval_by)


def uirp(people: PopulationCounts) -> Probability:
    """1/F for each person of the population; 0 for those of whose kind no row is there."""
    alike = people.alike
    if alike is None or people.chance is None or people.sizes is None or not len(alike.rows):
        return Probability(name="UIRP", over="people", reason=people.reason or "the table is empty")
    return _summed(
        "UIRP",
        "people",
        alike,
        values=people.chance,
        weights=people.sizes * alike.bins,
        whole=people.total,
        average=float(alike.bins.sum()) / people.total,
        estimated=people.estimated,
    )


def inclusion(people: PopulationCounts) -> Probability:
    """f/F for each person of the population; 0 for those of whose kind no row is there."""
    alike = people.alike
    if alike is None or people.chance is None or people.sizes is None or not len(alike.rows):
        return Probability(name="IP", over="people", reason=people.reason or "the table is empty")
    return _summed(
        "IP",
        "people",
        alike,
        values=np.minimum(alike.rows * people.chance, 1.0),
        weights=people.sizes * alike.bins,
        whole=people.total,
        average=min(float(alike.rows @ alike.bins) / people.total, 1.0),
        estimated=people.estimated,
    )


def _summed(
    name: Name,
    over: Literal["rows", "people"],
    alike: Alike,
    *,
    values: Reals,
    weights: Reals,
    whole: float | None = None,
    average: float | None = None,
    estimated: bool = False,
) -> Probability:
    """The distribution of `values`, each for as many as `weights` has; the rest of the `whole` has
    0."""
    listed = float(weights.sum())
    total = max(whole or 0.0, listed)
    within = np.bincount(
        np.searchsorted(EDGES[1:-1], values - _ROUNDING), weights, minlength=len(EDGES) - 1
    )
    within[0] += total - listed
    above = tuple(
        float(weights[values > threshold + _ROUNDING].sum()) / total for threshold in THRESHOLDS
    )
    return Probability(
        name=name,
        over=over,
        average=float(values @ weights) / total if average is None else average,
        maximum=float(values.max()),
        within=tuple(within.tolist()),
        above=above,
        values=values,
        alike=alike,
        estimated=estimated,
    )
