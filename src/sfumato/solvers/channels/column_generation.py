"""Column generation: the least cost over all output channels there are, with its proof or a bound (past paper 002).

The paper solves (11) to (16) over a fixed set of candidates. Here the program starts with the one output channel of all
inputs; its duals say what a subject of each input channel costs at the margin, pricing finds output channels that are
worth more than they cost at these duals, and so on until there are none. Then the optimum over every output channel
is reached. A cost can never be under the dual bound, which the least reduced cost gives, so an early end has a gap.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import highspy
import numpy as np

from .branching import BOUNDING, Branching
from .columns import Column, Priced, Reals
from .master import Master, Solved, quiet_program
from .ray_pool import RayPool
from .rules import Rules

TOLERANCE = 1e-7
"""A column is worth having if it saves this share of a mean input channel for each subject: far under one subject."""
ROUNDS = 1_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Generated:
    """The linear optimum: its columns, amounts and duals; no assignment at all costs less than `bound`."""

    columns: tuple[Column, ...]
    solved: Solved
    bound: float
    rounds: int
    blends: int
    is_proven: bool


class ColumnGeneration:
    """One run. `seconds` are of this process's time."""

    def __init__(self, excess: Reals, rules: Rules, *, seconds: float) -> None:
        self.excess, self.rules = excess, rules
        self.deadline = time.process_time() + seconds
        self.master = Master(rules.sizes, rules.risky)
        self.pool = RayPool(excess, rules)
        self.branching = None if self.pool.is_complete else Branching(excess, rules)

    def run(self) -> Generated:
        master = self.master
        master.add([self._everything()])
        tolerance = TOLERANCE * master.unit
        bound, rounds = 0.0, 0
        while True:
            rounds += 1
            solved = master.solve()
            found = self._price(solved.duals, tolerance)
            bound = max(bound, self._bound(solved, found.least))
            if not found.columns or rounds == ROUNDS or time.process_time() > self.deadline:
                break
            master.add(found.columns)
        if found.columns and self.branching is not None:
            least = self.branching.bound(solved.duals, tolerance=tolerance, deadline=self.deadline + BOUNDING)
            bound = max(bound, self._bound(solved, least))
        return Generated(
            columns=tuple(master.columns),
            solved=solved,
            bound=min(bound, solved.cost),
            rounds=rounds,
            blends=len(self.pool),
            is_proven=not found.columns and found.least >= -2 * tolerance,
        )

    def _price(self, duals: Reals, tolerance: float) -> Priced:
        """Rays of the pool first; where that has none and is not all, by branching; the channel of all inputs too."""
        whole = self._whole(duals, tolerance) if self.rules.any else Priced(least=0.0)
        found = self.pool.price(duals, tolerance=tolerance)
        if not found.columns and not whole.columns and self.branching is not None:
            found = self.branching.price(duals, tolerance=tolerance, deadline=self.deadline)
        elif self.branching is not None:
            found = Priced(columns=found.columns, least=-np.inf)
        return Priced(columns=(*found.columns, *whole.columns), least=min(found.least, whole.least))

    def _everything(self) -> Column:
        """All subjects in the channel of all inputs, which tells nothing (d_0^out)."""
        sizes = self.rules.sizes
        at = np.arange(len(sizes), dtype=np.int32)
        return Column(members=tuple(at.tolist()), blend=at, shares=sizes / sizes.sum(), cost=float(sizes.sum()))

    def _whole(self, duals: Reals, tolerance: float) -> Priced:
        """The best blend for the channel of all inputs: a small linear program, needed where rules forbid others."""
        inputs, limits = self.excess.shape
        program = quiet_program()
        scale = max(float(np.abs(duals).max()), 1.0)
        program.addVars(inputs, np.zeros(inputs), np.ones(inputs))
        at = np.arange(inputs, dtype=np.int32)
        program.changeColsCost(inputs, at, -duals / scale)
        program.addRow(1.0, 1.0, inputs, at, np.ones(inputs))
        for k in range(limits):
            program.addRow(-highspy.kHighsInf, 0.0, inputs, at, self.excess[:, k])
        program.run()
        shares = np.maximum(np.array(program.getSolution().col_value), 0.0)
        blend = np.flatnonzero(shares > 1e-9).astype(np.int32)
        shares = shares[blend] / shares[blend].sum()
        column = self._everything()
        reduced = column.cost - float(duals[blend] @ shares)
        worth = [Column(members=column.members, blend=blend, shares=shares, cost=column.cost)]
        return Priced(columns=worth if reduced < -tolerance else (), least=min(reduced, 0.0))

    def _bound(self, solved: Solved, least: float) -> float:
        """No assignment costs less: by the least reduced cost of a subject, or by duals scaled until none is negative.

        Every subject pays its dual and at least the reduced cost; or (Farley 1990) duals are divided by so much that
        no column earns more than it costs, the cheapest of which costs two input channels.
        """
        if not np.isfinite(least):
            return 0.0
        sizes = self.rules.sizes
        earned = float(np.where(self.rules.risky, solved.duals, np.minimum(solved.duals, 0.0)) @ sizes)
        cheapest = float(sizes[self.rules.risky].min() + sizes[~self.rules.risky].min())
        scaled = earned * cheapest / (cheapest - min(least, 0.0))
        return max(earned + min(least, 0.0) * float(sizes.sum()), scaled, 0.0)
