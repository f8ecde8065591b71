"""Priced output channels against every output channel there is: the cost is the same, also under
rules."""

from __future__ import annotations

import numpy as np
import pytest
from small_inputs import drawn, excess_of, inputs_of, least_cost, rules_of

from sfumato.policy import ChannelRule, CombinationRule
from sfumato.solvers.channels import ColumnGeneration
from sfumato.solvers.channels import column_generation as module
from sfumato.solvers.channels.branch_and_bound import BranchAndBound
from sfumato.solvers.channels.effort import ChannelEffort


def with_fields(inputs, seed):
    """The same input channels with two made-up fields."""
    random = np.random.default_rng(seed)
    values = [(random.choice(list("LNHV")), random.choice(list("mf"))) for _ in range(len(inputs))]
    return inputs_of(inputs.sizes, inputs.counts, values=values, fields=("bp", "sex"))


RULES = {
    "no rules": ((), None),
    "three inputs": ((), 3),
    "two inputs": ((), 2),
    "alike": ((ChannelRule(field="sex", rule=CombinationRule.ALIKE),), None),
    "no gaps": (
        (ChannelRule(field="bp", rule=CombinationRule.NO_GAPS, values=("L", "N", "H", "V")),),
        None,
    ),
    "no gaps, three": (
        (ChannelRule(field="bp", rule=CombinationRule.NO_GAPS, values=("L", "N", "H", "V")),),
        3,
    ),
}


def by_branching(run):
    """The same without the pool: every column comes from branch and bound."""
    run.pool.blends, run.pool.is_complete = [], False
    run.branching = BranchAndBound(run.excess, run.rules)
    return run


@pytest.mark.parametrize("given", RULES.values(), ids=RULES)
@pytest.mark.parametrize("prepare", [lambda run: run, by_branching], ids=["pool", "branching"])
def test_the_optimum_over_all_output_channels(given, prepare):
    for seed in range(6):
        inputs, asked = drawn(seed, values=2 + seed % 2)
        inputs = with_fields(inputs, seed)
        rules = rules_of(inputs, asked, given[0], most=given[1])
        found = prepare(
            ColumnGeneration(excess_of(inputs, asked), rules, effort=ChannelEffort(20))
        ).run()
        assert found.is_proven
        assert found.solved.cost == pytest.approx(least_cost(inputs, asked, rules), rel=1e-6)
        assert found.bound == pytest.approx(found.solved.cost, rel=1e-5)
        assert all(rules.allows(column.members) for column in found.columns)


@pytest.mark.parametrize("seed", range(6))
def test_an_early_end_has_a_bound_that_holds(seed, monkeypatch):
    inputs, asked = drawn(seed, inputs=9, values=3)
    rules = rules_of(inputs, asked)
    least = least_cost(inputs, asked, rules)
    monkeypatch.setattr(module, "ROUNDS", 2)
    for prepare in (lambda run: run, by_branching):
        found = prepare(
            ColumnGeneration(excess_of(inputs, asked), rules, effort=ChannelEffort(20))
        ).run()
        assert found.rounds <= 2
        assert found.bound <= least * (1 + 1e-6)
        assert found.solved.cost >= least * (1 - 1e-6)


def test_no_time_at_all_still_gives_an_assignment_and_a_bound():
    inputs, asked = drawn(3, inputs=9, values=3)
    rules = rules_of(inputs, asked)
    run = by_branching(ColumnGeneration(excess_of(inputs, asked), rules, effort=ChannelEffort(0)))
    found = run.run()
    assert not found.is_proven
    assert 0 <= found.bound <= least_cost(inputs, asked, rules) <= found.solved.cost * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_an_input_that_is_not_risky_earns_nothing(seed):
    """Where nobody needs it, a dual over 0 would make an output channel of it alone look worth
    having, and no bound could be proven."""
    inputs, asked = drawn(seed, inputs=9, values=3)
    rules = rules_of(inputs, asked)
    run = ColumnGeneration(excess_of(inputs, asked), rules, effort=ChannelEffort(20))
    run.master.add([run._everything()])
    while True:
        duals = run.master.solve().duals
        assert (duals[~rules.risky] <= 1e-6).all()
        columns = run._pool_price(duals, 1e-6).columns
        if not columns:
            break
        run.master.add(columns)
