"""One field of a table as pairs need it: numbers per label, or the categories that a label is
spread over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .keyed_sums import Reals, summed, tally
from .label_values import LabelValues

MOST_CATEGORIES = 200
"""The commonest values of the source are kept apart, the others are one: association among rare
ones is noise."""
_AT_ONCE = 20_000


@dataclass(frozen=True, eq=False, kw_only=True)
class PairSide:
    """A field in one of the two tables, by its labels there: the number and rank of each, or as
    `shares[label]` how it is spread over categories. `varies` is whether there is anything to
    correlate with."""

    name: str
    says: NDArray[np.bool_]
    varies: bool
    numbers: Reals | None = None
    ranks: Reals
    shares: Reals | None = None


def side_of(field: LabelValues, rows: Reals, both: tuple[Reals, Reals], *, after: bool) -> PairSide:
    """The field as the source has it, or as the release does. `both` are rows per label in source
    and release."""
    says = field.says if after else field.value_of >= 0
    if field.numbers is not None:
        numbers = field.middles if after else np.where(says, field.numbers[field.value_of], np.nan)
        here = numbers[says & (rows > 0)]
        varies = len(here) > 0 and bool(np.ptp(here) > 0)
        return PairSide(
            name=field.name, says=says, varies=varies, numbers=numbers, ranks=_ranks(numbers, rows)
        )
    category = _categories(field, field.before(both[0]))
    width = int(category.max(initial=-1)) + 1
    shares = np.zeros((len(rows), width))
    if after:
        np.add.at(shares, (field.label_of, category[field.members]), field.shares)
    else:
        known = np.flatnonzero(says)
        shares[known, category[field.value_of[known]]] = 1.0
    varies = bool((shares.T @ rows > 0).sum() > 1)
    return PairSide(name=field.name, says=says, varies=varies, ranks=np.zeros(0), shares=shares)


def _categories(field: LabelValues, rows: Reals) -> NDArray[np.int64]:
    """The category of each value: itself where it is common, one for all others."""
    order = np.argsort(-rows, kind="stable")
    out = np.full(len(rows), min(len(rows), MOST_CATEGORIES), np.int64)
    out[order[:MOST_CATEGORIES]] = np.arange(min(len(rows), MOST_CATEGORIES))
    return out


def _ranks(numbers: Reals, rows: Reals) -> Reals:
    """The mean rank of the rows with each label, ties shared."""
    out = np.full(len(numbers), np.nan)
    known = np.flatnonzero(np.isfinite(numbers))
    values, place = np.unique(numbers[known], return_inverse=True)
    per_value = tally(place, rows[known], len(values))
    out[known] = (np.cumsum(per_value) - per_value / 2)[place]
    return out


def spread_table(
    one: PairSide,
    other: PairSide,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> Reals:
    """How many rows have each pair of categories, each cell of the table spread over what its
    labels may mean."""
    assert one.shares is not None
    assert other.shares is not None
    both = one.says[a] & other.says[b]
    width = len(other.says)
    keys, rows = summed(
        a[both].astype(np.int64) * width + b[both], counts[both], size=len(one.says) * width
    )
    out = np.zeros((one.shares.shape[1], other.shares.shape[1]))
    for start in range(0, len(keys), _AT_ONCE):
        part = keys[start : start + _AT_ONCE]
        weighted = one.shares[part // width] * rows[start : start + _AT_ONCE, None]
        out += weighted.T @ other.shares[part % width]
    return out
