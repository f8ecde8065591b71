"""The attacker of a rounded table: bounds on true values by linear programming.

It reads the released table and knows the base. A true value is not negative and within a step of
the released one, and all sums hold for true values too. It shares no code with the rounding."""

from __future__ import annotations

from collections.abc import Sequence

import highspy
import numpy as np

from .disclosure_audit import HiddenBounds


class RoundingAudit:
    """True values behind rounded ones, as equations allow them."""

    def __init__(
        self, values: Sequence[int], sums: Sequence[tuple[int, Sequence[int]]], *, step: int
    ) -> None:
        self._program = highspy.Highs()  # type: ignore[no-untyped-call]
        self._program.setOptionValue("output_flag", False)  # noqa: FBT003
        self._program.setOptionValue("threads", 1)
        shown = np.array(values, float)
        self._program.addVars(len(shown), np.maximum(0.0, shown - step), shown + step)
        for total, parts in sums:
            own = np.array([total, *parts], np.int32)
            self._program.addRow(0.0, 0.0, len(own), own, np.array([-1.0, *np.ones(len(parts))]))

    def bounds(self, cell: int) -> HiddenBounds:
        """The least and the most that one true value can be."""
        ends = []
        for sign in (1.0, -1.0):
            self._program.changeColCost(cell, sign)
            self._program.run()
            optimal = self._program.getModelStatus() == highspy.HighsModelStatus.kOptimal
            value = sign * self._program.getInfo().objective_function_value
            ends.append(value if optimal else float("nan"))
        self._program.changeColCost(cell, 0.0)
        return HiddenBounds(least=ends[0], most=ends[1])
