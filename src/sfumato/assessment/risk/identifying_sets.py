"""The smallest sets of released fields that single people out, whatever the policy assumes as
known.

A level-wise search: single fields, then pairs, then sets of three. A row counts for a set where it
is unique with its values of these fields, and of no smaller set in it. These are the field sets of
SUDA's minimal sample uniques (Elliot et al. 2005), over everything released. The work is bounded,
and the sets that were not counted are reported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import SUPPRESSED

from .linked_columns import LinkedColumns
from .person_facts import FactTable

LARGEST = 3
WORK = 20_000_000
"""Rows times sets that are counted at most; single fields always are."""
NAMED = 12
"""So many sets are named."""
SMALL = 4
"""Keys up to so many times the rows are counted in an array, others are sorted."""

Marks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifyingSet:
    """Fields, and how many rows, or people, are unique with their values of them but not of
    fewer."""

    fields: tuple[str, ...]
    rows: int

    def as_dict(self) -> dict[str, Any]:
        return {"fields": list(self.fields), "rows": self.rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifyingSets:
    """The sets that single out the most rows, small ones first. `alone` are the rows that some
    counted set of at most so many fields singles out, by size; `counted` of `possible` sets of each
    size were counted. `unit` is what the rows are: rows, or people where these are linked."""

    rows: int
    sets: tuple[IdentifyingSet, ...]
    alone: tuple[int, ...]
    counted: tuple[int, ...]
    possible: tuple[int, ...]
    unit: str = "row"

    @property
    def is_whole(self) -> bool:
        return self.counted == self.possible

    def as_dict(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "unit": self.unit,
            "sets": [one.as_dict() for one in self.sets],
            "rows_alone_by_size": list(self.alone),
            "sets_counted_by_size": list(self.counted),
            "sets_possible_by_size": list(self.possible),
        }


def identifying_sets(
    table: FactTable, *, largest: int = LARGEST, work: int = WORK
) -> IdentifyingSets:
    """Count the sets of a table with one row per person, fields with the most different values
    first.

    A null or suppressed cell is no value that somebody knows, so it singles nobody out.

    Example:
        >>> from sfumato.engines import open_source
        >>> rows = [{"sex": "f", "job": "cook"}, {"sex": "f", "job": "smith"},
        ...         {"sex": "m", "job": "smith"}, {"sex": "m", "job": "smith"}]
        >>> with open_source(rows, engine="reference") as engine:
        ...     found = identifying_sets(FactTable(engine=engine, fields=("sex", "job")))
        >>> [(one.fields, one.rows) for one in found.sets]
        [(('job',), 1), (('sex', 'job'), 1)]
    """
    return _count(_Columns.of(table), table.fields, largest=largest, work=work, unit="row")


def linked_identifying_sets(
    tables: Sequence[FactTable], *, largest: int = LARGEST, work: int = WORK
) -> IdentifyingSets:
    """Count the sets that single out people who may have several rows, in one table or several:
    people of whom a row, with the fields of their own, is like nobody else's.

    Example:
        >>> from sfumato.engines import open_source
        >>> rows = [{"who": "1", "ill": "flu"}, {"who": "1", "ill": "gout"}, {"who": "2", "ill": "flu"}]
        >>> with open_source(rows, engine="reference") as engine:
        ...     found = linked_identifying_sets([FactTable(engine=engine, fields=("ill",), person="who")])
        >>> [(one.fields, one.rows) for one in found.sets], found.rows
        ([(('ill',), 1)], 2)
    """
    columns = LinkedColumns.of(tables)
    return _count(columns, columns.names, largest=largest, work=work, unit="person")


class SetColumns(Protocol):
    """Columns in which sets of fields are counted: `units` are rows or people, `rows` is the work
    of counting one set."""

    @property
    def units(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def telling(self) -> tuple[int, ...]: ...
    def alone(self, chosen: Sequence[int]) -> Marks | None: ...


def _count(
    columns: SetColumns, names: Sequence[str], *, largest: int, work: int, unit: str
) -> IdentifyingSets:
    found: list[tuple[tuple[int, ...], int]] = []
    alone: dict[tuple[int, ...], Marks] = {}
    together = np.zeros(columns.units, bool)
    singled, counted, possible = [], [], []
    left = work
    fields = len(columns.telling)
    for size in range(1, min(largest, fields) + 1):
        sets = combinations(columns.telling, size)
        afford = fields if size == 1 else left // max(columns.rows, 1)
        tried = 0
        for chosen in sets:
            if tried >= afford:
                break
            marks = columns.alone(chosen)
            if marks is None:
                continue
            tried += 1
            marks &= ~_alone_with_fewer(chosen, alone, columns.units)
            _remember(chosen, marks, alone, found, together, keep=size < largest)
        left -= tried * columns.rows
        singled.append(int(together.sum()))
        counted.append(tried)
        possible.append(comb(fields, size))
    best = sorted(found, key=lambda one: (len(one[0]), -one[1]))
    return IdentifyingSets(
        rows=columns.units,
        unit=unit,
        sets=tuple(
            IdentifyingSet(fields=tuple(names[at] for at in sorted(chosen)), rows=rows)
            for chosen, rows in _spread(best)
        ),
        alone=tuple(singled),
        counted=tuple(counted),
        possible=tuple(possible),
    )


def _remember(
    chosen: tuple[int, ...],
    marks: Marks,
    alone: dict[tuple[int, ...], Marks],
    found: list[tuple[tuple[int, ...], int]],
    together: Marks,
    *,
    keep: bool,
) -> None:
    """Note the rows of a set; all rows that it or a smaller set singles out, for larger ones."""
    many = int(marks.sum())
    if many:
        found.append((chosen, many))
        together |= marks
    if keep:
        marks = marks | _alone_with_fewer(chosen, alone, len(marks))
        if marks.any():
            alone[chosen] = marks


def _alone_with_fewer(
    chosen: tuple[int, ...], alone: dict[tuple[int, ...], Marks], rows: int
) -> Marks:
    """The rows that a smaller set in this one singles out already."""
    marks = np.zeros(rows, bool)
    for fewer in combinations(chosen, len(chosen) - 1):
        if fewer in alone:
            marks |= alone[fewer]
    return marks


def _spread(best: Sequence[tuple[tuple[int, ...], int]]) -> Iterator[tuple[tuple[int, ...], int]]:
    """The strongest sets of each size, so that one size does not push out the next."""
    for size in range(1, LARGEST + 1):
        yield from [one for one in best if len(one[0]) == size][: NAMED // LARGEST]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Columns:
    """The rows as codes, column by column; -1 where a cell carries no information."""

    rows: int
    codes: tuple[NDArray[np.int64], ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, table: FactTable) -> _Columns:
        found = table.frequencies
        rows = np.repeat(found.codes, found.counts, axis=0)
        codes = []
        for column, labels in enumerate(found.values):
            says = np.array([label not in (None, SUPPRESSED) for label in labels], bool)
            own = rows[:, column].astype(np.int64)
            codes.append(np.where(says[own], own, -1) if len(says) else own)
        sizes = tuple(max(len(labels), 1) for labels in found.values)
        return cls(rows=len(rows), codes=tuple(codes), sizes=sizes)

    @property
    def units(self) -> int:
        return self.rows

    @property
    def telling(self) -> tuple[int, ...]:
        """The fields with more than one value, those with the most values first."""
        several = [at for at, codes in enumerate(self.codes) if len(codes) and np.ptp(codes) > 0]
        return tuple(sorted(several, key=lambda at: -self.sizes[at]))

    def alone(self, chosen: Sequence[int]) -> Marks:
        """Which rows are unique with their values of these fields."""
        key = np.zeros(self.rows, np.int64)
        told = np.ones(self.rows, bool)
        span = 1
        for at in chosen:
            if span > 2**62 // self.sizes[at]:
                _, key = np.unique(key, return_inverse=True)
                span = self.rows + 1
            key = key * self.sizes[at] + np.maximum(self.codes[at], 0)
            told &= self.codes[at] >= 0
            span *= self.sizes[at]
        marks = np.zeros(self.rows, bool)
        place = np.flatnonzero(told)
        key = key[place]
        if span <= SMALL * self.rows:
            marks[place] = np.bincount(key, minlength=1)[key] == 1 if len(key) else False
            return marks
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        differs = np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])
        marks[place[order]] = differs[:-1] & differs[1:]
        return marks
