"""Channel expansion (Garfinkel, Gopal and Thompson 2007, Garfinkel et al. 2007): records with
names, no confidential field.

Each subject is stated to be in one of several input channels, so that nobody can infer a
confidential value too well. The cost is the number of subjects that a query returns in excess.
Where it departs from the paper: output channels are priced among all there are instead of
enumerated (`column_generation`), and subjects can be kept whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sfumato.bins import Bins
from sfumato.errors import NoRecodingFound
from sfumato.policy import ChannelRule
from sfumato.protection import ChannelTolerance

from .candidates import enumerated
from .column_generation import ColumnGeneration
from .columns import Column
from .effort import ChannelEffort
from .inputs import Inputs
from .mixtures import limits_that_bind
from .occupancy import occupied, with_spare
from .plan import SLIGHT, Assigned, ChannelPlan
from .program import Program
from .rules import Flags, Members, Reals, Rules
from .whole_subjects import LinearRelaxation, in_whole_subjects, round_plan

RESERVED, RESERVED_OF_MANY, MANY_INPUTS = 0.02, 0.1, 800
"""The share of the seconds that is kept for whole subjects and the account after the search; more of
it where input channels are many."""


@dataclass(frozen=True, kw_only=True)
class ChannelExpansion:
    """Parameters of one solve; bins, counted with the confidential field inside them, arrive in
    `solve`.

    The program is linear, as in the paper, and its plan has parts of subjects. `rounded` makes them
    whole at a small cost, so that it can be released; `whole_subjects` searches for the best plan
    of whole ones.

    Example:
        >>> from sfumato.bins.toy_bins import bins_of_rows
        >>> rows = [("H", "flu"), ("H", "cold"), ("N", None), ("N", None), ("L", None), ("L", None), ("L", None)]
        >>> bins = bins_of_rows(("crp",), rows, sensitive=("problem",))
        >>> solver = ChannelExpansion(confidential="problem", tolerance=ChannelTolerance.of({"flu": 0.25}))
        >>> plan = solver.solve(bins)
        >>> plan.cost, plan.is_proven
        (16.0, True)
    """

    confidential: str
    tolerance: ChannelTolerance
    rules: tuple[ChannelRule, ...] = ()
    max_inputs: int | None = None
    max_differing: int | None = None
    whole_subjects: bool = False
    rounded: bool = False
    candidates: str = "priced"
    count: int = 2048
    seconds: float = 60.0
    work: int | None = None
    seed: int = 0

    name: ClassVar[str] = "channels"

    def solve(self, bins: Bins) -> ChannelPlan:
        """The assignment of least cost, or NoRecodingFound where membership in the data alone is
        risky."""
        return self.assign(Inputs.of(bins, self.confidential, self.tolerance.values))

    def assign(self, inputs: Inputs) -> ChannelPlan:
        """The same, from input channels."""
        reserved = RESERVED_OF_MANY if len(inputs) >= MANY_INPUTS else RESERVED
        effort = ChannelEffort(self.seconds * (1 - reserved), work=self.work)
        excess = self.tolerance.excess(inputs.known_sizes, inputs.known_counts)
        risky = self.tolerance.risky(inputs.known_sizes, inputs.known_counts)
        if not risky.any():
            notes = ("No input channel is risky: every subject keeps its own.",)
            return ChannelPlan.of(inputs, {}, is_proven=True, notes=notes)
        check_membership(inputs, self.tolerance, risky)
        implied = self.tolerance.bound is not None and self.tolerance.bound_is_implied
        excess = limits_that_bind(excess, last_is_implied=implied)
        if self.tolerance.least_not_at_risk is not None:
            excess = np.column_stack([excess, self.tolerance.unsafe_excess(risky)])
        counts_subjects = self.tolerance.counts_subjects
        rules = Rules.of(
            inputs,
            risky,
            self.rules,
            most=self.max_inputs,
            counts_subjects=counts_subjects,
            max_differing=self.max_differing,
        )
        relaxed = (
            self._enumerated(excess, rules)
            if self.candidates == "enumerated"
            else self._priced(excess, rules, effort)
        )
        if not self.whole_subjects:
            return (
                round_plan(relaxed, inputs, self.tolerance)
                if self.rounded
                else relaxed.plan(inputs)
            )
        return in_whole_subjects(relaxed, inputs, self.tolerance, effort=effort)

    def _priced(self, excess: Reals, rules: Rules, effort: ChannelEffort) -> LinearRelaxation:
        start: list[Column] = []

        def enumerate_start() -> list[Column]:
            start.extend(self._start(excess, rules))
            return start

        def again(supply: Reals) -> Assigned | None:
            amounts = run.master.amounts_within(supply)
            return None if amounts is None else _assigned(run.master.columns, amounts)

        def used(reserve: float) -> list[Members] | None:
            some = assigned if reserve == 0 else again(rules.sizes * (1 - reserve))
            return None if some is None else list(occupied(some, rules))

        def spared(margin: int) -> Assigned | None:
            return None if whole.is_over else with_spare(again, assigned, rules, margin=margin)

        whole = ChannelEffort(self.seconds)
        run = ColumnGeneration(excess, rules, effort=effort, start=enumerate_start)
        found = run.run()
        assigned = with_spare(again, _assigned(found.columns, found.solved.amounts), rules)
        proof = (
            "no output channel at all would be cheaper"
            if found.is_proven
            else "the search ended before the proof"
        )
        note = (
            f"Output channels were priced: {found.rounds} rounds, {len(found.columns):,} "
            "columns out of "
            f"{found.blends:,} blends looked at in each; {proof}."
        )
        return LinearRelaxation(
            excess=excess,
            rules=rules,
            assigned=assigned,
            cost=found.solved.cost,
            bound=found.bound,
            is_proven=found.is_proven,
            notes=(note,),
            duals=found.solved.duals,
            pool=run.pool,
            used=used,
            spared=spared,
            start=_assigned(start, np.array([column.subjects for column in start]))
            if start
            else None,
        )

    def _start(self, excess: Reals, rules: Rules) -> list[Column]:
        """The optimum over enumerated output channels, a column for the blend of each that it
        uses.

        Of thousands of input channels few are in these, and the channel of all inputs takes the
        rest. So each blend is also a column of the cheapest output channel around it."""
        channels, _ = enumerated(rules, self.count, seed=self.seed)
        program = Program(rules.sizes, rules.risky, excess, channels, price=rules.price)
        amounts = program.solve(whole=False).amounts
        found = [] if amounts is None else program.columns(amounts)
        return [*found, *_narrowed(found, rules)]

    def _enumerated(self, excess: Reals, rules: Rules) -> LinearRelaxation:
        channels, is_all = enumerated(rules, self.count, seed=self.seed)
        program = Program(rules.sizes, rules.risky, excess, channels, price=rules.price)
        outcome = program.solve(whole=False)
        assert (
            outcome.amounts is not None
        )  # the channel of all inputs is among them and takes everyone

        def again(supply: Reals) -> Assigned | None:
            amounts = program.amounts_within(supply)
            return (
                None
                if amounts is None
                else program.assigned(np.where(amounts > SLIGHT, amounts, 0.0))
            )

        assigned: Assigned = program.assigned(
            np.where(outcome.amounts > SLIGHT, outcome.amounts, 0.0)
        )
        assigned = with_spare(again, assigned, rules)
        which = "all that the rules allow" if is_all else "by the paper's rules, not all there are"
        return LinearRelaxation(
            excess=excess,
            rules=rules,
            assigned=assigned,
            cost=outcome.bound,
            bound=outcome.bound,
            is_proven=is_all,
            notes=(f"{len(channels):,} output channels were enumerated: {which}.",),
            channels=channels,
            used=lambda reserve: program.used(reserve),
        )


def _assigned(columns: Sequence[Column], amounts: Reals) -> dict[Members, dict[int, float]]:
    """The assignment, by so many subjects for each column."""
    out: dict[Members, dict[int, float]] = {}
    for column, amount in zip(columns, amounts.tolist(), strict=True):
        if amount > SLIGHT:
            into = out.setdefault(column.members, {})
            for r, share in zip(column.blend.tolist(), column.shares.tolist(), strict=True):
                into[r] = into.get(r, 0.0) + amount * share
    return out


def _narrowed(columns: Sequence[Column], rules: Rules) -> list[Column]:
    """The columns that cost less without members that have no subjects."""
    out = []
    for column in columns:
        members = rules.closed(tuple(sorted(column.blend.tolist())))
        if members is not None and rules.cost(members) < column.cost:
            cost = rules.cost(members)
            out.append(replace(column, members=members, cost=cost, subjects=0.0))
    return out


def check_membership(inputs: Inputs, tolerance: ChannelTolerance, risky: Flags) -> None:
    """Refuse data that no assignment can protect: nothing may be inferred from the channel of all
    inputs."""
    excess = tolerance.excess(
        inputs.sizes.sum(keepdims=True), inputs.counts.sum(axis=0, keepdims=True)
    )[0]
    values = len(tolerance.values)
    broken = [
        f"{excess[k] + limit:.4g} of all subjects have value {k + 1} of {values}, and its "
        f"tolerance is {limit:g}"
        for k, limit in enumerate(map(float, tolerance.limits))
        if excess[k] > 0
    ]
    if tolerance.bound is not None and excess[-1] > 0:
        bound = float(tolerance.bound)
        broken.append(
            f"the weighted sum over all subjects is {excess[-1] + bound:.4g} and its bound "
            f"{bound:g}"
        )
    if tolerance.least_not_at_risk is not None:
        at_risk = int(inputs.sizes[risky].sum())
        if inputs.subjects - at_risk < tolerance.least_not_at_risk * inputs.subjects:
            broken.append(
                f"{at_risk / inputs.subjects:.4g} of all subjects are in risky input channels, and "
                f"least_not_at_risk asks for {float(tolerance.least_not_at_risk):g} who are not"
            )
    if broken:
        raise NoRecodingFound(
            "Membership in the data set alone is risky, so no record can be released with a name.",
            found="Knowing only that a subject is in the data, a recipient infers too "
            "much: " + "; ".join(broken) + " (Garfinkel et al. 2007, section 3.1).",
            attempt="a higher tolerance or bound, or data in which these values are rarer.",
        )
    if risky.all():
        raise NoRecodingFound(
            "Every input channel is risky, so no output channel can have one that is not "
            "(Garfinkel et al. 2007, (5)).",
            found=f"All {len(inputs)} combinations of {', '.join(inputs.fields)} disclose some value "
            "too well.",
            attempt="a higher tolerance or bound, or fewer confidentiality-related fields.",
        )
