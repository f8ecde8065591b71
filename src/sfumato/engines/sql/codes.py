"""Codes of a session's answer as sorted values, in order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Codes, Label

from ..engine import Column, Itemsets


@dataclass(frozen=True, slots=True, kw_only=True)
class Dictionaries:
    """For each field the session's table that numbers its values, and the values in order, without
    null."""

    tables: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedTuples:
    """Tuples as codes, in order, each with a number; `values` with null last where a field has
    it."""

    values: tuple[tuple[Label, ...], ...]
    codes: Codes
    counts: NDArray[np.int64]


def counted(found: Mapping[str, NDArray[Any]], values: Sequence[tuple[str, ...]]) -> CodedTuples:
    """From columns c0, c1, … and n of an answer."""
    counts = np.asarray(np.ma.filled(found["n"], 0), np.int64)
    columns: list[NDArray[Any]] = []
    all_values: list[tuple[Label, ...]] = []
    for i, texts in enumerate(values):
        column = found[f"c{i}"]
        has_null = np.ma.is_masked(column)
        columns.append(np.asarray(np.ma.filled(column, len(texts)) if has_null else column))
        all_values.append((*texts, None) if has_null else texts)
    order = _in_order(columns, [len(texts) for texts in all_values], rows=len(counts))
    codes = np.zeros((len(counts), len(values)), np.int32)
    for i, column in enumerate(columns):
        codes[:, i] = column[order]
    return CodedTuples(values=tuple(all_values), codes=codes, counts=counts[order])


def _in_order(
    columns: Sequence[NDArray[Any]], sizes: Sequence[int], *, rows: int
) -> NDArray[np.int64]:
    """The places of the rows in the order of their codes, of which no two rows have the same. They
    are sorted by one packed number where it fits, with the place behind it where that fits too;
    else by column."""
    keys, span = np.zeros(rows, np.int64), math.prod(max(size, 1) for size in sizes)
    if span >= 2**62:
        return np.lexsort(columns[::-1])
    for column, size in zip(columns, sizes, strict=True):
        keys *= max(size, 1)
        keys += column
    bits = rows.bit_length()
    if span.bit_length() + bits > 62:
        return np.argsort(keys)
    keys <<= bits
    keys |= np.arange(rows)
    keys.sort()
    keys &= (1 << bits) - 1
    return keys


def bins_in(bins: Codes, some: Codes) -> NDArray[np.int64]:
    """For each row of `some` its place in `bins`, whose rows are distinct and hold all of them;
    both are in order."""
    if not bins.shape[1]:
        return np.zeros(len(some), np.int64)
    both = np.concatenate([bins, some])
    starts = np.zeros(len(both), bool)
    starts[: len(bins)] = True
    # Stable, and bins come first among equals: each bin starts a run of its rows.
    order = np.lexsort(((~starts).astype(np.int8), *both.T[::-1]))
    place = np.cumsum(starts[order]) - 1
    out = np.empty(len(both), np.int64)
    out[order] = place
    return out[len(bins) :]


def itemsets_of(
    sizes: Sequence[Mapping[str, NDArray[Any]]], values: tuple[str, ...], *, groups: int
) -> Itemsets:
    """From the combinations of each size: columns g0, g1, …, i0, i1, … and n."""
    m = len(sizes)
    codes, where, people = [], [], []
    for size, found in enumerate(sizes, start=1):
        n = np.asarray(found["n"], np.int64)
        block = np.full((len(n), m), -1, np.int32)
        for i in range(size):
            block[:, i] = found[f"i{i}"]
        codes.append(block)
        within = [np.ma.filled(np.ma.asarray(found[f"g{i}"], np.int64), -1) for i in range(groups)]
        where.append(np.stack(within, axis=1) if within else np.zeros((len(n), 0), np.int64))
        people.append(n)
    all_where = np.concatenate(where)
    number = np.zeros(len(all_where), np.int64)
    if groups:
        _, number = np.unique(all_where, axis=0, return_inverse=True)
    return Itemsets(
        values=values,
        codes=np.concatenate(codes),
        groups=number.reshape(-1),
        people=np.concatenate(people),
    )


def objects(values: Sequence[object]) -> Column:
    out = np.empty(len(values), object)
    out[:] = values
    return out
