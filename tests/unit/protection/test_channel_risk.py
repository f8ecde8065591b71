"""The verdict on channels, in exact arithmetic and from what a release says alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import Mistake
from sfumato.protection.channel_risk import (
    ChannelAccount,
    ChannelTolerance,
    exactly,
    judge_channels,
)

ASKED = ChannelTolerance.of({"flu": 0.25, "cold": 0.5}, weights={"cold": 2.0}, bound=1.0)


def account(subjects, channel_of=(0, 0, 1), input_of=(0, 1, 1)):
    return ChannelAccount(
        sizes=np.array([4, 6]),
        counts=np.array([[2, 1], [0, 1]]),
        channel_of=np.array(channel_of),
        input_of=np.array(input_of),
        subjects=np.array(subjects),
    )


def outcomes(found):
    """Of (5), (7) and (9)."""
    return [verdict.outcome for verdict in judge_channels(found, ASKED, ("a",))][:3]


def test_which_channels_are_risky():
    found = account([4, 6, 0])
    assert ASKED.risky(found.sizes, found.counts).tolist() == [True, False]


def test_a_blend_at_the_limit_passes_and_one_subject_fewer_fails():
    assert outcomes(account([4, 4, 2])) == ["pass", "pass", "pass"]  # 2 of 8 have the first value
    assert outcomes(account([4, 3, 3])) == ["pass", "fail", "pass"]


def test_a_risky_channel_alone_breaks_rule_5_and_the_sum_has_its_own():
    found = account([4, 6], channel_of=(0, 1), input_of=(0, 1))
    first, second, third, _ = judge_channels(found, ASKED, ("a",))
    assert (first.outcome, second.outcome, third.outcome) == ("fail", "fail", "pass")
    assert (first.bins_below, first.rows_below, first.smallest) == (1, 4, 4)
    heavier = ChannelTolerance.of({"flu": 1.0, "cold": 1.0}, weights={"flu": 2.0}, bound=1.0)
    assert judge_channels(found, heavier, ("a",))[2].outcome == "fail"


def test_channels_without_subjects_are_not_judged():
    assert outcomes(account([0, 6, 0, 4], channel_of=(1, 0, 1, 2), input_of=(0, 1, 1, 1)))[:2] == [
        "pass",
        "pass",
    ]


def test_whether_everyone_is_somewhere():
    assert account([4, 4, 2]).is_whole()
    assert not account([4, 4, 1]).is_whole()
    assert not account([4, 7, -1]).is_whole()
    assert account([4, 4, 2]).in_channels().tolist() == [8, 2]


def test_without_a_bound_the_sum_is_not_judged():
    plain = ChannelTolerance.of({"flu": 0.25, "cold": 0.5})
    assert not any(
        "(9)" in verdict.requirement
        for verdict in judge_channels(account([4, 4, 2]), plain, ("a",))
    )
    assert plain.bound_is_implied


@pytest.mark.parametrize(("bound", "implied"), [(1.25, True), (1.24, False)])
def test_when_the_sum_follows_from_the_values(bound, implied):
    asked = ChannelTolerance.of({"flu": 0.25, "cold": 0.5}, weights={"cold": 2.0}, bound=bound)
    assert asked.bound_is_implied is implied


def test_numbers_are_what_a_person_meant():
    assert exactly(0.1 + 0.2) == Fraction(3, 10)
    with pytest.raises(Mistake, match="No value has a tolerance"):
        ChannelTolerance.of({})


def test_no_value_is_shown():
    assert "flu" not in repr(ASKED)
    assert all(
        "flu" not in verdict.reason + verdict.requirement
        for verdict in judge_channels(account([4, 3, 3]), ASKED, ("a",))
    )


BY_MEMBERS = ChannelTolerance.of({"flu": 0.6, "cold": 0.6}, bound=0.7, counts_subjects=False)
BY_SUBJECTS = ChannelTolerance.of({"flu": 0.6, "cold": 0.6}, bound=0.7)


def padded():
    """Two risky input channels that protect each other, and a safe one from which nobody comes."""
    return ChannelAccount(
        sizes=np.array([10, 10, 5]),
        counts=np.array([[7, 0], [0, 7], [0, 0]]),
        channel_of=np.array([0, 0, 0, 1]),
        input_of=np.array([0, 1, 2, 2]),
        subjects=np.array([10, 10, 0, 5]),
    )


def test_a_safe_member_without_subjects_protects_nobody():
    by_members = judge_channels(padded(), BY_MEMBERS, ("a",))
    assert [verdict.outcome for verdict in by_members] == ["pass", "pass", "pass"]
    five, seven, nine, members = judge_channels(padded(), BY_SUBJECTS, ("a",))
    assert (five.outcome, five.bins_below, five.rows_below) == ("fail", 1, 20)
    assert (seven.outcome, nine.outcome) == ("pass", "pass")
    assert members.outcome == "pass"  # the channel has all inputs, so that no rule binds it


def test_an_empty_member_is_a_fault_of_its_own():
    found = ChannelAccount(
        sizes=np.array([4, 6, 6]),
        counts=np.array([[2, 1], [0, 1], [0, 0]]),
        channel_of=np.array([0, 0, 0, 1, 2, 3]),
        input_of=np.array([0, 1, 2, 1, 2, 0]),
        subjects=np.array([4, 4, 0, 2, 6, 0]),
    )
    wide = ChannelAccount(
        sizes=np.array([4, 6, 6, 1]),
        counts=np.array([[2, 1], [0, 1], [0, 0], [0, 0]]),
        channel_of=np.array([0, 0, 0, 1, 2, 3]),
        input_of=np.array([0, 1, 2, 1, 2, 3]),
        subjects=np.array([4, 4, 0, 2, 6, 1]),
    )
    assert found.has_empty_members().tolist() == [
        False,
        False,
        False,
        True,
    ]  # the first has all inputs
    assert wide.has_empty_members().tolist() == [True, False, False, False]
    assert judge_channels(wide, ASKED, ("a",))[-1].bins_below == 1


def test_cost_omega_and_whom_nothing_is_disclosed_about():
    found = account([4, 4, 2])
    assert found.breadths().tolist() == [10, 0]
    assert (found.cost(), found.omega(), found.undisclosed()) == (80, Fraction(8, 10), 8)
    strict = judge_channels(found, ASKED, ("a",), max_undisclosed=0.79)[-1]
    assert (strict.outcome, strict.rows_below) == ("fail", 8)
    assert judge_channels(found, ASKED, ("a",), max_undisclosed=0.8)[-1].outcome == "pass"
