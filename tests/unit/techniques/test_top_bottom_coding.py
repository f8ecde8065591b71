"""Top and bottom coding: nothing beyond the limits is told apart, and a limit tells nobody's
number."""

from __future__ import annotations

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st
from numbers_by_hand import normal, numbers, step, texts

from sfumato.errors import PolicyError
from sfumato.techniques.top_bottom_coding import round_limit


def test_numbers_beyond_given_limits_become_the_limits():
    """HIPAA: ages over 89 are not told apart."""
    done = step("top_bottom", {"x": ["12", "41", "89", "90", "97", None, "3"]}, top=89, bottom=5)
    assert done.cells.columns["x"].tolist() == ["12", "41", "89", "89", "89", None, "5"]
    assert done.words["x"] == (
        "numbers above 89 are written as 89, which means 89 or more; "
        "numbers below 5 are written as 5, which means 5 or less"
    )
    assert done.facts["x"]["above"] == {"limit": 89.0, "rows": "fewer than 5"}


def test_a_limit_of_zero_is_a_limit():
    assert step("top_bottom", {"x": ["-3", "4"]}, bottom=0).cells.columns["x"].tolist() == [
        "0",
        "4",
    ]


def test_a_limit_finer_than_the_field_moves_inwards():
    """Rounded outwards it would be a number that nobody below the limit can have."""
    assert step("top_bottom", {"x": ["88", "89", "90"]}, top=89.5).cells.columns["x"].tolist() == [
        "88",
        "89",
        "89",
    ]
    assert step("top_bottom", {"x": ["3", "4", "5"]}, bottom=3.5).cells.columns["x"].tolist() == [
        "4",
        "4",
        "5",
    ]


def test_a_limit_by_share_is_round_and_hides_who_stands_there():
    incomes = np.round(np.exp(normal(2000, 10.5, 0.7)))
    done = step("top_bottom", {"x": texts(incomes)}, top_share=0.01)
    limit = done.facts["x"]["above"]["limit"]
    assert limit not in incomes
    assert limit % 1000 == 0
    assert 20 <= (numbers(done) == limit).sum() < 60
    assert numbers(done).max() == limit
    below = incomes <= limit
    assert (numbers(done)[below] == incomes[below]).all()


def test_both_ends_at_once():
    values = np.round(normal(1000, 0, 100))
    found = numbers(step("top_bottom", {"x": texts(values)}, top_share=0.05, bottom_share=0.05))
    assert (found == found.max()).sum() >= 50
    assert (found == found.min()).sum() >= 50
    assert (found == values).mean() > 0.8


def test_a_value_that_enough_people_have_may_be_the_limit():
    done = step("top_bottom", {"x": ["40"] * 60 + ["67"] * 30 + ["71", "80", "95"]}, top_share=0.1)
    assert done.facts["x"]["above"] == {"limit": 67.0, "rows": "fewer than 5"}


@pytest.mark.parametrize("to", ["mean", "median"])
def test_the_mean_or_median_of_what_is_cut_off(to):
    values = [str(value) for value in (*range(10, 60), 101, 102, 104, 104, 110, 115, 120)]
    done = step("top_bottom", {"x": values}, top=100, to=to)
    assert numbers(done).max() == {"mean": 108.0, "median": 104.0}[to]
    assert (numbers(done) == numbers(done).max()).sum() == 7
    assert "in the middle of those" in done.words["x"]
    if to == "mean":
        assert numbers(done).sum() == sum(map(float, values))


def test_the_mean_of_a_few_would_tell_them():
    done = step(
        "top_bottom",
        {"x": [str(value) for value in (*range(50), 300, 310, 5000)]},
        top=100,
        to="mean",
    )
    assert numbers(done).max() == 100
    assert "so few rows are above" in done.warnings[0].lower()


def test_the_mean_with_a_giant_in_it_would_tell_the_giant():
    """p% rule: who has 110 could take the others off the sum, to within a tenth of 1,000,000."""
    beyond = (101, 102, 104, 104, 105, 110, 1_000_000)
    done = step(
        "top_bottom", {"x": [str(value) for value in (*range(50), *beyond)]}, top=100, to="mean"
    )
    assert numbers(done).max() == 104
    assert any("would follow from their mean" in warning for warning in done.warnings)


def test_who_stands_out_at_a_given_limit_is_warned_of():
    done = step("top_bottom", {"x": [*map(str, range(50)), "97"]}, top=90)
    assert any("as rare as before" in warning for warning in done.warnings)
    assert step("top_bottom", {"x": [*map(str, range(50)), *["97"] * 5]}, top=90).warnings == ()


def test_policies_that_make_no_sense():
    for said, found in (
        ({}, "does not say what is cut off"),
        ({"top": 5, "top_share": 0.1}, "a limit as well"),
        ({"top": 5, "bottom": 5}, "not below top"),
        ({"top_share": 0.6, "bottom_share": 0.4}, "nothing would be left"),
        ({"top": 5, "least": 2}, "3 or more"),
    ):
        with pytest.raises(PolicyError, match=found):
            step("top_bottom", {"x": ["1"]}, **said)


@settings(max_examples=example_count(200), deadline=None)
@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=5, max_size=80),
    st.sampled_from([0.01, 0.1, 0.5]),
)
def test_a_limit_is_never_about_fewer_than_it_should(values, share):
    """At least `least` rows lie between it and the next number that is as round."""
    units = np.array(values)
    limit = round_limit(units, share, 5)
    if limit is None:
        assert min((units < 0).sum(), (units >= 0).sum()) < 5
        return
    assert (units >= limit).sum() >= max(5, share * len(units))
    if limit:
        step_size = 1
        while limit % (step_size * 10) == 0:
            step_size *= 10
        widths = [step_size * size for size in (1, 2, 5, 10)]
        assert any(((units >= limit) & (units < limit + width)).sum() >= 5 for width in widths)
