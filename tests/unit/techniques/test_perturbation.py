"""Perturbation: rows change, and the mean and variance of every group are exactly what they
were."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st
from numbers_by_hand import normal, numbers, step, texts

from sfumato.errors import PolicyError


def moments(values, groups):
    """Rows, sum and sum of squares of each group, exactly."""
    out = defaultdict(lambda: [0, Fraction(0), Fraction(0)])
    for value, group in zip(values, groups, strict=True):
        if value is not None:
            for power in range(3):
                out[group][power] += Fraction(value) ** power
    return dict(out)


def test_mean_and_variance_of_each_group_are_exactly_kept():
    values = texts(normal(400, 50, 12))
    groups = (["a"] * 3 + ["b"]) * 100
    done = step("perturb", {"x": values, "group": groups}, within=["group"])
    assert moments(done.cells.columns["x"], groups) == moments(values, groups)
    changed = numbers(done) != np.array(values, float)
    assert changed.mean() > 0.9
    assert (
        done.words["x"]
        == "changed at random; its mean and variance of rows alike in group are exactly what "
        "they were"
    )


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_the_share_is_that_of_the_variance_that_is_new(share):
    values = np.round(normal(3000, 5000, 900))
    done = step("perturb", {"x": texts(values)}, share=share)
    assert np.corrcoef(values, numbers(done))[0, 1] == pytest.approx(np.sqrt(1 - share), abs=0.01)
    assert done.facts["covariance_factor"] == pytest.approx(np.sqrt(1 - share))


def test_covariance_with_other_fields_is_smaller_by_the_factor_that_is_told():
    values = np.round(normal(20_000, 5000, 900))
    other = values + normal(20_000, 0, 500, seed=3)
    done = step("perturb", {"x": texts(values)}, share=0.4)
    found = np.cov(numbers(done), other)[0, 1] / done.facts["covariance_factor"]
    assert found == pytest.approx(np.cov(values, other)[0, 1], rel=0.03)


def test_small_groups_are_taken_together():
    """Mean and variance of two or three rows would tell them."""
    values = texts(normal(40, 50, 12))
    groups = ["large"] * 28 + [f"small {i // 2}" for i in range(12)]
    pools = ["large"] * 28 + ["small"] * 12
    done = step("perturb", {"x": values, "group": groups}, within=["group"])
    assert moments(done.cells.columns["x"], pools) == moments(values, pools)
    assert moments(done.cells.columns["x"], groups) != moments(values, groups)
    assert "small groups taken together" in done.words["x"]


def test_a_small_rest_joins_the_smallest_group():
    values = texts(normal(36, 50, 12))
    groups = ["large"] * 20 + ["middle"] * 13 + ["small"] * 3
    pools = ["large"] * 20 + ["rest"] * 16
    done = step("perturb", {"x": values, "group": groups}, within=["group"])
    assert moments(done.cells.columns["x"], pools) == moments(values, pools)


def test_zeros_and_ones_are_exchanged():
    """Their sum and their sum of squares are equal, so that no other whole numbers have both."""
    values = ["0", "1", "1", "0"] * 10
    done = step("perturb", {"x": values}, share=0.9)
    assert sorted(done.cells.columns["x"]) == sorted(values)
    assert done.cells.columns["x"].tolist() != values


def test_numbers_too_large_for_whole_steps_are_exchanged():
    values = [str(2**60 + i * 2**55) for i in range(24)]
    done = step("perturb", {"x": values}, share=0.5)
    assert sorted(done.cells.columns["x"]) == sorted(values)
    assert done.cells.columns["x"].tolist() != values
    assert done.facts["rows_exchanged"] == {"x": 24}


def test_money_is_kept_to_nine_digits():
    values = np.round(normal(60, 50_000, 20_000), 2)
    done = step("perturb", {"x": texts(values, 2)}, real=True)
    before, after = (
        moments(texts(values, 2), [0] * 60)[0],
        moments(done.cells.columns["x"], [0] * 60)[0],
    )
    assert after[1] == before[1]
    assert abs(after[2] / before[2] - 1) < 1e-9


def test_equal_numbers_cannot_change_and_a_person_is_told():
    done = step("perturb", {"x": ["7"] * 30})
    assert set(done.cells.columns["x"]) == {"7"}
    assert any("all in their group are equal" in warning for warning in done.warnings)


def test_shares_and_groups_that_make_no_sense():
    with pytest.raises(PolicyError, match="must be above 0"):
        step("perturb", {"x": ["1"]}, share=0)
    with pytest.raises(PolicyError, match="4 or more"):
        step("perturb", {"x": ["1"]}, least=3)


@settings(max_examples=example_count(120), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-3, 3), st.integers(-500, 500)), st.sampled_from("aab")
        ),
        min_size=4,
        max_size=60,
    ),
    st.sampled_from([0.05, 0.3, 1.0]),
    st.binary(min_size=1, max_size=4),
)
def test_whole_numbers_keep_both_moments_whatever_they_are(rows, share, secret):
    values = [None if value is None else str(value) for value, _ in rows]
    groups = [group for _, group in rows]
    sizes = {
        group: sum(v is not None for v, g in zip(values, groups, strict=True) if g == group)
        for group in "ab"
    }
    pools = (
        groups if all(size == 0 or size >= 4 for size in sizes.values()) else ["all"] * len(rows)
    )
    done = step(
        "perturb",
        {"x": values, "group": groups},
        within=["group"],
        share=share,
        least=4,
        secret=secret,
    )
    found = done.cells.columns["x"]
    if sum(sizes.values()) < 4:
        assert all(cell is None for cell in found)
    else:
        assert moments(found, pools) == moments(values, pools)
