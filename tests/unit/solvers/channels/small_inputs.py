"""Small input channels for tests: written out, or drawn; and the optimum over every output channel
there is."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from sfumato.protection.channel_risk import ChannelTolerance
from sfumato.solvers.channels import Inputs, Program, Rules
from sfumato.solvers.channels.mixtures import limits_that_bind


def inputs_of(sizes, counts, *, values=None, fields=("a",)):
    values = values or [(str(r),) for r in range(len(sizes))]
    return Inputs(
        fields=fields,
        values=tuple(values),
        sizes=np.array(sizes, np.int64),
        counts=np.array(counts, np.int64),
    )


def drawn(seed, *, inputs=7, values=2, largest=40):
    """Input channels of which some are risky and which are not as a whole; with a tolerance."""
    random = np.random.default_rng(seed)
    while True:
        sizes = random.integers(2, largest, inputs)
        shares = random.uniform(0, 0.6, (inputs, values)) * (random.random((inputs, values)) < 0.5)
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1.0)
        found = inputs_of(sizes, np.floor(shares * sizes[:, None]))
        limits = {f"v{k}": float(np.round(random.uniform(0.15, 0.35), 2)) for k in range(values)}
        asked = ChannelTolerance.of(limits, bound=float(np.round(random.uniform(0.3, 0.6), 2)))
        risky = asked.risky(found.sizes, found.counts)
        total = asked.risky(found.sizes.sum(keepdims=True), found.counts.sum(axis=0, keepdims=True))
        if risky.any() and not risky.all() and not total[0]:
            return found, asked


def rules_of(inputs, asked, rules=(), *, most=None):
    return Rules.of(inputs, asked.risky(inputs.sizes, inputs.counts), rules, most=most)


def excess_of(inputs, asked):
    return limits_that_bind(asked.excess(inputs.sizes, inputs.counts), last_is_implied=False)


def least_cost(inputs, asked, rules, *, whole=False):
    """By the program over every output channel that the rules allow, and that of all inputs."""
    everything = tuple(range(len(inputs)))
    sets = [c for size in range(2, len(inputs) + 1) for c in combinations(everything, size)]
    channels = [members for members in sets if members == everything or rules.allows(members)]
    program = Program(rules.sizes, rules.risky, excess_of(inputs, asked), channels)
    outcome = program.solve(whole=whole)
    return float(program.costs @ outcome.amounts)
