"""The form of a person's linked rows: their labels, and which of them share a key.

A release of several tables discloses more about a person than the labels in each table: which visit
has which diagnoses, and which visits were to the same physician. Two people have the same form if
the rows and keys of one can be exchanged for those of the other, with all labels and links. The
keys themselves are pseudonyms and are not compared.

Rows and the keys that they share are the nodes of a graph. A node with one neighbour is absorbed by
that neighbour, and rows with the same links are counted. Both can be undone, so no difference is
lost, and most graphs shrink to single nodes. The nodes of the others are ordered by colour
refinement; nodes that it cannot distinguish are tried one by one (McKay and Piperno 2014). People
for whom that takes too long have a form of their own: nobody counts as like them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Codes = NDArray[np.int64]
MOST_STEPS: Final = 20_000
"""Nodes that are coloured, again and again, to order the rows of one person."""

Cell = tuple[int, int]
"""The number of a column, and that of the key in it."""
Name = Callable[..., int]
"""Gives equal things equal numbers."""


@dataclass(frozen=True, slots=True)
class LinkedRow:
    """One row of a person: the number of its table and labels, its keys, and whether a recipient
    may know how many rows like it the person has."""

    labels: int
    keys: tuple[Cell, ...] = ()
    counted: bool = True


_Row = tuple[int, bool, tuple[Cell, ...]]


@dataclass
class LinkedForms:
    """Numbers the forms of people."""

    _names: dict[object, int] = field(default_factory=dict)
    _known: dict[object, int] = field(default_factory=dict)
    _alone: int = 0

    def number(self, rows: Iterable[LinkedRow]) -> int:
        """The number of a person's form, the same for the same form.

        Example:
            >>> forms, visit, test = LinkedForms(), 0, 1
            >>> def person(*visits_of_tests):
            ...     tests = [LinkedRow(test, ((1, each),)) for each in visits_of_tests]
            ...     return [LinkedRow(visit, ((0, each),)) for each in (7, 8)] + tests
            >>> one_each, both_in_one = person(7, 8), person(8, 8)
            >>> forms.number(one_each) == forms.number(both_in_one)
            False
            >>> forms.number(person(8, 7)) == forms.number(one_each)
            True
        """
        written = _written(rows)
        found = self._known.get(written)
        if found is None:
            try:
                found = self._known[written] = _Graph(written, self._name).form()
            except _TooManySteps:
                self._alone += 1
                return self._name("alone", self._alone)
        return found

    def _name(self, *parts: object) -> int:
        return self._names.setdefault(parts, len(self._names))


def _written(rows: Iterable[LinkedRow]) -> tuple[_Row, ...]:
    """The rows with keys that are numbered as they occur, without those that occur once."""
    ordered = sorted(rows, key=lambda row: (row.labels, row.keys))
    often = Counter(key for row in ordered for _, key in row.keys)
    number: dict[int, int] = {}
    return tuple(
        (
            row.labels,
            row.counted,
            tuple(
                (column, number.setdefault(key, len(number)))
                for column, key in row.keys
                if often[key] > 1
            ),
        )
        for row in ordered
    )


class _TooManySteps(Exception):
    """The nodes of a person's rows were not ordered soon enough."""


class _Graph:
    """The rows of one person and the keys that they share: the colour of each node, and by
    neighbour the columns that lead to it. Uncounted nodes of one colour are one."""

    def __init__(self, rows: Sequence[_Row], name: Name) -> None:
        self._name, self._steps = name, MOST_STEPS
        self.colours: dict[int, int] = {}
        self.counted: dict[int, bool] = {}
        self.near: dict[int, dict[int, tuple[int, ...]]] = {}
        for at, (labels, counted, keys) in enumerate(rows):
            self.colours[at], self.counted[at], self.near[at] = name("row", labels), counted, {}
            for column, key in keys:
                node = -1 - key
                self.colours.setdefault(node, name("key"))
                self.counted[node] = self.counted.get(node, False) or counted
                columns = (*self.near[at].get(node, ()), column)
                self.near[at][node] = self.near.setdefault(node, {})[at] = columns

    def form(self) -> int:
        while self._absorb_leaves() or self._count_twins():
            pass
        single = [node for node, near in self.near.items() if not near]
        cores = sorted(self._core_form(core) for core in self._cores())
        return self._name("person", self._together((node, ()) for node in single), *cores)

    def _together(self, nodes: Iterable[tuple[int, tuple[int, ...]]]) -> tuple[object, ...]:
        """The colours of nodes and the columns between, as often as they count."""
        counted: list[tuple[tuple[int, ...], int]] = []
        others: set[tuple[tuple[int, ...], int]] = set()
        for node, columns in nodes:
            item = (columns, self.colours[node])
            if self.counted[node]:
                counted.append(item)
            else:
                others.add(item)
        return tuple(sorted(counted)), tuple(sorted(others))

    def _absorb_leaves(self) -> bool:
        leaves: defaultdict[int, list[int]] = defaultdict(list)
        for node, near in self.near.items():
            if len(near) == 1:
                (neighbour,) = near
                if node >= 0 or len(self.near[neighbour]) > 1:  # Of a pair, the row is absorbed.
                    leaves[neighbour].append(node)
        for node, absorbed in leaves.items():
            parts = self._together((leaf, self.near[node][leaf]) for leaf in absorbed)
            self.colours[node] = self._name("with", self.colours[node], *parts)
            self.counted[node] |= any(self.counted[leaf] for leaf in absorbed)
            for leaf in absorbed:
                self._remove(leaf)
        return bool(leaves)

    def _count_twins(self) -> bool:
        twins: defaultdict[object, list[int]] = defaultdict(list)
        for node, near in self.near.items():
            if near:
                twins[self.colours[node], self.counted[node], frozenset(near.items())].append(node)
        several = [each for each in twins.values() if len(each) > 1]
        for first, *others in several:
            if self.counted[first]:
                self.colours[first] = self._name("times", self.colours[first], len(others) + 1)
            for node in others:
                self._remove(node)
        return bool(several)

    def _remove(self, node: int) -> None:
        for neighbour in self.near.pop(node):
            self.near[neighbour].pop(node, None)

    def _cores(self) -> Iterator[list[int]]:
        """The connected parts that did not shrink to a node."""
        seen = {node for node, near in self.near.items() if not near}
        for start in self.near:
            if start in seen:
                continue
            seen.add(start)
            core = [start]
            for node in core:
                new = [each for each in self.near[node] if each not in seen]
                seen.update(new)
                core += new
            yield core

    def _core_form(self, core: Sequence[int]) -> tuple[object, ...]:
        return self._least(self._refine(dict(_ranks({n: self.colours[n] for n in core}))))

    def _least(self, ranks: Mapping[int, int]) -> tuple[object, ...]:
        """The least description over all orders of the nodes that colours leave open."""
        cells: defaultdict[int, list[int]] = defaultdict(list)
        for node, rank in ranks.items():
            cells[rank].append(node)
        if len(cells) == len(ranks):
            return tuple(
                (
                    self.colours[node],
                    self.counted[node],
                    tuple(sorted((ranks[other], by) for other, by in self.near[node].items())),
                )
                for node in sorted(ranks, key=ranks.__getitem__)
            )
        _, cell = min((len(cell), rank) for rank, cell in cells.items() if len(cell) > 1)
        return min(
            self._least(
                self._refine({each: 2 * rank + (each != node) for each, rank in ranks.items()})
            )
            for node in cells[cell]
        )

    def _refine(self, ranks: Mapping[int, int]) -> Mapping[int, int]:
        """Nodes are distinguished by the ranks of their neighbours, until that adds nothing."""
        many = 0
        while many < len({*ranks.values()}):
            many = len({*ranks.values()})
            self._steps -= len(ranks)
            if self._steps < 0:
                raise _TooManySteps
            ranks = _ranks(
                {
                    node: (
                        rank,
                        tuple(sorted((ranks[near], by) for near, by in self.near[node].items())),
                    )
                    for node, rank in ranks.items()
                }
            )
        return ranks


def _ranks(of: Mapping[int, object]) -> dict[int, int]:
    place = {each: rank for rank, each in enumerate(sorted(set(of.values())))}  # type: ignore[type-var]
    return {node: place[each] for node, each in of.items()}


@dataclass(frozen=True, eq=False, kw_only=True)
class OwnedRows:
    """The rows of one table: the person of each, a number for its table and labels, and by column
    the number of the key in it, -1 without one. Rows of a reference table are nobody's; others
    link to its `own_key`."""

    whose: Codes
    labels: Codes
    keys: Mapping[str, Codes]
    counted: bool = True
    own_key: str = ""
    has_labels: bool = True

    @property
    def is_compared(self) -> bool:
        """Whether its rows distinguish people: neither their number nor a label may be known."""
        return self.counted or self.has_labels


def forms_of_people(
    tables: Sequence[OwnedRows], references: Sequence[OwnedRows], *, people: int
) -> Numbers:
    """The number of each person's form, over all tables. Without a shared key, a person's form is
    the multiset of their rows."""
    compared = [each for each in tables if each.is_compared]
    tokens, cells = [np.zeros((0, 2), np.int64)], [np.zeros((0, 2), np.int64)]
    for table in compared:
        pair = np.stack([table.whose, table.labels], axis=1)
        tokens.append(pair if table.counted else np.unique(pair, axis=0))
        keys = table.keys.values()
        cells += [np.stack([table.whose, codes], axis=1)[codes >= 0] for codes in keys]
    together = np.concatenate(tokens)
    form_of, _ = multisets(together[:, 0], together[:, 1], people=people)
    columns = _numbered((*tables, *references))
    beside = _reference_rows(references, columns)
    linked = _linked_people(np.concatenate(cells), beside)
    if not len(linked):
        return form_of
    rows: dict[int, list[LinkedRow]] = {each: [] for each in linked.tolist()}
    for table in compared:
        chosen = np.flatnonzero(np.isin(table.whose, linked))
        for whose, row in zip(
            table.whose[chosen].tolist(), _linked_rows(table, chosen, columns), strict=True
        ):
            rows[whose].append(row)
    forms, many = LinkedForms(), int(form_of.max(initial=-1)) + 1
    numbers = form_of.astype(np.int64)
    for whose, own in rows.items():
        numbers[whose] = many + forms.number(_with_references(own, beside))
    return np.unique(numbers, return_inverse=True)[1].astype(np.int32)


def _numbered(tables: Sequence[OwnedRows]) -> dict[tuple[int, str], int]:
    named = [(id(table), name) for table in tables for name in table.keys]
    return {each: number for number, each in enumerate(named)}


def _linked_rows(
    table: OwnedRows, chosen: Codes, columns: Mapping[tuple[int, str], int]
) -> Iterator[LinkedRow]:
    numbers = [columns[id(table), name] for name in table.keys]
    keys = [codes[chosen].tolist() for codes in table.keys.values()]
    every = zip(*keys, strict=True) if keys else ((),) * len(chosen)
    for labels, own in zip(table.labels[chosen].tolist(), every, strict=True):
        cells = zip(numbers, own, strict=True)
        yield LinkedRow(labels, tuple(cell for cell in cells if cell[1] >= 0), table.counted)


def _reference_rows(
    references: Sequence[OwnedRows], columns: Mapping[tuple[int, str], int]
) -> dict[int, LinkedRow]:
    """The rows of reference tables by their key, where they have labels or further links."""
    out: dict[int, LinkedRow] = {}
    for table in references:
        if table.own_key in table.keys and (table.has_labels or len(table.keys) > 1):
            every = np.arange(len(table.labels))
            rows = _linked_rows(table, every, columns)
            out |= zip(table.keys[table.own_key].tolist(), rows, strict=True)
    return out


def _linked_people(cells: Codes, beside: Mapping[int, LinkedRow]) -> Codes:
    """The people of whom two rows have the same key, or one leads to a reference row."""
    pairs, often = np.unique(cells, axis=0, return_counts=True)
    leads = np.isin(pairs[:, 1], np.fromiter(beside, np.int64, len(beside)))
    return np.unique(pairs[(often > 1) | leads, 0])


def _with_references(
    rows: Sequence[LinkedRow], beside: Mapping[int, LinkedRow]
) -> Sequence[LinkedRow]:
    """The rows of a person, and those of reference tables that they lead to."""
    if not beside:
        return rows
    out = [*rows]
    seen: set[int] = set()
    for row in out:
        new = {key for _, key in row.keys if key in beside} - seen
        seen |= new
        out += [beside[key] for key in sorted(new)]
    return out


def multisets(whose: Codes, tokens: Codes, *, people: int) -> tuple[Numbers, list[tuple[int, ...]]]:
    """The number of each person's multiset of tokens, and the multisets by number."""
    order = np.lexsort((tokens, whose))
    starts = np.searchsorted(whose[order], np.arange(1, people))
    known: dict[bytes, int] = {}
    place = [
        known.setdefault(part.tobytes(), len(known)) for part in np.split(tokens[order], starts)
    ]
    sets = [tuple(np.frombuffer(each, np.int64).tolist()) for each in known]
    return np.array(place[:people], np.int32), sets
