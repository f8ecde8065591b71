"""Microaggregation by MDAV: groups of at least k near records, each number replaced by its group's mean.

Domingo-Ferrer and Mateo-Sanz 2002, "Practical data-oriented microaggregation for statistical disclosure control",
in the form of Domingo-Ferrer and Torra 2005 (MDAV-generic): around the record farthest from the mean of all, and
around the one farthest from that, the k nearest become a group, and again with the rest. Departures: records are
bins with their counts, so that equal records cost one step, and a bin may be cut over two groups; the median may
stand for the group in place of the mean. Time grows with the square of the bins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.bins import Bins, LabelledRecoding
from sfumato.errors import Bug, Mistake, NoRecodingFound
from sfumato.policy.hierarchies import Codes, Label
from sfumato.policy.records import AGGREGATES

from .k_similar_ladders import Floats, Numbers
from .k_similar_portions import Portions
from .local.penalties import places_of
from .solver import Hierarchies, Solution, Step

MEANS = (
    "Microaggregation releases numbers that nobody may have had, and k-anonymity holds only over the fields that "
    "were grouped; sums and means are kept, the spread inside groups is not."
)


@dataclass(frozen=True, kw_only=True)
class Microaggregation:
    """Groups of at least `k` records near in `fields` (all fields where none is named), released as their mean.

    Every field counts alike: numbers are taken in standard deviations. Released numbers have at most `digits`
    digits after the point. Fields that are not named are released as they are.

    Example:
        >>> from sfumato.policy.hierarchies import Hierarchy
        >>> bins = Bins.of(("age",), {("17",): 1, ("20",): 1, ("64",): 1, ("65",): 1})
        >>> ages = Hierarchy.from_rows([(a, "*") for a in ("17", "20", "64", "65")])
        >>> Microaggregation(k=2).solve(bins, {"age": ages}).recoding.apply(bins, {"age": ages}).sizes()
        {('18.5',): 2, ('64.5',): 2}
    """

    k: int
    fields: tuple[str, ...] = ()
    aggregate: str = "mean"
    digits: int = 2

    name: ClassVar[str] = "microaggregation"

    def solve(self, bins: Bins, hierarchies: Hierarchies) -> Solution:
        columns = [bins.column(name) for name in self.fields or bins.fields]
        self._check(bins, columns)
        numbers = np.stack([places_of(bins.labels[f])[0][bins.codes[:, f]] for f in columns], axis=1)
        groups = mdav(numbers, bins.counts, self.k)
        recoding = self._recoding(bins, columns, numbers, groups)
        released = recoding.apply(bins, hierarchies)
        grouped = released.project(self.fields or bins.fields)
        if len(bins) and (grouped.smallest < self.k or released.rows != bins.rows):
            raise Bug("microaggregation made a group under k or lost rows")
        told = ", ".join(bins.fields[f] for f in columns)
        step = Step(what=f"groups of {self.k} over {told}", levels={}, bins=len(released), rows_failing=0)
        return Solution(solver=self.name, recoding=recoding, steps=(step,), notes=(MEANS,))

    def _check(self, bins: Bins, columns: list[int]) -> None:
        if self.aggregate not in AGGREGATES:
            known = ", ".join(AGGREGATES)
            raise Mistake(f"Microaggregation has no aggregate '{self.aggregate}'.", attempt=f"one of: {known}.")
        if not columns:
            raise Mistake(
                "Microaggregation has no field to group rows by.",
                found="No quasi-identifier is known to this recipient.",
                attempt="a quasi field that holds numbers, or another solver.",
            )
        if 0 < bins.rows < self.k:
            raise NoRecodingFound(
                f"No groups of k = {self.k} rows can be made.",
                found=f"The table has only {bins.rows} row(s), and microaggregation leaves none out.",
                attempt="a k of at most the number of rows.",
            )
        for f in columns:
            strange = ~np.isfinite(places_of(bins.labels[f])[0])
            rows = int(bins.counts[strange[bins.codes[:, f]]].sum()) if strange.any() else 0
            if rows:
                raise Mistake(
                    f"Microaggregation of {bins.fields[f]} needs numbers.",
                    found=f"{rows} of {bins.rows} rows have none there.",
                    attempt="other fields, or the solver local with labels = 'ranges', which can hold a null.",
                )

    def _recoding(self, bins: Bins, columns: list[int], numbers: Floats, groups: Portions) -> LabelledRecoding:
        labels: list[tuple[Label, ...]] = list(bins.labels)
        losses = [np.zeros(len(names)) for names in bins.labels]
        codes: Codes = bins.codes[groups.bin_of].copy()
        for column, f in enumerate(columns):
            value = numbers[groups.bin_of, column]
            middle = self._middles(value, groups)
            texts = [_text(number, self.digits) for number in middle.tolist()]
            index: dict[Label, int] = {}
            place = np.array([index.setdefault(text, len(index)) for text in texts], np.int32)
            codes[:, f] = place[groups.cluster]
            labels[f] = tuple(index)
            span = max(float(np.ptp(numbers[:, column])), 1e-12) if len(numbers) else 1.0
            away = np.abs(value - middle[groups.cluster]) / span * groups.rows
            rows = np.bincount(codes[:, f], weights=groups.rows, minlength=len(index))
            losses[f] = np.bincount(codes[:, f], weights=away, minlength=len(index)) / np.maximum(rows, 1)
        return LabelledRecoding(
            bin_of=groups.bin_of,
            rows=groups.rows,
            labels=tuple(labels),
            codes=codes,
            losses=tuple(losses),
            suppressed=np.zeros(len(groups.rows), bool),
        )

    def _middles(self, value: Floats, groups: Portions) -> Floats:
        rows = np.bincount(groups.cluster, weights=groups.rows)
        if self.aggregate == "mean":
            return np.asarray(np.bincount(groups.cluster, weights=value * groups.rows) / rows, np.float64)
        order = np.lexsort((value, groups.cluster))
        cluster = groups.cluster[order]
        before = np.cumsum(groups.rows[order]) - np.concatenate([[0], np.cumsum(rows)])[cluster]
        at = np.flatnonzero(before * 2 >= rows[cluster])
        first = at[np.unique(cluster[at], return_index=True)[1]]
        return np.asarray(value[order][first], np.float64)


def mdav(numbers: Floats, counts: Numbers, k: int, *, scaled: bool = False) -> Portions:
    """Groups of k rows, the last of up to 2k - 1; `numbers[b]` is where bin b lies, `counts[b]` how many rows it is.

    Numbers are taken in standard deviations, unless they were `scaled` before.
    """
    deviations = numbers.std(axis=0) if len(numbers) and not scaled else np.ones(numbers.shape[1])
    places = numbers / np.where(deviations > 0, deviations, 1.0)
    left = counts.copy()
    found: list[tuple[Numbers, Numbers]] = []

    def far_from(point: Floats) -> int:
        return int(np.argmax(np.where(left > 0, ((places - point) ** 2).sum(axis=1), -1.0)))

    def take(seed: int) -> None:
        away = np.where(left > 0, ((places - places[seed]) ** 2).sum(axis=1), np.inf)
        near = np.argpartition(away, min(k, len(away) - 1))[:k] if len(away) > k else np.arange(len(away))
        near = near[np.argsort(away[near], kind="stable")]
        before = np.cumsum(left[near]) - left[near]
        near, rows = near[before < k], np.minimum(left[near], k - before)[before < k]
        left[near] -= rows
        found.append((near, rows))

    while left.sum() >= 2 * k:
        seed = far_from((places * left[:, None]).sum(axis=0) / left.sum())
        start = places[seed]
        take(seed)
        if left.sum() >= 2 * k:
            take(far_from(start))
    rest = np.flatnonzero(left)
    if len(rest):
        found.append((rest, left[rest]))
    sizes = [len(members) for members, _ in found]
    empty: Numbers = np.zeros(0, np.int64)
    return Portions(
        np.concatenate([empty, *(members for members, _ in found)]),
        np.concatenate([empty, *(rows for _, rows in found)]),
        np.repeat(np.arange(len(found)), sizes),
    )


def _text(number: float, digits: int) -> str:
    rounded = round(number, digits)
    return str(int(rounded)) if rounded == int(rounded) else f"{rounded:.{digits}f}".rstrip("0")
