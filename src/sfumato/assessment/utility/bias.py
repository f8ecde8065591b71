"""Bias of means and proportions: how far the release's answer is from the source's (Garfinkel 2016,
section 4.6.1; Karr 2006).

The interval is the 95 % interval that a recipient would compute from the release as a sample. It is
shifted so that 0 is the source's answer. Where it does not hold 0, the release misleads by more
than chance would explain. `overlap` is the share that the recipient's interval and the source's own
have in common (Karr, Kohnen, Oganian, Reiter and Sanil 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .keyed_sums import Reals
from .label_values import LabelValues
from .one_variable import FieldChange, Statistics
from .paired_tables import FEW, SideBySide

Z = 1.959963984540054
MOST_PROPORTIONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias:
    """Of a mean, or where `value` is named of the share of rows with that value or label: after
    minus before."""

    field: str
    value: str | None
    before: float
    after: float
    low: float
    high: float
    overlap: float

    @property
    def bias(self) -> float:
        return self.after - self.before

    @property
    def misleads(self) -> bool:
        """Whether more than chance separates the two."""
        return not self.low <= 0 <= self.high

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "bias": self.bias, "misleads": self.misleads}


def biases(tables: SideBySide, changes: tuple[FieldChange, ...]) -> tuple[Bias, ...]:
    """Of every field's mean by midpoints, and of the shares of categories that moved most."""
    out: list[Bias] = []
    for change in changes:
        if change.before is not None and change.by_midpoint is not None:
            out.append(_of_mean(change.name, change.before, change.by_midpoint))
        elif not change.reason:
            out.extend(_of_shares(tables, tables.fields[change.name]))
    return tuple(out)


def _of_mean(name: str, before: Statistics, after: Statistics) -> Bias:
    ours, theirs = Z * before.sd / np.sqrt(before.rows), Z * after.sd / np.sqrt(after.rows)
    gap = after.mean - before.mean
    return Bias(
        field=name,
        value=None,
        before=before.mean,
        after=after.mean,
        low=float(gap - theirs),
        high=float(gap + theirs),
        overlap=_overlap(
            (before.mean - ours, before.mean + ours), (after.mean - theirs, after.mean + theirs)
        ),
    )


def _of_shares(tables: SideBySide, found: LabelValues) -> list[Bias]:
    """Of released labels where they do not overlap, as a recipient would count; else of the values
    under them."""
    labels, counts = tables.after.totals(found.name)
    before, people = found.before(tables.before.totals(found.name)[1]), tables.people(found.name)
    if found.apart(counts):
        names: tuple[str | None, ...] = labels
        before, people, after = (
            found.together(before),
            found.together(people),
            np.where(found.says, counts, 0.0),
        )
    else:
        names, after = found.values, found.after(counts)
    if not before.sum():
        return []
    p, q = before / before.sum(), after / after.sum()
    may_name = np.flatnonzero(people >= FEW)
    most = may_name[np.argsort(-np.abs(p - q)[may_name], kind="stable")][:MOST_PROPORTIONS]
    own, theirs = np.stack(wilson(p, before.sum())), np.stack(wilson(q, after.sum()))
    return [
        Bias(
            field=found.name,
            value=names[place],
            before=float(p[place]),
            after=float(q[place]),
            low=float(theirs[0, place] - p[place]),
            high=float(theirs[1, place] - p[place]),
            overlap=_overlap(own[:, place].tolist(), theirs[:, place].tolist()),
        )
        for place in most.tolist()
    ]


def wilson(share: Reals, rows: float) -> tuple[Reals, Reals]:
    """Wilson's 95 % interval of shares out of so many rows (Wilson 1927).

    Example:
        >>> [round(float(end[0]), 3) for end in wilson(np.array([0.5]), 100)]
        [0.404, 0.596]
    """
    centre = (share + Z**2 / (2 * rows)) / (1 + Z**2 / rows)
    half = Z / (1 + Z**2 / rows) * np.sqrt(share * (1 - share) / rows + Z**2 / (4 * rows**2))
    return centre - half, centre + half


def _overlap(one: Sequence[float], other: Sequence[float]) -> float:
    """The mean share of each interval that is in the other; 0 where they do not meet."""
    common = min(one[1], other[1]) - max(one[0], other[0])
    widths = one[1] - one[0], other[1] - other[0]
    if common < 0:
        return 0.0
    return float(sum(common / width if width else 1.0 for width in widths) / 2)
