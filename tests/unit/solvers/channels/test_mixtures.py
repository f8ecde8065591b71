"""Blends at the corners of what keeps the limits."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from small_inputs import drawn, excess_of

from sfumato.solvers.channels.mixtures import limits_that_bind, mixtures_of, number_of_sets, sets_of


def test_two_inputs_meet_where_a_limit_is_tight():
    excess = np.array([[0.25], [-0.25], [-0.5]])
    (rows, shares) = next(mixtures_of(np.array([[0, 1], [0, 2], [1, 2]], np.int32), excess))
    assert rows.tolist() == [0, 1]
    assert shares.tolist() == [[0.5, 0.5], pytest.approx([2 / 3, 1 / 3])]


@pytest.mark.parametrize("seed", range(8))
def test_every_blend_keeps_the_limits_and_uses_every_input(seed):
    inputs, asked = drawn(seed, values=3)
    excess = excess_of(inputs, asked)
    for size in range(2, 6):
        sets = np.array(list(combinations(range(len(inputs)), size)), np.int32)
        for rows, shares in mixtures_of(sets, excess):
            assert np.allclose(shares.sum(axis=1), 1.0)
            assert (shares > 0).all()
            assert (np.einsum("ns,nsk->nk", shares, excess[sets[rows]]) < 1e-9).all()


def test_sets_with_a_leading_input_are_all_there_once():
    for inputs, size, leading in ((6, 3, 2), (5, 2, 5), (7, 4, 1)):
        found = [
            tuple(row) for part in sets_of(inputs, size, leading=leading) for row in part.tolist()
        ]
        wanted = [c for c in combinations(range(inputs), size) if c[0] < leading]
        assert sorted(found) == wanted
        assert number_of_sets(inputs, size, leading=leading) == len(wanted)


def test_limits_that_nobody_breaks_or_that_follow_are_left_out():
    excess = np.array([[0.1, -0.1, 0.2], [-0.1, 0.0, -0.1]])
    assert limits_that_bind(excess, last_is_implied=False).tolist() == [[0.1, 0.2], [-0.1, -0.1]]
    assert limits_that_bind(excess, last_is_implied=True).tolist() == [[0.1], [-0.1]]
