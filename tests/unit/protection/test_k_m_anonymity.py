"""k^m-anonymity on sets small enough to count by eye."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sfumato.engines.engine import Itemsets
from sfumato.errors import Mistake
from sfumato.protection.k_m_anonymity import KMAnonymity


def itemsets(*counted: tuple[int, tuple[int, ...], int], m: int = 2) -> Itemsets:
    """Itemsets from (bin, codes of the values, people); the values are never shown."""
    codes = np.full((len(counted), m), -1, np.int32)
    for row, (_, items, _) in enumerate(counted):
        codes[row, : len(items)] = items
    return Itemsets(
        values=("secret a", "secret b", "secret c"),
        codes=codes,
        groups=np.array([group for group, _, _ in counted], np.int64),
        people=np.array([people for _, _, people in counted], np.int64),
    )


SETS = itemsets(
    (0, (0,), 9), (0, (1,), 6), (0, (2,), 3), (0, (0, 1), 4), (0, (0, 2), 2), (0, (1, 2), 1)
)


def judged(k, m, sets=SETS, people=12, **more):
    return KMAnonymity(k=k, m=m, table="diagnoses", field="code", **more).judge(sets, people)


def test_counts_of_the_verdict():
    verdict = judged(3, 2)
    assert (verdict.outcome, verdict.model) == ("fail", "k^m-anonymity")
    assert (verdict.bins, verdict.rows, verdict.smallest) == (6, 12, 1)
    assert (verdict.bins_below, verdict.rows_below) == (2, 3)
    assert verdict.requirement == "k = 3, m = 2 for code in diagnoses"
    assert verdict.fields == ("code",)
    assert verdict.reason == (
        "2 of 6 combinations of up to 2 values of code are held by fewer than 3 people; "
        "at most 3 of 12 people hold them"
    )


def test_who_knows_less_needs_less():
    verdict = judged(3, 1)
    assert (verdict.outcome, verdict.bins, verdict.smallest) == ("pass", 3, 3)
    assert verdict.reason.endswith("are held by 3 people or more; the smallest count is 3")
    assert judged(4, 1).outcome == "fail"
    assert judged(1, 2).outcome == "pass"


def test_no_more_people_hold_them_than_there_are():
    assert judged(10, 2).rows_below == 12


def test_combinations_that_were_not_counted_are_not_taken_for_common():
    with pytest.raises(Mistake, match="counted up to 2"):
        judged(3, 3)


def test_each_bin_counts_by_itself():
    sets = itemsets((0, (0,), 5), (1, (0,), 2))
    verdict = judged(3, 2, sets, within=("zip", "sex"))
    assert (verdict.outcome, verdict.bins_below, verdict.fields) == (
        "fail",
        1,
        ("zip", "sex", "code"),
    )
    assert "within bins of (zip, sex)" in verdict.reason


def test_nobody_holds_anything():
    verdict = judged(3, 2, itemsets())
    assert (verdict.outcome, verdict.bins, verdict.smallest) == ("pass", 0, 0)


def test_a_frozen_record_that_says_no_value():
    model = KMAnonymity(k=3, m=2, table="diagnoses", field="code")
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.k = 1  # type: ignore[misc]
    assert "secret" not in f"{model!r} {model.judge(SETS, 12)!r}"


def test_which_combinations_fail():
    assert (
        KMAnonymity(k=3, m=2, table="t", field="f").failing(SETS).tolist()
        == [False] * 4 + [True] * 2
    )
    assert not KMAnonymity(k=3, m=1, table="t", field="f").failing(SETS).any()
