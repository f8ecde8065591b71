"""Bins that count people where a person may have several rows, at every level and over any of their
fields.

Protection models are defined on bins whose counts add up. Here they do not: a person may be in
several bins and have several values in one. These bins therefore store the people of each bin, and
recount them whenever bins are merged or suppressed:

- the size of a bin is the number of different people with rows in it;
- how often a value occurs in a bin is one of two counts. Either it is how many of its people *have*
  the value, or each of m different values of a person counts 1/m of that person.

A model declares which of the two it reads (`docs/people.md`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine, Histogram
from sfumato.hierarchies import Codes, Hierarchy, Label

from .bins import Bins
from .tuple_groups import group

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Holdings:
    """Which people have which values of a sensitive field in which bins; each combination once."""

    values: tuple[Label, ...] = field(repr=False)
    bin_of: Numbers
    person_of: Numbers
    value_of: Codes


@dataclass(frozen=True, eq=False, repr=False)
class CountedPeople(Bins):
    """Bins of people. Entry i means that person `person_of[i]` has rows in bin `bin_of[i]`; each
    pair once.

    `held` is what people have of each sensitive field, `row_counts[b]` the rows of a bin, those
    that are nobody's among them. Histograms say how many people have a value; `spread` spreads
    people over their values instead.

    Example:
        >>> rows = [("02138", "ann", "flu"), ("02138", "bob", "flu"), ("02139", "ann", "flu")]
        >>> bins = CountedPeople.of_rows(("zip",), rows, sensitive=("problem",))
        >>> bins.sizes(), bins.project(()).rows, bins.people_with_rare_sets(2)
        ({('02138',): 2, ('02139',): 1}, 2, 2)
    """

    row_counts: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    bin_of: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    person_of: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    held: Mapping[str, Holdings] = field(default_factory=dict)

    unit: ClassVar[str] = "people"
    adds_up: ClassVar[bool] = False

    @classmethod
    def of_rows(
        cls,
        fields: Sequence[str],
        rows: Sequence[Sequence[Label]],
        *,
        sensitive: Sequence[str] = (),
    ) -> Self:
        """Bins written out by hand: for each row its fields, its person (None for nobody) and its
        sensitive values."""
        sizes: dict[tuple[Label, ...], int] = {}
        for row in rows:
            sizes[tuple(row)] = sizes.get(tuple(row), 0) + 1
        return cls._from_tuples(
            Bins.of((*fields, "person", *sensitive), sizes), len(fields), tuple(sensitive)
        )

    @classmethod
    def counted(
        cls, engine: Engine, fields: Sequence[str], *, person: str, sensitive: Sequence[str] = ()
    ) -> CountedPeople:
        """One group-by over fields, person and sensitive values, wherever the data is."""
        return cls._from_tuples(
            Bins.count(engine, (*fields, person, *sensitive)), len(fields), tuple(sensitive)
        )

    @classmethod
    def _from_tuples(cls, tuples: Bins, width: int, sensitive: tuple[str, ...]) -> Self:
        labels = tuples.labels[:width]
        bin_of, first = group(tuples.codes[:, :width], [len(names) for names in labels])
        rows = np.bincount(bin_of, weights=tuples.counts, minlength=len(first)).astype(np.int64)
        person = tuples.codes[:, width].astype(np.int64)
        nobody = [code for code, label in enumerate(tuples.labels[width]) if label is None]
        known = ~np.isin(person, nobody)
        held = {
            name: _once(
                tuples.labels[column], bin_of[known], person[known], tuples.codes[known, column]
            )
            for column, name in enumerate(sensitive, start=width + 1)
        }
        return cls._built(
            tuples.fields[:width],
            labels,
            tuples.codes[first, :width],
            rows,
            bin_of[known],
            person[known],
            held,
        )

    @classmethod
    def _built(
        cls,
        fields: tuple[str, ...],
        labels: tuple[tuple[Label, ...], ...],
        codes: Codes,
        rows: Numbers,
        bin_of: Numbers,
        person_of: Numbers,
        held: Mapping[str, Holdings],
    ) -> Self:
        bin_of, person_of = pairs_of(bin_of, person_of)
        counts = np.bincount(bin_of, minlength=len(rows))
        histograms = {name: _histogram(one) for name, one in held.items()}
        return cls(fields, labels, codes, counts, histograms, rows, bin_of, person_of, held)

    def __repr__(self) -> str:
        return (
            f"CountedPeople(fields={self.fields!r}, bins={len(self)}, people={self.people}, "
            f"smallest={self.smallest})"
        )

    @property
    def people(self) -> int:
        """How many different people there are."""
        return len(np.unique(self.person_of))

    def people_in(self, marked: NDArray[np.bool_]) -> int:
        return len(np.unique(self.person_of[marked[self.bin_of]]))

    def people_lost(self, out: NDArray[np.bool_]) -> int:
        """How many people have all of their rows in bins that are left out."""
        return self.people - self.people_in(~out)

    @property
    def rows_in_bins(self) -> Numbers:
        return self.row_counts

    def sizes_of(self, groups: Numbers) -> Numbers:
        """The different people of each group of bins. Only people in several bins can be in a group
        twice, so only they are searched."""
        groups_of, many = groups[self.bin_of], int(groups.max(initial=-1)) + 1
        several = self._in_several_bins
        twice, _ = pairs_of(groups_of[several], self.person_of[several])
        once = np.bincount(groups_of[~several], minlength=many)
        return once + np.bincount(twice, minlength=many)

    @cached_property
    def _in_several_bins(self) -> NDArray[np.bool_]:
        """Which entries are of people who have others."""
        if not len(self.person_of):
            return np.zeros(0, bool)
        return np.bincount(self.person_of)[self.person_of] > 1

    def people_with_rare_sets(self, k: int) -> int:
        """How many people have a set of bins, over all their rows, that fewer than `k` people
        share.

        Sets are compared by sums of two random 64-bit numbers for each bin: two different sets are
        confused with a chance below 2^-100."""
        chance = np.random.default_rng()
        person, several = np.unique(self.person_of, return_inverse=True)
        marks = np.zeros((2, len(person)), np.uint64)
        for mark in marks:
            np.add.at(mark, several, chance.integers(0, 2**64, len(self), np.uint64)[self.bin_of])
        _, sharing = np.unique(marks, axis=1, return_counts=True)
        return int(sharing[sharing < k].sum())

    def spread(self, name: str) -> Histogram | None:
        """How many people each bin has, each spread over their different values in it."""
        held = self.held.get(name)
        return None if held is None else _spread(held)

    def with_merged_values(self, name: str, values: tuple[Label, ...], merged: Codes) -> Self:
        """The bins, with values merged as in `Bins`: a person with two values of one code has it
        once."""
        old = self.held[name]
        held = _once(values, old.bin_of, old.person_of, merged[old.value_of])
        histograms = {**self.histograms, name: _histogram(held)}
        return replace(self, histograms=histograms, held={**self.held, name: held})

    def with_holders(self, name: str, bin_of: Numbers, person_of: Numbers) -> Self:
        """The bins, with a histogram of the people who hold something that others do not. People
        may be numbered differently than here.

        Example:
            >>> bins = CountedPeople.of_rows(("zip",), [("02138", "ann"), ("02139", "bob")])
            >>> bins.with_holders("visits", np.array([1]), np.array([0])).histograms["visits"].bin_of
            array([1])
        """
        held = _once(("yes",), bin_of, person_of, np.zeros(len(bin_of), np.int32))
        histograms = {**self.histograms, name: _histogram(held)}
        return replace(self, histograms=histograms, held={**self.held, name: held})

    def aligned(self, labels: tuple[tuple[Label, ...], ...], lifts: Sequence[Codes]) -> Self:
        """The bins with codes into other labels: code c of column f becomes `lifts[f][c]`."""
        codes = (
            np.stack([lift[self.codes[:, f]] for f, lift in enumerate(lifts)], axis=1)
            if lifts
            else self.codes
        )
        return self._rolled_up(self.fields, labels, codes)[0]

    def recode(
        self, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]
    ) -> CountedPeople:
        """The bins after a global recoding, with people counted once in each."""
        coarse = super().recode(hierarchies, levels)
        assert isinstance(coarse, CountedPeople)
        return coarse

    def only(self, keep: NDArray[np.bool_]) -> Self:
        """The bins that `keep` marks, with their people."""
        moved = np.cumsum(keep) - 1
        stays = keep[self.bin_of]
        held = {
            name: _once(
                one.values,
                moved[one.bin_of[keep[one.bin_of]]],
                one.person_of[keep[one.bin_of]],
                one.value_of[keep[one.bin_of]],
            )
            for name, one in self.held.items()
        }
        return type(self)._built(
            self.fields,
            self.labels,
            self.codes[keep],
            self.row_counts[keep],
            moved[self.bin_of[stays]],
            self.person_of[stays],
            held,
        )

    def group_of(self, fields: Sequence[str]) -> tuple[Numbers, Numbers]:
        """For each bin, the number of its group when only `fields` are compared; and each group's
        people."""
        if tuple(fields) == self.fields:
            return np.arange(len(self)), self.counts
        columns = [self.column(name) for name in fields]
        groups, first = group(
            self.codes[:, columns], [len(self.labels[column]) for column in columns]
        )
        bin_of, _ = pairs_of(groups[self.bin_of], self.person_of)
        return groups, np.bincount(bin_of, minlength=len(first))

    def _rolled_up(
        self, fields: tuple[str, ...], labels: tuple[tuple[Label, ...], ...], codes: Codes
    ) -> tuple[Self, Numbers]:
        groups, first = group(codes, [len(names) for names in labels])
        rows = np.bincount(groups, weights=self.row_counts, minlength=len(first)).astype(np.int64)
        held = {
            name: _once(one.values, groups[one.bin_of], one.person_of, one.value_of)
            for name, one in self.held.items()
        }
        coarse = type(self)._built(
            fields, labels, codes[first], rows, groups[self.bin_of], self.person_of, held
        )
        return coarse, groups


def pairs_of(bin_of: Numbers, person_of: Numbers) -> tuple[Numbers, Numbers]:
    """Each pair of a bin and a person once, by bin."""
    span = int(person_of.max(initial=0)) + 1
    keys = np.unique(bin_of * span + person_of)
    return keys // span, keys % span


def _once(
    values: tuple[Label, ...], bin_of: Numbers, person_of: Numbers, value_of: Codes
) -> Holdings:
    """Each combination of bin, value and person once, by bin and value."""
    people, width = int(person_of.max(initial=0)) + 1, max(len(values), 1)
    places = np.unique((bin_of * width + value_of) * people + person_of)
    places, person = np.divmod(places, people)
    return Holdings(values, places // width, person, (places % width).astype(np.int32))


def _histogram(held: Holdings) -> Histogram:
    """How many people have each value in each bin."""
    entries, position = _entries(held)
    return _as_histogram(held, entries, np.bincount(position, minlength=len(entries)))


def _spread(held: Holdings) -> Histogram:
    """How many people there are in each bin, each of m values of a person counting 1/m."""
    entries, position = _entries(held)
    people = int(held.person_of.max(initial=0)) + 1
    _, whose, several = np.unique(
        held.bin_of * people + held.person_of, return_inverse=True, return_counts=True
    )
    return _as_histogram(
        held, entries, np.bincount(position, weights=1.0 / several[whose], minlength=len(entries))
    )


def _entries(held: Holdings) -> tuple[Numbers, Numbers]:
    return np.unique(held.bin_of * max(len(held.values), 1) + held.value_of, return_inverse=True)


def _as_histogram(held: Holdings, entries: Numbers, counts: NDArray[Any]) -> Histogram:
    bin_of, value_of = np.divmod(entries, max(len(held.values), 1))
    return Histogram(
        values=held.values, bin_of=bin_of, value_of=value_of.astype(np.int32), counts=counts
    )
