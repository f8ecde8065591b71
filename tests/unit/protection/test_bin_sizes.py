"""Per-field bin sizes on small tables."""

from __future__ import annotations

from sfumato.bins import Bins
from sfumato.protection import BinSizes

BINS = Bins.of(("zip", "sex"), {("02138", "f"): 3, ("02138", "m"): 1, ("02141", "f"): 2})


def test_each_field_has_its_own_size() -> None:
    model = BinSizes(sizes={"zip": 3, "sex": 1})
    assert model.failing(BINS).tolist() == [False, False, True]
    verdict = model.judge(BINS)
    assert (verdict.outcome, verdict.bins_below, verdict.rows_below, verdict.smallest) == (
        "fail",
        1,
        2,
        1,
    )
    assert verdict.requirement == "zip ≥ 3, sex ≥ 1"


def test_a_bin_fails_for_any_of_its_values() -> None:
    assert BinSizes(sizes={"zip": 3, "sex": 2}).failing(BINS).tolist() == [False, True, True]


def test_a_size_may_be_a_fraction() -> None:
    assert BinSizes(sizes={"sex": 1.5}).failing(BINS).tolist() == [False, True, False]


def test_no_field_asks_for_review() -> None:
    assert BinSizes(sizes={}).judge(BINS).outcome == "review"


def test_leaving_out_a_bin_may_break_another() -> None:
    """(02138, m) fails for its sex; without it zip 02138 has three rows left and fails as well."""
    model = BinSizes(sizes={"zip": 4, "sex": 2})
    bins = Bins.of(("zip", "sex"), {("02138", "f"): 3, ("02138", "m"): 1, ("02141", "f"): 4})
    failing = model.failing(bins)
    assert failing.tolist() == [False, True, False]
    assert model.failing(bins.only(~failing)).tolist() == [True, False]
    assert not model.monotone_suppression
