"""The program (11) to (16) of Garfinkel et al. 2007 over given output channels, linear or with
whole subjects, solved by HiGHS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from .columns import Column
from .effort import ChannelEffort
from .master import quiet_program
from .rules import Flags, Members, Reals

Places = NDArray[np.int32]


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """x_rw of each pair of channel and member, in order; no assignment to these channels costs less
    than `bound`.

    `amounts` is None where nothing was found in time.
    """

    amounts: Reals | None
    bound: float
    is_optimal: bool


class Program:
    """Columns are pairs of an output channel and a member of it.

    Rows: the subjects of each input channel; then for each channel its limits. `excess[r, k]` is by
    how much input channel r is beyond limit k; a channel's blend must not be. With
    `needs_all_members`, which is for whole subjects, each member of a channel in use has a subject
    in it. The channel of all inputs needs one that is not risky."""

    def __init__(
        self,
        sizes: Reals,
        risky: Flags,
        excess: Reals,
        channels: Sequence[Members],
        *,
        price: Callable[[Members], float] | None = None,
    ) -> None:
        self.sizes, self.risky, self.excess, self.channels = sizes, risky, excess, tuple(channels)
        lengths = [len(members) for members in self.channels]
        self.channel_of: Places = np.repeat(np.arange(len(self.channels)), lengths).astype(np.int32)
        self.input_of: Places = np.array(
            [r for members in self.channels for r in members], np.int32
        )
        psi = np.bincount(self.channel_of, sizes[self.input_of], minlength=len(self.channels))
        if price is not None:  # fields have weights
            psi = np.array([price(members) for members in self.channels])
        self.psi: Reals = psi.astype(float)
        self.costs: Reals = self.psi[self.channel_of]
        self.supply = sizes
        self.slack = np.zeros((len(self.channels), excess.shape[1]))
        self.least = np.zeros(len(self.input_of))
        self.needs_all_members = False

    def solve(
        self,
        *,
        whole: bool,
        effort: ChannelEffort | None = None,
        gap: float = 0.0,
        start: Reals | None = None,
    ) -> Outcome:
        """The least cost; with whole subjects within `gap` of it, or what the effort was enough
        for."""
        unit = 1.0 if whole else float(self.sizes.mean())
        program = quiet_program()
        if effort is not None:
            effort.limit(program, size=len(self.input_of))
        if whole:
            settings = {"mip_rel_gap": gap, "mip_abs_gap": 1e-6, "mip_feasibility_tolerance": 1e-9}
            for option, setting in {**settings, "primal_feasibility_tolerance": 1e-9}.items():
                program.setOptionValue(option, setting)
        program.passModel(self._model(unit, whole=whole))
        if self.needs_all_members:
            self._add_occupancy(program)
        elif start is not None:
            program.setSolution(len(start), np.arange(len(start), dtype=np.int32), start)
        program.run()
        return self._outcome(program, unit, whole=whole)

    def _model(self, unit: float, *, whole: bool) -> highspy.HighsLp:
        inputs, limits, pairs = len(self.sizes), self.excess.shape[1], len(self.input_of)
        at = np.arange(pairs)
        row = np.concatenate(
            [self.input_of, *(inputs + self.channel_of * limits + k for k in range(limits))]
        )
        value = np.concatenate(
            [np.ones(pairs), *(self.excess[self.input_of, k] for k in range(limits))]
        )
        column = np.tile(at, limits + 1)
        some = value != 0
        row, column, value = row[some], column[some], value[some]
        order = np.lexsort((row, column))
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = pairs, inputs + limits * len(self.channels)
        lp.col_cost_ = self.costs / unit
        lp.col_lower_, lp.col_upper_ = self.least / unit, self.sizes[self.input_of] / unit
        lp.row_lower_ = np.r_[
            np.where(self.risky, self.sizes / unit, 0.0),
            np.full(limits * len(self.channels), -highspy.kHighsInf),
        ]
        lp.row_upper_ = np.r_[self.supply / unit, -self.slack.ravel() / unit]
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=pairs))])
        lp.a_matrix_.index_, lp.a_matrix_.value_ = row[order], value[order]
        if whole:
            lp.integrality_ = [highspy.HighsVarType.kInteger] * pairs
        return lp

    def _add_occupancy(self, program: highspy.Highs) -> None:
        """A 0 or 1 for each channel: whether it is in use."""
        pairs, free = len(self.input_of), highspy.kHighsInf
        program.addVars(
            len(self.channels), np.zeros(len(self.channels)), np.ones(len(self.channels))
        )
        for number, members in enumerate(self.channels):
            used = pairs + number
            program.changeColIntegrality(used, highspy.HighsVarType.kInteger)
            own = np.flatnonzero(self.channel_of == number)
            for pair in own.tolist():
                at = np.array([pair, used], np.int32)
                program.addRow(-free, 0.0, 2, at, np.array([1.0, -self.sizes[self.input_of[pair]]]))
                if len(members) < len(self.sizes):
                    program.addRow(0.0, free, 2, at, np.array([1.0, -1.0]))
            if len(members) == len(self.sizes):
                harmless = own[~self.risky[self.input_of[own]]]
                at = np.r_[harmless, used].astype(np.int32)
                program.addRow(0.0, free, len(at), at, np.r_[np.ones(len(harmless)), -1.0])

    def _outcome(self, program: highspy.Highs, unit: float, *, whole: bool) -> Outcome:
        info = program.getInfo()
        optimal = program.getModelStatus() == highspy.HighsModelStatus.kOptimal
        found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        if not found:
            return Outcome(amounts=None, bound=0.0, is_optimal=False)
        amounts = (
            np.maximum(np.array(program.getSolution().col_value)[: len(self.input_of)], 0.0) * unit
        )
        bound = float(info.mip_dual_bound if whole else info.objective_function_value) * unit**2
        return Outcome(
            amounts=np.rint(amounts) if whole else amounts,
            bound=bound if whole or optimal else 0.0,
            is_optimal=optimal,
        )

    def used(self, reserve: float) -> list[Members] | None:
        """The channels of the linear optimum that does not use that share of each harmless input
        channel."""
        amounts = self.amounts_within(np.where(self.risky, self.sizes, self.sizes * (1 - reserve)))
        return (
            None if amounts is None else list(self.assigned(np.where(amounts > 1e-6, amounts, 0.0)))
        )

    def amounts_within(self, supply: Reals) -> Reals | None:
        """The linear optimum with so many subjects of each input channel at most; None where there
        is none."""
        before, self.supply = self.supply, supply
        amounts = self.solve(whole=False).amounts
        self.supply = before
        return amounts

    def columns(self, amounts: Reals) -> list[Column]:
        """The blend of each output channel in use, as a column that costs what its subjects cost
        here."""
        out = []
        psi = dict(zip(self.channels, self.psi.tolist(), strict=True))
        for members, into in self.assigned(np.where(amounts > 1e-6, amounts, 0.0)).items():
            shares = np.array(list(into.values()))
            cost = psi[members]
            blend = np.array(list(into), np.int32)
            total = float(shares.sum())
            out.append(
                Column(
                    members=members, blend=blend, shares=shares / total, cost=cost, subjects=total
                )
            )
        return out

    def assigned(self, amounts: Reals) -> dict[Members, dict[int, float]]:
        """The assignment of a plan."""
        out: dict[Members, dict[int, float]] = {}
        used = np.flatnonzero(amounts > 0)
        for pair in used.tolist():
            members = self.channels[self.channel_of[pair]]
            out.setdefault(members, {})[int(self.input_of[pair])] = float(amounts[pair])
        return out
