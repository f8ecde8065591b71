"""Individual risk against its definition: the expectation of 1 over a negative binomial number of
people."""

import math

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.assessment.risk import household_chances, individual_risks
from sfumato.errors import Mistake


def expected(rows: int, p: float) -> float:
    """The sum over F = f, f + 1, ... of 1/F times the chance of F."""
    total, F = 0.0, rows
    mass = p**rows
    while mass > 1e-18 or rows / p > F:
        total += mass / F
        F += 1
        mass *= (F - 1) / (F - rows) * (1 - p)
    return total


@settings(max_examples=example_count(60), deadline=None)
@given(st.integers(1, 60), st.floats(0.02, 0.98))
def test_is_the_expectation(rows, p):
    found = individual_risks(np.array([float(rows)]), np.array([rows / p]))
    assert found[0] == pytest.approx(expected(rows, p), rel=1e-8)


def test_a_bin_that_stands_for_itself_has_one_over_its_size():
    assert individual_risks(np.array([1.0, 4.0]), np.array([1.0, 4.0])).tolist() == [1.0, 0.25]


def test_the_closed_form_of_one_row():
    assert individual_risks(np.array([1.0]), np.array([541.0]))[0] == pytest.approx(
        math.log(541) / 540
    )


def test_falls_as_rows_stand_for_more():
    found = individual_risks(np.full(5, 3.0), np.array([3.0, 4.0, 10.0, 100.0, 1e9]))
    assert (np.diff(found) < 0).all()


def test_weights_below_one_are_refused():
    with pytest.raises(Mistake, match="1 bin") as caught:
        individual_risks(np.array([2.0, 1.0]), np.array([1.5, 3.0]))
    assert "1.5" not in str(caught.value)


def test_households_multiply():
    found, members = household_chances(np.array([0.1, 0.2, 0.3]), np.array([5, 5, 9]))
    assert found == pytest.approx([1 - 0.9 * 0.8, 0.3])
    assert members.tolist() == [2, 1]
