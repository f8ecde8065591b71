"""Exposure: the common refinement of everything that was shown."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gate.decide.exposure import OUTSIDE, Exposure, refine

CORNERS = 8
groups = st.lists(st.integers(OUTSIDE, 3), min_size=CORNERS, max_size=CORNERS).map(np.array)
shows = st.sets(st.sampled_from(["a", "b", "c"]))


def same(classes: np.ndarray) -> set[tuple[int, int]]:
    return {(i, j) for i in range(CORNERS) for j in range(CORNERS) if classes[i] == classes[j]}


@given(st.lists(groups, min_size=1, max_size=5))
def test_classes_are_the_corners_that_no_answer_tells_apart(answers):
    seen = Exposure.nothing(CORNERS, ())
    for answer in answers:
        seen = seen.refined(answer, shows=())
    assert same(seen.anyone) == set.intersection(*map(same, answers))


@given(st.lists(st.tuples(groups, shows), min_size=1, max_size=6))
def test_tied_fields_share_their_classes_and_others_do_not_meet(answers):
    """By hand: fields in one answer are tied; a knot's classes are the refinement of all answers
    that touched it."""
    seen = Exposure.nothing(CORNERS, ("a", "b", "c"))
    for answer, shown in answers:
        seen = seen.refined(answer, shows=shown)
    for name in "abc":
        knot = {name}
        for _ in answers:
            knot |= {other for _, shown in answers if knot & shown for other in shown}
        touching = [same(answer) for answer, shown in answers if knot & shown]
        everything = same(np.zeros(CORNERS))
        assert same(seen.classes_of(name)) == set.intersection(everything, *touching)
        assert {other for other in "abc" if seen.tied[other] == seen.tied[name]} == knot


@given(st.lists(st.tuples(groups, shows), max_size=4))
def test_packing_keeps_everything(answers):
    seen = Exposure.nothing(CORNERS, ("a", "b", "c"))
    for answer, shown in answers:
        seen = seen.refined(answer, shows=shown)
    again = Exposure.unpacked(seen.packed())
    assert again.digest() == seen.digest()
    assert dict(again.tied) == dict(seen.tied)
    assert all((again.classes_of(name) == seen.classes_of(name)).all() for name in "abc")


def test_what_is_left_out_is_a_class_too():
    assert refine(np.zeros(4, np.int64), np.array([0, 0, OUTSIDE, 0])).tolist() == [1, 1, 0, 1]
