"""Pricing by a mixed-integer program: an input costs its size once it is in an output channel (a
fixed charge).

Where rays are too many to list or to branch over, the least reduced cost over all output channels
is the optimum of one program. It has shares x of a blend that keeps the limits, and a 0 or 1 for
each member. Its dual bound holds at any time. The holder's rules but the number of members are left
out of it, so that under rules the bound is lower than need be."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from .columns import Places, Reals
from .effort import ChannelEffort
from .master import quiet_program
from .rules import Flags, Rules

ROUNDING = 1e-9
"""A member may be 0 or 1 but for this much; bounds are lowered by what that can earn."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Cheapest:
    """The members of the best output channel that was found, if any; no column has a reduced cost
    under `least`."""

    members: tuple[int, ...]
    least: float


class FixedCharge:
    """Prices over all output channels, by HiGHS."""

    def __init__(self, excess: Reals, rules: Rules) -> None:
        self.excess, self.rules = excess, rules
        self._largest = largest_shares(excess)

    def price(self, duals: Reals, *, effort: ChannelEffort, slack: float = 0.0) -> Cheapest:
        """The output channel of the least reduced cost, within `slack` of it and as far as the
        effort allows."""
        highest = max(float(duals.max()), 1.0)
        inputs = np.flatnonzero(
            undominated(duals, self.excess, self.rules) & (self.rules.sizes < highest)
        ).astype(np.int32)
        if not self.rules.risky[inputs].any() or self.rules.risky[inputs].all() or effort.is_over:
            return Cheapest(members=(), least=0.0 if not effort.is_over else -np.inf)
        inputs, most = possible_members(
            duals,
            self.rules.sizes,
            self.excess,
            inputs,
            most=self._most(duals, inputs),
            effort=effort,
        )
        if not self.rules.risky[inputs].any() or self.rules.risky[inputs].all():
            return Cheapest(members=(), least=0.0)
        unit = float(self.rules.sizes.mean())
        program = quiet_program()
        effort.limit(program, size=len(inputs))
        program.setOptionValue("mip_feasibility_tolerance", ROUNDING)
        program.setOptionValue("mip_abs_gap", max(1e-6, slack / unit))
        program.passModel(self._model(duals / unit, inputs, most, unit=unit))
        program.run()
        info = program.getInfo()
        effort.spend(max(1, int(info.mip_node_count)) * len(inputs))
        none = program.getModelStatus() == highspy.HighsModelStatus.kInfeasible
        least = 0.0 if none else min(float(info.mip_dual_bound), 0.0)
        least -= ROUNDING * highest / unit * (self.excess.shape[1] + 2)
        found = (
            not none
            and info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        )
        chosen = (
            np.array(program.getSolution().col_value)[len(inputs) :] > 0.5
            if found
            else np.zeros(len(inputs), bool)
        )
        return Cheapest(members=tuple(inputs[chosen].tolist()), least=least * unit)

    def _most(self, duals: Reals, inputs: Places) -> Reals:
        """The largest share of each input in a blend that keeps the limits and is worth its cost:
        inputs that are not risky earn nothing."""
        highest = max(float(duals.max()), 1.0)
        harmless = np.clip(1.0 - self.rules.sizes[inputs] / highest, 1e-3, 1.0)
        out: Reals = np.where(self.rules.risky[inputs], self._largest[inputs], harmless)
        return out

    def _model(self, duals: Reals, inputs: Places, most: Reals, *, unit: float) -> highspy.HighsLp:
        """Columns: a share and a membership for each input. Rows: limits, the sum, share under
        membership, numbers.

        The last row asks for a reduced cost under 0, so that the search ends where none can be.
        """
        many, limits = len(inputs), self.excess.shape[1]
        excess, risky, sizes = (
            self.excess[inputs],
            self.rules.risky[inputs],
            self.rules.sizes[inputs] / unit,
        )
        scale = 1.0 / max(float(np.abs(excess).max()), 1e-12)
        at, one = np.arange(many), np.ones(many)
        link = limits + 1 + at
        parts: list[tuple[NDArray[np.int64], NDArray[np.int64], Reals]] = [
            *((np.full(many, k), at, excess[:, k] * scale) for k in range(limits)),
            (np.full(many, limits), at, one),
            (link, at, one),
            (link, many + at, -most),
            (np.full(many, limits + 1 + many), many + at, one),
            (np.full(int(risky.sum()), limits + 2 + many), many + at[risky], one[risky]),
            (np.full(int((~risky).sum()), limits + 3 + many), many + at[~risky], one[~risky]),
            (
                np.full(2 * many, limits + 4 + many),
                np.arange(2 * many),
                np.r_[-duals[inputs], sizes],
            ),
        ]
        row, column, value = (np.concatenate([part[i] for part in parts]) for i in range(3))
        order = np.lexsort((row, column))
        free = highspy.kHighsInf
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = 2 * many, limits + 5 + many
        lp.col_cost_ = np.r_[-duals[inputs], sizes]
        lp.col_lower_, lp.col_upper_ = np.zeros(2 * many), np.r_[most, one]
        lp.row_lower_ = np.r_[
            np.full(limits, -free), 1.0, np.full(many, -free), 2.0, 1.0, 1.0, -free
        ]
        members = float(max(2, min(limits + 2, self.rules.most)))
        lp.row_upper_ = np.r_[np.zeros(limits), 1.0, np.zeros(many), members, free, free, 0.0]
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = np.concatenate(
            [[0], np.cumsum(np.bincount(column, minlength=2 * many))]
        )
        lp.a_matrix_.index_, lp.a_matrix_.value_ = row[order], value[order]
        continuous, whole = highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger
        lp.integrality_ = [continuous] * many + [whole] * many
        return lp


def undominated(duals: Reals, excess: Reals, rules: Rules) -> Flags:
    """The inputs that no other could replace: one that costs no more, earns no less, keeps each limit
    and is not risky where the first is not."""
    out = np.ones(len(duals), bool)
    order = np.lexsort((np.arange(len(duals)), rules.risky, -duals, rules.sizes))
    for place, r in enumerate(order.tolist()):
        before = order[:place]
        better = (duals[before] >= duals[r]) & (excess[before] <= excess[r]).all(axis=1)
        out[r] = not (better & (rules.risky[before] <= rules.risky[r])).any()
    return out


MOST_PROBED = 1_500
"""With more inputs than this a linear program for each takes longer than it saves."""
PASSES = 8
"""Shares are narrowed so often: a smaller share of one input makes others cost more."""
ROOM = 1e-6
"""A linear program's answer is taken with this much room."""


def possible_members(
    duals: Reals,
    sizes: Reals,
    excess: Reals,
    inputs: Places,
    *,
    most: Reals,
    effort: ChannelEffort,
) -> tuple[Places, Reals]:
    """The inputs that a column with a reduced cost under 0 can have, and their largest shares in
    one: a linear program for each.

    A member costs its size, and each other input at least its size for each part of its largest
    share. An input for which nothing then earns the cost is in no such column."""
    for _ in range(PASSES if len(inputs) <= MOST_PROBED else 0):
        effort.spend(len(inputs))
        if effort.is_over:
            break
        found = _largest_worth(duals[inputs], sizes[inputs], excess[inputs], most, effort)
        kept = found > 0
        narrowed = float((most[kept] - found[kept]).sum() / max(most[kept].sum(), 1e-12))
        is_done = kept.all() and narrowed < 0.01
        inputs, most = inputs[kept], found[kept]
        if is_done or len(inputs) < 2:
            break
    return inputs, most


def _largest_worth(
    duals: Reals, sizes: Reals, excess: Reals, most: Reals, effort: ChannelEffort
) -> Reals:
    """The largest share of each input in blends that are worth their cost; 0 where there is none. What
    the effort was not enough for keeps its share."""
    inputs, limits = excess.shape
    unit = max(float(sizes.mean()), 1.0)
    scale = 1.0 / max(float(np.abs(excess).max()), 1e-12)
    at, free = np.arange(inputs, dtype=np.int32), highspy.kHighsInf
    worth = (duals - sizes / most) / unit
    program = quiet_program()
    program.addVars(inputs, np.zeros(inputs), most)
    for k in range(limits):
        program.addRow(-free, ROOM, inputs, at, excess[:, k] * scale)
    program.addRow(1.0, 1.0, inputs, at, np.ones(inputs))
    program.addRow(0.0, free, inputs, at, worth)
    row, out = limits + 1, most.copy()
    for j in range(inputs):
        if effort.is_over:
            break
        program.changeCoeff(row, j, float(duals[j]) / unit)
        program.changeRowBounds(row, float(sizes[j]) / unit - ROOM, free)
        program.changeColCost(j, -1.0)
        program.run()
        status = program.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            out[j] = 0.0
        elif status == highspy.HighsModelStatus.kOptimal:
            largest = -float(program.getInfo().objective_function_value)
            out[j] = min(most[j], max(largest, 0.0) + ROOM)
        program.changeColCost(j, 0.0)
        program.changeCoeff(row, j, float(worth[j]))
    return out


def largest_shares(excess: Reals) -> Reals:
    """How large the share of each input can be: the best of the others must compensate its excess
    over a limit."""
    best = np.maximum(-excess.min(axis=0), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(excess > 0, best / (excess + best), 1.0)
    out: Reals = np.clip(shares.min(axis=1, initial=1.0) * (1 + 1e-9), 1e-3, 1.0)
    return out
