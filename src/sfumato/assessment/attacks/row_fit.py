"""Which released rows fit a person, and which people fit a released row: coverings of all fields,
put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import Codes, Label
from sfumato.measures import Marks, Records, Subject, covering

CELLS = 2**24
"""How many pairs of a person and an item are compared at once: they fit in a processor's cache and
little memory."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Fits:
    """Pairs that fit in every field: `marks[f][a, i]` is whether the codes a of one who asks and i
    of an item fit there."""

    marks: Sequence[Marks]
    asked: Codes
    items: Codes

    def batches(self) -> Iterator[tuple[slice, Marks]]:
        """A few of those who ask at a time, and which items fit each."""
        for part in parts(len(self.asked), len(self.items)):
            yield part, self._fitting(self.asked[part])

    def _fitting(self, asked: Codes) -> Marks:
        found = np.ones((len(asked), len(self.items)), bool)
        for column, marks in enumerate(self.marks):
            if marks.all():
                continue
            used, place = np.unique(asked[:, column], return_inverse=True)
            found &= marks[used][:, self.items[:, column]][place]
        return found

    def totals(self, weights: NDArray[np.integer]) -> NDArray[np.int64]:
        """For each who asks, the sum of the weights of what fits."""
        out = np.zeros(len(self.asked), np.int64)
        for part, found in self.batches():
            out[part] = weigh(found, weights)
        return out


def weigh(found: Marks, weights: NDArray[np.integer]) -> NDArray[np.int64]:
    """Sums of weights by a product of reals, many times faster than one of whole numbers. Sums
    below 16 million are exact; beyond that nobody asks whether it is one."""
    whole: NDArray[np.int64] = np.rint(
        found.astype(np.float32) @ weights.astype(np.float32)
    ).astype(np.int64)
    return whole


def parts(asked: int, items: int) -> Iterator[slice]:
    """Slices of those who ask, so that no step looks at more than CELLS pairs."""
    step = max(CELLS // max(items, 1), 1)
    for start in range(0, asked, step):
        yield slice(start, min(start + step, asked))


def used_only(
    labels: Sequence[Label], codes: NDArray[np.integer]
) -> tuple[tuple[Label, ...], NDArray[np.int32]]:
    """The labels that occur, and the codes into those: a matrix is then no larger than it must
    be."""
    used, place = np.unique(codes, return_inverse=True)
    return tuple(labels[code] for code in used.tolist()), place.reshape(-1).astype(np.int32)


def tight(records: Records) -> Records:
    """The same records with the labels that occur in them alone."""
    columns = [used_only(labels, records.codes[:, at]) for at, labels in enumerate(records.labels)]
    codes = np.stack([codes for _, codes in columns], axis=1) if columns else records.codes
    return Records(records.fields, tuple(labels for labels, _ in columns), codes)


def rows_for_people(subject: Subject, people: Records, rows: Bins, fields: Sequence[str]) -> Fits:
    """The released tuples that cover what is known of each person."""
    asked = np.zeros((len(people), len(fields)), np.int32)
    marks = []
    for at, name in enumerate(fields):
        mine = people.fields.index(name)
        values, asked[:, at] = used_only(people.labels[mine], people.codes[:, mine])
        labels = rows.labels[rows.column(name)]
        marks.append(covering(labels, values, subject.hierarchies.get(name), nulls=subject.nulls).T)
    return Fits(
        marks=marks, asked=asked, items=rows.codes[:, [rows.column(name) for name in fields]]
    )


def people_for_rows(subject: Subject, rows: Records, people: Bins) -> Fits:
    """The people whom the labels of each released row cover, in all of its fields."""
    asked = np.zeros((len(rows), len(rows.fields)), np.int32)
    marks = []
    for at, name in enumerate(rows.fields):
        labels, asked[:, at] = used_only(rows.labels[at], rows.codes[:, at])
        values = people.labels[people.column(name)]
        marks.append(covering(labels, values, subject.hierarchies.get(name), nulls=subject.nulls))
    return Fits(
        marks=marks,
        asked=asked,
        items=people.codes[:, [people.column(name) for name in rows.fields]],
    )
