"""Everybody whom several releases leave alone is one of k people, or absent."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.register import JointClasses, people_to_hold_back

PEOPLE = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=60)


def parts(class_of: np.ndarray, bins: np.ndarray) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    for pair in zip(class_of.tolist(), bins.tolist(), strict=True):
        found[pair] = found.get(pair, 0) + 1
    return found


@given(people=PEOPLE, k=st.integers(1, 6))
def test_every_part_of_a_class_is_empty_or_has_k_people(
    people: list[tuple[int, int]], k: int
) -> None:
    class_of = np.array([each[0] for each in people], np.int32)
    small = [c for c in range(1, 4) if 0 < (class_of == c).sum() < k]
    class_of[np.isin(class_of, small)] = 0  # Earlier releases kept k people in every class.
    bins = np.array([each[1] for each in people], np.int32)
    held = people_to_hold_back(class_of, bins, k=k)
    assert not held[bins == 0].any()
    shown = np.where(held, 0, bins)
    counts = parts(class_of, shown)
    assert all(size >= k for pair, size in counts.items() if pair != (0, 0))


@given(people=PEOPLE, k=st.integers(2, 6))
def test_nobody_is_held_back_without_need(people: list[tuple[int, int]], k: int) -> None:
    class_of = np.array([each[0] for each in people], np.int32)
    bins = np.array([each[1] for each in people], np.int32)
    counts = parts(class_of, bins)
    if all(size >= k for pair, size in counts.items() if pair != (0, 0)):
        assert not people_to_hold_back(class_of, bins, k=k).any()


@given(
    states=st.lists(st.lists(st.integers(0, 3), min_size=40, max_size=40), min_size=2, max_size=5)
)
def test_classes_of_many_releases_never_fall_under_k(states: list[list[int]]) -> None:
    joint = JointClasses()
    for state in states:
        bins = np.array(state, np.int32)
        before = joint.class_of if len(joint.class_of) else np.zeros(len(bins), np.int32)
        held = people_to_hold_back(before, bins, k=4)
        joint = joint.refined(np.where(held, 0, bins).astype(np.int32))
        assert all(size == 0 or size >= 4 for size in joint.sizes.tolist())


@pytest.mark.parametrize(("leavers", "companions"), [(0, 0), (1, 4), (4, 1), (5, 0)])
def test_a_leaver_takes_others_along(leavers: int, companions: int) -> None:
    class_of = np.ones(20, np.int32)
    bins = np.array([0] * leavers + [1] * (20 - leavers), np.int32)
    assert people_to_hold_back(class_of, bins, k=5).sum() == companions
