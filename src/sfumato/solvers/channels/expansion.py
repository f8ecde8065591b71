"""Channel expansion (Garfinkel, Gopal and Thompson 2007, paper 002): records with names, no confidential field.

Each subject is told to be in one of several input channels, chosen so that nobody can infer a confidential value too
well, at the least cost in subjects that a query returns in excess. Where it departs from the paper: output channels
are priced among all there are instead of enumerated (`column_generation`), and subjects can be kept whole.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.bins import Bins
from sfumato.errors import NoRecodingFound
from sfumato.policy.channel_records import ChannelRule
from sfumato.protection.channel_risk import ChannelTolerance

from .candidates import enumerated
from .column_generation import ColumnGeneration
from .inputs import Inputs
from .master import Master
from .mixtures import limits_that_bind
from .plan import SLIGHT, Assigned, ChannelPlan
from .program import Program
from .rules import Flags, Members, Reals, Rules
from .whole_subjects import Relaxed, in_whole_subjects, round_plan


@dataclass(frozen=True, kw_only=True)
class ChannelExpansion:
    """Parameters of one solve; bins, counted with the confidential field inside them, arrive in `solve`.

    The program is linear, as in the paper, and its plan has parts of subjects. `rounded` makes them whole at a small
    cost, so that it can be released; `whole_subjects` searches for the best plan of whole ones.

    Example:
        >>> from sfumato.bins.by_hand import bins_of_rows
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
    whole_subjects: bool = False
    rounded: bool = False
    candidates: str = "priced"
    count: int = 2048
    seconds: float = 60.0
    seed: int = 0

    name: ClassVar[str] = "channels"

    def solve(self, bins: Bins) -> ChannelPlan:
        """The assignment of least cost, or NoRecodingFound where membership in the data alone is risky."""
        return self.assign(Inputs.of(bins, self.confidential, self.tolerance.values))

    def assign(self, inputs: Inputs) -> ChannelPlan:
        """The same, from input channels."""
        until = time.process_time() + self.seconds
        excess = self.tolerance.excess(inputs.sizes, inputs.counts)
        risky = self.tolerance.risky(inputs.sizes, inputs.counts)
        if not risky.any():
            notes = ("No input channel is risky: every subject keeps its own.",)
            return ChannelPlan.of(inputs, {}, is_proven=True, notes=notes)
        check_membership(inputs, self.tolerance, risky)
        implied = self.tolerance.bound is not None and self.tolerance.bound_is_implied
        excess = limits_that_bind(excess, last_is_implied=implied)
        rules = Rules.of(inputs, risky, self.rules, most=self.max_inputs)
        relaxed = self._enumerated(excess, rules) if self.candidates == "enumerated" else self._priced(excess, rules)
        if not self.whole_subjects:
            return round_plan(relaxed, inputs) if self.rounded else relaxed.plan(inputs)
        return in_whole_subjects(relaxed, inputs, self.tolerance, seconds=max(1.0, until - time.process_time()))

    def _priced(self, excess: Reals, rules: Rules) -> Relaxed:
        run = ColumnGeneration(excess, rules, seconds=self.seconds)
        found = run.run()
        assigned: dict[Members, dict[int, float]] = {}
        for column, amount in zip(found.columns, found.solved.amounts.tolist(), strict=True):
            if amount > SLIGHT:
                into = assigned.setdefault(column.members, {})
                for r, share in zip(column.blend.tolist(), column.shares.tolist(), strict=True):
                    into[r] = into.get(r, 0.0) + amount * share
        proof = "no output channel at all would be cheaper" if found.is_proven else "the time was over before the proof"
        note = (
            f"Output channels were priced: {found.rounds} rounds, {len(found.columns):,} columns out of "
            f"{found.blends:,} blends looked at in each; {proof}."
        )
        return Relaxed(
            excess=excess,
            rules=rules,
            assigned=assigned,
            bound=found.bound,
            is_proven=found.is_proven,
            notes=(note,),
            duals=found.solved.duals,
            pool=run.pool,
            used=lambda reserve: _used(run.master, reserve),
        )

    def _enumerated(self, excess: Reals, rules: Rules) -> Relaxed:
        channels, is_all = enumerated(rules, self.count, seed=self.seed)
        program = Program(rules.sizes, rules.risky, excess, channels)
        outcome = program.solve(whole=False)
        assert outcome.amounts is not None  # the channel of all inputs is among them and takes everyone
        assigned: Assigned = program.assigned(np.where(outcome.amounts > SLIGHT, outcome.amounts, 0.0))
        which = "all that the rules allow" if is_all else "by the paper's rules, not all there are"
        return Relaxed(
            excess=excess,
            rules=rules,
            assigned=assigned,
            bound=outcome.bound,
            is_proven=is_all,
            notes=(f"{len(channels):,} output channels were enumerated: {which}.",),
            channels=channels,
            used=lambda reserve: program.used(reserve),
        )


def _used(master: Master, reserve: float) -> list[Members] | None:
    """The output channels of the optimum over the columns at hand, with a reserve."""
    amounts = master.amounts_with_reserve(reserve)
    if amounts is None:
        return None
    found = zip(master.columns, amounts.tolist(), strict=True)
    return list(dict.fromkeys(column.members for column, amount in found if amount > SLIGHT))


def check_membership(inputs: Inputs, tolerance: ChannelTolerance, risky: Flags) -> None:
    """Refuse what no assignment can mend: the channel of all inputs must be one that nothing can be inferred from."""
    excess = tolerance.excess(inputs.sizes.sum(keepdims=True), inputs.counts.sum(axis=0, keepdims=True))[0]
    values = len(tolerance.values)
    broken = [
        f"{excess[k] + limit:.4g} of all subjects have value {k + 1} of {values}, and its tolerance is {limit:g}"
        for k, limit in enumerate(map(float, tolerance.limits))
        if excess[k] > 0
    ]
    if tolerance.bound is not None and excess[-1] > 0:
        bound = float(tolerance.bound)
        broken.append(f"the weighted sum over all subjects is {excess[-1] + bound:.4g} and its bound {bound:g}")
    if broken:
        raise NoRecodingFound(
            "Membership in the data set alone is risky, so no record can be released with a name.",
            found="Even told that a subject is in the data and nothing else, a recipient infers too much: "
            + "; ".join(broken)
            + " (paper 002, section 3.1).",
            attempt="a higher tolerance or bound, or data in which these values are rarer.",
        )
    if risky.all():
        raise NoRecodingFound(
            "Every input channel is risky, so no output channel can have one that is not (paper 002, (5)).",
            found=f"All {len(inputs)} combinations of {', '.join(inputs.fields)} tell some value too well.",
            attempt="a higher tolerance or bound, or fewer confidentiality-related fields.",
        )
