"""Occupancy: each member of an output channel has a subject there, so that (5) and the rules hold
for subjects.

A recipient sees how many subjects of each input channel are in an output channel. A member without
subjects protects nobody: with it alone beside risky ones, everyone in the channel is known to be
risky. The paper's (5) counts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from .plan import SLIGHT, Assigned
from .rules import Members, Reals, Rules

Solve = Callable[[Reals], Assigned | None]
_TRIES = 6


def with_spare(solve: Solve, assigned: Assigned, rules: Rules, *, margin: int = 0) -> Assigned:
    """The assignment, solved again with less supply until there is a subject to spare for each
    empty member.

    `solve` gives the least cost where so many subjects of each input channel may be used at most.
    With a `margin`, so many subjects that are not risky can be spared for each output channel
    besides: rounding adds them.
    """
    if not rules.counts_subjects:
        return assigned
    supply = rules.sizes.copy()
    for _ in range(_TRIES):
        wanted = _wanted(assigned, rules, margin)
        lacking = wanted > _spare(assigned, rules.sizes) + SLIGHT
        if not lacking.any():
            break
        supply = np.where(lacking, np.minimum(supply, rules.sizes - wanted), supply)
        again = solve(supply) if (supply >= 0).all() else None
        if again is None:
            break
        assigned = again
    return assigned


def _wanted(assigned: Assigned, rules: Rules, margin: int) -> Reals:
    """How many subjects of each input channel output channels need: one of the cheapest that would
    do for each empty member, and the margin. Of no input channel are there more than it has."""
    out: Reals = np.zeros(len(rules.sizes))
    for members, amounts in _largest_first(assigned):
        support = tuple(sorted(r for r, x in amounts.items() if x > SLIGHT))
        if not support or len(members) == len(out):
            continue
        if rules.allows(support):
            harmless = [r for r in support if not rules.risky[r]]
            if margin and harmless and len(support) > 1:
                most = max(harmless, key=lambda r: rules.sizes[r] - out[r])
                out[most] += min(margin, rules.sizes[most] - out[most])
        else:
            free = ~rules.risky & (rules.sizes - out >= 1 + margin)
            closed = rules.closed(support, among=free)
            out[list(set(closed or ()) - set(support))] += 1.0 + margin
    return out


def _largest_first(assigned: Assigned) -> list[tuple[Members, Mapping[int, float]]]:
    """Output channels by their subjects, the most first: those get the cheapest further members."""
    return sorted(assigned.items(), key=lambda each: (-sum(each[1].values()), each[0]))


def occupied(assigned: Assigned, rules: Rules) -> dict[Members, dict[int, float]]:
    """The same assignment over channels whose members all have subjects; one subject each where
    rules need a member.

    A channel that the rules allow without its empty members loses them. Any other gets a subject
    from the cheapest input channels that are not risky and have one to spare, which keeps every
    limit. Where nobody can be spared, the channel of all inputs takes its subjects; that one is
    exempt from rules, but not from (5)."""
    if not rules.counts_subjects:
        return {members: dict(amounts) for members, amounts in assigned.items()}
    spare = _spare(assigned, rules.sizes)
    everything: Members = tuple(range(len(rules.sizes)))
    out: dict[Members, dict[int, float]] = {}
    for members, amounts in _largest_first(assigned):
        there = {r: x for r, x in amounts.items() if x > SLIGHT}
        support = tuple(sorted(there))
        if not support:
            continue
        into: Members | None = support
        if len(support) < len(everything) and not rules.allows(support):
            into = (
                None
                if members == everything
                else rules.closed(support, among=~rules.risky & (spare >= 1.0))
            )
        for r in set(into or ()) - set(support):
            there[r] = 1.0
            spare[r] -= 1.0
        _add(out.setdefault(into or everything, {}), there)
    return _with_harmless(out, everything, rules, spare)


def _with_harmless(
    assigned: dict[Members, dict[int, float]], everything: Members, rules: Rules, spare: Reals
) -> dict[Members, dict[int, float]]:
    """A subject that is not risky in the channel of all inputs; where none is left, everyone is in
    that channel."""
    found = assigned.get(everything)
    if found is None or any(x > SLIGHT and not rules.risky[r] for r, x in found.items()):
        return assigned
    free = np.flatnonzero(~rules.risky & (spare >= 1.0))
    if not len(free):
        return {everything: {r: float(rules.sizes[r]) for r in everything}}
    found[int(free[0])] = 1.0
    return assigned


def _spare(assigned: Assigned, sizes: Reals) -> Reals:
    """How many subjects of each input channel are in no output channel but their own."""
    left: Reals = sizes.copy()
    for amounts in assigned.values():
        for r, x in amounts.items():
            left[r] -= x
    return left


def _add(into: dict[int, float], amounts: Mapping[int, float]) -> None:
    for r, x in amounts.items():
        into[r] = into.get(r, 0.0) + x
