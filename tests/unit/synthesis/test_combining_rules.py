"""Combining rules by their formulas, on numbers worked out by hand."""

from __future__ import annotations

import math

import pytest

from sfumato.errors import Mistake
from sfumato.synthesis import RAAB, RAGHUNATHAN, REITER, CombiningRule, combined


def rule(name: str, copies: int = 3, rows: int = 100) -> CombiningRule:
    return CombiningRule(name=name, copies=copies, rows=rows, source_rows=200)


@pytest.mark.parametrize(
    ("name", "variance"),
    [
        # q = 10, 12, 14: b = 4; v = 2, m = 3, k / n = 1 / 2.
        (REITER, 2 + 4 / 3),
        (RAGHUNATHAN, (4 / 3) * 4 - 2),
        (RAAB, 2 * (1 / 2 + 1 / 3)),
    ],
)
def test_variances_are_those_of_the_papers(name, variance):
    found = combined(rule(name), [10, 12, 14], [1, 2, 3])
    assert found.estimate == 12
    assert found.error == pytest.approx(math.sqrt(variance))
    assert found.rule == name
    assert not found.note


def test_degrees_of_freedom_widen_the_interval():
    found = combined(rule(REITER), [10, 12, 14], [1, 2, 3])
    assert found.degrees == pytest.approx(2 * (1 + 2 / (4 / 3)) ** 2)
    assert found.high - found.estimate > 1.96 * found.error
    assert combined(rule(RAAB), [10, 12, 14], [1, 2, 3]).degrees == math.inf


def test_a_negative_variance_is_replaced_and_said():
    found = combined(rule(RAGHUNATHAN), [10, 10.1, 10.2], [1, 1, 1])
    assert "negative" in found.note
    assert found.error == pytest.approx(math.sqrt(1 / 2))


def test_copies_that_agree_have_no_variance_between_them():
    assert combined(rule(REITER), [5, 5, 5], [1, 1, 1]).error == 1


@pytest.mark.parametrize(
    ("estimates", "variances"),
    [([1, 2], [1, 1]), ([1, 2, 3], [1, 1]), ([1, 2, math.nan], [1, 1, 1]), ([1, 2, 3], [1, -1, 1])],
)
def test_what_is_no_analysis_of_the_copies_is_refused(estimates, variances):
    with pytest.raises(Mistake):
        combined(rule(REITER), estimates, variances)


def test_one_copy_is_enough_for_raab_alone():
    assert combined(rule(RAAB, copies=1), [3], [1]).estimate == 3
    with pytest.raises(Mistake, match="copies = 5"):
        combined(rule(REITER, copies=1), [3], [1])


def test_levels_are_shares():
    with pytest.raises(Mistake):
        combined(rule(RAAB, copies=1), [3], [1], level=95)
