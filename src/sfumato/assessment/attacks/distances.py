"""How far each released row is from a person: distances field by field, put together (Gower 1971).

A label that covers the person's value is at distance 0. Else numbers and dates are as far apart as
their gap in shares of the field's range, and everything else is at distance 1. Distances are whole
numbers of thousandths, so that rows that are equally near are exactly equally near."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins
from sfumato.hierarchies import Codes, Hierarchy, Label
from sfumato.measures import Marks, Records, Subject, covering

from .field_scale import FieldScale, Measure, measure_of, scale
from .row_fit import parts, tight, used_only

WHOLE = 1_000
"""The distance of one field where nothing is alike."""

Distances = NDArray[np.int16]
Far = Callable[
    [Sequence[Label], Sequence[Label], FieldScale | None, Hierarchy | None, Marks],
    NDArray[np.float64],
]


@dataclass(frozen=True, eq=False, kw_only=True)
class Nearness:
    """`tables[f][p, l]` is the distance of a person's value from a label, as codes of `asked` and
    `items`."""

    tables: Sequence[Distances]
    asked: Codes
    items: Codes

    def batches(self) -> Iterator[tuple[slice, Distances]]:
        """A few people at a time, and how far each item is from each."""
        for part in parts(len(self.asked), 2 * len(self.items)):
            yield part, self._distances(self.asked[part])

    def _distances(self, asked: Codes) -> Distances:
        """Few people share a value: one row of the table at a time is spread over the items and
        added in place."""
        kind = np.int16 if len(self.tables) < 32 else np.int32
        out = np.zeros((len(asked), len(self.items)), kind)
        for column, table in enumerate(self.tables):
            used, place = np.unique(asked[:, column], return_inverse=True)
            out += table[used][:, self.items[:, column]][place]
        return out


def gower(
    values: Sequence[Label],
    labels: Sequence[Label],
    on: FieldScale | None,
    hierarchy: Hierarchy | None,
    same: Marks,
) -> NDArray[np.float64]:
    """Distances of one field between 0 and 1; `same[v, l]` marks labels that cover a value."""
    if on is None:
        return np.where(same, 0.0, 1.0)
    return np.where(same, 0.0, np.nan_to_num(on.gaps() / on.range, nan=1.0))


def nearness(
    subject: Subject,
    people: Records,
    rows: Bins,
    fields: Sequence[str],
    *,
    far: Far = gower,
    kinds: Records | None = None,
) -> Nearness:
    """Distances of people from released tuples over `fields`. The scale of a field is read from
    `kinds`, by default from the people themselves."""
    asked = np.zeros((len(people), len(fields)), np.int32)
    tables = []
    for at, name in enumerate(fields):
        mine = people.fields.index(name)
        values, asked[:, at] = used_only(people.labels[mine], people.codes[:, mine])
        labels = rows.labels[rows.column(name)]
        measure = _measure(name, kinds or people)
        tables.append(_table(subject, name, values, labels, measure=measure, far=far))
    return Nearness(
        tables=tables, asked=asked, items=rows.codes[:, [rows.column(name) for name in fields]]
    )


def _measure(name: str, people: Records) -> Measure | None:
    return measure_of(people.labels[people.fields.index(name)])


def _table(
    subject: Subject,
    name: str,
    values: Sequence[Label],
    labels: Sequence[Label],
    *,
    measure: Measure | None,
    far: Far,
) -> Distances:
    hierarchy = subject.hierarchies.get(name)
    same = covering(labels, values, hierarchy, nulls=subject.nulls).T
    on = scale(values, labels, hierarchy, measure=measure)
    table = np.zeros(same.shape, np.int16)
    for part in parts(len(values), 8 * len(labels)):
        here = None if on is None else replace(on, at=on.at[part])
        distances = np.rint(far(values[part], labels, here, hierarchy, same[part]) * WHOLE)
        table[part] = np.where(same[part], 0, np.clip(distances, 1, WHOLE))
    return table


def away_from_rows(
    subject: Subject, rows: Records, people: Bins, besides: Records | None = None
) -> Iterator[tuple[slice, NDArray[np.int32], NDArray[np.int32]]]:
    """How far everyone is from each row over all of its fields, a few rows at a time. It also has
    the distance of the one `besides` it, who need not be among the people. It is the reverse of
    `nearness`, for rows that cover nobody."""
    for part in parts(len(rows), 4 * len(people)):
        some = tight(rows.only(np.arange(part.start, part.stop)))
        everyone = np.zeros((len(some), len(people)), np.int32)
        own = np.zeros(len(some), np.int32)
        for at, name in enumerate(some.fields):
            column = people.column(name)
            theirs: tuple[Label, ...] = people.labels[column]
            mine: tuple[Label, ...] = ()
            if besides is not None:
                mine, which = used_only(
                    besides.labels[besides.fields.index(name)], _column(besides, name, part)
                )
            values = tuple(dict.fromkeys((*theirs, *mine)))
            measure = measure_of(theirs)
            table = _table(subject, name, values, some.labels[at], measure=measure, far=gower).T
            everyone += table[some.codes[:, at]][:, people.codes[:, column]]
            if besides is not None:
                place = {value: number for number, value in enumerate(values)}
                own += table[
                    some.codes[:, at], np.array([place[value] for value in mine], np.int64)[which]
                ]
        yield part, everyone, own


def _column(records: Records, name: str, part: slice) -> NDArray[np.int32]:
    return records.codes[part, records.fields.index(name)]


def nearest(distances: Distances) -> Marks:
    """The items that are nearest to each person, all of them where several are equally near."""
    marks: Marks = distances == distances.min(axis=1, keepdims=True)
    return marks
