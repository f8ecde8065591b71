"""The holder's rules about which input channels may be combined (Garfinkel et al. 2007, end of
section 7 and section 8)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from small_inputs import inputs_of

from sfumato.policy import ChannelRule, CombinationRule
from sfumato.solvers.channels import Rules

# Blood pressure and sex; the first two are risky.
VALUES = [("L", "m"), ("H", "m"), ("N", "m"), ("N", "f"), ("V", "f"), (None, "f")]
INPUTS = inputs_of([2, 3, 5, 4, 1, 9], np.zeros((6, 1)), values=VALUES, fields=("bp", "sex"))
RISKY = np.array([True, True, False, False, False, False])
ORDER = ("L", "N", "H", "V")
NO_GAPS = ChannelRule(field="bp", rule=CombinationRule.NO_GAPS, values=ORDER)
ALIKE = ChannelRule(field="sex", rule=CombinationRule.ALIKE)
APART = ChannelRule(field="bp", rule=CombinationRule.APART, values=("L", "H"))


def rules(*given, most=None):
    return Rules.of(INPUTS, RISKY, given, most=most)


def test_without_rules_a_harmless_input_is_enough():
    free = rules()
    assert not free.any
    assert free.allows((0, 2))
    assert not free.allows((0, 1))
    assert free.closed((0, 1)) == (0, 1, 4)  # the smallest harmless one


def test_low_or_high_only_with_normal():
    gaps = rules(NO_GAPS)
    assert gaps.allows((0, 2))
    assert not gaps.allows((0, 1, 4))
    assert gaps.closed((0, 1)) == (0, 1, 3)  # the cheaper of the two that are normal
    assert gaps.closed((0, 4)) == (0, 1, 3, 4)  # high is missing too, and only a risky one has it
    assert gaps.allows((0, 5))  # null has no place in the order


def test_a_value_that_nobody_has_is_no_gap():
    absent = rules(
        ChannelRule(field="bp", rule=CombinationRule.NO_GAPS, values=("L", "low-normal", "N"))
    )
    assert absent.allows((0, 2))


def test_values_apart_and_fields_alike():
    apart = rules(APART)
    assert apart.closed((0, 1)) is None
    assert apart.allows((0, 2, 4))
    alike = rules(ALIKE)
    assert not alike.allows((0, 3))
    assert alike.allows((0, 2))
    assert alike.closed((0, 1)) == (0, 1, 2)


def test_at_most_so_many_inputs_and_the_channel_of_all_of_them():
    few = rules(most=2)
    assert few.closed((0, 1)) is None
    assert few.allows((0, 4))
    assert not few.allows((0, 2, 4))
    assert few.allows(tuple(range(6)))  # it tells nothing, whatever the rules say


@pytest.mark.parametrize(
    "given", [(), (NO_GAPS,), (ALIKE,), (APART, NO_GAPS)], ids=["none", "gaps", "alike", "both"]
)
@pytest.mark.parametrize("most", [None, 3])
def test_least_costs_are_those_of_the_cheapest_channel_around_a_set(given, most):
    found = rules(*given, most=most)
    every = [c for size in range(1, 7) for c in combinations(range(6), size)]
    allowed = [c for c in every if c != tuple(range(6)) and found.allows(c)]
    for size in (1, 2, 3):
        sets = np.array(list(combinations(range(6), size)), np.int32)
        for members, cost in zip(sets.tolist(), found.least_costs(sets), strict=True):
            around = [sum(found.sizes[list(c)]) for c in allowed if set(members) <= set(c)]
            closed = found.closed(tuple(members))
            exact = min(around, default=np.inf)
            assert cost <= exact
            assert (np.inf if closed is None else sum(found.sizes[list(closed)])) == exact
            if not found.orders:
                assert cost == exact


def test_sets_that_must_grow_are_known():
    gaps = rules(NO_GAPS)
    sets = np.array(list(combinations(range(6), 2)), np.int32)
    assert gaps.may_grow(sets).tolist() == [
        not gaps.allows(tuple(members)) for members in sets.tolist()
    ]
