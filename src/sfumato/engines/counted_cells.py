"""Cells of grouping sets, put together from what an engine answers."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Label

from .engine import CountedSet, CountedUnits

Columns = Mapping[str, NDArray[Any]]


def counted_set(
    fields: Sequence[str],
    values: Sequence[Sequence[Label]],
    codes: NDArray[np.int64],
    facts: Columns,
    largest: int,
) -> CountedSet:
    """Cells in the order of their codes, from one line for each cell: `r` rows, `low` the lowest
    value, and `v` the sum. With the largest contributions, each cell and person has a line: `c`
    people and `t` the sum of the cell, and `v` the contribution of person `p`."""
    order = np.lexsort((-facts["v"], *codes.T[::-1]))
    codes = codes[order]
    facts = {name: column[order] for name, column in facts.items()}
    starts = np.ones(len(codes), bool)
    starts[1:] = np.any(codes[1:] != codes[:-1], axis=1)
    if not codes.shape[1]:
        starts[1:] = False
    cell = np.cumsum(starts) - 1
    place = np.arange(len(codes)) - np.flatnonzero(starts)[cell]
    count = int(starts.sum())
    amounts, who = np.zeros((count, largest), np.int64), np.full((count, largest), -1, np.int64)
    if largest:
        amounts[cell, place], who[cell, place] = facts["v"], facts["p"]
    people, sums = ("c", "t") if largest else ("r", "v")
    return CountedSet(
        fields=tuple(fields),
        values=tuple(tuple(each) for each in values),
        codes=codes[starts],
        rows=facts["r"][starts],
        people=facts[people][starts],
        sums=facts[sums][starts],
        largest=amounts,
        who=who,
        lowest=int(facts["low"].min()) if len(codes) else 0,
    )


def split_sets(
    found: Columns,
    names: Sequence[str],
    values: Sequence[Sequence[str]],
    sets: Sequence[Sequence[int]],
    largest: int,
) -> tuple[CountedSet, ...]:
    """The answer to the one query, taken apart by the marks g0, g1, … of what was summed over. Codes
    c0, c1, … are null where a value is."""
    marks = np.array([np.asarray(found[f"g{i}"], np.int64) for i in range(len(names))])
    kept = np.asarray(found["r"], np.int64) > 0  # A count over no rows is one cell of nought.
    facts = {
        name: np.asarray(np.ma.filled(found[name], 0), np.int64)
        for name in (("r", "c", "t", "v", "p", "low") if largest else ("r", "v", "low"))
    }
    codes = np.array(
        [
            np.asarray(np.ma.filled(np.ma.asarray(found[f"c{i}"], np.int64), len(values[i])))
            for i in range(len(names))
        ]
    )
    out = []
    for each in sets:
        wanted = np.array([int(i not in each) for i in range(len(names))])
        here = kept & (marks == wanted[:, None]).all(axis=0) if names else kept
        own = codes[list(each)][:, here].T if each else np.zeros((int(here.sum()), 0), np.int64)
        out.append(
            counted_set(
                [names[i] for i in each],
                [(*values[i], None) for i in each],
                own,
                {name: column[here] for name, column in facts.items()},
                largest,
            )
        )
    return tuple(out)


def set_of_rows(
    fields: Sequence[str],
    rows: Sequence[tuple[tuple[Label, ...], int, int]],
    largest: int,
) -> CountedSet:
    """The cells of one set from rows with their labels, their person and their value."""
    values = [
        (*sorted({key[i] for key, _, _ in rows if key[i] is not None}), None)  # type: ignore[type-var]
        for i in range(len(fields))
    ]
    places = [{label: n for n, label in enumerate(each)} for each in values]
    cells: dict[tuple[int, ...], dict[int, tuple[int, int]]] = {}
    for key, person, value in rows:
        coded = tuple(place[label] for place, label in zip(places, key, strict=True))
        count, amount = cells.setdefault(coded, {}).get(person, (0, 0))
        cells[coded][person] = count + 1, amount + value
    lines = []
    for coded, people in cells.items():
        count, total = (sum(each[n] for each in people.values()) for n in (0, 1))
        pairs = sorted(((-amount, person) for person, (_, amount) in people.items()))
        for amount, person in pairs[:largest] if largest else [(-total, 0)]:
            lines.append((coded, count, len(people), total, -amount, person))
    lowest = min((value for _, _, value in rows), default=0)
    facts = np.array([line[1:] for line in lines], np.int64).reshape(-1, 5)
    named = {name: facts[:, n] for n, name in enumerate(("r", "c", "t", "v", "p"))}
    named["low"] = np.full(len(facts), lowest, np.int64)
    codes = np.array([line[0] for line in lines], np.int64).reshape(len(lines), len(fields))
    return counted_set(fields, values, codes, named, largest)


def chosen_rows(people: Sequence[Label], units: CountedUnits) -> list[int]:
    """The places of rows that are counted: of each person so many, chosen at random."""
    order = list(range(len(people)))
    if not units.person:
        return order
    secrets.SystemRandom().shuffle(order)
    seen: dict[Label, int] = {}
    kept = []
    for place in order:
        person = people[place]
        if person is None:
            continue
        seen[person] = seen.get(person, 0) + 1
        if not units.rows_per_person or seen[person] <= units.rows_per_person:
            kept.append(place)
    return kept


def bin_shapes(
    groups: Sequence[Sequence[str]], bins: Mapping[str, NDArray[np.int64]]
) -> list[tuple[int, ...]]:
    """How many bins each field of each group has."""
    return [tuple(int(bins[name].max()) + 1 for name in group) for group in groups]


def runs_of(bins: NDArray[np.int64]) -> list[tuple[int, int]] | None:
    """The bin from a code on, to the next one; None where each code is its own bin.

    Example:
        >>> runs_of(np.array([0, 0, 1, 1, 0])), runs_of(np.array([0, 1, 2]))
        ([(0, 0), (2, 1), (4, 0)], None)
    """
    if np.array_equal(bins, np.arange(len(bins))):
        return None
    firsts = np.flatnonzero(np.diff(bins, prepend=-1))
    return [(int(first), int(bins[first])) for first in firsts]


def split_codes(found: Columns, shapes: Sequence[tuple[int, ...]]) -> list[NDArray[np.int64]]:
    """Counts n of cells v, which are numbered over all groups, as an array for each group."""
    ends = np.cumsum([int(np.prod(shape, dtype=np.int64)) for shape in shapes])
    cells = np.zeros(int(ends[-1]), np.int64)
    cells[np.asarray(found["v"], np.int64)] = np.asarray(found["n"], np.int64)
    parts = np.split(cells, ends[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
