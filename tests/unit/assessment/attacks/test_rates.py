"""Rates, their intervals, and what is due to the release."""

from __future__ import annotations

import pytest

from sfumato.assessment.attacks import Rate, excess
from sfumato.assessment.attacks.attack_run import BEATS, HOLDS, UNDECIDED, Story, judged

STORY = Story(attacker="", knows="", tries="", guess="")


@pytest.mark.parametrize(
    ("successes", "attempts", "low", "high"),
    # Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I, method
    # 3.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_intervals_of_wilson(successes, attempts, low, high):
    rate = Rate(successes=successes, attempts=attempts)
    assert (round(rate.low, 4), round(rate.high, 4)) == (low, high)


def test_no_attempt_is_no_knowledge():
    rate = Rate(successes=0, attempts=0)
    assert (rate.value, rate.low, rate.high) == (0.0, 0.0, 1.0)


def test_the_risk_is_that_of_anonymeter():
    """anonymeter 1.1.0: EvaluationResults(n_attacks=500, n_success=276, n_baseline=14,
    n_control=100).risk()."""
    found = excess(Rate(successes=276, attempts=500), Rate(successes=100, attempts=500))
    assert found.value == pytest.approx(0.44, abs=1e-9)
    assert found.low == pytest.approx(0.378, abs=2e-3)
    assert found.high == pytest.approx(0.498, abs=2e-3)


def test_nothing_is_left_to_exceed_where_the_reference_is_always_right():
    assert excess(Rate(successes=9, attempts=10), Rate(successes=10, attempts=10)) is None


@pytest.mark.parametrize(
    ("right", "guessed", "control", "outcome"),
    [
        (50, 10, None, BEATS),
        (12, 10, None, HOLDS),
        (50, 10, 48, HOLDS),
        (50, 10, 20, BEATS),
        (0, 0, None, HOLDS),
    ],
)
def test_outcomes(right, guessed, control, outcome):
    rates = [
        None if n is None else Rate(successes=n, attempts=100) for n in (right, guessed, control)
    ]
    run = judged("a", "A", STORY, claims=right, rate=rates[0], baseline=rates[1], control=rates[2])
    assert run.outcome == outcome
    assert run.reason


def test_a_handful_of_attempts_says_nothing():
    few = Rate(successes=5, attempts=5)
    run = judged("a", "A", STORY, claims=5, rate=few, baseline=Rate(successes=0, attempts=5))
    assert run.outcome == UNDECIDED
    assert "only 5 attempts" in run.reason


def test_one_baseline_is_named_once():
    """Claims that are judged by themselves are held against the chance of a guess, which the reason
    names; the drawn guess beside it would be a second number."""
    asked = {"claims": 6, "rate": Rate(successes=4, attempts=80)}
    drawn = Rate(successes=2, attempts=80)
    by_claims = judged("a", "A", STORY, **asked, baseline=drawn, guess=1 / 80)
    assert by_claims.outcome == BEATS
    assert "guess" not in by_claims.got
    assert "a guess is right in 1.2% of cases" in by_claims.reason
    by_rate = judged("a", "A", STORY, **asked, baseline=drawn)
    assert "a guess: 2 of 80" in by_rate.got
    assert "%" not in by_rate.reason
