"""Combinations of values that no row of a table has, and a largest flow into them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .keyed_random import Wholes

Marks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class HeldTuples:
    """The combinations that a table has; `sizes` are how many values each field has.

    Example:
        >>> held = HeldTuples.of(np.array([[0, 1], [1, 0]]), (2, 2))
        >>> held.has(np.array([[0, 0], [1, 0]])).tolist()
        [False, True]
    """

    sizes: tuple[int, ...]
    stems: tuple[Wholes, ...]

    @classmethod
    def of(cls, codes: Wholes, sizes: tuple[int, ...]) -> HeldTuples:
        """Combinations are numbered field by field, so that no number is larger than rows times
        values."""
        stems, number = [], np.zeros(len(codes), np.int64)
        for column, size in enumerate(sizes):
            found, number = np.unique(number * size + codes[:, column], return_inverse=True)
            stems.append(found)
        return cls(sizes, tuple(stems))

    def has(self, codes: Wholes) -> Marks:
        """For each combination, whether the table has it."""
        number, known = np.zeros(len(codes), np.int64), np.ones(len(codes), bool)
        for column, (size, stem) in enumerate(zip(self.sizes, self.stems, strict=True)):
            wanted = number * size + codes[:, column]
            number = np.minimum(np.searchsorted(stem, wanted), max(len(stem) - 1, 0))
            known &= stem[number] == wanted if len(stem) else False
        return known


def flow_rest(new: Wholes, held: HeldTuples, *, column: int, rest: Wholes, rests: Wholes) -> Marks:
    """Reassign one field, in place, so that as few rows as possible have a held combination;
    returns these rows.

    `rest` are the distinct combinations of the other fields, `rests` each row's. Rows with the same
    rest and the same value are one amount of a flow."""
    size = held.sizes[column]
    pairs = np.repeat(rest, size, axis=0)
    pairs = np.insert(pairs, column, np.tile(np.arange(size), len(rest)), axis=1)
    free = ~held.has(pairs).reshape(len(rest), size)
    wanted, there = (
        np.bincount(rests, minlength=len(rest)),
        np.bincount(new[:, column], minlength=size),
    )
    flow = np.zeros(free.shape, np.int64)
    ok = ~held.has(new)
    np.add.at(flow, (rests[ok], new[ok, column]), 1)
    while _augment(flow, free, wanted, there):
        pass
    return _dealt(new, column, rests, flow, there - flow.sum(axis=0))


def _augment(flow: Wholes, free: Marks, wanted: Wholes, there: Wholes) -> bool:
    """One shortest path from a rest with rows over to a value with some over, and the flow along
    it; whether there is one (Edmonds and Karp 1972)."""
    rows, columns = flow.shape
    over = there - flow.sum(axis=0)
    reached = wanted > flow.sum(axis=1)
    came_row = np.full(rows, -1)
    came_column = np.full(columns, -1)
    frontier = np.flatnonzero(reached)
    while len(frontier):
        edges = free[frontier] & (came_column < 0)
        fresh = np.flatnonzero(edges.any(axis=0))
        if not len(fresh):
            return False
        came_column[fresh] = frontier[edges[:, fresh].argmax(axis=0)]
        ends = fresh[over[fresh] > 0]
        if len(ends):
            _push(flow, wanted, int(over[ends[0]]), int(ends[0]), came_row, came_column)
            return True
        back = (flow[:, fresh] > 0) & ~reached[:, None]
        frontier = np.flatnonzero(back.any(axis=1))
        came_row[frontier] = fresh[back[frontier].argmax(axis=1)]
        reached[frontier] = True
    return False


def _push(
    flow: Wholes, wanted: Wholes, amount: int, end: int, came_row: Wholes, came_column: Wholes
) -> None:
    """As much as the path takes: forth from a rest to a value, back along what flowed."""
    forth, back, column = [], [], end
    while True:
        row = int(came_column[column])
        forth.append((row, column))
        if came_row[row] < 0:
            break
        column = int(came_row[row])
        back.append((row, column))
    amount = min(amount, int(wanted[row] - flow[row].sum()), *(int(flow[edge]) for edge in back))
    for edge in forth:
        flow[edge] += amount
    for edge in back:
        flow[edge] -= amount


def _dealt(new: Wholes, column: int, rests: Wholes, flow: Wholes, over: Wholes) -> Marks:
    """The flow as values of rows, in place; rows beyond it get what is over, and are marked."""
    order = np.argsort(rests, kind="stable")
    starts = np.searchsorted(rests[order], np.arange(len(flow)))
    row, value = np.nonzero(flow)
    amounts = flow[row, value]
    before = np.cumsum(flow.sum(axis=1)) - flow.sum(axis=1)
    place = np.arange(int(amounts.sum())) - np.repeat(before[row], amounts)
    rows = order[np.repeat(starts[row], amounts) + place]
    left = np.ones(len(new), bool)
    left[rows] = False
    new[rows, column] = np.repeat(value, amounts)
    new[left, column] = np.repeat(np.arange(len(over)), over)
    return left
