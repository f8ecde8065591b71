"""Predicates about one field ("age is 90 or more", "zip is 021**") and how many rows of a table
meet several of them.

A predicate is made from a released label. On the release it is compared with labels; on the source
it holds for the values that the label covers, so that a coarse label is a coarse predicate. Rows
that meet a predicate are kept as bits. Counting those that meet three is two ANDs and a count of
ones over a few kilobytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import SUPPRESSED, Label
from sfumato.measures import Marks, Reals, covering, measures
from sfumato.policy import NullRule

from .attack_setup import Scene
from .field_scale import Measure, measure_of

IS, IS_NOT, AT_LEAST, AT_MOST, ABOVE, BELOW = range(6)
EVERY = (IS, IS_NOT, AT_LEAST, AT_MOST, ABOVE, BELOW)
KEPT = 2**28
"""Bytes of bits that are kept for repeated predicates."""
KEPT_MARKS = 2**24
"""Pairs of a label and a value of one field that are compared once for all predicates."""

Bits = NDArray[np.uint64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Fields:
    """The predicates of a release: per field its labels, what they measure, and the median of its
    rows."""

    labels: tuple[tuple[Label, ...], ...]
    numbers: tuple[Reals | None, ...]
    medians: tuple[float, ...]

    @classmethod
    def of(cls, scene: Scene) -> Fields:
        """A field is one of numbers where the source's values are, and where labels of the release
        still are."""
        bins, people = scene.released, scene.people
        numbers: list[Reals | None] = []
        medians: list[float] = []
        for at, name in enumerate(bins.fields):
            known = people.labels[people.column(name)] if people is not None else bins.labels[at]
            measure = measure_of(known)
            found = None if measure is None else measures(bins.labels[at], measure)
            numbers.append(found)
            medians.append(
                _median(found, bins.codes[:, at], bins.counts) if found is not None else np.nan
            )
        return cls(labels=bins.labels, numbers=tuple(numbers), medians=tuple(medians))

    def number(self, at: int, code: int) -> float:
        found = self.numbers[at]
        return float("nan") if found is None else float(found[code])


def _median(numbers: Reals, codes: NDArray[np.int32], counts: NDArray[np.int64]) -> float:
    at = numbers[codes]
    known = ~np.isnan(at)
    if not known.any():
        return float("nan")
    order = np.argsort(at[known], kind="stable")
    rows = np.cumsum(counts[known][order])
    return float(at[known][order][np.searchsorted(rows, rows[-1] / 2)])


@dataclass(eq=False)
class PredicateTable:
    """A table that predicates are counted on: the release itself, or people under its labels."""

    bins: Bins
    fields: Fields
    names: tuple[str, ...]
    scene: Scene
    released: bool
    _kept: dict[tuple[int, int, int], Bits] = field(default_factory=dict)
    _codes: dict[int, NDArray[np.int32]] = field(default_factory=dict)
    _numbers: dict[int, Reals] = field(default_factory=dict)
    _marks: dict[int, Marks] = field(default_factory=dict)
    _places: dict[int, dict[Label, int]] = field(default_factory=dict)

    def counted(self, queries: Sequence[tuple[tuple[int, int, int], ...]]) -> NDArray[np.int64]:
        """How many rows meet all predicates (field, what, label) of each query."""
        out = np.zeros(len(queries), np.int64)
        for number, query in enumerate(queries):
            met = self._bits(query[0])
            for predicate in query[1:]:
                met = met & self._bits(predicate)
            out[number] = np.bitwise_count(met).sum(dtype=np.int64)
        return out

    def _bits(self, predicate: tuple[int, int, int]) -> Bits:
        found = self._kept.get(predicate)
        if found is None:
            found = self._packed(self._holds(*predicate)[self._rows(predicate[0])])
            if len(self._kept) * found.nbytes > KEPT:
                self._kept.clear()
            self._kept[predicate] = found
        return found

    def _rows(self, at: int) -> NDArray[np.int32]:
        """The codes of a field row by row: what is counted is people, not bins."""
        if at not in self._codes:
            self._codes[at] = np.repeat(
                self.bins.codes[:, self.bins.column(self.names[at])], self.bins.counts
            )
        return self._codes[at]

    def _packed(self, rows: Marks) -> Bits:
        padded = np.zeros(-(-len(rows) // 64) * 8, np.uint8)
        bits = np.packbits(rows)
        padded[: len(bits)] = bits
        return padded.view(np.uint64)

    def _holds(self, at: int, what: int, code: int) -> Marks:
        """For each value of the field here, whether the predicate holds."""
        values = self.bins.labels[self.bins.column(self.names[at])]
        if what in (IS, IS_NOT):
            same = self._is(at, code, values)
            return ~same if what == IS_NOT else same
        bound = self.fields.number(at, code)
        if at not in self._numbers:
            measure = measure_of(self.fields.labels[at]) or self._measure(at, values)
            self._numbers[at] = (
                measures(values, measure) if measure is not None else np.full(len(values), np.nan)
            )
        numbers = self._numbers[at]
        compared = {
            AT_LEAST: numbers >= bound,
            AT_MOST: numbers <= bound,
            ABOVE: numbers > bound,
            BELOW: numbers < bound,
        }
        return np.asarray(compared[what])

    def _measure(self, at: int, values: Sequence[Label]) -> Measure | None:
        people = self.scene.people
        return measure_of(
            people.labels[people.column(self.names[at])] if people is not None else values
        )

    def _is(self, at: int, code: int, values: Sequence[Label]) -> Marks:
        if self.released:
            found = np.zeros(len(values), bool)
            found[code] = True
            return found
        label = self.fields.labels[at][code]
        plain = self._place(at, values).get(label) if self._is_plain(at, label) else None
        if plain is not None:
            found = np.zeros(len(values), bool)
            found[plain] = True
            return found
        labels = self.fields.labels[at]
        if len(labels) * len(values) > KEPT_MARKS:
            return np.asarray(self._covering(at, (label,), values)[0])
        if at not in self._marks:
            self._marks[at] = self._covering(at, labels, values)
        return np.asarray(self._marks[at][code])

    def _covering(self, at: int, labels: Sequence[Label], values: Sequence[Label]) -> Marks:
        hierarchy = self.scene.hierarchy(self.names[at])
        return covering(labels, values, hierarchy, nulls=self.scene.subject.nulls)

    def _is_plain(self, at: int, label: Label) -> bool:
        """Whether a label that is a value means that value and nothing else."""
        by_value = (
            self.scene.subject.nulls is NullRule.VALUE
            and self.scene.hierarchy(self.names[at]) is None
        )
        return by_value and label != SUPPRESSED

    def _place(self, at: int, values: Sequence[Label]) -> dict[Label, int]:
        if at not in self._places:
            self._places[at] = {value: number for number, value in enumerate(values)}
        return self._places[at]
