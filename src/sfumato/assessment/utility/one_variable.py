"""One field at a time: its distribution and its statistics before and after (Garfinkel 2016,
section 4.6.1).

Numbers have mean, standard deviation and quantiles, with each cell spread over the values under it.
These are also computed with the middle of each range, as an analyst would. Two distances are
measured. The Kolmogorov-Smirnov distance is the largest gap between the two cumulative
distributions. Wasserstein's is how far a row must move on average, in standard deviations of the
source. Categories: total variation, the share of rows that would have to change their value. Where
each value has one label, also total variation as released. The labels are counted in both tables,
so that it shows the effect of suppression and swapping, and not that labels are coarse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from .display_classes import DisplayClass, display_classes
from .keyed_sums import Reals
from .label_values import LabelValues, Reading
from .paired_tables import FEW, SideBySide

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Of one field of numbers; dates are days since 1970-01-01. Each quantile is a mean over ten
    people around it, so that no person's own value is shown."""

    rows: float
    mean: float
    sd: float
    quantiles: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """How one field changed. Shares are of each table's own rows; distances are between 0, the
    same, and 1.

    `reason` is why there are no distances where there are none: nothing is made up.
    """

    name: str
    reading: Reading
    values_before: int
    labels_after: int
    missing_before: float
    missing_after: float
    says_nothing_after: float
    total_variation: float | None = None
    total_variation_as_released: float | None = None
    kolmogorov_smirnov: float | None = None
    wasserstein: float | None = None
    before: Statistics | None = None
    after: Statistics | None = None
    by_midpoint: Statistics | None = None
    classes: tuple[DisplayClass, ...] = field(default=(), repr=False)
    reason: str = ""

    @property
    def distance(self) -> float | None:
        """One number for every kind of field: total variation, or Kolmogorov-Smirnov for
        numbers."""
        return self.total_variation if self.kolmogorov_smirnov is None else self.kolmogorov_smirnov

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def field_changes(tables: SideBySide) -> tuple[FieldChange, ...]:
    return tuple(_change(tables, found) for found in tables.fields.values())


def _change(tables: SideBySide, found: LabelValues) -> FieldChange:
    labels_before, counts_before = tables.before.totals(found.name)
    counts_after = tables.after.totals(found.name)[1]
    before, after = found.before(counts_before), found.after(counts_after)
    nothing = counts_after[~found.says & ~found.is_null].sum() / tables.after.rows
    change = FieldChange(
        name=found.name,
        reading=found.reading,
        values_before=sum(label is not None for label in labels_before),
        labels_after=int((counts_after[~found.is_null] > 0).sum()),
        missing_before=1 - float(before.sum()) / tables.before.rows,
        missing_after=float(counts_after[found.is_null].sum()) / tables.after.rows,
        says_nothing_after=float(nothing),
        reason=_cannot(before, after, float(tables.people(found.name).sum())),
    )
    return change if change.reason else _measured(tables, found, change, before, after)


def _cannot(before: Reals, after: Reals, people: float) -> str:
    if not before.sum():
        return "every value is missing in the source"
    if people < FEW:
        return f"fewer than {FEW} people have a value in the source"
    return "" if after.sum() else "every released cell is suppressed"


def _measured(
    tables: SideBySide, found: LabelValues, change: FieldChange, before: Reals, after: Reals
) -> FieldChange:
    p, q = before / before.sum(), after / after.sum()
    classes = display_classes(found, before, after, tables.people(found.name))
    change = replace(
        change,
        classes=classes,
        total_variation=_variation(p, q),
        total_variation_as_released=_as_released(found, before, tables.after.totals(found.name)[1]),
    )
    if found.numbers is None:
        return change
    gaps = np.abs(np.cumsum(p - q))
    first = statistics_of(found.numbers, before, around=tables.around)
    moved = float(gaps[:-1] @ np.diff(found.numbers))
    counts = tables.after.totals(found.name)[1]
    middle = np.flatnonzero(found.says)
    middle = middle[np.argsort(found.middles[middle], kind="stable")]
    return replace(
        change,
        kolmogorov_smirnov=float(gaps.max()),
        wasserstein=moved / first.sd if first.sd else None,
        before=first,
        after=statistics_of(found.numbers, after, around=tables.around),
        by_midpoint=statistics_of(found.middles[middle], counts[middle], around=tables.around),
    )


def _variation(p: Reals, q: Reals) -> float:
    return float(np.abs(p - q).sum() / 2)


def _as_released(found: LabelValues, before: Reals, counts: Reals) -> float | None:
    """Total variation between labels, where each value is under one of them at most."""
    ours, theirs = found.together(before), np.where(found.says, counts, 0.0)
    if not found.apart(counts) or not ours.sum():
        return None
    return _variation(ours / ours.sum(), theirs / theirs.sum())


def statistics_of(numbers: Reals, rows: Reals, *, around: float = FEW) -> Statistics:
    """Mean, standard deviation and quantiles of rising numbers by how many rows have each.

    Example:
        >>> statistics_of(np.arange(101.0), np.ones(101)).quantiles["0.5"]
        50.0
    """
    total = float(rows.sum())
    mean = float(numbers @ rows) / total
    sd = float(np.sqrt(max(float((numbers - mean) ** 2 @ rows) / total, 0.0)))
    quantiles = {
        f"{q:g}": _around(numbers, rows, q * total, width=around)
        for q in QUANTILES
        if total >= around
    }
    return Statistics(rows=total, mean=mean, sd=sd, quantiles=quantiles)


def _around(numbers: Reals, rows: Reals, rank: float, *, width: float) -> float:
    """The mean of the numbers of the `width` rows nearest to a rank."""
    ends = np.concatenate([[0.0], np.cumsum(rows)])
    sums = np.concatenate([[0.0], np.cumsum(numbers * rows)])
    low = min(max(rank - width / 2, 0.0), ends[-1] - width)
    return float((np.interp(low + width, ends, sums) - np.interp(low, ends, sums)) / width)
