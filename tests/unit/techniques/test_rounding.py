"""Rounding: multiples near the number, by chance the same on average, and sums that are kept as
promised."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st
from numbers_by_hand import normal, numbers, step, texts

from sfumato.errors import Mistake, PolicyError


def test_plain_goes_to_the_nearest_and_up_from_the_middle():
    done = step("round", {"x": ["12", "13", "-12", "-13", "0", None, "7"]}, base=5)
    assert done.cells.columns["x"].tolist() == ["10", "15", "-10", "-15", "0", None, "5"]
    assert done.words["x"] == "rounded to the nearest multiple of 5"
    assert step("round", {"x": ["2.5", "-2.5"]}, base=5, real=True).cells.columns["x"].tolist() == [
        "5",
        "0",
    ]


def test_multiples_with_digits_are_exact():
    done = step("round", {"x": ["0.30", "0.15", "19.99"]}, base=0.05, real=True)
    assert done.cells.columns["x"].tolist() == ["0.30", "0.15", "20.00"]


def test_random_rounding_is_the_number_on_average():
    """41 to multiples of 10: up with a chance of a tenth. With 4,000 rows five deviations of the
    mean are 0.24."""
    found = numbers(step("round", {"x": ["41"] * 4000}, base=10, method="random"))
    assert set(found) == {40.0, 50.0}
    assert found.mean() == pytest.approx(41.0, abs=0.24)


def test_what_is_a_multiple_stays():
    for method in ("plain", "random", "controlled"):
        done = step("round", {"x": ["40", "-20", "0"] * 50}, base=20, method=method)
        assert done.cells.columns["x"].tolist() == ["40", "-20", "0"] * 50


def test_the_error_that_is_told_is_the_error_that_is_made():
    values = np.round(normal(20_000, 500, 90))
    for method in ("plain", "random", "controlled"):
        done = step("round", {"x": texts(values)}, base=10, method=method)
        made = ((numbers(done) - values) ** 2).mean()
        assert done.facts["error_variance"]["x"] == pytest.approx(made, rel=0.06)


def test_whole_numbers_would_not_stay_whole():
    with pytest.raises(Mistake, match="should stay whole"):
        step("round", {"x": ["1"]}, base=2.5)


def test_groups_are_for_controlled_rounding_and_not_the_field_itself():
    with pytest.raises(PolicyError, match="Only controlled rounding"):
        step("round", {"x": ["1"], "group": ["a"]}, base=5, within=["group"])
    with pytest.raises(PolicyError, match="The step changes x"):
        step("round", {"x": ["1"]}, base=5, method="controlled", within=["x"])


def test_another_source_gets_other_draws_under_the_same_key():
    """Else the draw of a row that went would fall on the next, and two releases could be held
    against each other."""
    whole = step("round", {"x": ["41"] * 200}, base=10, method="random").cells.columns["x"]
    fewer = step("round", {"x": ["41"] * 199}, base=10, method="random").cells.columns["x"]
    assert (whole[:199] != fewer).any()
    assert (whole[1:] != fewer).any()


TABLES = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(-(10**6), 10**6), st.integers(-(10**17), 10**17)),
        st.sampled_from("abc"),
    ),
    min_size=1,
    max_size=40,
)


@settings(max_examples=example_count(150), deadline=None)
@given(
    TABLES,
    st.sampled_from([2, 3, 7, 10, 250, 10**6]),
    st.integers(0, 2),
    st.binary(min_size=1, max_size=4),
)
def test_controlled_rounding_keeps_the_sum_of_each_group(rows, base, digits, secret):
    """Each number goes to the multiple below or above, and the sum of each group too; a sum that is
    one stays."""
    exact = [None if value is None else Fraction(value, 10**digits) for value, _ in rows]
    columns = {
        "x": [None if value is None else f"{float(value):.{digits}f}" for value in exact],
        "group": [group for _, group in rows],
    }
    # What is read is a float; sums are promised of what was read.
    exact = [
        None if text is None else Fraction(round(Fraction(float(text)) * 10**digits), 10**digits)
        for text in columns["x"]
    ]
    done = step(
        "round", columns, base=base, method="controlled", within=["group"], real=True, secret=secret
    )
    sums = defaultdict(lambda: [Fraction(0), Fraction(0)])
    for before, after, group in zip(exact, done.cells.columns["x"], columns["group"], strict=True):
        assert (before is None) == (after is None)
        if before is not None and abs(before) < 2**53:
            found = Fraction(after)
            assert found % base == 0
            assert abs(found - before) < base
            sums[group][0] += before
            sums[group][1] += found
        elif before is not None:
            sums[group] = [Fraction(0), Fraction(0)]  # a float cannot hold the multiple
            break
    else:
        for before, after in sums.values():
            assert abs(after - before) < base
            assert before % base != 0 or after == before
