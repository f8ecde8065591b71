"""Risk by group: whether people of one sex, origin or region are easier to find than others.

Under a protection that holds on average, a minority may be in small bins. For each value of each
field with few values, the average chance to find a person is compared with that of everybody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.bins import Bins
from sfumato.hierarchies import SUPPRESSED

MOST_VALUES = 12
"""A field with more values makes no groups."""
FEWEST_PEOPLE = 30
"""A smaller group is not compared: its average is uncertain, and its value might be somebody's
own."""
WORSE = 2.0
"""A group is worse protected where its average chance is so many times that of everybody,"""
NOTABLE = 0.05
"""and at least this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLine:
    """One group: how many rows, the average chance to find one of them, and the share that is
    unique in its bin."""

    field: str
    value: str
    rows: int
    average: float
    alone: float

    def as_dict(self) -> dict[str, Any]:
        return {
            "field": self.field,
            "value": self.value,
            "rows": self.rows,
            "average": self.average,
            "alone": self.alone,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRisks:
    """All groups that were compared, worst first, beside everybody."""

    fields: tuple[str, ...]
    rows: int
    average: float
    alone: float
    groups: tuple[GroupLine, ...]

    @property
    def worse(self) -> tuple[GroupLine, ...]:
        """The groups that are clearly worse protected than everybody."""
        return tuple(
            one
            for one in self.groups
            if one.average >= NOTABLE and one.average >= WORSE * self.average
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "over": list(self.fields),
            "rows": self.rows,
            "average": self.average,
            "alone": self.alone,
            "groups": [one.as_dict() for one in self.groups],
            "worse": [one.as_dict() for one in self.worse],
        }


def group_risks(bins: Bins, fields: Sequence[str] | None = None) -> GroupRisks:
    """Compare the groups that `fields` make, all fields of the bins where none are named; one row
    for each person.

    Example:
        >>> found = group_risks(Bins.of(("sex", "zip"), {("f", "1"): 60, ("m", "1"): 20, ("m", "2"): 20}))
        >>> [(one.value, round(one.average, 3)) for one in found.groups]
        [('m', 0.05), ('1', 0.025), ('f', 0.017)]
        >>> [one.value for one in found.worse]
        []
    """
    lines = [line for name in fields or bins.fields for line in _lines(bins, name)]
    rows = max(bins.rows, 1)
    return GroupRisks(
        fields=bins.fields,
        rows=bins.rows,
        average=len(bins) / rows,
        alone=float((bins.counts == 1).sum()) / rows,
        groups=tuple(sorted(lines, key=lambda one: (-one.average, one.field, one.value))),
    )


def _lines(bins: Bins, name: str) -> Iterator[GroupLine]:
    """The groups of one field: in each bin of n rows, every row is found once in n times, so the
    average chance is bins by rows."""
    column = bins.column(name)
    labels, codes = bins.labels[column], bins.codes[:, column]
    told = [label for label in labels if label not in (None, SUPPRESSED)]
    if not 1 < len(told) <= MOST_VALUES:
        return
    for code, label in enumerate(labels):
        within = bins.counts[codes == code]
        people = int(within.sum())
        if label is None or label == SUPPRESSED or people < FEWEST_PEOPLE:
            continue
        yield GroupLine(
            field=name,
            value=label,
            rows=people,
            average=len(within) / people,
            alone=float(np.count_nonzero(within == 1)) / people,
        )
