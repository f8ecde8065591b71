"""Fields of one table that determine a field of another one over the links between them.

A city that is removed from the patients is disclosed by a code of it among their visits. Two tables
are compared over every table that they meet in: where rows of one link to the other, where rows of
a third link to both, and where rows of both link to a third. In the last case only fields count
that are the same in all rows of one linked key, with at most 1 % of exceptions. Otherwise the
dependences are those of a single table (`dependences.py`), on up to 20,000 rows of each table, one
of each linked key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Protocol

import numpy as np

from sfumato.engines import Database, Join, TableView

from .coded_rows import MISSING, MOST_ROWS, CodedField, Codes, coded_rows
from .date_formats import format_of
from .dependences import DependenceSearch
from .pair_counts import ENOUGH_ROWS, EXCEPTIONS, count_exceptions
from .records import Dependence, DependenceKind
from .twins import holds_in_all, one_row_each, telling_fields

Columns = Mapping[str, CodedField]


class TableLink(Protocol):
    """A field whose values are those of `key` in one row of `table`."""

    @property
    def field(self) -> str: ...
    @property
    def table(self) -> str: ...
    @property
    def key(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class LinkedFields:
    """The links of a table, the fields that may disclose another one, and those that may be
    disclosed."""

    key: str
    links: Sequence[TableLink] = ()
    telling: Collection[str] = ()
    told: Collection[str] = ()


@dataclass(frozen=True, kw_only=True)
class LinkedDependence:
    """Fields of `table` that together determine the field `twin` of the table `other`."""

    table: str
    fields: tuple[str, ...]
    other: str
    twin: str
    exceptions: float = 0.0
    is_copy: bool = False
    """Whether the field is, or holds, the same text."""

    @property
    def target(self) -> str:
        """The twin, as TABLE.FIELD."""
        return f"{self.other}.{self.twin}"

    @property
    def sentence(self) -> str:
        named = " and ".join(f"{self.table}.{name}" for name in self.fields)
        return f"{named} {'determine' if len(self.fields) > 1 else 'determines'} {self.target}"


@dataclass(frozen=True, kw_only=True)
class LinkedDependences:
    """What a search over links found, and in sentences what it could not judge."""

    found: tuple[LinkedDependence, ...] = ()
    not_judged: tuple[str, ...] = ()


def find_linked_dependences(
    database: Database, tables: Mapping[str, LinkedFields]
) -> LinkedDependences:
    """The dependences between fields of different tables, each once, in the order of the tables.

    Tables whose rows cannot be read raise SourceError: what nobody judged is not released."""
    search = _LinkedSearch(database, tables)
    found = [*search.find()]
    once = {(each.table, each.fields, each.target): each for each in found[::-1]}
    return LinkedDependences(
        found=tuple(once.values())[::-1],
        not_judged=tuple(
            f"Whether fields of {one} and {other} determine each other was not judged: of the "
            f"{MOST_ROWS:,} rows of each that are compared, too few have a key in common."
            for one, other in search.not_judged
        ),
    )


@dataclass
class _LinkedSearch:
    database: Database
    tables: Mapping[str, LinkedFields]
    read: dict[str, tuple[Columns, dict[str, str]]] = field(default_factory=dict)
    sampled: set[str] = field(default_factory=set)
    not_judged: list[tuple[str, str]] = field(default_factory=list)

    def find(self) -> Iterator[LinkedDependence]:
        above = {name: [*self._above(name)] for name in self.tables}
        for name, tables in above.items():
            for other in tables:
                yield from self._over_rows(name, other, (name, other))
            for one, other in combinations(tables, 2):
                if other not in above[one] and one not in above[other]:
                    yield from self._over_rows(name, one, (one, other))
        for hub in self.tables:
            below = [name for name in self.tables if hub in above[name]]
            for one, other in combinations(below, 2):
                if other in above[one] or one in above[other]:
                    continue
                yield from self._over_key(hub, one, other)

    def _above(self, name: str) -> Iterator[str]:
        """The tables that a table's links lead to, directly or over others."""
        seen, waiting = {name}, [name]
        while waiting:
            for link in self.tables[waiting.pop(0)].links:
                if link.table in self.tables and link.table not in seen:
                    seen.add(link.table)
                    waiting.append(link.table)
                    yield link.table

    def _over_rows(self, rows: str, hub: str, pair: tuple[str, str]) -> Iterator[LinkedDependence]:
        """Two tables whose fields are in the rows of one: of the first of them, or of a third that
        links to both. One row of each key of `hub` counts."""
        if not any(self._may_tell(*each) for each in permutations(pair)):
            return
        columns, keys = self._rows(rows)
        columns = self._of_tables(columns, pair, keys[hub])
        yield from self._judged(columns, pair, one_row_each(columns, keys[hub]))

    def _over_key(self, hub: str, one: str, other: str) -> Iterator[LinkedDependence]:
        """Two tables whose rows have the same linked key: fields that are constant for it."""
        if not any(self._may_tell(*each) for each in permutations((one, other))):
            return
        sides = []
        for name in (one, other):
            columns, keys = self._rows(name)
            sides.append(_constant(self._of_tables(columns, (name,), keys[hub]), keys[hub]))
        columns = _joined(*sides)
        compared = len(next(iter(columns.values())).codes) if columns else 0
        if compared < ENOUGH_ROWS and self.sampled & {one, other}:
            self.not_judged.append((one, other))
        if columns:
            yield from self._judged(columns, (one, other), columns)

    def _may_tell(self, one: str, other: str) -> bool:
        return bool(self.tables[one].telling and self.tables[other].told)

    def _rows(self, name: str) -> tuple[Columns, dict[str, str]]:
        """Rows of a table beside what they link to, each field as TABLE.FIELD, and the field that
        holds the key of each table above."""
        if name not in self.read:
            joins, keys = self._joins(name)
            view = self.database.view(TableView(table=name, joins=tuple(joins)))
            there = {info.name for info in view.fields()}
            own = {each: f"{name}.{each}" for each in self._wanted(name) if each in there}
            links = {link.field for link in self.tables[name].links}
            brought = [called for join in joins for called in join.bring.values()]
            names = [*dict.fromkeys((*own, *(links & there), *brought))]
            rows = self.database.view(TableView(table=name)).count_rows()
            coded = coded_rows(view, names, rows=rows, shorten=True)
            if any(len(each.codes) < rows for each in coded.values()):
                self.sampled.add(name)
            columns = {
                own.get(each, each): CodedField(own.get(each, each), item.codes, item.values)
                for each, item in coded.items()
            }
            columns |= {each: coded[each] for each in links & there}
            self.read[name] = columns, keys
        return self.read[name]

    def _wanted(self, name: str) -> list[str]:
        table = self.tables[name]
        return [*dict.fromkeys((*table.telling, *table.told))]

    def _of_tables(
        self, columns: Columns, tables: Collection[str], key: str
    ) -> dict[str, CodedField]:
        """The columns of some tables, and the linked key."""
        names = [f"{table}.{each}" for table in tables for each in self._wanted(table)]
        return {name: columns[name] for name in dict.fromkeys((*names, key)) if name in columns}

    def _joins(self, name: str) -> tuple[list[Join], dict[str, str]]:
        joins: list[Join] = []
        keys: dict[str, str] = {}
        waiting = [(link, link.field) for link in self.tables[name].links]
        while waiting:
            link, at = waiting.pop(0)
            if link.table not in self.tables or link.table in keys or link.table == name:
                continue
            keys[link.table] = at
            target = self.tables[link.table]
            there = {info.name for info in self.database.view(TableView(table=link.table)).fields()}
            bring = {
                each: f"{link.table}.{each}"
                for each in dict.fromkeys(
                    (*self._wanted(link.table), *(up.field for up in target.links))
                )
                if each in there
            }
            if bring:
                joins.append(Join(field=at, table=link.table, key=link.key, bring=bring))
            waiting += [
                (up, f"{link.table}.{up.field}") for up in target.links if up.field in bring
            ]
        return joins, keys

    def _judged(
        self, columns: Columns, pair: tuple[str, str], rows: Columns
    ) -> Iterator[LinkedDependence]:
        """The dependences by which fields of one table of a pair determine one of the other."""
        for one, other in permutations(pair):
            telling = _called(one, self.tables[one].telling, columns)
            told = _called(other, self.tables[other].told, columns)
            if not telling or not told:
                continue
            chosen = {name: rows[name] for name in (*telling, *told)}
            formats = {n: form for n, each in chosen.items() if (form := format_of(each.values))}
            search = DependenceSearch(
                chosen,
                formats,
                telling=frozenset(telling),
                told=frozenset(told),
                twins=frozenset(told),
            )
            for found in search.find():
                if rows is columns or holds_in_all(found, columns):
                    yield from _told(found, one, other, telling=telling, told=told)


def _told(
    found: Dependence,
    one: str,
    other: str,
    *,
    telling: Mapping[str, str],
    told: Mapping[str, str],
) -> Iterator[LinkedDependence]:
    for fields, twin in telling_fields(found):
        if twin in told and all(name in telling for name in fields):
            yield LinkedDependence(
                table=one,
                fields=tuple(telling[name] for name in fields),
                other=other,
                twin=told[twin],
                exceptions=found.exceptions,
                is_copy=found.kind in (DependenceKind.EQUAL, DependenceKind.PART),
            )


def _called(table: str, names: Collection[str], columns: Columns) -> dict[str, str]:
    """The fields of a table that were read, by their names among the columns."""
    return {f"{table}.{each}": each for each in names if f"{table}.{each}" in columns}


def _constant(columns: Columns, key: str) -> tuple[CodedField, Columns]:
    """One row of each linked key, with the fields that are constant for it, and that key. An empty
    cell is no second value: a field has its value for the key from the rows that hold one."""
    own = columns[key]
    keys = CodedField(key, np.arange(own.distinct), own.values)
    constant = {}
    for name, each in columns.items():
        held = (own.codes != MISSING) & (each.codes != MISSING)
        codes, values = own.codes[held], each.codes[held]
        if name == key or count_exceptions(codes, values) > EXCEPTIONS * len(codes):
            continue
        first = np.full(own.distinct, MISSING)
        found, places = np.unique(codes, return_index=True)
        first[found] = values[places]
        constant[name] = CodedField(name, first, each.values).only(np.arange(own.distinct))
    return keys, constant


def _joined(one: tuple[CodedField, Columns], other: tuple[CodedField, Columns]) -> Columns:
    """The columns of two tables, in the rows of the keys that both have."""
    (first, left), (second, right) = one, other
    place = {
        key: row for key, row in zip(first.texts(_all(first)), _all(first), strict=True) if key
    }
    pairs = [
        (place[key], row)
        for key, row in zip(second.texts(_all(second)), _all(second), strict=True)
        if key in place
    ]
    rows = np.array(pairs, np.int64).reshape(-1, 2)
    return {
        **{name: each.only(rows[:, 0]) for name, each in left.items()},
        **{name: each.only(rows[:, 1]) for name, each in right.items()},
    }


def _all(item: CodedField) -> Codes:
    return np.arange(len(item.codes))
