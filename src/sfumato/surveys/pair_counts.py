"""How far one field determines another: exceptions, beside those of a permuted field.

A row without a value of the determined field can neither confirm nor contradict: a null discloses
nothing, and it must not hide what the other rows disclose. So a pair is counted twice: with null as
one more value of the determined field, and over the rows that have both values. It is determined
where either count says so. In fewer than 20 rows, a permutation is no evidence by its mean; there
the exact probability decides that a permuted field has no exception either, over rows with both
values: that a few rows have neither is no evidence about the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import factorial, prod
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from .coded_rows import MISSING, CodedField, Codes

EXCEPTIONS = 0.01
"""At most this share of the rows may contradict a dependence."""
VARIED = 0.02
"""A field of which nearly every row has the same value is determined by anything."""
BY_CHANCE = 0.05
"""The least exceptions that a determining field must have where the other is permuted."""
ENOUGH_ROWS, ENOUGH_SHARE = 20, 0.05
"""With fewer rows, the exact probability decides."""
ENOUGH_NAMED = 5
"""The least rows at which the names of a code and its words are evidence."""
RARE = 0.01
"""In few rows, a dependence holds where a permuted field has no exception this rarely."""
GLANCE = 500
"""Rows on which most pairs are ruled out before all are counted."""
SEED = 20


@dataclass(frozen=True)
class PairCount:
    """How far one field determines another: rows with a value of it, exceptions, exceptions without
    any relation, rows without the most frequent value, and rows whose value repeats.

    `by_luck` is the probability, counted in few rows only, that a permuted field has no
    exception."""

    rows: int
    exceptions: int
    by_chance: int = 0
    varied: int = 0
    again: int = 0
    by_luck: float | None = None

    @property
    def contradicted(self) -> float:
        """The share of exceptions among the rows whose determining value repeats."""
        return self.exceptions / max(1, self.again)

    @property
    def holds(self) -> bool:
        if self.by_luck is not None:
            return self.exceptions == 0 and self.by_luck <= RARE
        few = self.exceptions <= EXCEPTIONS * self.rows
        more_than_chance = self.by_chance >= max(5, BY_CHANCE * self.rows)
        clearly = self.exceptions <= 0.2 * self.by_chance and self.exceptions <= 0.1 * self.varied
        return few and more_than_chance and clearly and self.varied >= VARIED * self.rows


def count_exceptions(one: Codes, other: Codes) -> int:
    """The rows whose value of `other` is not the most frequent one beside their value of `one`.

    Example:
        >>> count_exceptions(np.array([0, 0, 0, 1]), np.array([5, 5, 6, 7]))
        1
    """
    pairs, counts = np.unique(one * (int(other.max(initial=0)) + 2) + other, return_counts=True)
    owners = pairs // (int(other.max(initial=0)) + 2)
    starts = (
        np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]]) if len(owners) else np.array([], int)
    )
    return int(len(one) - np.maximum.reduceat(counts, starts).sum()) if len(starts) else 0


def rows_compared(one: CodedField, other: CodedField) -> Iterator[NDArray[np.bool_]]:
    """The rows over which `one` may determine `other`: those with a value of `one`, where null is a
    value of `other`, then those with both values. A field with one value and nulls is a flag, and
    its null is a value too."""
    if one.distinct == 1:
        yield np.ones(len(one.codes), bool)
        return
    present = one.codes != MISSING
    yield present
    both = present & (other.codes != MISSING)
    if both.sum() < present.sum():
        yield both


def count_pair(one: CodedField, other: CodedField) -> PairCount:
    """Count how far `one` determines `other`, by the reading of nulls under which it does, if any.

    The same two fields are always permuted alike, whatever else is in the table: a survey and a
    release must find the same."""
    counts = []
    for rows in rows_compared(one, other):
        counts.append(_count(one, other, rows))
        if counts[-1].holds:
            return counts[-1]
    return counts[0]


def _count(one: CodedField, other: CodedField, compared: NDArray[np.bool_]) -> PairCount:
    first, second = one.codes[compared] + 1, other.codes[compared] + 1
    rows = len(first)
    if rows < ENOUGH_NAMED:
        return PairCount(rows, rows)
    exceptions = count_exceptions(first, second)
    if rows < ENOUGH_ROWS:
        by_nulls = other.distinct > 1 and bool((second == 0).any())
        luck = 1.0 if exceptions or by_nulls else _luck(first, second)
        return PairCount(rows, exceptions, by_luck=luck)
    if exceptions > EXCEPTIONS * rows:
        return PairCount(rows, exceptions)
    usual = int(np.bincount(second).max(initial=0))
    chance = np.random.default_rng([SEED, crc32(f"{one.name}\0{other.name}".encode())])
    by_chance = count_exceptions(first, chance.permutation(second))
    again = int((np.bincount(first)[first] > 1).sum())
    return PairCount(rows, exceptions, by_chance, rows - usual, again)


def _luck(first: Codes, second: Codes) -> float:
    """The probability that `first` determines `second` without exception where `second` is
    permuted: each group of equal values must fall into one class of equal values.

    Example:
        >>> _luck(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))  # 2 of 6 orders
        0.3333333333333333
    """
    groups = sorted(np.unique(first, return_counts=True)[1].tolist(), reverse=True)
    classes = sorted(np.unique(second, return_counts=True)[1].tolist())
    orders = factorial(len(first)) // prod(map(factorial, classes))
    return _assignments(tuple(groups), tuple(classes)) / orders


@cache
def _assignments(groups: tuple[int, ...], room: tuple[int, ...]) -> int:
    """In how many ways groups of rows fill classes exactly."""
    if not groups or groups[0] == 1:
        return factorial(sum(room)) // prod(map(factorial, room))
    ways = 0
    for place, free in enumerate(room):
        if free >= groups[0]:
            left = (*room[:place], free - groups[0], *room[place + 1 :])
            ways += _assignments(groups[1:], tuple(sorted(left)))
    return ways


def fewest_exceptions(one: CodedField, other: CodedField) -> float | None:
    """The share of exceptions to one field determining another, where it is small under either
    reading of nulls."""
    for compared in rows_compared(one, other):
        rows = int(compared.sum())
        if rows >= ENOUGH_NAMED:
            found = count_exceptions(one.codes[compared] + 1, other.codes[compared] + 1) / rows
            if found <= EXCEPTIONS:
                return found
    return None


def may_determine(one: CodedField, other: CodedField) -> bool:
    """Whether the values themselves have few exceptions: groups of them cannot have fewer."""
    for compared in rows_compared(one, other):
        first, second = one.codes[compared] + 1, other.codes[compared] + 1
        most = EXCEPTIONS * len(first)
        some = slice(0, GLANCE)  # Some of the rows have no more exceptions than all of them.
        if (
            count_exceptions(first[some], second[some]) <= most
            and count_exceptions(first, second) <= most
        ):
            return True
    return False


def repeats(item: CodedField) -> bool:
    """Whether so many values repeat that more than chance could be seen."""
    present = int((item.codes != MISSING).sum())
    least = max(5, BY_CHANCE * present) if present >= ENOUGH_ROWS else 2
    return present - item.distinct >= least


def not_ruled_out(codes: NDArray[np.int32], table: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Of each column of a table, whether another field may determine it, by rows whose values of
    that field repeat. A flag, whose null is a value, has no row without a code.

    Within a value, rows are compared with each of its first three that have a value: where a column
    is determined, one of these has the usual value. Three times the allowed exceptions are spared,
    all of which may be in rows that repeat."""
    there = np.flatnonzero(codes != MISSING)
    sizes = np.bincount(codes[there])
    again = there[sizes[codes[there]] > 1]
    if not len(again):
        return np.ones(table.shape[1], bool)
    chosen, starts = _glanced(codes, again)
    rows, lengths = table[chosen], np.diff(np.r_[starts, len(chosen)])
    share = 3 * min(EXCEPTIONS * len(there) / max(1, len(again)), 0.2)
    with_nulls = _fewest_differing(rows, starts, lengths)
    possible = with_nulls <= share * len(chosen) + 3
    empty = rows == MISSING
    sparse = np.flatnonzero(~possible & empty.any(axis=0))
    if len(sparse):
        held = len(chosen) - empty[:, sparse].sum(axis=0)
        fewest = _fewest_differing(rows[:, sparse], starts, lengths, empty=empty[:, sparse])
        possible[sparse] = fewest <= share * held + 3
    return np.asarray(possible)


def _fewest_differing(
    rows: NDArray[np.int32],
    starts: Codes,
    lengths: Codes,
    *,
    empty: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """Of each column, the rows that differ from the best of the first three of their group. With
    `empty`, rows without a value differ from none, and no row is compared with them."""
    least: NDArray[np.int64] | None = None
    unknown = len(rows) + 1
    for step in range(3):
        places = starts + np.minimum(step, lengths - 1)
        differs = rows != rows[np.repeat(places, lengths)]
        if empty is not None:
            differs &= ~empty
        differ = np.add.reduceat(differs, starts, axis=0, dtype=np.int64)
        if empty is not None:
            differ[empty[places]] = unknown
        least = differ if least is None else np.minimum(least, differ)
    assert least is not None
    return np.asarray(np.where(least == unknown, 0, least).sum(axis=0))


def _glanced(codes: NDArray[np.int32], again: Codes) -> tuple[Codes, Codes]:
    """About GLANCE rows, those of one value together, and where each value starts."""
    order = again[np.argsort(codes[again], kind="stable")]
    values = codes[order]
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    lengths = np.diff(np.r_[starts, len(order)])
    each = max(2, GLANCE // max(1, len(starts)))
    step = max(1, -(-len(starts) * min(each, int(lengths.mean()) or 1) // GLANCE))
    kept = [
        order[start : start + min(each, length)]
        for start, length in zip(starts[::step].tolist(), lengths[::step].tolist(), strict=True)
    ]
    return np.concatenate(kept), np.cumsum([0, *map(len, kept[:-1])])
