"""The program over columns: how many subjects go by each blend, at least cost, with a dual for each
input channel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import highspy
import numpy as np

from sfumato.errors import Bug

from .columns import Column, Reals
from .rules import Flags


@dataclass(frozen=True, eq=False, kw_only=True)
class MasterSolution:
    """`amounts` are subjects by column, `duals` what a subject of each input channel costs at the
    margin."""

    cost: float
    amounts: Reals
    duals: Reals


class Master:
    """(11) to (13) over columns, which keep (14) and (15) by themselves. Columns are added and it
    is solved again.

    Subjects are counted in units of the mean input channel, so that numbers are near 1 whatever the
    size of the data."""

    def __init__(self, sizes: Reals, risky: Flags) -> None:
        self.sizes, self._risky = sizes, risky
        self.unit = float(sizes.mean())
        self.columns: list[Column] = []
        self._program = quiet_program()
        self._program.setOptionValue("dual_feasibility_tolerance", 1e-9)
        # A lower limit of 0 would be redundant, and unused inputs could then have duals over 0.
        least = np.where(risky, sizes / self.unit, -highspy.kHighsInf)
        for lower, upper in zip(least, sizes / self.unit, strict=True):
            self._program.addRow(float(lower), float(upper), 0, np.zeros(0, np.int32), np.zeros(0))

    def add(self, columns: Sequence[Column]) -> None:
        if not columns:
            return
        self.columns.extend(columns)
        counts = [len(column.blend) for column in columns]
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int32)
        self._program.addCols(
            len(columns),
            np.array([column.cost / self.unit for column in columns]),
            np.zeros(len(columns)),
            np.full(len(columns), highspy.kHighsInf),
            int(sum(counts)),
            starts,
            np.concatenate([column.blend for column in columns]).astype(np.int32),
            np.concatenate([column.shares for column in columns]),
        )

    def amounts_within(self, supply: Reals) -> Reals | None:
        """Subjects by column with so many of each harmless input channel at most; None if it cannot
        be."""
        for r in np.flatnonzero(~self._risky).tolist():
            self._program.changeRowBounds(r, -highspy.kHighsInf, float(supply[r]) / self.unit)
        self._program.run()
        if self._program.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        found: Reals = np.maximum(np.array(self._program.getSolution().col_value), 0.0) * self.unit
        return found

    def solve(self) -> MasterSolution:
        self._program.run()
        if self._program.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise Bug(
                "the program over output channels has no optimum although that of all "
                "inputs is there"
            )
        solution = self._program.getSolution()
        return MasterSolution(
            cost=float(self._program.getInfo().objective_function_value) * self.unit**2,
            amounts=np.maximum(np.array(solution.col_value), 0.0) * self.unit,
            duals=np.array(solution.row_dual) * self.unit,
        )


def quiet_program() -> highspy.Highs:
    """A program that prints nothing and gives the same answer every time."""
    program = highspy.Highs()  # type: ignore[no-untyped-call]
    program.silent()
    for option, setting in (("threads", 1), ("random_seed", 0)):
        program.setOptionValue(option, setting)
    return program
