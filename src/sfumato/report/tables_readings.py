"""Figures that the page of several tables derives from its facts: the person key, the account of
rows, the people who share a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, floor, log1p
from typing import Literal

from .tables_facts import RowCountFacts, TableFacts, TablesFacts

Kind = Literal["person", "people", "reference"]

_LISTED = 40
_LINES, _BARS = 30, 180


@dataclass(frozen=True, kw_only=True)
class Fate:
    """The fate of some rows of a table. `kind` is the name of its colour."""

    kind: str
    words: str
    rows: int


@dataclass(frozen=True, kw_only=True)
class RowCountRange:
    """The numbers of rows from `first` to `last`: how many people have them, and the fewest who
    share one of them.

    Nobody shares a number that nobody has, so `fewest` counts only numbers that somebody has."""

    first: int
    last: int
    people: tuple[int, int]
    fewest: tuple[int, int]


def person_table(facts: TablesFacts) -> int | None:
    """Which table is the person's; None where there is no table at all."""
    named = [at for at, table in enumerate(facts.tables) if table.name == facts.person]
    return named[0] if named else (0 if facts.tables else None)


def parents(facts: TablesFacts) -> tuple[tuple[int | None, ...], ...]:
    """For each table, the target of each of its links: an earlier table, or None."""
    return tuple(
        tuple(_led_to(target, facts.tables[:at]) for _, target in table.links)
        for at, table in enumerate(facts.tables)
    )


def _led_to(target: str, tables: Sequence[TableFacts]) -> int | None:
    """A name may have dots in it, so the table whose name and key are the target is first, then the
    longest."""
    exact = [
        at for at, table in enumerate(tables) if table.key and f"{table.name}.{table.key}" == target
    ]
    near = sorted(
        (len(table.name), at)
        for at, table in enumerate(tables)
        if target.startswith(f"{table.name}.")
    )
    return exact[0] if exact else (near[-1][1] if near else None)


def kinds(facts: TablesFacts) -> tuple[Kind, ...]:
    """The owner of each table's rows: `person` for the person's own, `people` where links lead
    there, else `reference`."""
    person = person_table(facts)
    out: list[Kind] = []
    for at, found in enumerate(parents(facts)):
        led = any(out[parent] != "reference" for parent in found if parent is not None)
        out.append("person" if at == person else "people" if led else "reference")
    return tuple(out)


def fates(table: TableFacts) -> tuple[Fate, ...]:
    """The fates of the rows of a table, the released ones first; fates of no row are omitted.

    Rows without a known fate are shown as such, and not hidden.
    """
    ways = [
        Fate(kind="released", words="released", rows=table.rows_released),
        Fate(kind="followed", words="were left out with their parent rows", rows=table.followed),
        Fate(kind="by-bins", words="were in bins of too few people", rows=table.by_bins),
        Fate(kind="by-count", words="revealed how many rows someone has", rows=table.by_count),
        Fate(kind="orphans", words="belonged to nobody", rows=table.orphans),
    ]
    rest = table.rows_source - sum(way.rows for way in ways)
    ways.append(Fate(kind="unknown", words="are not accounted for", rows=rest))
    return tuple(way for way in ways if way.rows > 0)


def people_below(numbers: Sequence[tuple[int, int]], size: int) -> int:
    """How many people have a number of rows that fewer than `size` people have.

    Example:
        >>> people_below([(1, 21), (2, 4), (31, 1)], 5)
        5
    """
    return sum(people for _, people in numbers if people < size)


def listed_numbers(facts: RowCountFacts) -> list[RowCountRange]:
    """Each number of rows that someone has; where they are many, small ones alone and larger ones
    in classes."""
    present = sorted({rows for rows, people in (*facts.before, *facts.after) if people})
    if len(present) <= _LISTED:
        return _filled(facts, [(rows, rows) for rows in present])
    return _filled(
        facts, [(first, min(last, present[-1])) for first, last in spans(present[-1], steps=_LINES)]
    )


def drawn_numbers(facts: RowCountFacts) -> list[RowCountRange]:
    """The numbers of rows that a chart has room for: those that would be too near to each other are
    grouped."""
    return _filled(
        facts,
        spans(max((rows for rows, _ in (*facts.before, *facts.after)), default=0), steps=_BARS),
    )


def spans(largest: int, *, steps: int) -> list[tuple[int, int]]:
    """From 0 to `largest`, numbers alone while they take a step on a logarithmic axis, then as many
    as fit into one.

    The last is a whole step too, so it may end after `largest`.

    Example:
        >>> spans(12, steps=8)
        [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 8), (9, 11), (12, 15)]
    """
    step = exp(log1p(largest) / steps)
    out: list[tuple[int, int]] = []
    first = 0
    while first <= largest:
        last = max(first, floor((first + 0.5) * step - 1.5))
        out.append((first, last))
        first = last + 1
    return out


def _filled(facts: RowCountFacts, classes: Sequence[tuple[int, int]]) -> list[RowCountRange]:
    """The classes with their people, without those that nobody is in."""
    before, after = _by_class(facts.before, classes), _by_class(facts.after, classes)
    return [
        RowCountRange(
            first=first,
            last=last,
            people=(sum(before.get(at, [])), sum(after.get(at, []))),
            fewest=(min(before.get(at, [0])), min(after.get(at, [0]))),
        )
        for at, (first, last) in enumerate(classes)
        if at in before or at in after
    ]


def _by_class(
    numbers: Sequence[tuple[int, int]], classes: Sequence[tuple[int, int]]
) -> Mapping[int, list[int]]:
    out: dict[int, list[int]] = {}
    at = 0
    for rows, people in sorted(numbers):
        while classes[at][1] < rows:
            at += 1
        if people:
            out.setdefault(at, []).append(people)
    return out
