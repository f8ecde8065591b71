"""Tables of many input channels, as crossed fields have them: the search keeps its limits and does
not collapse."""

from __future__ import annotations

import numpy as np
import pytest
from small_inputs import drawn, inputs_of

from sfumato.datasets import crossed_channels
from sfumato.protection.channel_risk import ChannelTolerance, judge_channels
from sfumato.solvers.channels import ChannelExpansion
from sfumato.solvers.channels import column_generation as module
from sfumato.solvers.channels.column_generation import SHARES, _Shares
from sfumato.solvers.channels.effort import ChannelEffort
from sfumato.solvers.effort import cpu_seconds


def crossed(levels=(3, 3, 3, 2, 3, 4), **options):
    sizes, counts, limits, bound = crossed_channels(levels, **options)
    tolerance = ChannelTolerance.of({f"v{k}": limit for k, limit in enumerate(limits)}, bound=bound)
    return inputs_of(sizes, counts), tolerance


def solved(table, **options):
    inputs, tolerance = table
    started = cpu_seconds()
    plan = ChannelExpansion(confidential="v", tolerance=tolerance, **options).assign(inputs)
    return plan, cpu_seconds() - started


@pytest.fixture(scope="module")
def ordinary():
    return crossed()


@pytest.mark.long("seconds of search; tests/papers/test_channels.py compares smaller tables")
@pytest.mark.parametrize("rounded", [False, True], ids=["parts", "rounded"])
def test_priced_channels_are_no_worse_than_enumerated_ones(ordinary, rounded):
    """A million subjects, 648 input channels: nobody is told nothing, within four seconds, and a
    bound is given."""
    enumerated, _ = solved(ordinary, candidates="enumerated", rounded=rounded)
    priced, seconds = solved(ordinary, seconds=4.0, rounded=rounded)
    assert priced.cost <= enumerated.cost
    assert priced.untold == 0
    assert priced.bound >= 0.3 * priced.cost
    assert seconds < 4.0 + 4.0
    if rounded:
        outcomes = {
            verdict.outcome for verdict in judge_channels(priced.account(), ordinary[1], ("a",))
        }
        assert outcomes == {"pass"}
        assert priced.account().is_whole()


@pytest.mark.long("half a second of search; a clock without any time stays", but=("0.0",))
@pytest.mark.parametrize("seconds", [0.0, 0.5])
def test_the_clock_is_kept_inside_a_round(ordinary, seconds):
    """With no time at all it is the enumerated plan, with a bound."""
    plan, used = solved(ordinary, seconds=seconds)
    enumerated, _ = solved(ordinary, candidates="enumerated")
    assert used < seconds + 4.0
    assert plan.cost <= enumerated.cost * (1 + 1e-9)
    assert plan.has_bound


@pytest.mark.long("thousands of channels; smaller tables stay in this file")
def test_a_bound_is_given_for_thousands_of_input_channels_too():
    """Their first duals are so large that no share of them proves anything."""
    plan, _ = solved(crossed((5, 5, 5, 4, 4, 2)), seconds=0.0)
    assert len(plan.inputs) > 3_900
    assert plan.has_bound


@pytest.mark.long("two large searches; smaller ones stay in this file")
def test_the_same_work_gives_the_same_plan(ordinary):
    plans = [solved(ordinary, seconds=600.0, work=200_000)[0] for _ in range(2)]
    assert plans[0].cost == plans[1].cost
    assert plans[0].bound == plans[1].bound
    assert plans[0].channels == plans[1].channels
    assert plans[0].subjects.tolist() == plans[1].subjects.tolist()


@pytest.mark.long("a large search; smaller ones stay in this file")
def test_small_input_channels_are_rounded_without_a_collapse():
    """Most input channels have a handful of subjects: no margin fits, and the plan is repaired
    number by number."""
    table = crossed((4, 4, 3, 3), subjects=1_500, seed=3)
    assert np.median(table[0].sizes) < 10
    plan, _ = solved(table, rounded=True, seconds=3.0)
    assert {verdict.outcome for verdict in judge_channels(plan.account(), table[1], ("a",))} == {
        "pass"
    }
    assert plan.untold < 0.1
    assert plan.omega < 0.2


@pytest.mark.parametrize("seed", range(6))
def test_an_input_channel_of_few_subjects_serves_few_output_channels(seed):
    """Six subjects of the smallest input channel cannot be in twenty output channels, and others are
    spared for them: rounding costs under one per cent."""
    inputs, tolerance = _with_a_small_input(seed)
    plan = ChannelExpansion(confidential="v", tolerance=tolerance, rounded=True).assign(inputs)
    assert plan.account().is_whole()
    assert {each.outcome for each in judge_channels(plan.account(), tolerance, ("a",))} == {"pass"}
    assert plan.gap < 0.01


def _with_a_small_input(seed, *, many=60, few=20):
    """Input channels of which `few` are risky; nobody of the smallest has a risky value."""
    random = np.random.default_rng(seed)
    sizes = np.rint(np.exp(random.normal(6, 1, many))).astype(np.int64) + 20
    shares = random.uniform(0, 0.1, (many, 2))
    risky = random.permutation(many)[:few]
    shares[risky] = random.uniform(0.1, 0.5, (few, 2))
    small = np.setdiff1d(np.arange(many), risky)[0]
    sizes[small], shares[small] = 6, 0
    counts = np.rint(sizes[:, None] * shares).astype(np.int64)
    limit = max(0.16, float(1.3 * (counts.sum(axis=0) / sizes.sum()).max()))
    return inputs_of(sizes, counts), ChannelTolerance.of({"v0": limit, "v1": limit})


def test_a_bound_over_enumerated_channels_is_never_above_the_cost():
    """Where these are few, small input channels are repaired with others, which cost less."""
    table = crossed((4, 4, 3, 3), subjects=1_500, seed=3)
    plan, _ = solved(table, candidates="enumerated", count=12, rounded=True)
    assert 0 < plan.bound <= plan.cost
    assert "for any assignment to 12 enumerated output channels" in plan.notes[-1]


def test_enumerated_columns_are_asked_for_where_the_pool_has_no_proof(monkeypatch):
    """Also where every ray is listed: an early end takes them up."""
    inputs, asked = drawn(4, inputs=9)
    monkeypatch.setattr(module, "ROUNDS", 1)
    plan = ChannelExpansion(confidential="c", tolerance=asked).assign(inputs)
    enumerated = ChannelExpansion(
        confidential="c", tolerance=asked, candidates="enumerated", count=100
    ).assign(inputs)
    assert plan.cost <= enumerated.cost * (1 + 1e-9)


@pytest.mark.parametrize(
    ("took", "left", "after"),
    [(0.1, 100.0, 1.0), (2.0, 50.0, 0.94), (2.0, 4.0, 0.91), (20.0, 1.0, 0.91)],
)
def test_the_next_proof_is_the_largest_that_fits_into_the_time_left(took, left, after):
    """Proofs take about 30 times as long at shares that are larger by a ninth."""
    shares = _Shares(SHARES.index(0.87))
    shares.move(is_proven=True, bound=0.6, seconds=took, left=left)
    assert shares.now == after


def test_two_proofs_show_how_fast_they_become_longer():
    shares = _Shares(SHARES.index(0.82))
    shares.move(is_proven=True, bound=0.6, seconds=2.0, left=20.0)
    assert shares.now == 0.87
    shares.move(is_proven=True, bound=0.6, seconds=2.2, left=18.0)
    assert shares.now == 1.0


def test_an_effort_has_parts():
    effort = ChannelEffort(10.0, work=100)
    effort.spend(40)
    part = effort.part(0.5)
    assert part.work_left == 30
    assert part.seconds_left == pytest.approx(5.0, abs=0.5)
    part.spend(30)
    assert part.is_over
    assert not effort.is_over


def test_where_nothing_is_proven_nothing_is_claimed(ordinary):
    from dataclasses import replace

    plan, _ = solved(ordinary, seconds=0.0)
    assert not replace(plan, bound=0.0).has_bound
    assert replace(plan, bound=0.0).gap == 1.0
