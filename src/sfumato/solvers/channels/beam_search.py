"""Pricing by beam search: the best few sets around each risky input, one input more at a time.

Columns near those in use say little about small input channels: their duals stay too high, and no
bound near the cost can be proven with these. Here each risky input has sets of its own. A set with
its lambda shows which further input earns most beyond its cost; only those are tried."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .columns import Places, Reals
from .effort import ChannelEffort
from .fixed_charge import largest_shares
from .mixtures import mixtures_of
from .rules import Rules

MOST_KEPT, PAIRS, WIDER, FURTHER = 5_000, 40, 4, 48
"""Sets that are kept in all, pairs and wider sets for each risky input, and further inputs that are
tried for each of these. Rays of wider sets are slower to compute and seldom better."""
MOST_PAIRS = 4_000_000
"""With more pairs than this a search of each risky input would take too long."""
_CHUNK = 20_000


class BeamSearch:
    """Sets of input channels that may be worth more than they cost, for each risky input."""

    def __init__(self, excess: Reals, rules: Rules) -> None:
        self.excess, self.rules = excess, rules
        self.inputs, limits = excess.shape
        self.deepest = min(limits + 1, self.inputs)
        self._largest = largest_shares(excess)
        self.is_possible = int(rules.risky.sum()) * self.inputs <= MOST_PAIRS

    def price(self, duals: Reals, *, tolerance: float, effort: ChannelEffort) -> list[Places]:
        """The sets with a reduced cost under -tolerance that were found, an array for each size."""
        out: list[Places] = []
        if not self.is_possible:
            return out
        leaders, sets = self._pairs()
        for size in range(2, self.deepest + 1):
            effort.spend(len(sets))
            if not len(sets) or effort.is_over:
                break
            reduced, multipliers, worth = self._valued(sets, duals, effort)
            found = np.flatnonzero(reduced < -tolerance)
            if len(found):
                out.append(sets[found])
            width = max(1, MOST_KEPT // int(self.rules.risky.sum()))
            kept = _best(leaders, reduced, min(width, PAIRS if size == 2 else WIDER))
            if size < self.deepest:
                leaders, sets = self._wider(
                    leaders[kept], sets[kept], multipliers[kept], duals - worth[kept, None]
                )
        return out

    def _pairs(self) -> tuple[Places, Places]:
        risky = np.flatnonzero(self.rules.risky).astype(np.int32)
        leaders = np.repeat(risky, self.inputs)
        others = np.tile(np.arange(self.inputs, dtype=np.int32), len(risky))
        apart = leaders != others
        pairs = np.column_stack([leaders[apart], others[apart]])
        return leaders[apart], np.sort(pairs, axis=1)

    def _valued(
        self, sets: Places, duals: Reals, effort: ChannelEffort
    ) -> tuple[Reals, Reals, Reals]:
        """Of each set the reduced cost of its best ray, infinite where it has none, the lambda of
        that ray and what the ray earns."""
        limits = self.excess.shape[1]
        reduced = np.full(len(sets), np.inf)
        multipliers, worth = np.zeros((len(sets), limits)), np.zeros(len(sets))
        for start in range(0, len(sets), _CHUNK):
            if effort.is_over:
                break
            part = sets[start : start + _CHUNK]
            costs = self.rules.least_costs(part)
            every = combinations(range(limits), sets.shape[1] - 1)
            for tight, (rows, shares) in zip(every, mixtures_of(part, self.excess), strict=True):
                earned = np.einsum("ns,ns->n", duals[part[rows]], shares)
                better = costs[rows] - earned < reduced[start + rows]
                rows, earned = rows[better], earned[better]
                at = start + rows
                reduced[at], worth[at] = costs[rows] - earned, earned
                multipliers[at] = 0.0
                multipliers[np.ix_(at, tight)] = _lambdas(
                    self.excess[part[rows]][:, :, tight], duals[part[rows]]
                )
        return reduced, multipliers, worth

    def _wider(
        self, leaders: Places, sets: Places, multipliers: Reals, beyond: Reals
    ) -> tuple[Places, Places]:
        """Each set with each of the further inputs that earn most beyond their cost; `beyond` is what
        a dual earns more than the set."""
        if not len(sets):
            return leaders, np.zeros((0, sets.shape[1] + 1), np.int32)
        gain = (beyond - multipliers @ self.excess.T) * self._largest
        gain -= self.rules.sizes
        gain[np.arange(len(sets))[:, None], sets] = -np.inf
        many = min(FURTHER, self.inputs - sets.shape[1])
        added = np.argpartition(-gain, many - 1, axis=1)[:, :many].astype(np.int32)
        wider = np.column_stack([np.repeat(sets, many, axis=0), added.ravel()])
        wider = np.sort(wider, axis=1)
        owner = np.repeat(leaders, many)
        _, first = np.unique(np.column_stack([owner, wider]), axis=0, return_index=True)
        return owner[first], wider[first]


def _lambdas(tight: Reals, earned: Reals) -> Reals:
    """The multipliers of the tight limits at which all inputs of a ray earn the same."""
    many, size, _ = tight.shape
    square = np.concatenate([tight, np.ones((many, size, 1))], axis=2)
    ordinary = np.abs(np.linalg.det(square)) > 1e-14
    square[~ordinary] = np.eye(size)
    found: Reals = np.linalg.solve(square, earned[:, :, None])[:, :-1, 0]
    found[~ordinary] = 0.0
    return found


def _best(leaders: Places, reduced: Reals, width: int) -> NDArray[np.int64]:
    """The places of the sets of least reduced cost, so many for each leader."""
    order = np.lexsort((reduced, leaders))
    place = np.arange(len(order)) - np.searchsorted(leaders[order], leaders[order])
    chosen: NDArray[np.int64] = order[(place < width) & np.isfinite(reduced[order])]
    return chosen
