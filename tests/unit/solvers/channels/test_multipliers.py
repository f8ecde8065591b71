"""Multipliers of the limits that show sets not to be worth their cost, many sets at once, against a
linear program for each."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.solvers.channels.branch_and_bound import _least_worst, vertex_multipliers
from sfumato.solvers.channels.fixed_charge import undominated
from sfumato.solvers.channels.rules import Rules


def least_maxima(excess, earned):
    return np.array(
        [
            (own - rows @ _least_worst(own, rows)).max()
            for rows, own in zip(excess, earned, strict=True)
        ]
    )


@pytest.mark.parametrize(("size", "limits"), [(2, 1), (2, 3), (3, 3), (4, 4)])
def test_vertices_show_what_the_program_shows(size, limits):
    """Sets whose least maximum is within what is wanted have a multiplier, the others have none."""
    random = np.random.default_rng(size * limits)
    excess = random.normal(-0.1, 1.0, (60, size, limits))
    earned = random.uniform(-1.0, 2.0, (60, size))
    least = least_maxima(excess, earned)
    has_ray = least > -100.0  # without one, some multiplier brings it as low as is asked
    room = np.full(60, 1e-6)
    found, multipliers = vertex_multipliers(excess, earned, least + room)
    assert has_ray.sum() > 10
    assert found[has_ray].all()
    reached = (earned - np.einsum("nsk,nk->ns", excess, multipliers)).max(axis=1)
    assert (multipliers >= 0).all()
    assert (reached[found] <= (least + room)[found]).all()
    assert not vertex_multipliers(excess, earned, least - room)[0][has_ray].any()


def test_two_limits_together_rule_out_a_set_that_breaks_each_in_turn():
    """No blend of the two keeps both limits, though each of them keeps one."""
    excess, earned = np.array([[[0.5, -0.1], [-0.2, 0.4]]]), np.array([[3.0, 2.0]])
    found, multipliers = vertex_multipliers(excess, earned, np.array([1.0]))
    assert found.all()
    assert (earned - np.einsum("nsk,nk->ns", excess, multipliers)).max() <= 1.0


def test_an_input_is_replaced_by_a_smaller_one_that_earns_as_much_and_exceeds_less():
    excess = np.array([[0.2], [0.3], [-0.1], [-0.2]])
    rules = Rules(
        sizes=np.array([5.0, 6.0, 7.0, 4.0]),
        risky=np.array([True, True, False, False]),
        together=np.ones((4, 4), bool),
        most=4,
    )
    duals = np.array([9.0, 8.0, 0.0, -1.0])
    assert undominated(duals, excess, rules).tolist() == [True, False, True, True]
    assert undominated(np.zeros(4), excess, rules).tolist() == [False, False, False, True]
