"""Columns of the program: an output channel, its blend of input channels, and the cost of a
subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .rules import Members

Places = NDArray[np.int32]
Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Column:
    """`shares` of input channels `blend` go to the output channel of `members`, at `cost` (psi) for
    each subject.

    `subjects` are those of the assignment that it was taken from, if it was.
    """

    members: Members
    blend: Places
    shares: Reals
    cost: float
    subjects: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class PricedColumns:
    """The result of pricing: columns worth having, and a proof that no column has a reduced cost
    under `least`."""

    columns: Sequence[Column] = ()
    least: float = -np.inf


@dataclass(eq=False)
class Blends:
    """Rays of one size, as arrays: the sets, their shares, and the cost of the cheapest output
    channel around each.

    `closed` is where that cost is exact; elsewhere it is a lower bound (rules about gaps).
    """

    sets: Places
    shares: Reals
    costs: Reals
    closed: NDArray[np.bool_]
    members: dict[int, Members] = field(default_factory=dict)

    def reduced(self, duals: Reals) -> Reals:
        """The reduced cost of each for one subject."""
        out: Reals = self.costs - np.einsum("ns,ns->n", duals[self.sets], self.shares)
        return out


def spread(
    order: NDArray[Any], sets: Places, inputs: int, *, each: int, most: int
) -> Iterator[int]:
    """Of candidates in order of merit, at most `most`, no input channel in more than `each` of
    them."""
    used = [0] * inputs
    taken = 0
    for candidate, row in zip(order.tolist(), sets[order].tolist(), strict=True):
        if all(used[r] < each for r in row):
            for r in row:
                used[r] += 1
            taken += 1
            yield candidate
            if taken == most:
                return
