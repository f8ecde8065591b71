"""The released facts of each person: the values in all of their rows and tables, and the other
people with each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import group
from sfumato.engines import Engine, Frequencies
from sfumato.hierarchies import SUPPRESSED, Label

Codes = NDArray[np.int32]
Numbers = NDArray[np.int64]

ONCE = 0.95
"""A field that has a value only once in the rows of so many people identifies the reading of a
row."""
SHARED = 3
"""So many people have each value of such a field on average, as of an hour or the number of a
visit."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FactTable:
    """One released table: the `fields` about a person, and the field that identifies the person;
    None where each row is a person's only one."""

    engine: Engine
    fields: tuple[str, ...]
    person: str | None = None
    name: str = ""

    def called(self, field: str) -> str:
        """A field of several tables by its table too."""
        return f"{self.name}.{field}" if self.name else field

    @cached_property
    def frequencies(self) -> Frequencies:
        """All different rows, with their person first where it is known; read once."""
        whose = () if self.person is None else (self.person,)
        return self.engine.frequencies((*whose, *self.fields))


@dataclass(frozen=True, eq=False, kw_only=True)
class FactField:
    """One field's values and who has them: the people of value v are `people[start[v]:start[v + 1]]`,
    each once, in order. Null, `*` and what everybody has are no values. In a series the value is
    read together with which reading it is (`of`)."""

    table: str
    name: str
    of: tuple[str, ...]
    start: Numbers
    people: Codes

    @property
    def called(self) -> str:
        return f"{self.table}.{self.name}" if self.table else self.name


@dataclass(frozen=True, eq=False, kw_only=True)
class PersonFacts:
    """Everything released about people, by field. With `linked`, rows of one person can be linked,
    which makes a series of them."""

    people: int
    fields: tuple[FactField, ...]
    linked: bool

    def only(self, names: Iterable[str]) -> PersonFacts:
        """The fields of these names; a field of several tables is called TABLE.FIELD."""
        wanted = set(names)
        kept = tuple(one for one in self.fields if one.called in wanted)
        return PersonFacts(people=self.people, fields=kept, linked=self.linked)

    @cached_property
    def per_person(self) -> float:
        """How many values a person has on average."""
        return sum(len(one.people) for one in self.fields) / max(self.people, 1)


def person_facts(tables: Sequence[FactTable]) -> PersonFacts:
    """The facts of the people of one or several tables, each table read by one group-by.

    Example:
        >>> from sfumato.engines import open_source
        >>> rows = [{"who": "1", "ill": "flu"}, {"who": "1", "ill": "gout"}, {"who": "2", "ill": "flu"}]
        >>> with open_source(rows, engine="reference") as engine:
        ...     facts = person_facts([FactTable(engine=engine, fields=("ill",), person="who")])
        >>> facts.people, [one.people.tolist() for one in facts.fields]
        (2, [[0]])
    """
    numbers: dict[Label, int] = {}
    read = [_rows_of(table, numbers) for table in tables]
    by_person = any(table.person is not None for table in tables)
    people = len(numbers) if by_person else max((len(row.person) for row in read), default=0)
    linked = by_person and (
        len(tables) > 1 or any(len(row.person) > len(np.unique(row.person)) for row in read)
    )
    fields = [
        one for table, row in zip(tables, read, strict=True) for one in _fields(table, row, people)
    ]
    return PersonFacts(people=people, fields=tuple(fields), linked=linked)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Rows:
    """Different rows of a table as codes, whose each is, and how many values each field has."""

    person: Codes
    codes: Codes
    labels: tuple[tuple[Label, ...], ...]


def _rows_of(table: FactTable, numbers: dict[Label, int]) -> _Rows:
    """The rows of a table; the people of several tables are numbered alike."""
    if table.person is None:
        found = table.frequencies
        codes = np.repeat(found.codes, found.counts, axis=0)
        return _Rows(person=np.arange(len(codes), dtype=np.int32), codes=codes, labels=found.values)
    found = table.frequencies
    number = np.array(
        [
            -1 if label is None else numbers.setdefault(label, len(numbers))
            for label in found.values[0]
        ],
        np.int32,
    )
    person = number[found.codes[:, 0]] if len(number) else np.zeros(0, np.int32)
    somebody = person >= 0
    return _Rows(person=person[somebody], codes=found.codes[somebody, 1:], labels=found.values[1:])


def _fields(table: FactTable, rows: _Rows, people: int) -> Iterable[FactField]:
    """Each field by itself; in a series together with the fields that identify its reading."""
    which = _reading_fields(rows, people) if table.person is not None else ()
    for column, name in enumerate(table.fields):
        beside = tuple(one for one in which if one != column)
        if column in which and len(which) < len(table.fields):
            beside = ()
        used = (*beside, column)
        says = np.array([label not in (None, SUPPRESSED) for label in rows.labels[column]], bool)
        told = says[rows.codes[:, column]] if len(says) else np.zeros(0, bool)
        codes, person = rows.codes[told][:, used], rows.person[told]
        if len(used) == 1:
            values = codes[:, 0].astype(np.int64)
        else:
            values, _ = group(codes, [len(rows.labels[one]) for one in used])
        start, holders = _holders(values, person, people, once=table.person is None)
        yield FactField(
            table=table.name,
            name=name,
            of=tuple(table.fields[one] for one in beside),
            start=start,
            people=holders,
        )


def _holders(values: Numbers, person: Codes, people: int, *, once: bool) -> tuple[Numbers, Codes]:
    """The people of each value, without a value that all people have."""
    keys = values * max(people, 1) + person
    keys = np.sort(keys) if once else np.unique(keys)
    values, holders = np.divmod(keys, max(people, 1))
    counts = np.bincount(values)
    kept = counts[values] < people
    counts[counts >= people] = 0
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return start, holders[kept].astype(np.int32)


def _reading_fields(rows: _Rows, people: int) -> tuple[int, ...]:
    """The fields that identify the reading of a person's row, such as the hour: hardly anybody has
    a value of them twice, and others have the same values."""
    many = np.bincount(rows.person, minlength=people) > 1
    several = many[rows.person]
    found = []
    for column, labels in enumerate(rows.labels):
        keys = rows.person.astype(np.int64) * max(len(labels), 1) + rows.codes[:, column]
        different, counts = np.unique(keys[several], return_counts=True)
        repeated = np.unique(different[counts > 1] // max(len(labels), 1))
        in_all = len(np.unique(keys))
        if (
            many.any()
            and len(repeated) <= (1 - ONCE) * many.sum()
            and in_all >= SHARED * len(labels)
        ):
            found.append(column)
    return tuple(found)
