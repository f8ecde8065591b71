"""A lower bound on the cost of secondary suppression: no pattern that protects every sensitive cell
costs less.

The linear relaxation of the exact model of Fischetti and Salazar (2001), by cutting planes: cells
may be suppressed in part. Where a sensitive cell cannot reach its margin, the dual of the
attacker's program is an inequality that every protecting pattern keeps. Coefficients above the
margin are cut to it, which holds because a cell is suppressed or not. People who are alone in
cells, and unions, are left out, which can only make the bound lower."""

from __future__ import annotations

import highspy
import numpy as np
from numpy.typing import NDArray

from .linked_cells import LinkedCells
from .secondary_suppression import SuppressionPattern, cell_costs, quiet_highs

Floats = NDArray[np.float64]
_ROUNDS = 25
_CUTS = 4_000
_NEAR = 1e-6


def lowest_cost(cells: LinkedCells, pattern: SuppressionPattern) -> float:
    """A cost that no protecting pattern is below; cutting stops at a limit of effort, and the bound
    holds whenever it stops."""
    count = len(cells.keys)
    if not pattern.primary.any():
        return 0.0
    costs = np.where(pattern.primary, 0.0, cell_costs(cells))
    room = float(cells.values.max(initial=0) + pattern.above.max(initial=0) + 1) * 2
    down = cells.values.astype(float)
    attacker = _attacker(cells)
    master = quiet_highs()
    master.addVars(count, pattern.primary.astype(float), np.ones(count))
    master.changeColsCost(count, np.arange(count, dtype=np.int32), costs)
    shares = pattern.primary.astype(float)
    bound, cuts = 0.0, 0
    needs = [
        (int(n), sign, float(amount[n]))
        for n in np.flatnonzero(pattern.primary)
        for sign, amount in ((1, pattern.above), (-1, pattern.below))
        if amount[n] > 0
    ]
    for _ in range(_ROUNDS):
        everywhere = np.arange(count, dtype=np.int32)
        attacker.changeColsBounds(count, everywhere, -down * shares, room * shares)
        new = 0
        for cell, sign, amount in needs:
            cut = _cut(attacker, cell, sign, amount, down=down, room=room)
            if cut is not None and cut @ shares < amount - _NEAR * max(1.0, amount):
                places = np.flatnonzero(cut > _NEAR).astype(np.int32)
                master.addRow(amount, highspy.kHighsInf, len(places), places, cut[places])
                new += 1
        cuts += new
        if not new:
            break
        master.run()
        if master.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            break
        shares = np.clip(np.array(master.getSolution().col_value), 0.0, 1.0)
        bound = max(bound, float(costs @ shares))
        if cuts > _CUTS:
            break
    return bound


def _attacker(cells: LinkedCells) -> highspy.Highs:
    """The attacker's program: moves of cells under which all sums hold."""
    program = quiet_highs()
    count = len(cells.keys)
    program.addVars(count, np.zeros(count), np.zeros(count))
    for total, parts in cells.equations:
        own = np.array([total, *parts], np.int32)
        program.addRow(0.0, 0.0, len(own), own, np.array([-1.0, *np.ones(len(parts))]))
    return program


def _cut(
    program: highspy.Highs, cell: int, sign: int, amount: float, *, down: Floats, room: float
) -> Floats | None:
    """The coefficients of the inequality that the attacker's dual gives; None where the cell
    reaches its margin."""
    program.changeColCost(cell, -float(sign))
    program.run()
    optimal = program.getModelStatus() == highspy.HighsModelStatus.kOptimal
    reached = -program.getInfo().objective_function_value
    duals = np.array(program.getSolution().col_dual)
    program.changeColCost(cell, 0.0)
    if not optimal or reached >= amount - _NEAR * max(1.0, amount):
        return None
    weights = np.where(duals > 0, duals * down, -duals * room)
    cut: Floats = np.minimum(weights, amount)
    return cut
