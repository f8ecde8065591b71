"""The frequency set: one entry per distinct tuple of quasi-identifiers, with its count and
sensitive values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Engine, Frequencies, Histogram
from sfumato.hierarchies import Codes, Hierarchy, Label

from .tuple_groups import group, number_keys

ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins of some fields. `codes[b, f]` points into `labels[f]`; `counts[b]` is the bin size.

    Example:
        >>> bins = Bins.of(("zip", "sex"), {("021**", "F"): 7, ("946**", "M"): 2})
        >>> bins
        Bins(fields=('zip', 'sex'), bins=2, rows=9, smallest=2)
        >>> bins.project(("sex",)).rows
        9
    """

    fields: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]
    codes: Codes
    counts: NDArray[np.int64]
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    _last: list[_Recoded] = field(default_factory=list, init=False, repr=False)
    """The last recoding, cached because solvers, measures and reports request the same one."""

    unit: ClassVar[str] = "rows"
    """The unit of the counts, in words."""
    adds_up: ClassVar[bool] = True
    """Whether the size of a merged bin is the sum of its parts; false where one person may be in
    several."""

    @classmethod
    def of(cls, fields: Sequence[str], sizes: Mapping[tuple[Label, ...], int]) -> Bins:
        """Bins written out by hand."""
        indexes: list[dict[Label, int]] = [{} for _ in fields]
        codes = np.array(
            [
                [index.setdefault(v, len(index)) for v, index in zip(t, indexes, strict=True)]
                for t in sizes
            ],
            np.int32,
        ).reshape(len(sizes), len(fields))
        counts = np.fromiter(sizes.values(), np.int64, len(sizes))
        return cls(tuple(fields), tuple(tuple(index) for index in indexes), codes, counts)

    @classmethod
    def from_frequencies(cls, found: Frequencies) -> Bins:
        return cls(found.fields, found.values, found.codes, found.counts, found.histograms)

    @classmethod
    def count(
        cls,
        engine: Engine,
        fields: Sequence[str],
        *,
        sensitive: Sequence[str] = (),
        weight: str | None = None,
        person: str | None = None,
    ) -> Bins:
        """One group-by, wherever the data is. With a `weight`, a bin's size is the number of people
        that its rows represent; with a `person`, the different people whose rows are in it, and
        such bins do not add up."""
        return cls.from_frequencies(
            engine.frequencies(fields, sensitive=sensitive, weight=weight, person=person)
        )

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return (
            f"Bins(fields={self.fields!r}, bins={len(self)}, rows={self.rows}, "
            f"smallest={self.smallest})"
        )

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def people(self) -> int:
        """How many people there are: one for each row, where nobody has two."""
        return self.rows

    def people_in(self, marked: NDArray[np.bool_]) -> int:
        """How many people the marked bins have."""
        return int(self.counts[marked].sum())

    def people_lost(self, out: NDArray[np.bool_]) -> int:
        """How many people lose all their rows when the bins marked in `out` are suppressed."""
        return self.people_in(out)

    def may_leave_out(self, out: NDArray[np.bool_], share: float) -> bool:
        """Whether the marked bins hold no more than a share of the people; no row at all where the
        share is 0, also of people who keep others."""
        if share <= 0:
            return not out.any()
        return self.people_lost(out) <= share * self.people + ROUNDING

    @property
    def rows_in_bins(self) -> NDArray[np.int64]:
        """The rows of each bin, where its size may count people instead."""
        return self.counts

    def sizes_of(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """The size of each group of bins; `groups[b]` is the number of the group of bin b, from
        0."""
        sizes = np.zeros(int(groups.max(initial=-1)) + 1, np.int64)
        np.add.at(sizes, groups, self.counts)
        return sizes

    @property
    def smallest(self) -> int:
        """The size of the smallest bin; 0 where there is none."""
        return int(self.counts.min()) if len(self) else 0

    def spread(self, name: str) -> Histogram | None:
        """The histogram of a sensitive field in which everybody weighs 1; None where it was not
        counted.

        It differs from the usual one only where a person may have several values in a bin.
        """
        return self.histograms.get(name)

    def with_merged_values(self, name: str, values: tuple[Label, ...], merged: Codes) -> Self:
        """The bins, with value v of a sensitive field called `values[merged[v]]`: values of one
        code count as one.

        Example:
            >>> from sfumato.bins.toy_bins import bins_of_rows
            >>> pay = [("021**", "900"), ("021**", "950"), ("946**", "2500")]
            >>> bins = bins_of_rows(("zip",), pay, sensitive=("pay",))
            >>> coarse = bins.with_merged_values("pay", ("low", "high"), np.array([1, 0, 0]))
            >>> coarse.histograms["pay"].counts.tolist()
            [2, 1]
        """
        found = self.histograms[name]
        keys = found.bin_of * max(len(values), 1) + merged[found.value_of]
        entries, place = np.unique(keys, return_inverse=True)
        counts = np.bincount(place, found.counts, len(entries)).astype(found.counts.dtype)
        bin_of, value_of = np.divmod(entries, max(len(values), 1))
        histogram = Histogram(
            values=values, bin_of=bin_of, value_of=value_of.astype(np.int32), counts=counts
        )
        return replace(self, histograms={**self.histograms, name: histogram})

    def column(self, name: str) -> int:
        return self.fields.index(name)

    def distinct(self, name: str) -> int:
        """How many values of a field occur."""
        column = self.column(name)
        there = np.zeros(len(self.labels[column]), bool)
        there[self.codes[:, column]] = True
        return int(there.sum())

    def distinct_at(self, name: str, levels: Sequence[Codes]) -> list[int]:
        """How many labels of a field occur at each level; a level maps codes to labels."""
        codes = np.unique(self.codes[:, self.column(name)])
        return [len(np.unique(level[codes])) for level in levels]

    def tuples(self) -> Iterator[tuple[Label, ...]]:
        """The bins as tuples of labels, in order; for small bins and tests."""
        for row in self.codes.tolist():
            yield tuple(self.labels[f][code] for f, code in enumerate(row))

    def sizes(self) -> dict[tuple[Label, ...], int]:
        """The bins as a mapping; for small bins and tests."""
        return dict(zip(self.tuples(), self.counts.tolist(), strict=True))

    def only(self, keep: NDArray[np.bool_]) -> Bins:
        """The bins that `keep` marks."""
        histograms = {}
        moved = np.cumsum(keep) - 1
        for name, old in self.histograms.items():
            stays = keep[old.bin_of]
            histograms[name] = replace(
                old,
                bin_of=moved[old.bin_of[stays]],
                value_of=old.value_of[stays],
                counts=old.counts[stays],
            )
        return Bins(self.fields, self.labels, self.codes[keep], self.counts[keep], histograms)

    def with_cells(self, labels: tuple[tuple[Label, ...], ...], codes: Codes) -> Self:
        """The same bins under other labels. Bins that have become alike stay apart until they are
        `recoded`."""
        return replace(self, labels=labels, codes=codes)

    def project(self, fields: Sequence[str]) -> Bins:
        """The bins over fewer fields: coarser bins are sums of finer ones."""
        columns = [self.column(name) for name in fields]
        codes = self.codes[:, columns]
        labels = tuple(self.labels[column] for column in columns)
        return self._rolled_up(tuple(fields), labels, codes)[0]

    def recode(self, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]) -> Bins:
        """The bins after a global recoding: each field of level 0 raised to its level and equal
        tuples summed."""
        return self.recoded(hierarchies, levels)[0]

    def recoded(
        self, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]
    ) -> tuple[Bins, NDArray[np.int64]]:
        """The same, and for each of these bins the number of the coarser bin that contains it."""
        raised = {name: level for name in self.fields if (level := levels.get(name, 0))}
        used = [hierarchies[name] for name in raised]
        if self._last and self._last[0].is_of(raised, used):
            return self._last[0].found
        codes = self.codes.copy()
        labels = list(self.labels)
        for column, name in enumerate(self.fields):
            level = levels.get(name, 0)
            if level:
                codes[:, column] = hierarchies[name].up[level][codes[:, column]]
                labels[column] = hierarchies[name].labels[level]
        found = self._rolled_up(self.fields, tuple(labels), codes)
        self._last[:] = [_Recoded(raised, used, found)]
        return found

    def group_of(self, fields: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each bin, the number of its group when only `fields` are compared; and each group's
        size in rows."""
        if tuple(fields) == self.fields:
            return np.arange(len(self)), self.counts
        columns = [self.column(name) for name in fields]
        groups, _ = group(self.codes[:, columns], [len(self.labels[column]) for column in columns])
        return groups, self.sizes_of(groups)

    def _rolled_up(
        self, fields: tuple[str, ...], labels: tuple[tuple[Label, ...], ...], codes: Codes
    ) -> tuple[Bins, NDArray[np.int64]]:
        groups, first = group(codes, [len(names) for names in labels])
        counts = np.zeros(len(first), np.int64)
        np.add.at(counts, groups, self.counts)
        histograms = {name: _rolled_up(old, groups) for name, old in self.histograms.items()}
        return Bins(fields, labels, codes[first], counts, histograms), groups


@dataclass(frozen=True, slots=True)
class _Recoded:
    """A recoding to levels of hierarchies, and what it made of the bins."""

    levels: Mapping[str, int]
    hierarchies: Sequence[Hierarchy]
    found: tuple[Bins, NDArray[np.int64]]

    def is_of(self, levels: Mapping[str, int], hierarchies: Sequence[Hierarchy]) -> bool:
        return self.levels == levels and all(
            mine is theirs for mine, theirs in zip(self.hierarchies, hierarchies, strict=True)
        )


def _rolled_up(old: Histogram, groups: NDArray[np.int64]) -> Histogram:
    width = max(len(old.values), 1)
    values = groups[old.bin_of] * width + old.value_of
    position, first = number_keys(values)
    keys = values[first]
    counts = np.zeros(len(keys), np.int64)
    np.add.at(counts, position, old.counts)
    return replace(
        old, bin_of=keys // width, value_of=(keys % width).astype(np.int32), counts=counts
    )
