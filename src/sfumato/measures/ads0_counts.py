"""How many people of a table each released tuple covers, whatever its labels are: levels, sets or
ranges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, population_counts
from sfumato.hierarchies import Hierarchy
from sfumato.policy import NullRule

from .label_coverage import Marks, covering

_CELLS = 2**25
"""Pairs of a label and a value that are held at once."""


def people_under(
    release: Bins,
    people: Bins,
    fields: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    *,
    nulls: NullRule = NullRule.VALUE,
) -> NDArray[np.int64]:
    """For each released bin, the people (values of level 0) whom its labels in `fields` cover.

    Labels that the hierarchies have, and values, are counted by keyed sums. Other labels are read
    by their form (`covering`): a set or a range of a local recoding, or a suppressed cell of a
    field without a hierarchy. So are bins that meet a null that matches anything under the null
    rule. The people of the field in which the fewest fit are taken, and the other fields are
    compared with these alone.

    Example:
        >>> people = Bins.of(("age", "zip"), {("31", "02138"): 2, ("34", "02139"): 1, ("60", "02139"): 4})
        >>> release = Bins.of(("age", "zip"), {("30..39", "*"): 3, ("{31, 60}", "02139"): 4})
        >>> people_under(release, people, ("age", "zip"), {}).tolist()
        [3, 4]
    """
    mine = release if tuple(fields) == release.fields else release.project(fields)
    groups, _ = release.group_of(fields)
    theirs = people if tuple(fields) == people.fields else people.project(fields)
    to_read = _to_read(mine, theirs, hierarchies, nulls)
    counts = np.zeros(len(mine), np.int64)
    if not to_read.all():
        counts[~to_read] = population_counts(mine.only(~to_read), theirs, fields, hierarchies)
    if to_read.any():
        counts[to_read] = _read(mine.only(to_read), theirs, hierarchies, nulls)
    return counts[groups]


def _to_read(
    release: Bins, people: Bins, hierarchies: Mapping[str, Hierarchy], nulls: NullRule
) -> Marks:
    """Which bins have a label that neither a hierarchy nor the people's own values have, or that a
    null may match."""
    found = np.zeros(len(release), bool)
    for column, name in enumerate(release.fields):
        anything = nulls is NullRule.MATCHES_ANYTHING
        if anything and None in people.labels[column]:
            return np.ones(len(release), bool)
        known = hierarchies[name].levels_of(release.labels[column]) if name in hierarchies else {}
        strange = [
            code
            for code, label in enumerate(release.labels[column])
            if label not in known or (anything and label is None)
        ]
        values = set(people.labels[column]) if strange else set()
        if anything:
            values.discard(None)
        marked = np.zeros(len(release.labels[column]), bool)
        marked[[code for code in strange if release.labels[column][code] not in values]] = True
        if marked.any():
            found |= marked[release.codes[:, column]]
    return found


def _read(
    release: Bins, people: Bins, hierarchies: Mapping[str, Hierarchy], nulls: NullRule
) -> NDArray[np.int64]:
    counts = np.zeros(len(release), np.int64)
    index = [
        _Index(people.codes[:, column], len(people.labels[column]))
        for column in range(len(people.fields))
    ]
    for part in _parts(release, people):
        marks, places = [], []
        for column, name in enumerate(release.fields):
            used, place = np.unique(release.codes[part, column], return_inverse=True)
            labels = [release.labels[column][code] for code in used.tolist()]
            marks.append(
                covering(labels, people.labels[column], hierarchies.get(name), nulls=nulls)
            )
            places.append(place.reshape(-1))
        fitting = np.stack(
            [(m @ at.sizes)[p] for m, at, p in zip(marks, index, places, strict=True)]
        )
        narrowest = fitting.argmin(axis=0)
        for number in np.flatnonzero(fitting.min(axis=0)).tolist():
            first = int(narrowest[number])
            found = index[first].rows_of(marks[first][places[first][number]])
            for column, mark in enumerate(marks):
                if column != first and len(found):
                    found = found[mark[places[column][number]][people.codes[found, column]]]
            counts[part.start + number] = people.counts[found].sum()
    return counts


def _parts(release: Bins, people: Bins) -> Iterator[slice]:
    """Some of the released bins at a time, so that their labels against all values fit into
    memory."""
    widest = max((len(names) for names in people.labels), default=1)
    step = max(_CELLS // max(widest, 1), 1)
    for start in range(0, len(release), step):
        yield slice(start, min(start + step, len(release)))


class _Index:
    """The rows that hold each code of one field."""

    def __init__(self, codes: NDArray[np.int32], values: int) -> None:
        self.sizes = np.bincount(codes, minlength=values)
        self.order = np.argsort(codes, kind="stable")
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])

    def rows_of(self, held: Marks) -> NDArray[np.int64]:
        pieces = [
            self.order[self.starts[code] : self.starts[code + 1]]
            for code in np.flatnonzero(held).tolist()
        ]
        return np.concatenate(pieces)
