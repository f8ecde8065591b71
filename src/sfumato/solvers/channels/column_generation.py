"""Column generation: the least cost over all output channels there are, with its proof or a bound
(past Garfinkel et al. 2007).

The paper solves (11) to (16) over a fixed set of candidates. Here the program starts with the one
output channel of all inputs; its duals are the marginal cost of a subject of each input channel.
Pricing finds output channels that are worth more than they cost at these duals, until there are
none. Then the optimum over every output channel is reached. A cost can never be under the dual
bound, which the least reduced cost gives, so an early end has a gap."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import highspy
import numpy as np

from .beam_search import BeamSearch
from .branch_and_bound import FEWER_SETS, MOST_SETS, BranchAndBound
from .columns import Column, PricedColumns, Reals
from .effort import ChannelEffort
from .fixed_charge import FixedCharge
from .master import Master, MasterSolution, quiet_program
from .ray_pool import RayPool
from .rules import Rules

Start = Callable[[], Sequence[Column]]

SHARES = (
    0.02,
    0.05,
    0.1,
    0.2,
    0.35,
    0.5,
    0.7,
    0.76,
    0.82,
    0.87,
    0.91,
    0.94,
    0.955,
    0.97,
    0.985,
    1.0,
)
"""Branching prices these shares of the duals, one after the other: each that is worth no column is
a bound."""
STEEP, QUICK = 0.7, 0.03
"""From this share on, proofs become longer and longer. After one that takes more than this share of
the seconds, the next one is the largest share whose proof seems to fit into the time left."""
GROWTH, SLOWEST = 30.0, 10.0
"""Proofs take exp(GROWTH x) times as long at shares that are larger by x, as a rule; two proofs show
it better, but never less than SLOWEST."""
FITS = 0.5
"""A proof that seems to take this share of the time left is tried."""
FEW, NEGLIGIBLE = 200, 2e-3
"""From so many input channels on, this share of the cost is not worth the time of an exact proof."""
PROVING = 0.5
"""This share of the time is kept for proofs: columns near others are searched before."""
SLICE = 0.7
"""The share of the time left that one proof may take; where it does not end, a smaller share of the
duals is tried, half way to what is proven."""
BRANCHING = 0.25
"""The same for branching over many input channels, before a program over fixed charges."""
LEAST_STEP = 0.004
"""Shares that differ by less are not told apart by another proof."""
EARLY = 0.35
"""Shares up to this are quick to prove, and so are tried before the search near columns in use."""
TOLERANCE = 1e-7
"""A column is worth having if it saves this share of a mean input channel for each subject: far
under one subject."""
ALMOST = 1e-3
"""A proof that no column saves more than this share of a mean input channel is a proof of a share."""
NEAR = 1e-4
"""The same for columns that are searched near others: small savings wait for a search of all."""
MANY = 50
"""From so many input channels on it pays to search near the columns in use."""
SLIGHT = 1e-6
ROUNDS = 1_000


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearOptimum:
    """The linear optimum: its columns, amounts and duals; no assignment at all costs less than
    `bound`."""

    columns: tuple[Column, ...]
    solved: MasterSolution
    bound: float
    rounds: int
    blends: int
    is_proven: bool


class _Shares:
    """Which share of the duals is priced next: those of `SHARES` in turn, and smaller ones after a
    proof that did not end."""

    def __init__(self, stage: int) -> None:
        self.proven, self.failed, self._stage = 0.0, 2.0, stage
        self.now = SHARES[stage]
        self._last: tuple[float, float] | None = None

    def move(
        self, *, is_proven: bool, bound: float, seconds: float | None = None, left: float = 0.0
    ) -> None:
        """On to the next one; `bound` is the share of the cost that is proven in any way. Of a long
        proof, `seconds` is what it took and `left` the time that is left."""
        self.proven = max(self.proven, bound, self.now if is_proven else 0.0)
        if is_proven:
            while self._stage < len(SHARES) and SHARES[self._stage] <= self.proven:
                self._stage += 1
            if self.proven >= STEEP and seconds is not None and self._stage < len(SHARES):
                self._stage = self._fitting(seconds, FITS * left)
                self._last = (self.now, seconds)
        else:
            self.failed = self.now
        middle = (self.proven + self.failed) / 2
        self.now = min(SHARES[self._stage], middle) if not self.is_done else 1.0

    def forget_times(self) -> None:
        """Earlier proofs were by another method, and do not show how fast proofs become longer."""
        self._last = None

    def _fitting(self, seconds: float, most: float) -> int:
        """The stage of the largest share whose proof seems to take at most so long; the next one
        where none does."""
        growth = GROWTH
        if self._last is not None and self._last[0] < self.now:
            before, took = self._last
            growth = max(SLOWEST, math.log(seconds / took) / (self.now - before))
        fits = [
            stage
            for stage in range(self._stage, len(SHARES))
            if seconds * math.exp(growth * (SHARES[stage] - self.now)) <= most
        ]
        return max(fits, default=self._stage)

    @property
    def is_done(self) -> bool:
        """Whether all of the duals are proven, or nothing is left to try."""
        return self._stage == len(SHARES) or self.failed - self.proven < LEAST_STEP


class ColumnGeneration:
    """One run within an effort. `start` gives columns to begin with where pricing cannot list every
    ray."""

    def __init__(
        self, excess: Reals, rules: Rules, *, effort: ChannelEffort, start: Start | None = None
    ) -> None:
        self.excess, self.rules, self.effort = excess, rules, effort
        self.seconds = effort.seconds_left
        self.start: Start = start or (lambda: ())
        self.master = Master(rules.sizes, rules.risky)
        self.pool = RayPool(excess, rules, effort)
        self.too_many = False
        self.proof_seconds = 0.0
        few = len(rules.sizes) < MANY
        self.has_triples = self.pool.is_complete or (self.pool.size >= 3 and few)
        self.has_many = not few and not self.has_triples
        self.beam = BeamSearch(excess, rules)
        self.branching = None if self.pool.is_complete else self._branching()

    def run(self) -> LinearOptimum:
        """The least cost that the effort was enough for, never more than that of the columns to
        start with."""
        self.master.add([self._everything()])
        bound = 0.0
        if (
            self.has_triples
        ):  # few rays are left out, if any: columns to start with would cost more than they save
            found = (
                self._by_pool() if self.branching is None else self._by_branching(self.branching)
            )
            if found.is_proven:
                return found
            bound = found.bound
        self.master.add(self.start())
        return self._by_branching(self.branching or self._branching(), bound=bound)

    def _branching(self) -> BranchAndBound:
        return BranchAndBound(
            self.excess, self.rules, most_sets=MOST_SETS if self.has_triples else FEWER_SETS
        )

    def _by_pool(self) -> LinearOptimum:
        """Every ray is in the pool, so that a look at it is a proof."""
        bound, rounds, tolerance = 0.0, 0, TOLERANCE * self.master.unit
        while True:
            rounds += 1
            solved = self.master.solve()
            found = self._pool_price(solved.duals, tolerance)
            bound = max(bound, self._bound(solved.duals, found.least))
            if not found.columns or rounds == ROUNDS or self.effort.is_over:
                return self._generated(solved, bound, rounds, is_proven=not found.columns)
            self.master.add(found.columns)

    def _by_branching(self, branching: BranchAndBound, *, bound: float = 0.0) -> LinearOptimum:
        """Rays of the pool and near those in use first, then all others, at larger and larger
        shares of the duals."""
        tolerance, rounds, least = TOLERANCE * self.master.unit, 0, -np.inf
        stage = (
            len(SHARES) - 1 if self.has_triples else 0
        )  # where rays of three are listed, few others are left
        solved, is_searched, is_far = self.master.solve(), False, False
        bound = max(
            bound,
            self._least_of_all(),
            self._earned(solved.duals) * branching.share_of(solved.duals),
        )
        shares = _Shares(stage)
        while not shares.is_done and rounds < ROUNDS and not self.effort.is_over:
            rounds += 1
            is_late = self.effort.seconds_left < PROVING * self.seconds
            is_early = shares.now <= EARLY and not is_far
            columns: Sequence[Column] = ()
            if not is_searched:  # at the same duals it would find nothing again
                columns = self._near_price(
                    branching, solved, tolerance, is_early=is_early or is_late
                )
                is_searched = not columns and (is_late or not is_early)
            if not columns:
                duals, was_few = shares.now * solved.duals, not self.too_many
                found = self._all_price(branching, duals, tolerance)
                if was_few and self.too_many:
                    shares.forget_times()
                columns, least = found.columns, found.least
                is_far = bool(columns)  # a proof that finds columns is dear: a search finds more
                bound = max(bound, self._bound(duals, least))
                if self.has_triples and self.too_many:  # all at once were too many to look at
                    self.has_triples, self.has_many = False, len(self.rules.sizes) >= MANY
                    shares = _Shares(0)
                elif not columns:
                    almost = ALMOST * self.master.unit + self._slack(solved.cost)
                    took, left = self.proof_seconds, self.effort.seconds_left
                    if self.effort.counts_work:  # no clock decides: all of the duals are next
                        took, left = self.seconds, math.inf
                    shares.move(
                        is_proven=least >= -almost,
                        bound=bound / solved.cost,
                        seconds=took if took >= QUICK * self.seconds else None,
                        left=left,
                    )
            if columns:
                self.master.add(columns)
                solved, is_searched = self.master.solve(), False
        return self._generated(
            solved, bound, rounds, is_proven=shares.proven == 1.0 and least >= -2 * tolerance
        )

    def _near_price(
        self, branching: BranchAndBound, solved: MasterSolution, tolerance: float, *, is_early: bool
    ) -> Sequence[Column]:
        """The quick candidates: rays of the pool, then those that differ by one input from the ones
        in use."""
        columns = self._pool_price(solved.duals, tolerance).columns
        if columns or is_early or not self.has_many:
            return columns
        near = NEAR * self.master.unit
        around = [
            column
            for sets in self.beam.price(solved.duals, tolerance=near, effort=self.effort)
            for column in branching.price_sets(
                sets, solved.duals, tolerance=near, effort=self.effort
            )
        ]
        if around:
            return around
        used = [
            self.master.columns[i].blend for i in np.flatnonzero(solved.amounts > SLIGHT).tolist()
        ]
        few = [blend for blend in used if len(blend) <= branching.deepest]
        return branching.price_near(few, solved.duals, tolerance=near, effort=self.effort)

    def _all_price(
        self, branching: BranchAndBound, duals: Reals, tolerance: float
    ) -> PricedColumns:
        """All output channels: by branching where sets are few, otherwise by a program over fixed
        charges."""
        before = self.effort.seconds_left
        if not self.too_many:
            part = self.effort.part(BRANCHING if self.has_many else 1.0)
            found = branching.price(duals, tolerance=tolerance, effort=part)
            self.effort.spend(part.work_done)
            self.proof_seconds = before - self.effort.seconds_left
            if found.columns or np.isfinite(found.least) or self.effort.is_over:
                return found
            self.too_many = True  # at larger shares of the duals there are more sets still
            before = self.effort.seconds_left
        part = self.effort.part(SLICE)
        slack = self._slack(float(duals @ self.rules.sizes))
        cheapest = FixedCharge(self.excess, self.rules).price(duals, effort=part, slack=slack)
        self.effort.spend(part.work_done)
        self.proof_seconds = before - self.effort.seconds_left
        near = [
            np.array(members, np.int32)
            for size in range(2, branching.deepest + 1)
            for members in combinations(cheapest.members, size)
        ]
        columns = (
            branching.price_near(near, duals, tolerance=tolerance, effort=self.effort)
            if near
            else []
        )
        return PricedColumns(columns=columns, least=cheapest.least)

    def _slack(self, cost: float) -> float:
        """How near to the least reduced cost pricing has to come where input channels are many: all
        subjects together lose that share of the cost in the bound."""
        few = len(self.rules.sizes) < FEW
        return 0.0 if few else NEGLIGIBLE * max(cost, 0.0) / float(self.rules.sizes.sum())

    def _generated(
        self, solved: MasterSolution, bound: float, rounds: int, *, is_proven: bool
    ) -> LinearOptimum:
        return LinearOptimum(
            columns=tuple(self.master.columns),
            solved=solved,
            bound=min(bound, solved.cost),
            rounds=rounds,
            blends=len(self.pool),
            is_proven=is_proven,
        )

    def _pool_price(self, duals: Reals, tolerance: float) -> PricedColumns:
        """The best rays of the pool, and the best blend for the channel of all inputs where rules
        forbid others."""
        found = self.pool.price(duals, tolerance=tolerance)
        self.effort.spend(len(self.pool))
        if not self.rules.any:
            return found
        whole = self._whole(duals, tolerance)
        return PricedColumns(
            columns=(*found.columns, *whole.columns), least=min(found.least, whole.least)
        )

    def _everything(self) -> Column:
        """All subjects in the channel of all inputs, which discloses nothing (d_0^out)."""
        sizes = self.rules.sizes
        at = np.arange(len(sizes), dtype=np.int32)
        return Column(
            members=tuple(at.tolist()),
            blend=at,
            shares=sizes / sizes.sum(),
            cost=self.rules.cost(at.tolist()),
        )

    def _whole(self, duals: Reals, tolerance: float) -> PricedColumns:
        """The best blend for the channel of all inputs: a small linear program, needed where rules
        forbid others."""
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
        return PricedColumns(columns=worth if reduced < -tolerance else (), least=min(reduced, 0.0))

    def _least_of_all(self) -> float:
        """A bound that needs no search: each subject at risk is with their own input channel and
        one that is not risky."""
        sizes, risky = self.rules.sizes, self.rules.risky
        return float(sizes[risky] @ (sizes[risky] + sizes[~risky].min()))

    def _earned(self, duals: Reals) -> float:
        """The payment of all subjects at these duals; nobody needs to leave a channel of their own
        that is not risky."""
        return float(np.where(self.rules.risky, duals, np.minimum(duals, 0.0)) @ self.rules.sizes)

    def _bound(self, duals: Reals, least: float) -> float:
        """No assignment costs less: by the least reduced cost of a subject, or by duals scaled
        until none is negative.

        Every subject pays its dual and at least the reduced cost. Or duals are divided by so much
        that no column earns more than it costs (Farley 1990); the cheapest costs two input
        channels."""
        if not np.isfinite(least):
            return 0.0
        sizes, earned = self.rules.sizes, self._earned(duals)
        cheapest = float(sizes[self.rules.risky].min() + sizes[~self.rules.risky].min())
        scaled = earned * cheapest / (cheapest - min(least, 0.0))
        return max(earned + min(least, 0.0) * float(sizes.sum()), scaled, 0.0)
