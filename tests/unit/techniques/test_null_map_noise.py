"""Noise that leads to nobody: no combination is held, and the bound is what brute force finds."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps_by_hand import taken, tuples

from sfumato.errors import NoRecodingFound


def move(rows, **step):
    columns = dict(zip(("a", "b"), map(list, zip(*rows, strict=True)), strict=True))
    return taken(columns, {"technique": "null_map_noise", "fields": ["a", "b"], **step})


pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=25)


@given(pairs)
def test_no_combination_is_anybodys_and_the_bound_is_the_nearest_free_one(rows):
    done = move([(str(a), str(b)) for a, b in rows], share=1)
    assert not set(tuples(done, ("a", "b"))) & {(str(a), str(b)) for a, b in rows}
    widths = [1 / done.facts["noise_deviation"][name] for name in ("a", "b")]
    held = set(rows)
    near = [
        min(
            math.hypot(x * widths[0], y * widths[1])
            for x, y in product(range(-7, 8), repeat=2)
            if (a + x, b + y) not in held
        )
        for a, b in rows
    ]
    bound = math.sqrt(np.mean(np.square(near)))
    assert done.facts["moved_at_least"] == pytest.approx(bound, rel=1e-2)
    assert done.facts["moved"] >= bound * 0.99


def test_empty_cells_stay_empty_and_rows_without_a_number_are_left_out():
    rows = [("1", "2"), ("3", None), (None, None), ("5", "6")]
    with pytest.raises(NoRecodingFound, match="At least 1 of 4"):
        move(rows)
    done = move(rows, leave_out=0.25)
    assert [pair.count(None) for pair in tuples(done, ("a", "b"))] == [0, 1, 0]
    assert not set(tuples(done, ("a", "b"))) & set(rows)


def test_noise_is_doubled_where_every_near_combination_is_held():
    rows = [(str(a), str(b)) for a, b in product(range(20), repeat=2)]
    done = move(rows, share=0.001)
    assert done.facts["doubled"] > 0
    assert not set(tuples(done, ("a", "b"))) & set(rows)
