"""The dates of each person in a table, and the days between any two of them.

A shift moves all dates of a person by the same number of days, so the days between them stay as
they were. A recipient who knows that a person returned after 113 days finds the same interval in
the release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import Frequencies
from sfumato.hierarchies import SUPPRESSED, Label

MOSTLY = 0.9
"""The share of a field's labels that must be whole days for it to be a field of dates."""
MOST_DATES = 12
"""The most dates of one person that are compared, evenly over time: 66 intervals."""
_DAY = len("2026-11-18")
_NO_DAY = -1

Interval = tuple[str, str, int]
"""The fields of two dates, and the days from the first to the second."""


class PersonTable(Protocol):
    """A table of people: its different rows, with their person first where `person` is known."""

    @property
    def person(self) -> str | None: ...

    @property
    def frequencies(self) -> Frequencies: ...

    def called(self, field: str) -> str: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class PersonDates:
    """Dates of people in one of several tables, each with its person."""

    table: str
    person: str
    frequencies: Frequencies

    def called(self, field: str) -> str:
        return f"{self.table}.{field}"


@dataclass(frozen=True, eq=False, kw_only=True)
class DateEvents:
    """The dates of people: `whose` has the person of each, `kind` which of `kinds` it is (a field,
    with its table where there are several), and `day` its number; in the order of people and
    days."""

    kinds: tuple[str, ...]
    people: int
    whose: NDArray[np.int64]
    kind: NDArray[np.int64]
    day: NDArray[np.int64]

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Where the dates of each person begin, and where the last one's end."""
        return np.searchsorted(self.whose, np.arange(self.people + 1))

    @property
    def have_two(self) -> NDArray[np.int64]:
        """The people with at least two dates."""
        return np.flatnonzero(np.diff(self.edges) > 1)

    @cached_property
    def _dates(self) -> tuple[list[int], list[int]]:
        """Kinds and days as lists, which are read one by one."""
        return self.kind.tolist(), self.day.tolist()

    def intervals(self, person: int) -> tuple[Interval, ...]:
        """All days between two dates of a person, each once."""
        first, last = self.edges[person : person + 2].tolist()
        places: Sequence[int] = range(first, last)
        if len(places) > MOST_DATES:
            places = np.linspace(first, last - 1, MOST_DATES).astype(int).tolist()
        found = (self._between(one, other) for one, other in combinations(places, 2))
        return tuple(dict.fromkeys(found))

    def _between(self, one: int, other: int) -> Interval:
        """From the first kind; dates of one kind are in their order."""
        kind, day = self._dates
        if kind[one] > kind[other]:
            one, other = other, one
        return self.kinds[kind[one]], self.kinds[kind[other]], day[other] - day[one]


def date_events(tables: Iterable[PersonTable]) -> DateEvents:
    """The dates of the people of one or several tables.

    Example:
        >>> from sfumato.engines import open_source
        >>> rows = [{"who": "1", "day": "2026-01-05"}, {"who": "1", "day": "2026-04-28"}]
        >>> with open_source(rows, engine="reference") as engine:
        ...     found = engine.frequencies(("who", "day"))
        >>> visits = PersonDates(table="visits", person="who", frequencies=found)
        >>> date_events([visits]).intervals(0)
        (('visits.day', 'visits.day', 113),)
    """
    numbers: dict[Label, int] = {}
    kinds: list[str] = []
    found: list[tuple[NDArray[np.int64], int, NDArray[np.int64]]] = []
    people = 0
    for table in tables:
        rows = table.frequencies
        column = 0 if table.person is None else 1
        dated = {
            place: days
            for place, labels in enumerate(rows.values)
            if place >= column and (days := _days(labels)) is not None
        }
        if not dated:
            continue
        codes = rows.codes
        if table.person is None:
            codes = np.repeat(codes, rows.counts, axis=0)
            person = np.arange(len(codes), dtype=np.int64)
            people = max(people, len(codes))
        else:
            number = [
                -1 if label is None else numbers.setdefault(label, len(numbers))
                for label in rows.values[0]
            ]
            person = np.array(number, np.int64)[codes[:, 0]]
        for place, days in dated.items():
            kinds.append(table.called(rows.fields[place]))
            day = days[codes[:, place]]
            there = (day > _NO_DAY) & (person >= 0)
            found.append((person[there], len(kinds) - 1, day[there]))
    return _sorted(found, kinds, people=max(people, len(numbers)))


def _sorted(
    found: Iterable[tuple[NDArray[np.int64], int, NDArray[np.int64]]],
    kinds: Sequence[str],
    *,
    people: int,
) -> DateEvents:
    """Each date of a person once."""
    rows = [
        np.stack([person, day, np.full(len(day), kind, np.int64)], axis=1)
        for person, kind, day in found
    ]
    every = np.unique(np.concatenate(rows), axis=0) if rows else np.zeros((0, 3), np.int64)
    return DateEvents(
        kinds=tuple(kinds), people=people, whose=every[:, 0], kind=every[:, 2], day=every[:, 1]
    )


def _days(labels: Sequence[Label]) -> NDArray[np.int64] | None:
    """The labels of a field as numbers of days; None where they are mostly something else."""
    told = [label for label in labels if label not in (None, SUPPRESSED)]
    days = np.fromiter(_each_day(labels), np.int64, len(labels))
    if not told or (days > _NO_DAY).sum() < MOSTLY * len(told):
        return None
    return days


def _each_day(labels: Sequence[Label]) -> Iterator[int]:
    """A whole day, also with a time of day; -1 for anything else."""
    for label in labels:
        text = "" if label is None else label
        rest = text[_DAY : _DAY + 1]
        try:
            yield date.fromisoformat(text[:_DAY]).toordinal() if rest in ("", " ", "T") else _NO_DAY
        except ValueError:
            yield _NO_DAY
