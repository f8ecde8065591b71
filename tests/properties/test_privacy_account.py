"""The account is never understated: costs and epsilon against brute force over small discrete
Gaussians."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.accounting import Measurement, epsilon_of, rho_of, rounded_up
from sfumato.accounting.discrete_gaussian import with_noise

SIGMAS = (0.7, 1.0, 2.5, 6.0)


def chances(sigma: float, shift: int, width: int) -> np.ndarray:
    """The discrete Gaussian on -width..width, moved by `shift`."""
    places = np.arange(-width, width + 1) - shift
    weights = np.exp(-(places.astype(float) ** 2) / (2 * sigma**2))
    return weights / np.exp(-(np.arange(-4 * width, 4 * width + 1) ** 2.0) / (2 * sigma**2)).sum()


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("shift", [1, 2, 3])
@pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 8.0, 30.0])
def test_rho_bounds_the_renyi_divergence(sigma, shift, order):
    width = int(sigma * 80) + 100
    p, q = chances(sigma, shift, width), chances(sigma, 0, width)
    places = (p > 0) & (q > 0)
    with np.errstate(divide="ignore"):
        terms = order * np.log(p[places]) + (1 - order) * np.log(q[places])
    divergence = (terms.max() + np.log(np.exp(terms - terms.max()).sum())) / (order - 1)
    line = Measurement(
        what="counts",
        fields=("a",),
        cells=1,
        sigma=sigma,
        squared_sensitivity=shift**2,
        rows_per_person=shift,
    )
    assert divergence <= order * float(line.rho) * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("sigmas", [(2.0,), (6.0,), (3.0, 4.0), (5.0, 5.0, 8.0)])
@pytest.mark.parametrize("epsilon", [0.2, 0.5, 1.0, 2.0])
def test_epsilon_of_a_sum_is_never_below_the_true_one(sigmas, epsilon):
    """The privacy loss of a shift by one, convolved over the lines: the exact delta at an epsilon
    never exceeds the delta at which the account states that epsilon."""
    loss, mass = np.zeros(1), np.ones(1)
    for sigma in sigmas:
        width = int(sigma * 12) + 5
        p = chances(sigma, 1, width)
        # The loss of the outcome y is (2 y - 1) / (2 sigma²).
        own = (2 * np.arange(-width, width + 1) - 1) / (2 * sigma**2)
        loss, mass = (loss[:, None] + own).ravel(), (mass[:, None] * p).ravel()
        loss, inverse = np.unique(np.round(loss, 9), return_inverse=True)
        mass = np.bincount(inverse, weights=mass)
    delta = float((mass * np.maximum(0, 1 - np.exp(epsilon - loss))).sum())
    rho = sum((Fraction(1) / (2 * Fraction(sigma) ** 2) for sigma in sigmas), Fraction(0))
    if 1e-14 < delta < 0.5:
        assert epsilon_of(rho, delta) >= epsilon - 1e-6


@given(
    st.floats(min_value=1e-8, max_value=50, allow_nan=False),
    st.sampled_from([1e-12, 1e-9, 1e-6, 1e-3, 0.1]),
)
def test_the_conversion_there_and_back_never_gains(epsilon, delta):
    rho = rho_of(epsilon, delta)
    assert epsilon_of(rho, delta) <= epsilon
    assert epsilon_of(rho, delta) == pytest.approx(epsilon, rel=1e-6) or rho == 0
    looser = float(rho) + 2 * math.sqrt(float(rho) * math.log(1 / delta))
    assert epsilon_of(rho, delta) <= looser * (1 + 1e-9) + 1e-12


@given(st.lists(st.floats(min_value=0.5, max_value=1e6), min_size=1, max_size=30))
def test_a_written_cost_is_never_below_the_true_one(sigmas):
    for sigma in sigmas:
        line = Measurement(what="counts", fields=("a",), cells=1, sigma=sigma)
        assert Fraction(rounded_up(line.rho)) >= line.rho
        assert line.rho == Fraction(1) / (2 * Fraction(sigma) ** 2)
        assert Measurement.from_dict(line.as_dict()) == line


@pytest.mark.parametrize(
    ("sigma", "threshold", "rows"), [(2.0, 9, 1), (3.0, 14, 2), (0.8, 5, 1), (6.0, 30, 3)]
)
def test_the_delta_of_a_selection_bounds_the_true_chance(sigma, threshold, rows):
    line = Measurement(
        what="values",
        fields=("a",),
        cells=1,
        sigma=sigma,
        squared_sensitivity=rows**2,
        rows_per_person=rows,
        mechanism="discrete Gaussian, values above a threshold",
        threshold=threshold,
    )
    width = int(sigma * 40) + 50
    noise = chances(sigma, 0, width)
    alone = float(noise[np.arange(-width, width + 1) + rows > threshold].sum())
    assert float(line.delta) >= alone


@pytest.mark.parametrize("sigma", [0.8, 3.0, 25.0])
def test_noise_has_the_spread_that_was_charged(sigma):
    """20,000 draws: mean and variance within five standard errors of the discrete Gaussian's."""
    line = Measurement(what="counts", fields=("a",), cells=20_000, sigma=sigma)
    drawn = with_noise(np.zeros(20_000, np.int64), line).astype(float)
    width = int(sigma * 40) + 10
    places, weights = np.arange(-width, width + 1), chances(sigma, 0, width)
    variance = float((places.astype(float) ** 2 * weights).sum())
    assert abs(drawn.mean()) < 5 * math.sqrt(variance / 20_000)
    assert abs(drawn.var() / variance - 1) < 5 * math.sqrt(2 / 20_000) + 0.01
