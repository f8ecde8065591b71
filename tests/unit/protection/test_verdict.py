"""Verdicts: what they hold, and the worst of several."""

from __future__ import annotations

import json

import pytest

from sfumato.bins import Bins
from sfumato.protection import KAnonymity, Verdict, overall

PASS = KAnonymity(k=1, fields=("a",)).judge(Bins.of(("a",), {("x",): 1}))
FAIL = KAnonymity(k=2, fields=("a",)).judge(Bins.of(("a",), {("x",): 1}))
REVIEW = KAnonymity(k=2, fields=()).judge(Bins.of(("a",), {("x",): 2}))


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [((PASS,), "pass"), ((PASS, REVIEW), "review"), ((REVIEW, FAIL, PASS), "fail"), ((), "review")],
)
def test_the_worst_of_several(verdicts: tuple[Verdict, ...], outcome: str) -> None:
    assert overall(verdicts) == outcome


def test_a_verdict_can_be_written_to_a_manifest() -> None:
    assert json.loads(json.dumps(FAIL.as_dict())) == {
        "outcome": "fail",
        "model": "k-anonymity",
        "requirement": "k = 2, suppressed cells read strict",
        "fields": ["a"],
        "bins": 1,
        "rows": 1,
        "smallest": 1,
        "bins_below": 1,
        "rows_below": 1,
        "reason": "1 of 1 bin over (a) breaks it; it holds 1 of 1 row",
    }
