"""Pricing by branch and bound: the best blend among all, however many inputs a ray may have.

For duals pi, a set T of input channels is worth an output channel where psi(T) < v(T), the most that pi earns over the
blends of T that keep A x <= 0. By duality v(T) = min over lambda >= 0 of max over r in T of g_r = pi_r - lambda A_r. So
some lambda shows that T is not worth it, and then a wider set is only if it has an r with g_r > psi: those are the
branches. Sets are grown level by level, all of a level at once; a lambda is found by Polyak's steps from its parent's,
by a small linear program where those do not end. Each set that is left out has its bound, so an early end has one too.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from .columns import Column, Places, Priced, Reals, spread
from .mixtures import mixtures_of
from .rules import Rules

STEPS = 400
MARGIN = 0.05
"""Steps aim below a cost by this share of it, less and less: a lambda inside what is allowed is reached in the end."""
MOST_SETS = 2_000_000
"""A level of more sets than this is not grown any further: bounds are taken."""
BOUNDING = 5.0
"""Seconds for making a bound better where there was no time for the proof."""
EACH, MOST, LOOKED_AT = 8, 400, 20_000
_CHUNK, _MANY = 5_000, 100_000


@dataclass(eq=False)
class _Level:
    """Sets of one size, with a lambda for each and what the cheapest output channel around it costs at least."""

    sets: Places
    multipliers: Reals
    costs: Reals


class Branching:
    """Prices over all rays of the cone, within some seconds."""

    def __init__(self, excess: Reals, rules: Rules) -> None:
        self.excess, self.rules = excess, rules
        self.inputs, self.limits = excess.shape
        self.deepest = min(self.limits + 1, self.inputs)
        self._norms = np.maximum((excess**2).sum(axis=1), 1e-300)

    def price(self, duals: Reals, *, tolerance: float, deadline: float) -> Priced:
        """Columns with a reduced cost under -tolerance; where there are none, the bound on all of them."""
        level = self._root()
        for size in range(1, self.deepest + 1):
            grown = self._grown(level, duals, tolerance)
            if grown is None:
                break
            columns = self._found(grown.sets, grown.costs, duals, tolerance) if size > 1 else []
            if columns:
                return Priced(columns=columns)
            if size == self.deepest:
                break
            level = self._with_multipliers(grown, duals, tolerance)
            if len(level.sets) > MOST_SETS or time.process_time() > deadline:
                return Priced(least=self._bound(level, duals, deadline + BOUNDING))
        return Priced(least=-tolerance)

    def bound(self, duals: Reals, *, tolerance: float, deadline: float) -> float:
        """A bound on all reduced costs, negative ones too, as good as can be had in that time."""
        level = self._root()
        for _ in range(1, self.deepest):
            grown = self._grown(level, duals, tolerance)
            if grown is None:
                return -tolerance
            if len(grown.sets) > MOST_SETS // 10:
                break
            level = self._with_multipliers(grown, duals, tolerance)
        return min(-tolerance, self._bound(level, duals, deadline))

    def _root(self) -> _Level:
        return _Level(np.zeros((1, 0), np.int32), np.zeros((1, self.limits)), np.zeros(1))

    def _grown(self, level: _Level, duals: Reals, tolerance: float) -> _Level | None:
        """The sets of one more input, with the lambdas of those they came from; None where none is worth a look."""
        sets, parents = self._wider(level, duals, tolerance)
        costs = self.rules.least_costs(sets)
        possible = np.isfinite(costs)
        if not possible.any():
            return None
        return _Level(sets[possible], level.multipliers[parents[possible]], costs[possible])

    def _with_multipliers(self, level: _Level, duals: Reals, tolerance: float) -> _Level:
        wanted = level.costs + tolerance / 2
        parts = [slice(start, start + _MANY) for start in range(0, len(level.sets), _MANY)]
        found = [self._multipliers(level.sets[p], wanted[p], level.multipliers[p], duals) for p in parts]
        return _Level(level.sets, np.concatenate(found), level.costs)

    def _wider(self, level: _Level, duals: Reals, tolerance: float) -> tuple[Places, Places]:
        """Each set with one more input that its lambda does not rule out, once, and the number of one it came from."""
        found, parents = [], []
        for start in range(0, len(level.sets), _CHUNK):
            part = slice(start, start + _CHUNK)
            worth = duals - level.multipliers[part] @ self.excess.T > self._asked(level, part) + tolerance / 2
            worth[np.arange(len(worth))[:, None], level.sets[part]] = False
            row, added = np.nonzero(worth)
            found.append(np.sort(np.column_stack([level.sets[part][row], added.astype(np.int32)]), axis=1))
            parents.append((row + start).astype(np.int32))
        sets = np.concatenate(found)
        _, first = np.unique(_numbers(sets, self.inputs), return_index=True)
        return sets[first], np.concatenate(parents)[first]

    def _found(self, sets: Places, costs: Reals, duals: Reals, tolerance: float) -> list[Column]:
        """The best columns of these sets, no input in too many of them."""
        blends, shares, reduced = [], [], []
        for start in range(0, len(sets), _CHUNK):
            part = sets[start : start + _CHUNK]
            for rows, found in mixtures_of(part, self.excess):
                saved = costs[start + rows] - np.einsum("ns,ns->n", duals[part[rows]], found)
                worth = np.flatnonzero(saved < -tolerance)
                blends.append(part[rows[worth]])
                shares.append(found[worth])
                reduced.append(saved[worth])
        if not blends:
            return []
        all_blends, all_shares = np.concatenate(blends), np.concatenate(shares)
        order = np.argsort(np.concatenate(reduced), kind="stable")[:LOOKED_AT]
        chosen = spread(order, all_blends, self.inputs, each=EACH, most=MOST)
        columns = (self._column(all_blends[i], all_shares[i], duals, tolerance) for i in chosen)
        return [column for column in columns if column is not None]

    def _column(self, blend: Places, shares: Reals, duals: Reals, tolerance: float) -> Column | None:
        """The column, if the cheapest output channel that the rules allow around it is worth having."""
        members = self.rules.closed(tuple(blend.tolist()))
        if members is None:
            return None
        cost = float(self.rules.sizes[list(members)].sum())
        worth = cost - float(duals[blend] @ shares) < -tolerance
        return Column(members=members, blend=blend, shares=shares, cost=cost) if worth else None

    def _multipliers(self, sets: Places, costs: Reals, start: Reals, duals: Reals) -> Reals:
        """A lambda for each set that shows it is not worth its cost; any lambda for those that are."""
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
        for i in left.tolist():
            out[i] = _least_worst(earned[i], excess[i])
        return out

    def _bound(self, level: _Level, duals: Reals, deadline: float) -> float:
        """No set that is or contains one of the level's has a reduced cost under this.

        It is the least over the level. The set with the least gets its best lambda, by a linear program, for as long
        as that raises it and there is time.
        """
        least = np.concatenate(
            [self._least(level, slice(start, start + _CHUNK), duals) for start in range(0, len(level.sets), _CHUNK)]
        )
        improved = np.zeros(len(least), bool)
        while not improved.all():
            worst = int(least.argmin())
            if improved[worst] or time.process_time() > deadline:
                break
            improved[worst] = True
            asked = self._asked(level, slice(worst, worst + 1))[0]
            level.multipliers[worst] = _least_worst(duals - asked, self.excess)
            least[worst] = max(least[worst], float(self._least(level, slice(worst, worst + 1), duals)[0]))
        return float(least.min(initial=np.inf))

    def _least(self, level: _Level, part: slice, duals: Reals) -> Reals:
        earned = duals - level.multipliers[part] @ self.excess.T
        out: Reals = (self._asked(level, part) - earned).min(axis=1)
        return out

    def _asked(self, level: _Level, part: slice) -> Reals:
        """What an output channel around each set and one more input costs at least."""
        sets, costs = level.sets[part], level.costs[part, None]
        own = self.rules.sizes[sets].sum(axis=1) if sets.shape[1] else np.zeros(len(sets))
        asked = np.maximum(costs, own[:, None] + self.rules.sizes)
        asked[np.arange(len(sets))[:, None], sets] = costs
        return asked


def _numbers(sets: Places, inputs: int) -> NDArray[Any]:
    """A number for each set that no other has; its bytes where the number would be too long."""
    width = sets.shape[1]
    if inputs**width >= 2**63:
        return np.ascontiguousarray(sets).view(np.dtype((np.void, sets.dtype.itemsize * width)))[:, 0]
    out = np.zeros(len(sets), np.int64)
    for column in range(width):
        out = out * inputs + sets[:, column]
    return out


def _least_worst(earned: Reals, excess: Reals) -> Reals:
    """The lambda >= 0 with the least maximum of earned - excess lambda; some lambda where there is no least."""
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
