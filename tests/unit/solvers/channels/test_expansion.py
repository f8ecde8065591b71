"""The whole solver: whole subjects, candidates, what cannot be done, and what it says."""

from __future__ import annotations

import numpy as np
import pytest
from small_inputs import drawn, inputs_of, least_cost, rules_of

from sfumato.errors import Mistake, NoRecodingFound
from sfumato.protection.channel_risk import ChannelTolerance, judge_channels
from sfumato.solvers.channels import ChannelExpansion, ChannelPlan, enumerated, expansion
from sfumato.solvers.channels.columns import Column


def solver(asked, **options):
    return ChannelExpansion(confidential="c", tolerance=asked, seconds=20, **options)


def keeps_everything(plan, asked):
    return plan.account().is_whole() and all(
        verdict.outcome == "pass" for verdict in judge_channels(plan.account(), asked, ("a",))
    )


@pytest.mark.long("brute force for each seed; each third stays", every=3)
@pytest.mark.parametrize("candidates", ["priced", "enumerated"])
@pytest.mark.parametrize("seed", range(8))
def test_whole_subjects_are_the_least_of_all(candidates, seed):
    inputs, asked = drawn(seed, inputs=6, largest=12)
    plan = solver(asked, whole_subjects=True, candidates=candidates).assign(inputs)
    assert plan.is_proven
    assert plan.cost == pytest.approx(
        least_cost(inputs, asked, rules_of(inputs, asked), whole=True)
    )
    assert keeps_everything(plan, asked)


@pytest.mark.parametrize("seed", range(8))
def test_rounding_costs_little_where_subjects_are_many(seed):
    inputs, asked = drawn(seed, inputs=8)
    many = inputs_of(inputs.sizes * 1_000, inputs.counts * 1_000)
    linear = solver(asked).assign(many)
    plan = solver(asked, rounded=True).assign(many)
    assert keeps_everything(plan, asked)
    assert plan.bound == pytest.approx(linear.cost, rel=1e-3)
    assert linear.cost <= plan.cost <= 1.05 * linear.cost or plan.untold == 1.0


def test_tolerances_that_leave_no_room_are_told():
    """A fifth of each of two values on the whole and a tolerance of a fifth: every blend must be
    exact."""
    inputs = inputs_of([10, 7, 13], [[5, 1], [1, 3], [0, 2]])
    asked = ChannelTolerance.of({"x": 0.2, "y": 0.2})
    plan = solver(asked, rounded=True).assign(inputs)
    assert keeps_everything(plan, asked)
    assert plan.untold == 1.0
    assert "slightly higher tolerance" in plan.notes[-1]


def test_nothing_disclosed_with_slack_does_not_blame_the_tolerances():
    """Rounding may find no other assignment although the tolerances leave slack."""
    inputs = inputs_of([2, 2], [[1], [0]])
    asked = ChannelTolerance.of({"x": 0.3})
    plan = solver(asked, rounded=True).assign(inputs)
    assert plan.untold == 1.0
    assert "the tolerances are what the data have" not in plan.notes[-1]
    assert plan.notes[-1].startswith("Nothing is disclosed about any subject: no ")


def test_membership_alone_is_risky():
    inputs = inputs_of([4, 6], [[3], [2]])
    with pytest.raises(NoRecodingFound, match="Membership in the data set alone is risky") as told:
        solver(ChannelTolerance.of({"flu": 0.4})).assign(inputs)
    assert "0.5 of all subjects have value 1 of 1, and its tolerance is 0.4" in told.value.found
    assert "flu" not in str(told.value)
    assert told.value.exit_code == 1


def test_the_weighted_sum_of_all_is_risky():
    inputs = inputs_of([4, 6], [[1, 1], [1, 1]])
    with pytest.raises(
        NoRecodingFound, match=r"the weighted sum over all subjects is 0\.4 and its bound 0\.3"
    ):
        solver(ChannelTolerance.of({"flu": 0.9, "cold": 0.9}, bound=0.3)).assign(inputs)


def test_every_input_channel_is_risky():
    inputs = inputs_of([4, 4], [[2, 0], [0, 2]])
    with pytest.raises(NoRecodingFound, match="Every input channel is risky"):
        solver(ChannelTolerance.of({"flu": 0.3, "cold": 0.3})).assign(inputs)


def test_nothing_risky_leaves_everyone_alone():
    plan = solver(ChannelTolerance.of({"flu": 0.5})).assign(inputs_of([4, 6], [[2], [0]]))
    assert plan.channels == ((0,), (1,))
    assert plan.cost == plan.omega == plan.gap == 0
    assert plan.is_proven


def test_at_a_share_that_is_exactly_tolerated_nobody_is_risky():
    """0.1 * 3 is not 0.3 in floating point; 3 of 10 is 0.3 all the same."""
    asked = ChannelTolerance.of({"flu": 0.1 * 3})
    assert not asked.risky(np.array([10]), np.array([[3]])).any()
    assert asked.risky(np.array([1000]), np.array([[301]])).all()


def test_a_plan_that_assigns_too_many_or_parts_is_refused():
    inputs = inputs_of([4, 6], [[2], [0]])
    with pytest.raises(Mistake, match="More subjects"):
        ChannelPlan.of(inputs, {(0, 1): {0: 5, 1: 1}})
    with pytest.raises(Mistake, match="parts of subjects"):
        ChannelPlan.of(inputs, {(0, 1): {0: 3.5, 1: 1}}).account()


def test_enumerated_channels_are_nested_and_keep_the_papers_rules():
    inputs, asked = drawn(1, inputs=30)
    rules = rules_of(inputs, asked)
    some, is_all = enumerated(rules, 50, seed=4)
    more, _ = enumerated(rules, 200, seed=4)
    assert not is_all
    assert more[:50] == some
    assert len(set(more)) == 200
    assert some[0] == tuple(range(30))
    for members in more[1:]:
        assert 2 <= len(members) <= 8
        assert rules.risky[list(members)].any()
        assert not rules.risky[list(members)].all()
    sizes = [len(members) for members in more[1:]]
    assert sizes.count(2) > sizes.count(4) > sizes.count(7)


def test_a_search_starts_from_channels_without_members_that_have_no_subjects():
    """Enumerated channels hold few of thousands of inputs: in the channel of all inputs, the rest
    costs what everyone does."""
    inputs, asked = drawn(2, inputs=9)
    rules = rules_of(inputs, asked)
    harmless, risky = np.flatnonzero(~rules.risky), np.flatnonzero(rules.risky)
    everything = tuple(range(len(inputs)))
    blend = np.array([risky[0], harmless[0]], np.int32)
    wide = Column(
        members=everything, blend=blend, shares=np.array([0.5, 0.5]), cost=rules.cost(everything)
    )
    (narrow,) = expansion._narrowed([wide], rules)
    assert narrow.members == tuple(sorted(blend.tolist()))
    assert narrow.cost == inputs.sizes[blend].sum()
    assert not expansion._narrowed([narrow], rules)
