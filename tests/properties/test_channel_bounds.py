"""The bound of a plan by channels, against the least cost in fractions, by code that shares nothing
with the solver.

Every output channel is listed, every corner of its blends is solved for by elimination, and the
program over these columns is solved by the simplex method with Bland's rule, all in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.protection.channel_risk import ChannelTolerance, judge_channels
from sfumato.solvers.channels import (
    ChannelExpansion,
    Inputs,
    branch_and_bound,
    column_generation,
    ray_pool,
)

LARGE = Fraction(10**9)


def eliminated(rows):
    """The solution of a square system, a row with its right side at the end; None where there is
    not one."""
    rows = [list(row) for row in rows]
    for i in range(len(rows)):
        pivot = next((j for j in range(i, len(rows)) if rows[j][i] != 0), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(len(rows)):
            if j != i:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def corners(excess, members):
    """The blends at the corners of what keeps the limits, over these members all of which have a
    share."""
    limits = range(len(excess[0]))
    for tight in combinations(limits, len(members) - 1):
        rows = [[excess[r][k] for r in members] + [Fraction(0)] for k in tight]
        found = eliminated([*rows, [Fraction(1)] * (len(members) + 1)])
        if found is None or min(found) <= 0:
            continue
        if all(
            sum(x * excess[r][k] for x, r in zip(found, members, strict=True)) <= 0 for k in limits
        ):
            yield dict(zip(members, found, strict=True))


def least_cost(sizes, counts, limits, bound, least_not_at_risk=None, times=lambda members: 1):
    """Of (11) to (16) over every output channel, in fractions; with a least share of subjects who
    are not at risk where that is asked, and `times` what weights of fields make of a cost."""
    inputs = range(len(sizes))
    excess = [
        [Fraction(count, m) - limit for count, limit in zip(row, limits, strict=True)]
        + [Fraction(sum(row), m) - bound]
        for m, row in zip(sizes, counts, strict=True)
    ]
    risky = [any(value > 0 for value in row) for row in excess]
    if least_not_at_risk is not None:
        excess = [
            [*row, Fraction(int(at_risk)) - (1 - least_not_at_risk)]
            for row, at_risk in zip(excess, risky, strict=True)
        ]
    harmless = [(r,) for r in inputs if not risky[r]]
    columns = []
    for size in range(2, len(excess[0]) + 2):
        for members in combinations(inputs, size):
            beside = harmless if all(risky[r] for r in members) else [()]
            every = [(*members, *more) for more in beside]
            cost = min(Fraction(sum(sizes[r] for r in each)) * times(each) for each in every)
            columns += [(cost, blend) for blend in corners(excess, members)]
    return simplex(columns, [Fraction(m) for m in sizes], risky)


def simplex(columns, sizes, risky):
    """Least cost with all risky subjects in columns and the others in them or not; Bland's rule
    ends."""
    many = len(sizes)
    rows = [[blend.get(r, Fraction(0)) for _, blend in columns] for r in range(many)]
    costs = [cost for cost, _ in columns]
    for r in range(many):  # a slack that costs nothing, or an artificial column that costs much
        for s in range(many):
            rows[s].append(Fraction(int(r == s)))
        costs.append(LARGE if risky[r] else Fraction(0))
    right, basis = list(sizes), [len(columns) + r for r in range(many)]
    while True:
        reduced = [
            cost - sum(costs[basis[r]] * rows[r][j] for r in range(many) if rows[r][j])
            for j, cost in enumerate(costs)
        ]
        enter = next((j for j, value in enumerate(reduced) if value < 0), None)
        if enter is None:
            return sum(costs[basis[r]] * right[r] for r in range(many))
        ratios = [
            (right[r] / rows[r][enter], basis[r], r) for r in range(many) if rows[r][enter] > 0
        ]
        _, _, leave = min(ratios)
        pivot = rows[leave][enter]
        rows[leave], right[leave] = [value / pivot for value in rows[leave]], right[leave] / pivot
        for r in range(many):
            if r != leave and rows[r][enter]:
                factor = rows[r][enter]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[leave], strict=True)]
                right[r] -= factor * right[leave]
        basis[leave] = enter


@st.composite
def tables(draw):
    inputs, values = draw(st.integers(4, 6)), draw(st.integers(1, 3))
    groups = [
        draw(
            st.lists(st.integers(0, 6), min_size=values + 1, max_size=values + 1).filter(
                lambda g: sum(g) > 0
            )
        )
        for _ in range(inputs)
    ]
    limits = draw(
        st.lists(st.sampled_from(["0.2", "0.3", "0.4"]), min_size=values, max_size=values)
    )
    return groups, limits, draw(st.sampled_from(["0.4", "0.5", "0.7"]))


def prepared(groups, limits, bound, least_not_at_risk=None):
    sizes, counts = [sum(group) for group in groups], [group[:-1] for group in groups]
    asked = ChannelTolerance.of(
        {f"v{k}": float(u) for k, u in enumerate(limits)},
        bound=float(bound),
        least_not_at_risk=None if least_not_at_risk is None else float(least_not_at_risk),
    )
    inputs = Inputs(
        fields=("a",),
        values=tuple((str(r),) for r in range(len(sizes))),
        sizes=np.array(sizes),
        counts=np.array(counts),
    )
    risky = asked.risky(inputs.sizes, inputs.counts)
    total = asked.risky(inputs.sizes.sum(keepdims=True), inputs.counts.sum(axis=0, keepdims=True))
    if not risky.any() or risky.all() or total[0]:
        return None
    if (
        least_not_at_risk is not None
        and risky @ inputs.sizes > (1 - least_not_at_risk) * inputs.sizes.sum()
    ):
        return None
    exact = [Fraction(u) for u in limits], Fraction(bound)
    return inputs, asked, least_cost(sizes, counts, *exact, least_not_at_risk)


EFFORTS = [{"seconds": 0.0}, {"work": 1}, {"work": 50}, {"work": 400}, {}]


@settings(max_examples=example_count(40))
@given(tables())
def test_no_assignment_costs_less_than_the_bound(table):
    """However early the search ends, with every ray listed and with none; without a limit the bound
    is the optimum."""
    found = prepared(*table)
    if found is None:
        return
    inputs, asked, least = found
    for pool_size in (ray_pool.MOST_WIDE_SETS, 0):
        for effort in EFFORTS:
            plan = solved(inputs, asked, pool_size, effort)
            assert Fraction(plan.bound) <= least * (1 + Fraction(1, 10**6))
            assert Fraction(plan.cost) >= least * (1 - Fraction(1, 10**6))
            if not effort:
                assert Fraction(plan.bound) == pytest.approx(float(least), rel=1e-5)


@settings(max_examples=example_count(25))
@given(tables(), st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(3, 5)]))
def test_a_least_share_that_is_not_at_risk_costs_what_it_must(table, least_not_at_risk):
    found = prepared(*table, least_not_at_risk)
    if found is None:
        return
    inputs, asked, least = found
    plan = solved(inputs, asked, ray_pool.MOST_WIDE_SETS, {})
    assert plan.cost == pytest.approx(float(least), rel=1e-5)
    whole = ChannelExpansion(confidential="c", tolerance=asked, rounded=True).assign(inputs)
    assert all(each.outcome == "pass" for each in judge_channels(whole.account(), asked, ("a",)))
    risky = asked.risky(inputs.sizes, inputs.counts)
    for channel in range(len(whole.channels)):
        own = whole.channel_of == channel
        people = int(whole.subjects[own].sum())
        at_risk = int(whole.subjects[own & risky[whole.input_of]].sum())
        assert not at_risk or people - at_risk >= least_not_at_risk * people


def solved(inputs, asked, pool_size, effort):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ray_pool, "MOST_WIDE_SETS", pool_size)
        patch.setattr(ray_pool, "MOST_SETS", pool_size * 100)
        patch.setattr(ray_pool, "MOST_OF_SOME", pool_size)
        patch.setattr(branch_and_bound, "PROBED", 0)
        patch.setattr(column_generation, "MANY", 0)  # the searches that hundreds of inputs have
        return ChannelExpansion(confidential="c", tolerance=asked, **effort).assign(inputs)


@settings(max_examples=example_count(15))
@given(tables())
def test_the_program_over_fixed_charges_has_the_same_optimum(table):
    """Pricing as it is for hundreds of input channels: branching gives up, and a program with fixed
    charges proves."""
    found = prepared(*table)
    if found is None:
        return
    inputs, asked, least = found
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            column_generation.BranchAndBound,
            "price",
            lambda *_, **__: column_generation.PricedColumns(),
        )
        plan = solved(inputs, asked, 0, {})
    assert Fraction(plan.bound) <= least * (1 + Fraction(1, 10**6))
    assert float(plan.bound) == pytest.approx(float(least), rel=1e-4)


@settings(max_examples=example_count(20))
@given(tables(), st.sampled_from([Fraction(1, 2), Fraction(3)]), st.integers(0, 63))
def test_weights_of_fields_cost_what_they_must(table, weight, halves):
    """The optimum with a field that costs more where it is expanded: by the pool, and by branching
    with a bound that the exact least cost keeps."""
    found = prepared(*table)
    if found is None:
        return
    inputs, asked, _ = found
    side = [halves >> r & 1 for r in range(len(inputs))]
    inputs = Inputs(
        fields=("a", "b"),
        values=tuple((str(r), str(side[r])) for r in range(len(inputs))),
        sizes=inputs.sizes,
        counts=inputs.counts,
        field_weights={"b": float(weight)},
    )
    _, limits, bound = table
    least = least_cost(
        inputs.sizes.tolist(),
        inputs.counts.tolist(),
        [Fraction(u) for u in limits],
        Fraction(bound),
        times=lambda members: 1 + weight * (len({side[r] for r in members}) > 1),
    )
    plan = solved(inputs, asked, ray_pool.MOST_WIDE_SETS, {})
    assert plan.cost == pytest.approx(float(least), rel=1e-5)
    assert Fraction(plan.bound) <= least * (1 + Fraction(1, 10**6))
    for effort in ({}, {"work": 50}):
        early = solved(inputs, asked, 0, effort)
        assert Fraction(early.bound) <= least * (1 + Fraction(1, 10**6))
        assert Fraction(early.cost) >= least * (1 - Fraction(1, 10**6))
