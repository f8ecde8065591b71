"""Microaggregation as a step: groups hold k rows, sums are kept, and along one line no groups lose
less."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st
from numbers_by_hand import normal, numbers, step, texts
from steps_by_hand import tuples

from sfumato.engines import FieldKind
from sfumato.errors import Bug, PolicyError
from sfumato.techniques import Cells
from sfumato.techniques.microaggregation import recount
from sfumato.techniques.near_groups import near_groups
from sfumato.techniques.optimal_groups import optimal_groups


def loss(values, groups):
    return sum(
        ((values[groups == group] - values[groups == group].mean()) ** 2).sum()
        for group in np.unique(groups)
    )


def least_loss(values, k):
    """By trying all cuts of the sorted numbers."""
    ordered = sorted(values)

    @cache
    def best(start):
        rest = ordered[start:]
        if not rest:
            return 0.0
        return min(
            (
                float(np.var(rest[:size]) * size) + best(start + size)
                for size in range(k, len(rest) + 1)
            ),
            default=np.inf,
        )

    return best(0)


@settings(max_examples=example_count(80), deadline=None)
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=14), st.integers(2, 4))
def test_no_groups_along_a_line_lose_less(values, k):
    groups = optimal_groups(np.array(values, float), k)
    if len(values) < k:
        assert len(set(groups)) == 1
    else:
        assert min(Counter(groups.tolist()).values()) >= k
        assert loss(np.array(values, float), groups) == pytest.approx(
            least_loss(values, k), abs=1e-6
        )


def test_groups_along_a_line_over_more_than_one_chunk():
    values = normal(40_000, 0, 1)
    groups = optimal_groups(values, 5)
    assert np.bincount(groups).min() >= 5
    assert np.bincount(groups).max() <= 9
    ordered = np.sort(values)
    assert loss_sorted(ordered, 5) > loss_in_order(ordered, optimal_groups(ordered, 5))


def loss_sorted(ordered, k):
    """Every k in their order: what one would do first."""
    parts = ordered.reshape(-1, k)
    return ((parts - parts.mean(axis=1, keepdims=True)) ** 2).sum()


def loss_in_order(ordered, groups):
    means = np.bincount(groups, ordered) / np.bincount(groups)
    return ((ordered - means[groups]) ** 2).sum()


def test_large_numbers_beside_small_ones_cost_no_digits():
    values = np.array([1e15, 1e15 + 8, 1e15 + 4, 1.0, 2.0, 3.0, 11.0, 12.0, 13.0])
    assert optimal_groups(values, 3).tolist() == [2, 2, 2, 0, 0, 0, 1, 1, 1]


@settings(max_examples=example_count(60), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=40),
    st.integers(2, 4),
    st.sampled_from([4, 2000]),
)
def test_groups_of_near_rows_have_k_in_any_block(points, k, block):
    groups = near_groups(np.array(points, float), k, block=block)
    assert min(Counter(groups.tolist()).values()) >= min(k, len(points))


def test_blocks_lose_little():
    points = np.stack([normal(3000, 0, 1), normal(3000, 0, 1, seed=3)], axis=1)
    whole, cut = (near_groups(points, 5, block=block) for block in (3000, 500))
    lost = [sum(loss_of(points, groups, column) for column in (0, 1)) for groups in (whole, cut)]
    assert lost[1] < 1.1 * lost[0]


def loss_of(points, groups, column):
    means = np.bincount(groups, points[:, column]) / np.bincount(groups)
    return ((points[:, column] - means[groups]) ** 2).sum()


def two_fields(count=300):
    first = np.round(normal(count, 40, 15))
    return {"x": first, "y": np.round(1000 * first + normal(count, 0, 4000, seed=5), 2)}


def made(fields, **settings):
    columns = {"x": texts(fields["x"]), "y": texts(fields["y"], 2)}
    return step("microaggregate", columns, fields=("x", "y"), real=True, **settings)


def test_rows_share_all_numbers_with_k_others():
    fields = two_fields()
    done = made(fields, k=4)
    assert min(Counter(tuples(done, ("x", "y"))).values()) >= 4
    assert numbers(done, "y").sum() == pytest.approx(fields["y"].sum(), abs=0.005 * 300)
    for name, values in fields.items():
        told = done.facts["variance_kept"][name]
        assert told == pytest.approx(numbers(done, name).var() / values.var(), abs=0.01)
        assert 0.5 < told < 1
    assert done.words["x"] == "each number is the mean of at least 4 rows that are near in x, y"


def test_each_field_by_itself_keeps_more_and_says_what_it_does_not_hide():
    fields = two_fields()
    done = made(fields, k=4, method="each")
    for name in fields:
        assert min(Counter(done.cells.columns[name]).values()) >= 4
        assert done.facts["variance_kept"][name] >= made(fields, k=4).facts["variance_kept"][name]
    assert min(Counter(tuples(done, ("x", "y"))).values()) < 4
    assert any("was grouped by itself" in warning for warning in done.warnings)


def test_groups_do_not_reach_over_others_and_too_small_ones_are_left_empty():
    columns = {"x": texts(normal(43, 40, 15)), "group": ["a", "b"] * 20 + ["c"] * 3}
    done = step("microaggregate", columns, k=4, within=["group"])
    found = Counter(zip(done.cells.columns["x"], columns["group"], strict=True))
    assert found.pop((None, "c")) == 3
    assert min(found.values()) >= 4
    assert "3 cells of x were left empty" in done.warnings[0]


def test_rows_are_grouped_with_rows_that_lack_the_same():
    fields = two_fields(60)
    fields["y"][:20] = np.nan
    fields["x"][19:22] = np.nan
    done = made(fields, k=4)
    found = Counter(tuples(done, ("x", "y")))
    assert (
        found.pop((None, None)) == 3
    )  # one had neither, two had a y that too few others had alone
    assert min(found.values()) >= 4
    assert (np.isnan(numbers(done, "y"))[:20]).all()


def test_equal_rows_are_told_as_they_are_and_a_person_is_warned():
    done = step("microaggregate", {"x": ["7"] * 6 + ["1", "2", "4", "90", "91", "95"]}, k=3)
    assert done.cells.columns["x"].tolist()[:6] == ["7"] * 6
    assert any("equal rows" in warning for warning in done.warnings)
    assert not any(
        "equal rows" in w for w in step("microaggregate", {"x": ["1", "2", "4"]}, k=3).warnings
    )


def test_what_came_out_is_counted_again():
    cells = Cells.of_columns({"x": ["1", "1", "2"]}, kinds={"x": FieldKind.INTEGER})
    recount(cells, ("x",), np.zeros(3, np.int64), 1)
    with pytest.raises(Bug, match="fewer than k = 2"):
        recount(cells, ("x",), np.zeros(3, np.int64), 2)
    with pytest.raises(Bug):
        recount(cells, ("x",), np.array([0, 1, 1]), 2)


def test_k_is_two_at_least():
    with pytest.raises(PolicyError, match="2 or more"):
        step("microaggregate", {"x": ["1"]}, k=1)
