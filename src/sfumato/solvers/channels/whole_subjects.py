"""Whole subjects: the linear optimum rounded, then searched over whole numbers, with what is proven
about it.

Where there are few input channels, every output channel that an optimum can use takes part, so the
optimum is exact. Where there are many, rounding costs a fraction of a per cent, and the linear
bound shows it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sfumato.protection import ChannelTolerance, judge_channels

from .effort import ChannelEffort
from .every_channel import channels_within
from .inputs import Inputs
from .occupancy import occupied
from .plan import Assigned, ChannelPlan
from .program import Program
from .ray_pool import RayPool
from .repair import repaired
from .rounding import RESERVES, Used, rounded
from .rules import Members, Reals, Rules

ENOUGH = 5e-3
"""Whole subjects that cost this share more than the linear optimum are not searched further where
the search cannot be complete."""
MARGINS = (1, 3)
"""So many subjects that are not risky are spared for each output channel, where rounding costs more
than that without."""
MOST_PAIRS = 20_000
ROUNDING = 1e-6
"""Costs that differ by this share of them are the same to a linear program."""
_TRIES = 4
NO_BOUND = "no bound is proven."


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearRelaxation:
    """The linear optimum and its cost, with what its search used: limits that bind, rules, duals
    and rays, or the candidates. Where it is not proven, the cost is that of the best found."""

    excess: Reals
    rules: Rules
    assigned: Assigned
    cost: float
    bound: float
    is_proven: bool
    notes: tuple[str, ...]
    channels: tuple[Members, ...] = ()
    duals: Reals | None = None
    pool: RayPool | None = field(default=None, repr=False)
    used: Used = field(repr=False)
    spared: Callable[[int], Assigned | None] = field(default=lambda margin: None, repr=False)
    start: Assigned | None = field(default=None, repr=False)

    def plan(self, inputs: Inputs) -> ChannelPlan:
        plan = ChannelPlan.of(inputs, occupied(self.assigned, self.rules))
        return replace(
            plan,
            bound=min(self.bound, plan.cost),
            is_proven=self.is_proven and plan.cost <= self.bound * (1 + ROUNDING),
            compared_with=self.compared_with,
            notes=self.notes,
        )

    @property
    def enough(self) -> float:
        """A cost of whole subjects that is near enough to the linear optimum, proven or not:
        rounding can save no more."""
        return max(self.bound, self.cost) * (1 + ENOUGH)

    @property
    def is_over_all(self) -> bool:
        """Whether the bound is over all output channels, not over those that were enumerated."""
        return not self.channels or self.is_proven

    @property
    def compared_with(self) -> str:
        enumerated = f"{len(self.channels):,} enumerated output channels"
        return "all output channels" if self.is_over_all else enumerated

    def program(self, channels: Sequence[Members]) -> Program:
        rules = self.rules
        return Program(rules.sizes, rules.risky, self.excess, channels, price=rules.price)


def in_whole_subjects(
    relaxed: LinearRelaxation, inputs: Inputs, tolerance: ChannelTolerance, *, effort: ChannelEffort
) -> ChannelPlan:
    """The best assignment of whole subjects that was found, and how far from the best of all it can
    be.

    The search is over some output channels first, which brings the cost down. It is then over every
    one that could lower it further, if these are few enough; that search proves a bound."""
    best = round_plan(relaxed, inputs, tolerance)
    bound = relaxed.bound if relaxed.rules.price else _next_whole(relaxed.bound)
    bound = min(bound, best.cost)
    if best.cost > relaxed.enough:
        best, _ = _searched(
            relaxed.program(_some(relaxed)),
            best,
            relaxed.rules,
            tolerance,
            effort=effort.part(1 / 3, least=0.3),
        )
    every = _every(relaxed, gap=best.cost - relaxed.bound) if best.cost > bound else None
    if every is not None:
        best, proven = _searched(
            relaxed.program(every),
            best,
            relaxed.rules,
            tolerance,
            effort=effort.part(1.0, least=1.0),
        )
        bound = max(bound, min(proven or 0.0, best.cost))
    return _told(best, relaxed, bound=bound)


def round_plan(
    relaxed: LinearRelaxation, inputs: Inputs, tolerance: ChannelTolerance
) -> ChannelPlan:
    """The linear optimum in whole subjects: within margins, or repaired number by number; the
    cheaper of the two. Where rounding costs more than little, an optimum that spares some harmless
    subjects for each output channel is repaired too.

    Where the optimum is not proven, the enumerated channels are rounded too: the plan costs no more
    than theirs."""
    rules, excess = relaxed.rules, relaxed.excess
    found = rounded(rules, excess, relaxed.used)
    made = [] if found is None else [found[0].assigned(found[1])]
    best = _cheapest(made, rules, inputs, tolerance)
    if best is None or best.cost > relaxed.enough:
        given = [relaxed.assigned] if relaxed.start is None else [relaxed.assigned, relaxed.start]
        repairs = [repaired(occupied(one, rules), excess, rules) for one in given]
        best = _cheapest(repairs, rules, inputs, tolerance, beside=best)
    for margin in MARGINS:
        if best is not None and best.cost <= relaxed.enough:
            break
        with_margin = relaxed.spared(margin)
        if with_margin is not None:
            repairs = [repaired(occupied(with_margin, rules), excess, rules)]
            best = _cheapest(repairs, rules, inputs, tolerance, beside=best)
    if best is None:
        everything: Members = tuple(range(len(rules.sizes)))
        best = ChannelPlan.of(inputs, {everything: {r: float(rules.sizes[r]) for r in everything}})
    return _told(best, relaxed, bound=relaxed.bound)


def _cheapest(
    made: Sequence[Assigned],
    rules: Rules,
    inputs: Inputs,
    tolerance: ChannelTolerance,
    *,
    beside: ChannelPlan | None = None,
) -> ChannelPlan | None:
    """Of these assignments, with a subject for each member, the cheapest that holds in exact
    arithmetic; the plan `beside` them where that costs no more."""
    plans = [ChannelPlan.of(inputs, occupied(assigned, rules)) for assigned in made]
    kept = [plan for plan in plans if not _broken(plan, tolerance)]
    known = [] if beside is None else [beside]
    return min([*known, *kept], key=lambda plan: plan.cost, default=None)


def _some(relaxed: LinearRelaxation) -> list[Members]:
    """The output channels of linear optima with all kinds of reserves, and that of all inputs."""
    everything: Members = tuple(range(len(relaxed.rules.sizes)))
    used = [members for reserve in RESERVES for members in relaxed.used(reserve) or ()]
    return list(dict.fromkeys([*used, everything]))


def _every(relaxed: LinearRelaxation, *, gap: float) -> Sequence[Members] | None:
    """All output channels that a better assignment may use, or all candidates; None where they are
    too many."""
    if relaxed.pool is None or relaxed.duals is None:
        pairs = sum(len(members) for members in relaxed.channels)
        return relaxed.channels if pairs <= MOST_PAIRS else None
    if not relaxed.is_proven:
        return None
    everything: Members = tuple(range(len(relaxed.rules.sizes)))
    found = channels_within(relaxed.pool, relaxed.rules, relaxed.duals, gap=gap)
    return None if found is None else list(dict.fromkeys([*found, everything]))


def _searched(
    program: Program,
    start: ChannelPlan,
    rules: Rules,
    tolerance: ChannelTolerance,
    *,
    effort: ChannelEffort,
) -> tuple[ChannelPlan, float | None]:
    """The better of what the search over whole numbers finds and the start; a bound where the
    search ended.

    The solver's numbers are rounded. A plan that breaks a limit by that is not taken: its channels
    get a little more room and the search is made again. Where subjects were added so that each
    member has one, the search is made again with that as a condition."""
    best, proven = start, None
    for _ in range(_TRIES):
        outcome = program.solve(whole=True, effort=effort, start=_amounts(program, start))
        if outcome.amounts is None:
            return best, proven
        assigned = program.assigned(outcome.amounts)
        found = ChannelPlan.of(start.inputs, occupied(assigned, rules))
        broken = _broken(found, tolerance)
        if not broken:
            proven = outcome.bound if not program.slack.any() else None
            best = found if found.cost < best.cost - 1e-6 else best
            if (
                found.cost <= ChannelPlan.of(start.inputs, assigned).cost
                or program.needs_all_members
            ):
                return best, proven
            program.needs_all_members = True
        for number, members in enumerate(program.channels):
            program.slack[number] += 1e-7 * (members in broken)
    return best, proven


def _broken(plan: ChannelPlan, tolerance: ChannelTolerance) -> set[Members]:
    """The channels that break a limit in exact arithmetic; all of those in use where any does."""
    verdicts = judge_channels(plan.account(), tolerance, plan.inputs.fields)
    return set(plan.channels) if any(verdict.outcome == "fail" for verdict in verdicts) else set()


def _amounts(program: Program, plan: ChannelPlan) -> Reals | None:
    """The plan as a solution of the program, None where it uses a channel that is not in it."""
    place = {members: number for number, members in enumerate(program.channels)}
    pairs = {
        (c, r): i
        for i, (c, r) in enumerate(
            zip(program.channel_of.tolist(), program.input_of.tolist(), strict=True)
        )
    }
    out: Reals = np.zeros(len(program.input_of))
    for channel, r, subjects in zip(
        plan.channel_of.tolist(), plan.input_of.tolist(), plan.subjects.tolist(), strict=True
    ):
        members = plan.channels[channel]
        if len(members) == 1:
            continue
        if members not in place:
            return None
        out[pairs[place[members], r]] = subjects
    return out


def _next_whole(bound: float) -> float:
    """Costs of whole subjects are whole numbers."""
    return float(math.ceil(bound - 1e-6 * max(1.0, abs(bound))))


def _told(plan: ChannelPlan, relaxed: LinearRelaxation, *, bound: float) -> ChannelPlan:
    bound = min(bound, plan.cost)  # repaired plans also use output channels not enumerated
    proven = relaxed.is_proven and plan.cost <= bound * (1 + 1e-9)
    which = "proven least" if proven else "not proven least"
    among = "" if relaxed.is_over_all else f" to {relaxed.compared_with}"
    note = f"Subjects are whole: cost {plan.cost:,.0f}, {which}; " + (
        f"at least {bound:,.0f} for any assignment{among}, {relaxed.bound:,.2f} in parts."
        if bound
        else NO_BOUND
    )
    assigned: dict[Members, dict[int, float]] = {}
    for channel, r, subjects in zip(
        plan.channel_of.tolist(), plan.input_of.tolist(), plan.subjects.tolist(), strict=True
    ):
        if len(plan.channels[channel]) > 1:
            assigned.setdefault(plan.channels[channel], {})[r] = subjects
    notes = (*relaxed.notes, note, *_no_room(plan, relaxed, proven=proven))
    return ChannelPlan.of(
        plan.inputs,
        assigned,
        bound=bound,
        is_proven=proven,
        compared_with=relaxed.compared_with,
        notes=notes,
    )


def _no_room(plan: ChannelPlan, relaxed: LinearRelaxation, *, proven: bool) -> tuple[str, ...]:
    """Why nothing is disclosed. Limits without slack are named only where the data have none."""
    if plan.untold < 1.0:
        return ()
    first = "Nothing is disclosed about any subject: "
    # Expected subjects by which the whole table is under each limit.
    slack = -(relaxed.excess * relaxed.rules.sizes[:, None]).sum(axis=0)
    if slack.size and slack.min() < ROUNDING * plan.inputs.subjects:
        return (
            f"{first}the tolerances are what the data have on the whole, so whole subjects "
            "cannot be divided evenly enough. A slightly higher tolerance would disclose much more.",
        )
    if proven:
        return (
            f"{first}no assignment of whole subjects that keeps the tolerances discloses more.",
        )
    return (
        f"{first}no other assignment of whole subjects was found, which does not prove that there is "
        "none. whole_subjects = true, or more seconds, searches further.",
    )
