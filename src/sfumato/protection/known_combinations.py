"""Counts of combinations that a bounded recipient may know: the register fields and up to m of the
others.

Combinations grow by one field at a time. A group over more fields is a part of its group over
fewer. Bins that are dropped from a combination are therefore dropped from every one that contains
it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import Bins, CountedPeople, group

from .value_steps import as_judged

Numbers = NDArray[np.int64]
Marks = NDArray[np.bool_]

# A key space of up to this many times the bins is counted in an array; a larger one is sorted.
DENSE = 8
FEW_KEYS = 65_536


@dataclass(frozen=True, slots=True, eq=False)
class KnownGroups:
    """The bins `at` that are counted in one combination of fields: bin `at[i]` is in group
    `groups[i]`. Of these bins, `judged` marks those that the combination is about."""

    fields: tuple[int, ...]
    at: Numbers
    groups: Numbers
    count: int
    judged: Marks


Judge = Callable[[KnownGroups], Marks]
"""Judges the groups of one combination. For each bin, it returns whether larger combinations may
omit it: with all bins of its group, or not at all."""


def walk_combinations(
    bins: Bins, register: Sequence[int], others: Sequence[int], m: int, *, wild: Marks, judge: Judge
) -> None:
    """Hand the groups over the columns `register` and each set of up to `m` of `others` to `judge`.

    A wild cell carries no information. A bin is judged where none of the columns is wild in it,
    over those of its register columns that are not wild."""
    tamed = ~wild[:, list(register)]
    for pattern in np.unique(tamed, axis=0) if len(bins) else ():
        shown = [column for column, is_shown in zip(register, pattern, strict=True) if is_shown]
        is_about = (tamed == pattern).all(axis=1)
        at = np.flatnonzero((tamed | ~pattern).all(axis=1))
        sizes = [len(bins.labels[column]) for column in shown]
        groups, first = group(bins.codes[at][:, shown], sizes)
        start = KnownGroups((), at, groups, len(first), is_about[at])
        _grow(bins, start, _columns(bins, others, wild), m, judge)


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    number: int
    codes: NDArray[np.int32]
    values: int
    wild: Marks | None


def _columns(bins: Bins, others: Sequence[int], wild: Marks) -> list[_Column]:
    return [
        _Column(
            number,
            np.ascontiguousarray(bins.codes[:, number]),
            max(len(bins.labels[number]), 1),
            wild[:, number] if wild[:, number].any() else None,
        )
        for number in others
    ]


def _grow(bins: Bins, start: KnownGroups, columns: Sequence[_Column], m: int, judge: Judge) -> None:
    """All sets of up to m columns. A bin that one column allows to skip is skipped in every set
    with that column."""
    aside = judge(start)
    if m == 0:
        return
    start = _without(start, aside)
    waiting: list[tuple[_Column, KnownGroups, Marks]] = []
    for column in columns:
        one = _extended(start, column)
        gone = judge(one)
        out = np.zeros(len(bins), bool)
        out[one.at[gone]] = True
        waiting.append((_compact(column, one, gone), _without(one, gone), out))
    for place, (_, one, _) in enumerate(waiting):
        _pairs(one, waiting[place + 1 :], m - 1, judge)


def _pairs(
    start: KnownGroups,
    waiting: Sequence[tuple[_Column, KnownGroups, Marks]],
    m: int,
    judge: Judge,
) -> None:
    for place, (column, _, out) in enumerate(waiting if m else ()):
        if not len(start.at):
            return
        found = _extended(_without(start, out[start.at]), column)
        gone = judge(found)
        if m > 1:
            _pairs(_without(found, gone), waiting[place + 1 :], m - 1, judge)


def _extended(start: KnownGroups, column: _Column) -> KnownGroups:
    """The groups with one column more; bins in which it is wild are skipped."""
    if column.wild is not None:
        start = _without(start, column.wild[start.at])
    keys = start.groups * column.values + column.codes[start.at]
    span = start.count * column.values
    if span > max(DENSE * len(keys), FEW_KEYS):
        distinct, keys = np.unique(keys, return_inverse=True)
        span = len(distinct)
    return KnownGroups((*start.fields, column.number), start.at, keys, span, start.judged)


def _compact(column: _Column, found: KnownGroups, gone: Marks) -> _Column:
    """The column with its remaining codes renumbered: near-unique fields have few."""
    left = found.at[~gone]
    distinct, codes = np.unique(column.codes[left], return_inverse=True)
    if len(distinct) == column.values:
        return column
    out = np.zeros(len(column.codes), np.int32)
    out[left] = codes
    return _Column(column.number, out, max(len(distinct), 1), column.wild)


def _without(found: KnownGroups, gone: Marks) -> KnownGroups:
    if not gone.any():
        return found
    keep = ~gone
    return KnownGroups(
        found.fields, found.at[keep], found.groups[keep], found.count, found.judged[keep]
    )


def sizes_of_groups(bins: Bins, found: KnownGroups) -> Numbers:
    """How many rows, or people, each group has; 0 for a number that no bin has."""
    if bins.adds_up:
        return np.bincount(found.groups, bins.counts[found.at], found.count).astype(np.int64)
    groups = np.full(len(bins), found.count)
    groups[found.at] = found.groups
    sizes = bins.sizes_of(groups)[: found.count]
    return np.pad(sizes, (0, found.count - len(sizes)))


def largest_shares(
    bins: Bins, found: KnownGroups, name: str, *, limited: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """For each group: the largest share of its rows, or people, that have one of the `limited`
    values of a sensitive field; 0 where none has."""
    bins = as_judged(bins, name)
    width = max(len(limited), 1)
    if isinstance(bins, CountedPeople):
        held = bins.held[name]
        people = int(held.person_of.max(initial=0)) + 1
        which, keys = _looked_at(bins, found, held.bin_of, held.value_of, limited)
        once = np.unique(keys * people + held.person_of[which]) // people
        entries, counts = np.unique(once, return_counts=True)
    else:
        inside = bins.histograms[name]
        which, keys = _looked_at(bins, found, inside.bin_of, inside.value_of, limited)
        span = found.count * width
        if span <= max(DENSE * len(keys), FEW_KEYS):
            dense = np.bincount(keys, inside.counts[which], span).reshape(width, -1)
            most: NDArray[np.float64] = dense.max(axis=0)
            return most / np.maximum(sizes_of_groups(bins, found), 1)
        entries, place = np.unique(keys, return_inverse=True)
        counts = np.bincount(place, inside.counts[which], len(entries))
    groups = entries % found.count
    shares = np.zeros(found.count)
    np.maximum.at(shares, groups, counts / np.maximum(sizes_of_groups(bins, found)[groups], 1))
    return shares


def _looked_at(
    bins: Bins,
    found: KnownGroups,
    bin_of: Numbers,
    value_of: NDArray[np.int32],
    limited: Marks,
) -> tuple[Numbers, Numbers]:
    """The entries of limited values in counted bins, and a key of value and group: groups of one
    value follow each other, so that the largest of each group is found fastest."""
    if len(bin_of) == len(bins) and np.array_equal(bin_of, np.arange(len(bin_of))):
        which, groups = found.at, found.groups  # Each bin holds one value: a near-unique table.
        if not limited.all():
            chosen = limited[value_of[which]]
            which, groups = which[chosen], groups[chosen]
    else:
        group_of = np.full(len(bins), -1)
        group_of[found.at] = found.groups
        which = np.flatnonzero((group_of[bin_of] >= 0) & limited[value_of])
        groups = group_of[bin_of[which]]
    return which, value_of[which].astype(np.int64) * found.count + groups
