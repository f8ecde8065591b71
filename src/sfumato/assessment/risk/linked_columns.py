"""Released fields as columns whose rows belong to people: which people a set of fields singles out,
where a person has several rows, in one table or in several.

Somebody may know values of one row of a person, and the person's own fields beside them. A set of
fields is therefore counted in one table, with the fields of the tables that have one row for each
person. A set over two tables with several rows each is not counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import SUPPRESSED, Label

from .person_facts import FactTable

Marks = NDArray[np.bool_]
Numbers = NDArray[np.int64]
SILENT = -1
"""The code of a cell that carries no information."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _LinkedRows:
    """The different rows of a table: whose each is, and the codes of its columns by their place
    among all columns."""

    person: Numbers
    codes: dict[int, Numbers]

    @property
    def is_one_each(self) -> bool:
        return len(np.unique(self.person)) == len(self.person)

    def beside(self, other: _LinkedRows, people: int) -> _LinkedRows:
        """These rows, with the columns of a table that has one row for each person."""
        place = np.full(people, -1)
        place[other.person] = np.arange(len(other.person))
        at = place[self.person]
        brought = {
            column: np.where(at >= 0, codes[at], SILENT) for column, codes in other.codes.items()
        }
        return _LinkedRows(person=self.person, codes={**brought, **self.codes})


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedColumns:
    """The columns of all tables, counted in people."""

    units: int
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    tables: tuple[_LinkedRows, ...]

    @classmethod
    def of(cls, tables: Sequence[FactTable]) -> LinkedColumns:
        numbers: dict[Label, int] = {}
        names: list[str] = []
        sizes: list[int] = []
        read = []
        for table in tables:
            read.append(_rows_of(table, numbers, first=len(names)))
            names += [table.called(each) for each in table.fields]
            sizes += [max(len(labels), 1) for labels in table.frequencies.values[1:]]
        people = len(numbers)
        one_each = [rows for rows in read if rows.is_one_each]
        several = [rows for rows in read if not rows.is_one_each]
        whole = _LinkedRows(person=np.arange(people), codes={})
        for rows in one_each:
            whole = whole.beside(rows, people)
        wide = tuple(rows.beside(whole, people) for rows in several)
        return cls(
            units=people,
            names=tuple(names),
            sizes=tuple(sizes),
            tables=(*([whole] if one_each else []), *wide),
        )

    @property
    def rows(self) -> int:
        """The rows that are counted for a set, in the largest table."""
        return max((len(rows.person) for rows in self.tables), default=0)

    @property
    def telling(self) -> tuple[int, ...]:
        """The columns with more than one value, those with the most values first."""
        varied = {
            column
            for rows in self.tables
            for column, codes in rows.codes.items()
            if len(codes) and np.ptp(codes) > 0
        }
        return tuple(sorted(varied, key=lambda column: -self.sizes[column]))

    def alone(self, chosen: Sequence[int]) -> Marks | None:
        """Which people have a row with values of these columns that nobody else has; None where no
        table has all of them."""
        rows = next((each for each in self.tables if set(chosen) <= each.codes.keys()), None)
        if rows is None:
            return None
        told = np.all([rows.codes[column] >= 0 for column in chosen], axis=0)
        person = rows.person[told]
        key = np.zeros(len(person), np.int64)
        for column in chosen:
            key = key * self.sizes[column] + rows.codes[column][told]
            _, key = np.unique(key, return_inverse=True)
        pairs = np.unique(key * max(self.units, 1) + person)
        keys, people = np.divmod(pairs, max(self.units, 1))
        marks = np.zeros(self.units, bool)
        marks[people[np.bincount(keys)[keys] == 1]] = True
        return marks


def _rows_of(table: FactTable, numbers: dict[Label, int], *, first: int) -> _LinkedRows:
    """The rows of a table that belong to somebody; people of several tables are numbered alike."""
    found = table.frequencies
    number = [
        SILENT if label is None else numbers.setdefault(label, len(numbers))
        for label in found.values[0]
    ]
    person = np.array(number, np.int64)[found.codes[:, 0]] if number else np.zeros(0, np.int64)
    somebody = person >= 0
    codes = {}
    for at, labels in enumerate(found.values[1:]):
        says = np.array([label not in (None, SUPPRESSED) for label in labels], bool)
        own = found.codes[somebody, at + 1].astype(np.int64)
        codes[first + at] = np.where(says[own], own, SILENT) if len(says) else own
    return _LinkedRows(person=person[somebody], codes=codes)
