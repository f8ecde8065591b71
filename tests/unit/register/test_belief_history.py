"""Beliefs after each release: which classes are weighed again, and that one release is judged by
its joint classes."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.register.belief_history import BeliefLimits, FieldView, HeldRelease
from sfumato.register.joint_classes import JointClasses
from sfumato.register.remaining_values import remaining_values
from sfumato.register.several_values import remaining_of_several

LIMITS = BeliefLimits(t=0.4, gain=0.9)


def numbers(*those):
    return np.array(those, np.int32)


def release(bins, values=None, *, apart=None, several=False):
    if values is None:
        return HeldRelease(bins=lambda: bins)
    field = FieldView(
        bins=lambda: bins if apart is None else apart,
        value_of=lambda: values,
        tags=np.array([7, 8, 9], np.uint64),
        members=(lambda: np.array([[0, 0], [1, 1], [2, 2]])) if several else None,
        is_apart=apart is not None,
    )
    return HeldRelease(bins=lambda: bins, field=field)


def judged(*releases, several=False, limits=LIMITS):
    joint = JointClasses()
    for each in releases:
        joint = joint.refined(each.bins())
        if each.field is not None and each.field.is_apart:
            joint = joint.refined(each.field.bins())
    judge = remaining_of_several if several else remaining_values
    found = judge(joint, releases, limits=limits)
    return [round(float(found.distance[number]), 3) for number in joint.class_of]


@pytest.mark.parametrize("several", [False, True], ids=["one value", "several values"])
def test_one_release_is_judged_by_classes_that_two_of_its_tables_make(several):
    crossed = release(
        numbers(1, 1, 2, 2), numbers(1, 1, 2, 2), apart=numbers(1, 2, 1, 2), several=several
    )
    assert judged(crossed, several=several) == [0.5] * 4


def test_a_class_that_a_release_without_the_field_splits_is_weighed_again():
    first = release(numbers(1, 1, 1, 1, 2, 2), numbers(1, 1, 2, 2, 1, 2))
    splits = release(numbers(1, 1, 2, 2, 1, 1))
    assert judged(first) == [0.0] * 6
    assert judged(first, splits) == [0.5] * 4 + [0.0] * 2


def test_newcomers_move_the_shares_that_unchanged_classes_are_compared_with():
    first = release(numbers(1, 1), numbers(1, 2))
    more = release(numbers(1, 1, *[2] * 6), numbers(1, 2, *[1] * 6))
    assert judged(first) == [0.0] * 2
    assert judged(first, more) == [0.375] * 2 + [0.125] * 6


def test_what_is_broken_stays_broken_when_everybody_comes():
    few = release(numbers(1, 1, 2, 2), numbers(1, 1, 2, 2))
    all_alike = release(numbers(1, 1, 1, 1), numbers(1, 1, 2, 2))
    assert judged(few, all_alike) == judged(few) == [0.5] * 4


def test_forgotten_classes_keep_what_was_measured_and_others_go_on():
    """Four of five classes are broken by the first release, and forgotten; the third splits the one
    that is open, and brings somebody new."""
    pairs = numbers(1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5)
    values = numbers(1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2)
    first, again = release(pairs, values), release(np.ones_like(pairs), values)
    last = release(numbers(*[1] * 8, 2, 2, 3, 3, 2), numbers(*values, 1))
    limits = BeliefLimits(t=0.4)
    assert judged(first, again, limits=limits) == [0.5] * 8 + [0.0] * 4
    assert judged(first, again, last, limits=limits) == [0.5] * 8 + [0.462] * 2 + [0.538] * 2 + [
        0.462
    ]
