"""Pricing by looking at every ray: all blends of up to three inputs, or as many as there are in
all, kept as arrays."""

from __future__ import annotations

import numpy as np

from .columns import Blends, Column, PricedColumns, Reals, spread
from .effort import ChannelEffort
from .mixtures import mixtures_of, number_of_sets, sets_of
from .rules import Rules

MOST_SETS = 40_000_000
"""So many sets are looked at to make the pool: all of three of 800 input channels of which 120 are
risky."""
MOST_WIDE_SETS = 300_000
"""The same where sets have four inputs or more, which are slower to make."""
MOST_OF_SOME = 2_000_000
"""The same where wider rays stay out of the pool in any case."""
EACH, MOST, LOOKED_AT = 8, 400, 20_000


class RayPool:
    """The rays of up to as many inputs as can be looked at. `is_complete` where these are all that
    there are."""

    def __init__(self, excess: Reals, rules: Rules, effort: ChannelEffort) -> None:
        self.rules = rules
        self.inputs, limits = excess.shape
        self.risky_first = np.argsort(~rules.risky, kind="stable").astype(np.int32)
        self.blends: list[Blends] = []
        largest = min(limits + 1, self.inputs)
        self.size, leading = 1, int(rules.risky.sum())
        numbers = [
            number_of_sets(self.inputs, size, leading=leading) for size in range(2, largest + 1)
        ]
        all_fit = sum(numbers) <= (MOST_SETS if largest <= 3 else MOST_WIDE_SETS)
        looked_at = 0
        while self.size < largest and not effort.is_over:
            looked_at += numbers[self.size - 1]
            if not all_fit and looked_at > (MOST_OF_SOME if self.size < 3 else MOST_WIDE_SETS):
                break
            effort.spend(numbers[self.size - 1])
            self.size += 1
            self.blends.append(self._of_size(excess, self.size))
        self.is_complete = self.size == largest

    def _of_size(self, excess: Reals, size: int) -> Blends:
        sets, shares = [], []
        for numbers in sets_of(self.inputs, size, leading=int(self.rules.risky.sum())):
            part = self.risky_first[numbers]
            for rows, found in mixtures_of(part, excess):
                sets.append(part[rows])
                shares.append(found)
        all_sets = np.concatenate(sets) if sets else np.zeros((0, size), np.int32)
        costs = self.rules.least_costs(all_sets)
        possible = np.isfinite(costs)
        all_sets, costs = all_sets[possible], costs[possible]
        exact = (
            ~self.rules.may_grow(all_sets)
            if self.rules.needs_closing
            else np.ones(len(all_sets), bool)
        )
        all_shares = np.concatenate(shares)[possible] if shares else np.zeros((0, size))
        return Blends(all_sets, all_shares, costs, exact)

    def __len__(self) -> int:
        return sum(len(blends.sets) for blends in self.blends)

    def price(self, duals: Reals, *, tolerance: float) -> PricedColumns:
        """The best columns of the pool; `least` is about the pool alone."""
        columns: list[Column] = []
        least = 0.0
        for blends in self.blends:
            reduced = blends.reduced(duals)
            if self.rules.needs_closing:
                self._close(blends, reduced, tolerance)
                reduced = blends.reduced(duals)
            least = min(least, float(reduced.min(initial=0.0)))
            worth = np.flatnonzero(reduced < -tolerance)
            if len(worth) > LOOKED_AT:
                worth = worth[np.argpartition(reduced[worth], LOOKED_AT)[:LOOKED_AT]]
            order = worth[np.argsort(reduced[worth], kind="stable")]
            chosen = spread(order, blends.sets, self.inputs, each=EACH, most=MOST)
            columns.extend(self._column(blends, i) for i in chosen)
        return PricedColumns(columns=columns, least=least)

    def _close(self, blends: Blends, reduced: Reals, tolerance: float) -> None:
        """Make exact the costs of blends that look worth having and have gaps to be filled."""
        for i in np.flatnonzero((reduced < -tolerance) & ~blends.closed).tolist():
            members = self.rules.closed(tuple(blends.sets[i].tolist()))
            blends.closed[i] = True
            blends.costs[i] = np.inf
            if members is not None:
                blends.members[i] = members
                blends.costs[i] = self.rules.cost(members)

    def _column(self, blends: Blends, i: int) -> Column:
        members = blends.members.get(i)
        if members is None:
            members = self.rules.closed(tuple(blends.sets[i].tolist()))
        assert members is not None
        return Column(
            members=members,
            blend=blends.sets[i],
            shares=blends.shares[i],
            cost=float(blends.costs[i]),
        )
