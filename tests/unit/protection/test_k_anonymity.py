"""k-anonymity on tables small enough to count by eye."""

from __future__ import annotations

import pytest

from sfumato.bins import Bins
from sfumato.hierarchies import Hierarchy
from sfumato.policy import CellReading, NullRule
from sfumato.protection import KAnonymity

ZIP_SEX = ("zip", "sex")
BINS = Bins.of(ZIP_SEX, {("02138", "f"): 3, ("02138", "m"): 1, ("02141", "f"): 2})


def test_counts_of_the_verdict() -> None:
    verdict = KAnonymity(k=3, fields=ZIP_SEX).judge(BINS)
    assert (verdict.outcome, verdict.smallest) == ("fail", 1)
    assert (verdict.bins, verdict.rows, verdict.bins_below, verdict.rows_below) == (3, 6, 2, 3)
    assert verdict.reason == "2 of 3 bins over (zip, sex) break it; they hold 3 of 6 rows"


def test_exactly_k_passes() -> None:
    verdict = KAnonymity(k=1, fields=ZIP_SEX).judge(BINS)
    assert (verdict.outcome, verdict.reason) == (
        "pass",
        "all 3 bins over (zip, sex) keep it; the smallest count is 1",
    )


def test_only_its_own_fields_count() -> None:
    model = KAnonymity(k=2, fields=("zip",))
    assert model.sizes(BINS).tolist() == [4, 4, 2]
    assert model.judge(BINS).outcome == "pass"


def test_no_field_asks_for_review() -> None:
    verdict = KAnonymity(k=2, fields=()).judge(BINS)
    assert verdict.outcome == "review"
    assert "nothing was required" in verdict.reason


@pytest.mark.parametrize(
    ("reading", "sizes"),
    [(CellReading.STRICT, [2, 1, 4]), (CellReading.WILDCARD, [3, 3, 4])],
)
def test_a_suppressed_cell_in_both_readings(reading: CellReading, sizes: list[int]) -> None:
    bins = Bins.of(ZIP_SEX, {("02138", "f"): 2, ("*", "f"): 1, ("02141", "m"): 4})
    assert KAnonymity(k=3, fields=ZIP_SEX, reading=reading).sizes(bins).tolist() == sizes


@pytest.mark.parametrize(
    ("nulls", "sizes"),
    [(NullRule.VALUE, [2, 1, 4]), (NullRule.MATCHES_ANYTHING, [3, 7, 5])],
)
def test_null_in_both_rules(nulls: NullRule, sizes: list[int]) -> None:
    bins = Bins.of(ZIP_SEX, {("02138", "f"): 2, (None, None): 1, ("02141", "m"): 4})
    assert KAnonymity(k=3, fields=ZIP_SEX, nulls=nulls).sizes(bins).tolist() == sizes


def test_wildcard_leaves_null_alone_and_the_null_rule_leaves_stars_alone() -> None:
    bins = Bins.of(("zip",), {("a",): 1, (None,): 1, ("*",): 1})
    assert KAnonymity(k=2, fields=("zip",), reading=CellReading.WILDCARD).sizes(bins).tolist() == [
        2,
        2,
        3,
    ]
    assert KAnonymity(k=2, fields=("zip",), nulls=NullRule.MATCHES_ANYTHING).sizes(
        bins
    ).tolist() == [2, 3, 2]


def test_not_monotone_under_suppression_where_cells_match_anything() -> None:
    """The suppressed cell passes with the help of two bins that fail; without them it fails too."""
    bins = Bins.of(ZIP_SEX, {("02138", "f"): 1, ("*", "f"): 1, ("02141", "f"): 1})
    model = KAnonymity(k=3, fields=ZIP_SEX, reading=CellReading.WILDCARD)
    failing = model.failing(bins)
    assert failing.tolist() == [True, False, True]
    assert model.failing(bins.only(~failing)).tolist() == [True]
    assert not model.monotone_suppression


@pytest.mark.parametrize(
    "model",
    [
        KAnonymity(k=2, fields=("zip",), reading=CellReading.WILDCARD),
        KAnonymity(k=2, fields=("zip",), nulls=NullRule.MATCHES_ANYTHING),
    ],
)
def test_not_monotone_under_generalisation_where_cells_match_anything(model: KAnonymity) -> None:
    """A hierarchy may write `unknown` for what matched anything before; it then matches only
    itself."""
    wild = "*" if model.reading is CellReading.WILDCARD else None
    bins = Bins.of(("zip",), {(wild,): 1, ("02138",): 1})
    zips = Hierarchy.from_rows([(wild, "unknown"), ("02138", "021**")])
    assert not model.failing(bins).any()
    assert model.failing(bins.recode({"zip": zips}, {"zip": 1})).all()
    assert not model.monotone_generalisation


def test_monotone_as_long_as_cells_are_what_they_are() -> None:
    model = KAnonymity(k=2, fields=ZIP_SEX)
    assert (model.monotone_generalisation, model.monotone_suppression) == (True, True)
