"""Two fields at a time: how strongly they go together before and after, whatever they are made of.

Numbers and dates: Pearson's correlation, and Spearman's of ranks. Two categories: Cramér's V,
corrected for the bias that many values bring (Bergsma 2013). A number and a category: the
correlation ratio eta, the share of the number's spread that the category explains, as a square root
(Fisher 1925). All are between 0 and 1, the first two with a sign.

After: a number is the middle of its label; a category is spread over the values under its label, so
that both sides have the same categories. Cells that are missing or carry no information are omitted
pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins

from .keyed_sums import Reals, Whole
from .label_values import LabelValues
from .pair_tables import PairSide, side_of, spread_table
from .paired_tables import SideBySide

MOST_FIELDS = 40


@dataclass(frozen=True, eq=False, kw_only=True)
class Associations:
    """Square matrices over `fields`: `before`, `after`, and `spearman_*` over those that are
    numbers. NaN where it is undefined, as for a constant field. `measures[i][j]` is "pearson",
    "cramer" or "eta"."""

    fields: tuple[str, ...]
    measures: tuple[tuple[str, ...], ...]
    before: Reals
    after: Reals
    numeric: tuple[str, ...]
    spearman_before: Reals
    spearman_after: Reals
    left_out: int = 0

    @property
    def difference(self) -> Reals:
        return self.after - self.before

    @property
    def mean_change(self) -> float | None:
        """The mean of the absolute differences over all pairs for which both are defined."""
        pairs = np.abs(self.difference[np.triu_indices(len(self.fields), 1)])
        pairs = pairs[np.isfinite(pairs)]
        return float(pairs.mean()) if len(pairs) else None

    def as_dict(self) -> dict[str, Any]:
        return {
            "fields": list(self.fields),
            "measures": [list(row) for row in self.measures],
            "before": listed(self.before),
            "after": listed(self.after),
            "difference": listed(self.difference),
            "mean_change": self.mean_change,
            "numeric": list(self.numeric),
            "spearman_before": listed(self.spearman_before),
            "spearman_after": listed(self.spearman_after),
            "fields_left_out": self.left_out,
        }


def listed(matrix: Reals) -> list[list[float | None]]:
    """A matrix as JSON has it: null where it is undefined."""
    return [[float(cell) if np.isfinite(cell) else None for cell in row] for row in matrix]


def associations(tables: SideBySide) -> Associations | None:
    """Every pair of the compared fields; None where there is no pair."""
    every = list(tables.fields.values())
    fields = every[:MOST_FIELDS]
    if len(fields) < 2:
        return None
    size = len(fields)
    before, after = np.full((size, size), np.nan), np.full((size, size), np.nan)
    sides = [_sides(tables, found) for found in fields]
    for i in range(size):
        before[i, i], after[i, i] = _itself(sides[i][0]), _itself(sides[i][1])
        for j in range(i):
            pair = fields[i], fields[j]
            old, new = _bins(tables, pair)
            before[i, j] = before[j, i] = _strength(old, sides[i][0], sides[j][0])
            after[i, j] = after[j, i] = _strength(new, sides[i][1], sides[j][1])
    numeric = [number for number, found in enumerate(fields) if found.numbers is not None]
    ranks = [_spearman(tables, fields, numeric, which) for which in (0, 1)]
    return Associations(
        fields=tuple(found.name for found in fields),
        measures=tuple(tuple(_measure(one, other) for other in fields) for one in fields),
        before=before,
        after=after,
        numeric=tuple(fields[number].name for number in numeric),
        spearman_before=ranks[0],
        spearman_after=ranks[1],
        left_out=len(every) - size,
    )


def _measure(one: LabelValues, other: LabelValues) -> str:
    numbers = (one.numbers is not None) + (other.numbers is not None)
    return ("cramer", "eta", "pearson")[numbers]


def _bins(tables: SideBySide, pair: Sequence[LabelValues]) -> tuple[Bins, Bins]:
    names = tuple(found.name for found in pair)
    return tables.before.over(names), tables.after.over(names)


def _sides(tables: SideBySide, found: LabelValues) -> tuple[PairSide, PairSide]:
    rows = tables.before.totals(found.name)[1], tables.after.totals(found.name)[1]
    return side_of(found, rows[0], rows, after=False), side_of(found, rows[1], rows, after=True)


def _itself(side: PairSide) -> float:
    return 1.0 if side.varies else np.nan


def _strength(bins: Bins, one: PairSide, other: PairSide) -> float:
    if not one.varies or not other.varies:
        return np.nan
    a, b = bins.codes[:, bins.column(one.name)], bins.codes[:, bins.column(other.name)]
    if one.numbers is not None and other.numbers is not None:
        return pearson(one.numbers[a], other.numbers[b], bins.counts)
    if one.numbers is not None:
        return _eta(other, b, one.numbers[a], bins.counts)
    if other.numbers is not None:
        return _eta(one, a, other.numbers[b], bins.counts)
    return cramers_v(spread_table(one, other, a, b, bins.counts))


def pearson(x: Reals, y: Reals, rows: NDArray[np.int64]) -> float:
    """Pearson's correlation of numbers by how many rows have each pair; NaN where one of them does
    not vary.

    Example:
        >>> pearson(np.array([0.0, 1.0]), np.array([1.0, 0.0]), np.array([5, 5]))
        -1.0
    """
    both = np.isfinite(x) & np.isfinite(y)
    x, y, weight = x[both], y[both], rows[both].astype(np.float64)
    if not len(x):
        return np.nan
    x, y = x - np.average(x, weights=weight), y - np.average(y, weights=weight)
    spread = float(weight @ x**2) * float(weight @ y**2)
    return (
        float(np.clip(float(weight @ (x * y)) / np.sqrt(spread), -1, 1)) if spread > 0 else np.nan
    )


def cramers_v(table: Reals) -> float:
    """Cramér's V of a table of counts, corrected for bias as Bergsma (2013) does; NaN where a side
    does not vary.

    Example:
        >>> cramers_v(np.array([[50.0, 0.0], [0.0, 50.0]])), cramers_v(np.array([[25.0, 25.0], [25.0, 25.0]]))
        (1.0, 0.0)
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows, columns = table.shape
    total = float(table.sum())
    if min(rows, columns) < 2 or total <= 1:
        return np.nan
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    phi = float(((table - expected) ** 2 / expected).sum()) / total
    phi = max(0.0, phi - (rows - 1) * (columns - 1) / (total - 1))
    least = min(size - (size - 1) ** 2 / (total - 1) for size in (rows, columns))
    return float(min(np.sqrt(phi / (least - 1)), 1.0)) if least > 1 else np.nan


def _eta(
    category: PairSide, codes: Whole | NDArray[np.int32], y: Reals, counts: NDArray[np.int64]
) -> float:
    """The correlation ratio of a number given a category that is spread over its values."""
    assert category.shares is not None
    both = np.isfinite(y) & category.says[codes]
    weight, y, codes = counts[both].astype(np.float64), y[both], codes[both]
    total = float(weight.sum())
    if not total:
        return np.nan
    y = y - float(weight @ y) / total
    labels = len(category.says)
    rows = category.shares.T @ np.bincount(codes, weight, labels)
    sums = category.shares.T @ np.bincount(codes, weight * y, labels)
    whole = float(weight @ y**2)
    if whole <= 0 or (rows > 0).sum() < 2:
        return np.nan
    return float(np.sqrt(min(float((sums[rows > 0] ** 2 / rows[rows > 0]).sum()) / whole, 1.0)))


def _spearman(
    tables: SideBySide, fields: Sequence[LabelValues], numeric: Sequence[int], which: int
) -> Reals:
    """Pearson's correlation of ranks, each field ranked among all rows in which it has a value."""
    out = np.full((len(numeric), len(numeric)), np.nan)
    sides = {number: _sides(tables, fields[number])[which] for number in numeric}
    for i, one in enumerate(numeric):
        out[i, i] = _itself(sides[one])
        for j, other in enumerate(numeric[:i]):
            bins = _bins(tables, (fields[one], fields[other]))[which]
            a, b = (bins.codes[:, bins.column(fields[number].name)] for number in (one, other))
            out[i, j] = out[j, i] = pearson(sides[one].ranks[a], sides[other].ranks[b], bins.counts)
    return out
