"""People over SQL: who shares a bin, how many rows and values each person has, and numbers in the
place of keys."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from ..counted_cells import bin_shapes, runs_of, split_codes, split_sets
from ..database import Join
from ..engine import (
    Column,
    CountedSet,
    CountedUnits,
    FieldInfo,
    Frequencies,
    Itemsets,
    KeyMap,
    Lookup,
    Witnesses,
)
from ..stored_entries import with_null
from .codes import bins_in, counted, itemsets_of, objects
from .counts import BATCH, SqlCounting
from .queries import ROWS, Queries, table

MOST_SETS = 128
"""Grouping sets of one query: engines keep a table of more than a megabyte for each."""


class SqlPeople(SqlCounting):
    """One source whose rows are about people."""

    table_alone: tuple[exp.Expr, frozenset[str]] | None = None
    """Of a view the table itself, without what it is joined with, and its fields: cheaper to ask
    about those."""
    hangs_on: tuple[Join, SqlPeople] | None = None
    """Of a view the one stage that it is joined with."""
    _distinct = False

    def witnesses(self, fields: Sequence[str], *, person: str, k: int) -> Witnesses:
        infos, who = [self._info(name) for name in fields], self._info(person)
        names = [f"q{i}" for i in range(len(infos))]
        ask = self._queries
        with self._session.reading(self.title), contextlib.ExitStack() as tidy:
            pairs = self._keep(ask.pairs(infos, who), tidy, large=True)
            kept = self._keep(ask.bins_of(pairs, len(infos)), tidy)
            some = self._keep(ask.witnesses_of(pairs, len(infos), k), tidy)
            numbered = self._numbered(kept, names, tidy)
            bins = counted(
                self._session.columns(ask.coded(kept, names, numbered.tables)), numbered.values
            )
            seen = counted(
                self._session.columns(ask.coded(some, names, numbered.tables)), numbered.values
            )
        if not names and not len(seen.counts) and not self.count_rows():
            bins = replace(bins, codes=bins.codes[:0], counts=bins.counts[:0])
        return Witnesses(
            fields=tuple(fields),
            values=bins.values,
            codes=bins.codes,
            rows=bins.counts,
            bin_of=bins_in(bins.codes, seen.codes),
            person_of=seen.counts,
            k=k,
        )

    def counted_sets(
        self, sets: Sequence[Sequence[str]], units: CountedUnits
    ) -> tuple[CountedSet, ...]:
        names = list(dict.fromkeys(name for each in sets for name in each))
        infos = [self._info(name) for name in names]
        places = [[names.index(name) for name in each] for each in sets]
        measure = self._info(units.measure) if units.measure else None
        query = self._queries.counted_sets(
            infos,
            places,
            units,
            person=self._info(units.person) if units.person else None,
            measure=measure,
        )
        with self._session.reading(self.title), contextlib.ExitStack() as tidy:
            kept = self._keep(query, tidy)
            numbered = self._numbered(kept, [f"q{i}" for i in range(len(names))], tidy)
            found = self._session.columns(
                self._queries.coded_sets(kept, numbered.tables, largest=bool(units.largest))
            )
        return split_sets(found, names, numbered.values, places, units.largest)

    def counted_codes(
        self, groups: Sequence[Sequence[str]], bins: Mapping[str, NDArray[np.int64]]
    ) -> list[NDArray[np.int64]]:
        found: list[NDArray[np.int64]] = []
        for start in range(0, len(groups), MOST_SETS):
            found += self._counted_codes(groups[start : start + MOST_SETS], bins)
        return found

    def _counted_codes(
        self, groups: Sequence[Sequence[str]], bins: Mapping[str, NDArray[np.int64]]
    ) -> list[NDArray[np.int64]]:
        names = list(dict.fromkeys(name for each in groups for name in each))
        shapes = bin_shapes(groups, bins)
        query = self._queries.counted_codes(
            [self._info(name) for name in names],
            [runs_of(bins[name]) for name in names],
            [int(bins[name].max()) + 1 for name in names],
            [[names.index(name) for name in each] for each in groups],
        )
        with self._session.reading(self.title):
            found = self._session.columns(query)
        return split_codes(found, shapes)

    def rows_per_person(self, person: str, fields: Sequence[str] = ()) -> Frequencies:
        infos, who = [self._info(name) for name in fields], self._info(person)
        with self._session.reading(self.title):
            if infos or not (self._kept or self.hangs_on):
                query = self._queries.rows_per_person(who, infos)
            else:
                query = self._queries.people_by_rows(self._rows_of_each(who))
            found = self._counted(query, len(infos) + 1)
        return Frequencies(
            fields=(*fields, ROWS), values=found.values, codes=found.codes, counts=found.counts
        )

    def _rows_of_each(self, who: FieldInfo) -> str:
        """A table of how many rows each person has, kept for counts and for quotas. Rows of a table
        below people are counted before they are joined."""
        if who.name not in self._each:
            join, stage = self.hangs_on or (None, self)
            ask = self._alone(who.name)
            if ask is not None and join is not None:
                query = ask.who_are_in(
                    ask.rows_of_each(who), stage.source(), ask.who(stage._info(join.key))
                )
            else:
                query = self._queries.rows_of_each(who)
            self._each[who.name] = self._keep(query, self._tidy)
        return self._each[who.name]

    def _alone(self, person: str) -> Queries | None:
        """The query of a table by itself, where its join only shows whether a person is still
        there."""
        if self.table_alone is None or self.hangs_on is None or self.hangs_on[0].field != person:
            return None
        key = self.hangs_on[1]._info(self.hangs_on[0].key)
        alike = self._queries.is_whole(key) == self._queries.is_whole(self._info(person))
        return self._session.queries(self.table_alone[0]) if alike else None

    def itemsets(self, person: str, item: str, *, m: int, within: Sequence[str] = ()) -> Itemsets:
        ask = self._queries
        with self._session.reading(self.title):
            coded, values = self._items(person, item, tuple(within))
            sizes = [
                self._session.columns(ask.combinations(coded, len(within), size))
                for size in range(1, m + 1)
            ]
        return itemsets_of(sizes, values, groups=len(within))

    def _items(
        self, person: str, item: str, within: tuple[str, ...]
    ) -> tuple[str, tuple[str, ...]]:
        """A table of who holds what, in codes, and the values. Made once for all sizes of sets that
        are asked for."""
        asked = (person, item, within)
        if asked not in self._held:
            infos = [self._info(name) for name in within]
            names = [*(f"q{i}" for i in range(len(infos))), "s"]
            ask = self._queries
            with contextlib.ExitStack() as tidy:
                each_once = self._distinct and set(self._infos) == {person, item, *within}
                query = ask.held(self._info(person), self._info(item), infos, each_once=each_once)
                held = self._keep(query, tidy, large=True)
                numbered = self._numbered(held, names, tidy)
                coded = self._keep(
                    ask.coded(held, names, numbered.tables, kept="p"), self._tidy, large=True
                )
            self._held[asked] = coded, numbered.values[-1]
        return self._held[asked]

    def numbers(self, name: str, *, start: int, unique: bool = False) -> KeyMap:
        info = self._info(name)
        return self._numbers(self._queries.numbers(info, start, unique=unique), info)

    def numbers_in(self, number: str, *, of: str) -> KeyMap:
        info = self._info(of)
        return self._numbers(self._queries.numbers_in(self._info(number), info), info)

    def _numbers(self, query: exp.Expr, info: FieldInfo) -> KeyMap:
        with self._session.reading(self.title):
            kept = self._keep(query, self._tidy, large=True)
        return replace(self._stored(kept), plain=self._queries.is_whole(info))

    def kept(self, lookup: Lookup) -> KeyMap:
        with self._session.reading(self.title):
            kept = self._session.load({"key:0": "text", "new:0": "text"}, with_null(lookup))
        self._tidy.callback(self._session.forget, kept)
        return self._stored(kept)

    def _stored(self, kept: str) -> KeyMap:
        """Entries in a table of the session's own."""

        def batches() -> Iterator[Mapping[str, Column]]:
            for rows in self._session.stream(exp.select("*").from_(table(kept)), BATCH):
                columns = (
                    [None if cell is None else str(cell) for cell in cells]
                    for cells in zip(*rows, strict=True)
                )
                yield {
                    name: objects(texts)
                    for name, texts in zip(("key:0", "new:0"), columns, strict=True)
                }

        return KeyMap(batches=batches, stored=kept)
