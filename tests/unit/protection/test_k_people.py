"""k-people on tables small enough to count by eye."""

from __future__ import annotations

import pytest

from sfumato.bins import Bins
from sfumato.engines.reference.engine import ReferenceEngine
from sfumato.errors import Bug
from sfumato.protection import KAnonymity, KPeople

ROWS = [
    {"who": "ann", "zip": "02138"},
    {"who": "ann", "zip": "02138"},
    {"who": "bob", "zip": "02138"},
    {"who": "bob", "zip": "02139"},
    {"who": "cyd", "zip": "02139"},
    {"who": "dee", "zip": "02139"},
    {"who": None, "zip": "02141"},
]


def people() -> Bins:
    return Bins.from_frequencies(ReferenceEngine(ROWS).frequencies(("zip",), person="who"))


def test_rows_pass_where_people_fail() -> None:
    rows = Bins.count(ReferenceEngine(ROWS[:-1]), ("zip",))
    assert KAnonymity(k=3, fields=("zip",)).judge(rows).outcome == "pass"
    assert KPeople(k=3, fields=("zip",)).failing(people()).tolist() == [True, False, True]


def test_counts_of_the_verdict() -> None:
    verdict = KPeople(k=3, fields=("zip",)).judge(people())
    assert (verdict.outcome, verdict.model, verdict.smallest) == ("fail", "k-people", 0)
    assert (verdict.bins, verdict.bins_below) == (3, 2)
    assert verdict.requirement == "k = 3 people, suppressed cells read strict"
    assert (
        verdict.reason
        == "2 of 3 bins over (zip) have rows of fewer than 3 people; the fewest are 0"
    )


def test_exactly_k_passes_and_the_table_is_told() -> None:
    bins = Bins.of(("zip",), {("02138",): 3, ("*",): 4})
    verdict = KPeople(k=3, fields=("zip",), table="visits").judge(bins)
    assert (verdict.outcome, verdict.reason) == (
        "pass",
        "all 2 bins over (zip) keep it; the fewest people in one: 3",
    )
    assert verdict.requirement == "k = 3 people in visits, suppressed cells read strict"
    assert verdict.as_dict() == KPeople(k=3, fields=("zip",), table="visits").judge(bins).as_dict()


def test_a_suppressed_cell_is_like_no_other() -> None:
    bins = Bins.of(("zip",), {("02138",): 3, ("*",): 2})
    assert KPeople(k=3, fields=("zip",)).failing(bins).tolist() == [False, True]


def test_people_of_other_fields_are_not_added_up() -> None:
    bins = Bins.of(("zip", "sex"), {("02138", "f"): 2, ("02138", "m"): 2})
    with pytest.raises(Bug, match="other fields"):
        KPeople(k=3, fields=("zip",)).failing(bins)


def test_no_field_asks_for_review() -> None:
    verdict = KPeople(k=2, fields=()).judge(Bins.of((), {(): 1}))
    assert verdict.outcome == "review"
