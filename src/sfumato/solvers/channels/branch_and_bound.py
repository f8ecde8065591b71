"""Pricing by branch and bound: the best blend among all, however many inputs a ray may have.

For duals pi, a set T of input channels is worth an output channel where psi(T) < v(T). Here v(T) is
the most that pi earns over the blends of T that keep A x <= 0. By duality v(T) = min over lambda >=
0 of max over r in T of g_r = pi_r - lambda A_r. Some lambda therefore shows that T is not worth it.
A wider set is worth it only if it has an r with g_r > psi: those are the branches. Sets are grown
level by level, all of a level at once. Polyak's steps find a lambda from its parent's; a small
linear program finds it where those do not end. Each set that is left out has its bound, so an early
end has one too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from .columns import Column, Places, PricedColumns, Reals, spread
from .effort import ChannelEffort
from .fixed_charge import largest_shares, possible_members, undominated
from .master import quiet_program
from .mixtures import mixtures_of
from .rules import Flags, Rules

STEPS, WIDE_STEPS = 120, 100
MARGIN = 0.05
"""Steps aim below a cost by this share of it, less and less: a lambda inside what is allowed is
reached in the end."""
MOST_SETS, FEWER_SETS = 2_000_000, 20_000
"""Of a larger level the most promising sets are grown; for the others their bound is taken. Fewer
where pairs are all that could be listed: then a program over fixed charges is quicker."""
MOST_PROGRAMS = 2_000
"""So many sets of a level get their lambda by a linear program where steps did not end; the others
have a bound."""
PROBED = 50
"""From so many inputs on, where sets are too many, it pays to find out which inputs can be in a
column at all."""
EACH, MOST, LOOKED_AT = 8, 400, 20_000
_CHUNK, _MANY = 5_000, 5_000


@dataclass(eq=False)
class _Level:
    """Sets of one size, with a lambda for each and what the cheapest output channel around it costs
    at least.

    `is_open` has the sets without a lambda that shows them not to be worth their cost: each wider
    set is tried."""

    sets: Places
    multipliers: Reals
    costs: Reals
    is_open: Flags

    def __getitem__(self, which: NDArray[Any]) -> _Level:
        return _Level(
            self.sets[which], self.multipliers[which], self.costs[which], self.is_open[which]
        )


class _Over(Exception):
    """The effort was spent inside a pricing round."""


class BranchAndBound:
    """Prices over all rays of the cone, within an effort."""

    def __init__(self, excess: Reals, rules: Rules, *, most_sets: int = MOST_SETS) -> None:
        self.excess, self.rules, self.most_sets = excess, rules, most_sets
        self.inputs, self.limits = excess.shape
        self.deepest = min(self.limits + 1, self.inputs)
        self._largest = largest_shares(excess)
        self._largest_worth: Reals = np.ones(self.inputs)
        self._norms = np.maximum((excess**2).sum(axis=1), 1e-300)

    def price(self, duals: Reals, *, tolerance: float, effort: ChannelEffort) -> PricedColumns:
        """Columns with a reduced cost under -tolerance; where there are none, the bound on all of
        them.

        Where the effort is over there is neither: sets that were not examined have no bound. Where no
        rule forbids it, another input replaces one that it dominates, and so only undominated
        inputs are looked at.
        """
        if not (self.rules.any or self.rules.needs_closing):
            kept = np.flatnonzero(undominated(duals, self.excess, self.rules)).astype(np.int32)
            if len(kept) < self.inputs:
                return self._among(kept, duals, tolerance, effort)
        self._largest_worth = np.ones(self.inputs)
        try:
            found = self._priced(duals, tolerance, effort)
            if found.columns or np.isfinite(found.least) or self.inputs < PROBED:
                return found
            self._probe(duals, effort)
            return self._priced(duals, tolerance, effort)
        except _Over:
            return PricedColumns()

    def _among(
        self, kept: Places, duals: Reals, tolerance: float, effort: ChannelEffort
    ) -> PricedColumns:
        """The same over some of the inputs, none of which dominates another."""
        rules = replace(
            self.rules,
            sizes=self.rules.sizes[kept],
            risky=self.rules.risky[kept],
            together=self.rules.together[np.ix_(kept, kept)],
            most=len(kept),
        )
        some = BranchAndBound(self.excess[kept], rules, most_sets=self.most_sets)
        found = some.price(duals[kept], tolerance=tolerance, effort=effort)
        return PricedColumns(
            columns=[
                replace(
                    column,
                    members=tuple(kept[list(column.members)].tolist()),
                    blend=kept[column.blend],
                )
                for column in found.columns
            ],
            least=found.least,
        )

    def _priced(self, duals: Reals, tolerance: float, effort: ChannelEffort) -> PricedColumns:
        level, least = self._root(), -tolerance
        for size in range(1, self.deepest + 1):
            grown = self._grown(level, duals, tolerance, effort)
            if grown is None:
                break
            columns = (
                self.columns_of(grown.sets, grown.costs, duals, tolerance=tolerance, effort=effort)
                if size > 1
                else []
            )
            if columns:
                return PricedColumns(columns=columns)
            if size == self.deepest:
                break
            if len(grown.sets) > self.most_sets and not self.rules.any:
                return PricedColumns()  # a program over fixed charges has the better bound
            grown, dropped = self._promising(grown, duals, effort)
            level, unproven = self._with_multipliers(grown, duals, tolerance, effort)
            least = min(least, dropped, unproven)
        return PricedColumns(least=least)

    def price_near(
        self, supports: Sequence[Places], duals: Reals, *, tolerance: float, effort: ChannelEffort
    ) -> list[Column]:
        """Columns that differ by one input from those in use, which cost what they earn: often the
        better ones."""
        found = []
        for support in supports:
            found += [self._beside(support)] + [
                self._beside(np.delete(support, i)) for i in range(len(support))
            ]
        try:
            out: list[Column] = []
            for size in sorted({sets.shape[1] for sets in found}):
                sets = np.concatenate([part for part in found if part.shape[1] == size])
                if 2 <= size <= self.deepest:
                    sets = sets[np.unique(_numbers(sets, self.inputs), return_index=True)[1]]
                    costs = self.rules.least_costs(sets)
                    sets, costs = sets[np.isfinite(costs)], costs[np.isfinite(costs)]
                    out += self.columns_of(sets, costs, duals, tolerance=tolerance, effort=effort)
        except _Over:
            return []
        return out

    def price_sets(
        self, sets: Places, duals: Reals, *, tolerance: float, effort: ChannelEffort
    ) -> list[Column]:
        """The best columns of given sets of one size."""
        sets = sets[np.unique(_numbers(sets, self.inputs), return_index=True)[1]]
        costs = self.rules.least_costs(sets)
        possible = np.isfinite(costs)
        try:
            return self.columns_of(
                sets[possible], costs[possible], duals, tolerance=tolerance, effort=effort
            )
        except _Over:
            return []

    def _beside(self, members: Places) -> Places:
        """The set with each other input."""
        others = np.setdiff1d(np.arange(self.inputs, dtype=np.int32), members)
        return np.sort(
            np.column_stack([np.tile(members, (len(others), 1)), others]).astype(np.int32), axis=1
        )

    def share_of(self, duals: Reals) -> float:
        """The largest share of these duals that one lambda shows to be worth no output channel at
        all, at once.

        Some lambda keeps share * pi_r - lambda A_r under what an output channel with r costs at
        least, for every r."""
        singles = np.arange(self.inputs, dtype=np.int32)[:, None]
        least = self.rules.least_costs(singles)
        allowed = np.isfinite(least)
        return _largest_share(duals[allowed], self.excess[allowed], least[allowed])

    def _probe(self, duals: Reals, effort: ChannelEffort) -> None:
        """The inputs that can be in a column at these duals, with their largest shares there."""
        every = np.arange(self.inputs, dtype=np.int32)
        most = self._most(np.zeros(1), duals)[0]
        kept, shares = possible_members(
            duals, self.rules.sizes, self.excess, every, most=most, effort=effort
        )
        self._largest_worth[:] = 0.0
        self._largest_worth[kept] = shares

    def _root(self) -> _Level:
        return _Level(
            np.zeros((1, 0), np.int32), np.zeros((1, self.limits)), np.zeros(1), np.zeros(1, bool)
        )

    def _grown(
        self, level: _Level, duals: Reals, tolerance: float, effort: ChannelEffort
    ) -> _Level | None:
        """The sets of one more input, with the lambdas of their origins; None where none is worth a
        look."""
        sets, parents = self._wider(level, duals, tolerance, effort)
        costs = self.rules.least_costs(sets)
        possible = np.isfinite(costs)
        if not possible.any():
            return None
        sets, costs = sets[possible], costs[possible]
        return _Level(sets, level.multipliers[parents[possible]], costs, np.zeros(len(sets), bool))

    def _promising(
        self, level: _Level, duals: Reals, effort: ChannelEffort
    ) -> tuple[_Level, float]:
        """The sets with the least bounds, as many as are grown, and the bound of the others."""
        if len(level.sets) <= self.most_sets:
            return level, np.inf
        parts = []
        for start in range(0, len(level.sets), _CHUNK):
            _go_on(effort, min(_CHUNK, len(level.sets) - start))
            parts.append(self._least(level, slice(start, start + _CHUNK), duals))
        least = np.concatenate(parts)
        order = np.argpartition(least, self.most_sets)
        return level[np.sort(order[: self.most_sets])], float(least[order[self.most_sets :]].min())

    def _with_multipliers(
        self, level: _Level, duals: Reals, tolerance: float, effort: ChannelEffort
    ) -> tuple[_Level, float]:
        """Lambdas that show each set not to be worth its cost, where there are; the bound of sets
        that are left out."""
        wanted = level.costs + tolerance / 2
        found, left = [], []
        for start in range(0, len(level.sets), _MANY):
            part = slice(start, start + _MANY)
            _go_on(effort, len(level.sets[part]))
            start_at = level.multipliers[part]
            if (
                self.most_sets < MOST_SETS
            ):  # where wider sets are many, it pays to rule them out at once
                wide, is_shut = self._wide_multipliers(level, part, duals, tolerance, effort)
                start_at = np.where(is_shut[:, None], wide, start_at)
            multipliers, open_ = self._multipliers(level.sets[part], wanted[part], start_at, duals)
            found.append(multipliers)
            left.append(open_ + start)
        level = _Level(level.sets, np.concatenate(found), level.costs, np.zeros(len(wanted), bool))
        unproven = self._vertex_multipliers(level, np.concatenate(left), duals, wanted, effort)
        self._solve_multipliers(level, unproven[:MOST_PROGRAMS], duals, effort)
        earned = duals[level.sets] - np.einsum(
            "nsk,nk->ns", self.excess[level.sets], level.multipliers
        )
        level.is_open[:] = earned.max(axis=1) > wanted
        beyond = np.flatnonzero(level.is_open)[MOST_PROGRAMS:]
        kept = np.ones(len(wanted), bool)
        kept[beyond] = False
        return level[kept], float(
            self._least(level[beyond], slice(None), duals).min(initial=np.inf)
        )

    def _vertex_multipliers(
        self,
        level: _Level,
        unproven: Places,
        duals: Reals,
        wanted: Reals,
        effort: ChannelEffort,
    ) -> Places:
        """Lambdas of the sets for which steps found none, many at once: each vertex is tried. The
        sets that are left have no ray, or need several limits to show it."""
        left = []
        for start in range(0, len(unproven), _CHUNK):
            part = unproven[start : start + _CHUNK]
            _go_on(effort, len(part))
            sets = level.sets[part]
            found, multipliers = vertex_multipliers(self.excess[sets], duals[sets], wanted[part])
            level.multipliers[part[found]] = multipliers[found]
            left.append(part[~found])
        return np.concatenate(left) if left else unproven

    def _solve_multipliers(
        self, level: _Level, unproven: Places, duals: Reals, effort: ChannelEffort
    ) -> None:
        for i in unproven.tolist():
            _go_on(effort, 1)
            members = level.sets[i]
            level.multipliers[i] = _least_worst(duals[members], self.excess[members])

    def _wider(
        self, level: _Level, duals: Reals, tolerance: float, effort: ChannelEffort
    ) -> tuple[Places, Places]:
        """Each set with one more input that its lambda does not rule out, once, and the number of
        one of its origins."""
        found, parents = [], []
        for start in range(0, len(level.sets), _CHUNK):
            part = slice(start, start + _CHUNK)
            _go_on(effort, len(level.sets[part]))
            worth = (
                duals - level.multipliers[part] @ self.excess.T
                > self._asked(level, part, duals) + tolerance / 2
            )
            worth[level.is_open[part]] = True
            worth[np.arange(len(worth))[:, None], level.sets[part]] = False
            row, added = np.nonzero(worth)
            found.append(
                np.sort(np.column_stack([level.sets[part][row], added.astype(np.int32)]), axis=1)
            )
            parents.append((row + start).astype(np.int32))
        sets = np.concatenate(found)
        _, first = np.unique(_numbers(sets, self.inputs), return_index=True)
        return sets[first], np.concatenate(parents)[first]

    def columns_of(
        self, sets: Places, costs: Reals, duals: Reals, *, tolerance: float, effort: ChannelEffort
    ) -> list[Column]:
        """The best columns of these sets, no input in too many of them."""
        blends, shares, reduced = [], [], []
        for start in range(0, len(sets), _CHUNK):
            part = sets[start : start + _CHUNK]
            _go_on(effort, len(part))
            for rows, found in mixtures_of(part, self.excess):
                saved = costs[start + rows] - np.einsum("ns,ns->n", duals[part[rows]], found)
                worth = np.flatnonzero(saved < -tolerance)
                blends.append(part[rows[worth]])
                shares.append(found[worth])
                reduced.append(saved[worth])
        if not blends:
            return []
        all_blends, all_shares = np.concatenate(blends), np.concatenate(shares)
        order = np.argsort(np.concatenate(reduced), kind="stable")
        if not self.rules.needs_closing:
            order = np.fromiter(
                spread(order[:LOOKED_AT], all_blends, self.inputs, each=EACH, most=MOST), np.int64
            )
        columns: list[Column] = []
        for i in (
            order.tolist()
        ):  # gaps to be filled can make a blend too costly: then the next one is tried
            column = self._column(all_blends[i], all_shares[i], duals, tolerance)
            if column is not None:
                columns.append(column)
            if len(columns) == MOST:
                break
            _go_on(effort, 1)
        return columns

    def _column(
        self, blend: Places, shares: Reals, duals: Reals, tolerance: float
    ) -> Column | None:
        """The column, if the cheapest output channel that the rules allow around it is worth
        having."""
        members = self.rules.closed(tuple(blend.tolist()))
        if members is None:
            return None
        cost = self.rules.cost(members)
        worth = cost - float(duals[blend] @ shares) < -tolerance
        return Column(members=members, blend=blend, shares=shares, cost=cost) if worth else None

    def _wide_multipliers(
        self, level: _Level, part: slice, duals: Reals, tolerance: float, effort: ChannelEffort
    ) -> tuple[Reals, Flags]:
        """A lambda for each set that shows no wider one to be worth its cost, and where there is
        one."""
        out = level.multipliers[part].copy()
        asked = self._asked(level, part, duals) + tolerance / 2
        left = np.arange(len(out))
        for turn in range(WIDE_STEPS):
            over = duals - out[left] @ self.excess.T - asked[left]
            worst = over.argmax(axis=1)
            over = over[np.arange(len(left)), worst]
            open_ = over > 0
            left, worst, over = left[open_], worst[open_], over[open_]
            if not len(left):
                break
            _go_on(effort, len(left))
            aim = MARGIN / (1 + turn / 20) * asked[left, worst]
            step = (over + aim) / self._norms[worst]
            out[left] = np.maximum(0.0, out[left] + step[:, None] * self.excess[worst])
        is_shut = np.ones(len(out), bool)
        is_shut[left] = False
        return out, is_shut

    def _multipliers(
        self, sets: Places, costs: Reals, start: Reals, duals: Reals
    ) -> tuple[Reals, Places]:
        """A lambda for each set that shows it is not worth its cost, and the sets for which steps
        did not find one."""
        out = start.copy()
        excess, earned, norms = self.excess[sets], duals[sets], self._norms[sets]
        left = np.arange(len(sets))
        for turn in range(STEPS):
            now = earned[left] - np.einsum("nsk,nk->ns", excess[left], out[left])
            worst = now.argmax(axis=1)
            over = now[np.arange(len(left)), worst] - costs[left]
            open_ = over > 0
            left, worst, over = left[open_], worst[open_], over[open_]
            if not len(left):
                break
            aim = MARGIN / (1 + turn / 20) * costs[left]
            step = (over + aim) / norms[left, worst]
            out[left] = np.maximum(0.0, out[left] + step[:, None] * excess[left, worst])
        return out, left.astype(np.int32)

    def _least(self, level: _Level, part: slice, duals: Reals) -> Reals:
        earned = duals - level.multipliers[part] @ self.excess.T
        out: Reals = (self._asked(level, part, duals) - earned).min(axis=1)
        return out

    def _asked(self, level: _Level, part: slice, duals: Reals) -> Reals:
        """The least cost of a subject in an output channel around each set and one more input.

        A further input costs its size, and is in the blend with a share of at most `_most`. For
        each part of that share it therefore costs that part of its size: more than the size for
        each of its subjects."""
        sets, costs = level.sets[part], level.costs[part, None]
        own = self.rules.sizes[sets].sum(axis=1) if sets.shape[1] else np.zeros(len(sets))
        with np.errstate(divide="ignore"):  # an input without a share is in no column
            asked = np.maximum(costs, own[:, None] + self.rules.sizes / self._most(own, duals))
        asked[np.arange(len(sets))[:, None], sets] = costs
        return asked

    def _most(self, own: Reals, duals: Reals) -> Reals:
        """The largest share of each input in a blend that keeps the limits and is worth more than
        its members cost.

        Inputs that are not risky earn nothing, so the others have the share that earns the least
        cost of the channel."""
        highest = max(float(duals.max()), 1e-9)
        harmless = 1.0 - (own[:, None] + self.rules.sizes) / highest
        out: Reals = np.where(self.rules.risky, self._largest, np.clip(harmless, 1e-3, 1.0))
        return np.minimum(out, self._largest_worth)


def _go_on(effort: ChannelEffort, sets: int) -> None:
    effort.spend(sets)
    if effort.is_over:
        raise _Over


def _numbers(sets: Places, inputs: int) -> NDArray[Any]:
    """A number for each set that no other has; its bytes where the number would be too long."""
    width = sets.shape[1]
    if inputs**width >= 2**63:
        return np.ascontiguousarray(sets).view(np.dtype((np.void, sets.dtype.itemsize * width)))[
            :, 0
        ]
    out = np.zeros(len(sets), np.int64)
    for column in range(width):
        out = out * inputs + sets[:, column]
    return out


def vertex_multipliers(excess: Reals, earned: Reals, wanted: Reals) -> tuple[Flags, Reals]:
    """For each set, whether some lambda keeps all of earned - excess lambda within `wanted`, and
    that lambda.

    Tried are one limit, or two with weights, that all members exceed; then the vertices of the
    program of `_least_worst`, where one more member than limits earns the least maximum."""
    many, size, limits = excess.shape
    found, out = np.zeros(many, bool), np.zeros((many, limits))

    def keep(at: NDArray[Any], tight: tuple[int, ...], multipliers: Reals) -> None:
        now = earned[at] - np.einsum("nsk,nk->ns", excess[at][:, :, tight], multipliers)
        holds = (multipliers >= 0).all(axis=1) & (now <= wanted[at, None]).all(axis=1)
        found[at[holds]] = True
        out[np.ix_(at[holds], tight)] = multipliers[holds]

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for tight in [*combinations(range(limits), 1), *combinations(range(limits), 2)]:
            at = np.flatnonzero(~found)
            keep(at, tight, _excluding(excess[at][:, :, tight], earned[at], wanted[at]))
        for wide in range(1, min(size, limits + 1) + 1):
            for members in combinations(range(size), wide):
                for tight in combinations(range(limits), wide - 1):
                    at = np.flatnonzero(~found)
                    own = excess[at][:, members][:, :, tight]
                    keep(at, tight, _equalising(own, earned[at][:, members]))
    return found, out


def _excluding(tight: Reals, earned: Reals, wanted: Reals) -> Reals:
    """Multipliers of one limit, or of two, that bring all members under `wanted`; less than 0 where
    not all members exceed the limits, weighted in any way."""
    weights = np.ones((len(tight), tight.shape[2]))
    if tight.shape[2] == 2:
        slopes = -tight[:, :, 0] / tight[:, :, 1]
        least = np.where(tight[:, :, 1] > 0, slopes, 0.0).max(axis=1, initial=0.0)
        most = np.where(tight[:, :, 1] < 0, slopes, np.inf).min(axis=1)
        weights[:, 1] = np.where(np.isfinite(most), (least + most) / 2, 2 * least + 1)
    beyond = np.einsum("nsk,nk->ns", tight, weights)
    scale = ((earned - wanted[:, None] * (1 - MARGIN)) / beyond).max(axis=1, initial=0.0)
    possible = (beyond > 0).all(axis=1) & np.isfinite(scale)
    out: Reals = np.where(possible[:, None], scale[:, None] * weights, -1.0)
    return out


def _equalising(tight: Reals, earned: Reals) -> Reals:
    """The multipliers at which all members earn the same; less than 0 where there are none."""
    many, size, limits = tight.shape
    if not limits:
        return np.zeros((many, 0))
    if size == 2:
        found = ((earned[:, 0] - earned[:, 1]) / (tight[:, 0, 0] - tight[:, 1, 0]))[:, None]
        return np.where(np.isfinite(found), found, -1.0)
    square = np.concatenate([tight, np.ones((many, size, 1))], axis=2)
    ordinary = np.abs(np.linalg.det(square)) > 1e-14
    square[~ordinary] = np.eye(size)
    out: Reals = np.linalg.solve(square, earned[:, :, None])[:, :-1, 0]
    out[~ordinary] = -1.0
    return out


def _least_worst(earned: Reals, excess: Reals) -> Reals:
    """The lambda >= 0 with the least maximum of earned - excess lambda; some lambda where there is
    no least."""
    inputs, limits = excess.shape
    program = highspy.Highs()  # type: ignore[no-untyped-call]
    program.silent()
    scale = max(float(np.abs(earned).max()), 1.0)
    free = highspy.kHighsInf
    program.addVars(limits + 1, np.r_[np.zeros(limits), -1e6], np.r_[np.full(limits, 1e9), free])
    program.changeColCost(limits, 1.0)
    at = np.arange(limits + 1, dtype=np.int32)
    for r in range(inputs):
        program.addRow(float(earned[r] / scale), free, limits + 1, at, np.r_[excess[r], 1.0])
    program.run()
    found: NDArray[np.float64] = np.array(program.getSolution().col_value)[:limits]
    return found * scale


def _largest_share(earned: Reals, excess: Reals, costs: Reals) -> float:
    """The largest share for which some lambda >= 0 keeps share * earned - excess lambda <= costs;
    slightly less."""
    inputs, limits = excess.shape
    scale = max(float(np.abs(earned).max()), 1.0)
    program = quiet_program()
    program.addVars(
        limits + 1, np.zeros(limits + 1), np.r_[np.full(limits, highspy.kHighsInf), 1.0]
    )
    program.changeColCost(limits, -1.0)
    at = np.arange(limits + 1, dtype=np.int32)
    for r in range(inputs):
        program.addRow(
            -highspy.kHighsInf,
            float(costs[r] / scale),
            limits + 1,
            at,
            np.r_[-excess[r], earned[r] / scale],
        )
    program.run()
    found = np.maximum(np.array(program.getSolution().col_value), 0.0)
    multipliers, share = found[:limits] * scale, float(found[limits])
    for less in (
        1 - 1e-6,
        0.99,
        0.9,
    ):  # the solver's numbers are rounded: what they show is computed again
        if (less * (share * earned - excess @ multipliers) <= costs).all():
            return less * share
    return 0.0
