"""Attribute and inferential disclosure: how surely a sensitive value follows from what is known,
against the prior.

An attacker who knows that a person is in a bin can guess the bin's most frequent value of a
sensitive field. The guess is right with its share of the bin: the confidence (Garfinkel 2016,
3.2.1: "even if the record(s) associated with that individual is (are) not identified"). Someone
without the table could have guessed the most frequent value of all, which is right with its share
of everyone: the baseline. The information gained is the difference. A high confidence alone is no
disclosure where nearly everyone has the value. See Garfinkel 2016 on inferential disclosure: a fact
about a group holds for people who are not in the table."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import Label
from sfumato.protection import LabelAlignment, inside, reference_of, shares, starts_of

Reals = NDArray[np.float64]

GAINS = (0.1, 0.25, 0.5)
_ROUNDING = 1e-12
_STEPS = 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttributeDisclosure:
    """The disclosure of one sensitive field by one table.

    `average` and `maximum` are of the confidence over rows, `baseline` what guessing without the
    table reaches; `exceeding` is the share of rows in whose bin some value is by at least each of
    GAINS surer than its prior; `one_value` the share of rows in bins of a single value,
    `one_value_of_several` those of them that are not alone. `within` counts rows by confidence in
    twenty equal classes. `per_bin` has each bin's confidence."""

    field: str
    values: int
    baseline: float
    average: float
    maximum: float
    exceeding: tuple[float, ...]
    one_value: float
    one_value_of_several: float
    within: tuple[float, ...] = ()
    reason: str = ""
    per_bin: Reals | None = dataclasses.field(default=None, repr=False)

    @property
    def told(self) -> float:
        """How much is disclosed with certainty that a guess would not find."""
        return self.one_value * (1 - self.baseline)

    def as_dict(self) -> dict[str, Any]:
        return {
            "field": self.field,
            "values": self.values,
            "baseline": self.baseline,
            "average_confidence": self.average,
            "maximum_confidence": self.maximum,
            "rows_exceeding_prior_by": {
                f"{gain:g}": share for gain, share in zip(GAINS, self.exceeding, strict=False)
            },
            "rows_in_bins_of_one_value": self.one_value,
            "rows_in_larger_bins_of_one_value": self.one_value_of_several,
            "distribution": {
                "edges": [step / _STEPS for step in range(_STEPS + 1)],
                "rows": list(self.within),
            },
            "reason": self.reason,
        }


def attribute_disclosure(
    bins: Bins, name: str, *, prior: Mapping[Label, float] | None = None
) -> AttributeDisclosure:
    """How surely the values of `name` can be inferred in each bin. `prior` is what was known
    before, as shares of values; unless given, the shares in all of these rows.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("021", "flu"), ("021", "flu"), ("946", "flu"), ("946", "cold")]
        >>> found = attribute_disclosure(bins_of_rows(("zip",), rows, sensitive=("problem",)), "problem")
        >>> found.baseline, found.average, found.maximum, found.one_value
        (0.75, 0.75, 1.0, 0.5)
    """
    prior = reference_of(bins, name) if prior is None else prior
    histogram = inside(bins, name)
    rows = float(bins.rows)
    baseline = max(prior.values(), default=0.0)
    values = len({label for label, share in prior.items() if share > 0})
    if not rows:
        return _nothing(name, values, baseline)
    first, share = starts_of(histogram), shares(bins, histogram)
    there = histogram.bin_of[first]

    def highest(of: Reals) -> Reals:
        """The highest of each bin, 0 where a bin has no value."""
        found = np.zeros(len(bins))
        found[there] = np.maximum.reduceat(of, first)
        return found

    confidence = highest(share)
    gain = highest(share - LabelAlignment(prior)(histogram.values)[histogram.value_of])
    one = confidence >= 1 - _ROUNDING
    weights = bins.counts / rows
    place = np.clip(np.ceil(confidence * _STEPS - 1e-9).astype(np.int64) - 1, 0, _STEPS - 1)
    return AttributeDisclosure(
        field=name,
        values=values,
        baseline=baseline,
        average=float(confidence @ weights),
        maximum=float(confidence.max()),
        exceeding=tuple(float(weights[gain >= more - _ROUNDING].sum()) for more in GAINS),
        one_value=float(weights[one].sum()),
        one_value_of_several=float(weights[one & (bins.counts > 1)].sum()),
        within=tuple(np.bincount(place, bins.counts, minlength=_STEPS).tolist()),
        reason="every row has the same value, so nothing can be learned about one"
        if values < 2
        else "",
        per_bin=confidence,
    )


def _nothing(name: str, values: int, baseline: float) -> AttributeDisclosure:
    return AttributeDisclosure(
        field=name,
        values=values,
        baseline=baseline,
        average=0.0,
        maximum=0.0,
        exceeding=(0.0,) * len(GAINS),
        one_value=0.0,
        one_value_of_several=0.0,
        reason="the table is empty",
    )
