"""Released rows beside their subjects, for as long as these are known: while steps are applied.

Bins do not identify the person of a row. Where values were swapped, encrypted or moved, a pairing
shows whether a row still leads to its own person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Codes, Hierarchy, Label

from .bins import Bins
from .population import levels_of, lowest_codes
from .tuple_groups import group

Numbers = NDArray[np.int64]

NOBODY = -1
MOSTLY = 0.5
"""A field is kept where rows agree with their subjects by more than this, between chance (0) and
everywhere (1)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Under:
    """Counts under each of some bins: subjects, released rows, and `home` rows, whose own subject
    is under the bin too. Where one subject is under the bin, the rows with that subject's collected
    values are counted too."""

    subjects: Numbers
    rows: Numbers
    home: Numbers
    right: Numbers


@dataclass(frozen=True, eq=False, kw_only=True)
class Pairing:
    """Subjects and released rows, one entry of these bins for each; `own` has each row's place
    among the subjects, NOBODY for a row that was made up.

    `collected` and `said` number the values outside the quasi-identifier, of each subject as
    collected and in each released row. Equal numbers mean equal values. Both are empty where there
    are no such values."""

    subjects: Bins
    released: Bins
    own: Numbers
    collected: Numbers
    said: Numbers

    @classmethod
    def of(
        cls,
        fields: Sequence[str],
        *,
        subjects: Sequence[Sequence[Label]],
        released: Sequence[Sequence[Label]],
        own: Sequence[int],
        collected: Sequence[Label] = (),
        said: Sequence[Label] = (),
    ) -> Pairing:
        """Written out by hand.

        Example:
            >>> people = [("1965",), ("1964",), ("1963",)]
            >>> Pairing.of(("birth",), subjects=people, released=people, own=(1, 2, 0))
            Pairing(fields=('birth',), subjects=3, rows=3)
        """
        index: dict[Label, int] = {}
        outside = [
            [index.setdefault(value, len(index)) for value in values]
            for values in (collected, said)
        ]
        return cls(
            subjects=_one_each(fields, subjects),
            released=_one_each(fields, released),
            own=np.array(own, np.int64),
            collected=np.array(outside[0], np.int64),
            said=np.array(outside[1], np.int64),
        )

    def __repr__(self) -> str:
        return (
            f"Pairing(fields={self.subjects.fields!r}, subjects={len(self.subjects)}, "
            f"rows={len(self.released)})"
        )

    def kept(self, fields: Sequence[str]) -> tuple[str, ...]:
        """The fields in which most rows still have the true value of their own subject, more than
        by chance.

        An attacker who learns that the other fields were changed ignores them and looks up these
        alone. Agreement is measured by kappa (Cohen 1960), so that swapped values of a field with
        few do not count as kept.

        Example:
            >>> people = [("1965", "f"), ("1964", "m"), ("1963", "f"), ("1962", "m")]
            >>> moved = [("1964", "f"), ("1965", "m"), ("1962", "f"), ("1963", "m")]
            >>> Pairing.of(("birth", "sex"), subjects=people, released=moved, own=(0, 1, 2, 3)).kept(("birth", "sex"))
            ('sex',)
        """
        return tuple(name for name in fields if self._kappa(name) > MOSTLY)

    def _kappa(self, name: str) -> float:
        """How far rows agree with their own subjects in a field: 1 where all do, 0 where as many do
        as by chance."""
        real = self.own != NOBODY
        theirs, mine = (table.column(name) for table in (self.subjects, self.released))
        index = {label: code for code, label in enumerate(self.subjects.labels[theirs])}
        translate = np.array(
            [*(index.get(label, -1) for label in self.released.labels[mine]), -1], np.int64
        )
        said = translate[self.released.codes[real, mine]]
        true = self.subjects.codes[self.own[real], theirs].astype(np.int64)
        if not len(true):
            return 0.0
        shares = [
            np.bincount(codes[codes >= 0], minlength=len(index)) / len(true)
            for codes in (said, true)
        ]
        chance = float(shares[0] @ shares[1])
        return (float((said == true).mean()) - chance) / (1.0 - chance) if chance < 1.0 else 0.0

    def under(
        self, bins: Bins, fields: Sequence[str], hierarchies: Mapping[str, Hierarchy]
    ) -> Under:
        """The counts under the labels of each bin in `fields`, with one pass over all rows for each
        combination of levels.

        Example:
            >>> people = [("1965",), ("1964",), ("1963",)]
            >>> swapped = Pairing.of(("birth",), subjects=people, released=people, own=(1, 0, 2))
            >>> swapped.under(Bins.of(("birth",), {("1965",): 1, ("1963",): 1}), ("birth",), {}).home.tolist()
            [0, 1]
        """
        mine = bins.project(fields) if tuple(fields) != bins.fields else bins
        groups, _ = bins.group_of(fields)
        tables = tuple(_over(table, fields) for table in (self.subjects, self.released))
        lowest = tuple(lowest_codes(table, hierarchies) for table in tables)
        patterns, pattern_of = np.unique(levels_of(mine, hierarchies), axis=0, return_inverse=True)
        out = np.zeros((4, len(mine)), np.int64)
        for number, pattern in enumerate(patterns):
            at = np.flatnonzero(pattern_of.reshape(-1) == number)
            placed = [
                _placed(table, low, mine, at, levels=pattern.tolist(), hierarchies=hierarchies)
                for table, low in zip(tables, lowest, strict=True)
            ]
            out[:, at] = self._counted(placed[0], placed[1], len(at))
        return Under(
            **dict(zip(("subjects", "rows", "home", "right"), out[:, groups], strict=True))
        )

    def wrong_values(self, fields: Sequence[str]) -> Numbers:
        """Rows whose values lead to one subject and whose other values are not those collected of
        that subject.

        Example:
            >>> people = [("1965",), ("1964",), ("1963",)]
            >>> swapped = Pairing.of(("birth",), subjects=people, released=people, own=(1, 2, 0),
            ...                      collected=("flu", "gout", "flu"), said=("gout", "flu", "flu"))
            >>> swapped.wrong_values(("birth",)).tolist()
            [1, 0]
        """
        subjects, released = (_over(table, fields) for table in (self.subjects, self.released))
        groups, _ = group(subjects.codes, [len(names) for names in subjects.labels])
        everyone, levels = np.arange(len(subjects)), [0] * len(fields)
        home = _placed(released, released.codes, subjects, everyone, levels=levels, hierarchies={})
        known = home >= 0
        known[known] = np.bincount(groups)[groups[home[known]]] == 1
        said, collected = self.said[known], self.collected[home[known]]
        return np.asarray(said[said != collected])

    def _counted(self, of_subjects: Numbers, of_rows: Numbers, size: int) -> Numbers:
        """For each of some bins the four counts of Under, from the bin of each subject and each
        row."""
        inside = of_rows >= 0
        subjects = np.bincount(of_subjects[of_subjects >= 0], minlength=size)
        home = inside & (self.own != NOBODY)
        home[home] = of_subjects[self.own[home]] == of_rows[home]
        right = np.zeros_like(inside)
        if len(self.said):
            only = np.full(size, NOBODY)
            there = of_subjects >= 0
            only[of_subjects[there]] = np.flatnonzero(there)
            right = inside.copy()
            right[inside] = subjects[of_rows[inside]] == 1
            right[right] = self.collected[only[of_rows[right]]] == self.said[right]
        marks = (inside, home, right)
        return np.stack([subjects, *(np.bincount(of_rows[mark], minlength=size) for mark in marks)])


def _placed(
    table: Bins,
    lowest: Codes,
    bins: Bins,
    at: Numbers,
    *,
    levels: Sequence[int],
    hierarchies: Mapping[str, Hierarchy],
) -> Numbers:
    """For each entry of the table the place, among the bins `at`, of the one above it; -1 where
    none is.

    These bins have labels of the same levels, so that no entry is under two.
    """
    codes = np.zeros((len(table), len(levels)), np.int32)
    for column, (name, level) in enumerate(zip(table.fields, levels, strict=True)):
        index = {label: code for code, label in enumerate(bins.labels[column])}
        names = hierarchies[name].labels[level] if level else table.labels[column]
        theirs = np.array([*(index.get(label, -1) for label in names), -1], np.int32)
        if level:
            low = lowest[:, column]
            codes[:, column] = theirs[np.where(low >= 0, hierarchies[name].up[level][low], -1)]
        else:
            codes[:, column] = theirs[table.codes[:, column]]
    known = (codes >= 0).all(axis=1)
    both = np.concatenate([bins.codes[at], codes[known]])
    groups, _ = group(both, [len(names) for names in bins.labels])
    place_of = np.full(int(groups.max()) + 1 if len(groups) else 0, -1, np.int64)
    place_of[groups[: len(at)]] = np.arange(len(at))
    out = np.full(len(table), -1, np.int64)
    out[known] = place_of[groups[len(at) :]]
    return out


def _over(table: Bins, fields: Sequence[str]) -> Bins:
    """The entries over fewer fields, equal ones not summed."""
    columns = [table.column(name) for name in fields]
    return Bins(
        tuple(fields),
        tuple(table.labels[c] for c in columns),
        table.codes[:, columns],
        table.counts,
    )


def _one_each(fields: Sequence[str], rows: Sequence[Sequence[Label]]) -> Bins:
    """One entry for each row, equal ones not summed."""
    indexes: list[dict[Label, int]] = [{} for _ in fields]
    codes = [
        [index.setdefault(v, len(index)) for v, index in zip(row, indexes, strict=True)]
        for row in rows
    ]
    numbers = np.array(codes, np.int32).reshape(len(rows), len(fields))
    return Bins(tuple(fields), tuple(map(tuple, indexes)), numbers, np.ones(len(rows), np.int64))
