"""Controlled rounding: every value a multiple of a base, rounded at random, with all sums kept.

Each cell draws whether it is to be rounded up, with the probability that makes it unbiased. An
integer program then keeps all sums with the fewest cells against their draw (Cox 1987; Hundepool
and others 2012, section 5.4). Cells that are multiples stay, where sums allow it; zeros always
do."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import highspy
import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake

from .linked_cells import LinkedCells

Whole = NDArray[np.int64]
_SECONDS = 60.0


@dataclass(frozen=True, eq=False, kw_only=True)
class RoundedCells:
    """Rounded values, none of them further than `largest_step` from the true one. `against` cells
    are not rounded as they drew, and no rounding with these sums has fewer than `fewest`."""

    values: Whole = field(repr=False)
    largest_step: int
    against: float
    fewest: float


def round_cells(cells: LinkedCells, base: int) -> RoundedCells:
    """Round to multiples of `base`: to the next one below or above, or one further where sums leave
    no other way."""
    for beyond in (0, 1, 2):
        found = _rounded(cells, base, beyond=beyond)
        if found is not None:
            return found
    raise Mistake(
        "A table by controlled rounding was asked for.",
        found="No rounding near the values keeps all sums, within the limit of time.",
        attempt="fewer fields or tables, or another method.",
    )


def _rounded(cells: LinkedCells, base: int, *, beyond: int) -> RoundedCells | None:
    low, part = np.divmod(cells.values, base)
    count = len(low)
    words = np.frombuffer(os.urandom(8 * count), np.uint64).astype(float) / 2.0**64
    drawn = low + (words * base < part)
    least = np.maximum(0, low - beyond)
    most = np.where(cells.values == 0, 0, low + (part > 0) + beyond)
    program = highspy.Highs()  # type: ignore[no-untyped-call]
    program.setOptionValue("output_flag", False)  # noqa: FBT003
    program.setOptionValue("threads", 1)
    program.setOptionValue("time_limit", _SECONDS)
    program.setOptionValue("mip_rel_gap", 0.01)
    upper = np.concatenate([most - drawn, drawn - least]).astype(float)
    program.addVars(2 * count, np.zeros(2 * count), upper)
    everywhere = np.arange(2 * count, dtype=np.int32)
    program.changeColsCost(2 * count, everywhere, np.ones(2 * count))
    whole = np.full(2 * count, highspy.HighsVarType.kInteger)
    program.changeColsIntegrality(2 * count, everywhere, whole)
    for total, parts in cells.equations:
        own = np.array([total, *parts], np.int32)
        signs = np.array([-1.0, *np.ones(len(parts))])
        missing = float(drawn[total] - drawn[list(parts)].sum())
        both = np.concatenate([own, own + count])
        program.addRow(missing, missing, len(both), both, np.concatenate([signs, -signs]))
    program.run()
    info = program.getInfo()
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return None
    moves = np.rint(np.array(program.getSolution().col_value)).astype(np.int64)
    values = base * (drawn + moves[:count] - moves[count:])
    for total, parts in cells.equations:
        if values[total] != values[list(parts)].sum():
            return None
    return RoundedCells(
        values=values,
        largest_step=base * (1 + beyond) - 1,
        against=float(moves.sum()),
        fewest=max(0.0, float(info.mip_dual_bound)),
    )
