"""Rows of children: what a rule takes from some rows, the others make up for."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.synthesis.child_model import without_barred
from sfumato.synthesis.model_sample import systematic


def test_rows_that_may_have_a_value_make_up_for_those_that_may_not():
    """Half of the rows are barred from the first value, which a fifth of all rows have."""
    barred = np.arange(4_000) < 2_000
    table, place = np.array([[1.0, 3.0, 1.0], [1.0, 1.0, 3.0]]), np.arange(4_000) % 2
    weights, rows = without_barred(table, place, table.sum(axis=0), [(barred, np.array([0]))])
    drawn = systematic(weights, rows, np.random.default_rng(3))
    assert not (drawn[barred] == 0).any()
    assert np.bincount(drawn).tolist() == pytest.approx([800, 1_600, 1_600], abs=20)


def test_a_value_that_most_rows_want_and_few_may_have_goes_to_those_few():
    barred = np.arange(100) < 90
    weights, rows = without_barred(
        np.array([[9.0, 1.0]]), np.zeros(100, np.int64), np.ones(2), [(barred, np.array([0]))]
    )
    drawn = systematic(weights, rows, np.random.default_rng(3))
    assert (drawn[barred] == 1).all()
    assert (drawn[~barred] == 0).sum() >= 9
