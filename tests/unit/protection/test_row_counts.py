"""Row counts: numbers of rows that too few people share are found, with and without
quasi-identifiers."""

from __future__ import annotations

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bins import Bins
from sfumato.errors import Mistake
from sfumato.hierarchies import Hierarchy
from sfumato.policy.table_records import RowCountMerging
from sfumato.protection import Model, is_bin_monotone
from sfumato.protection.row_counts import RowCounts
from sfumato.solvers.multiple_records import merge_row_counts

VISITS = Bins.of(("rows",), {("0",): 40, ("1",): 21, ("2",): 5, ("57",): 1})


def test_it_is_a_model_like_any_other():
    model = RowCounts(table="visits", bin_size=5)
    assert isinstance(model, Model)
    assert is_bin_monotone(model)


def test_counts_of_the_verdict_are_people():
    verdict = RowCounts(table="visits", bin_size=5).judge(VISITS)
    assert (verdict.outcome, verdict.model, verdict.fields) == ("fail", "row counts", ("rows",))
    assert (verdict.bins, verdict.rows, verdict.smallest) == (4, 67, 1)
    assert (verdict.bins_below, verdict.rows_below) == (1, 1)
    assert verdict.requirement == "each number of rows in visits is that of at least 5 people"
    assert verdict.reason == "1 of 4 bins over (rows) breaks it; it holds 1 of 67 people"


def test_exactly_enough_passes():
    verdict = RowCounts(table="visits", bin_size=5).judge(VISITS.only(VISITS.counts >= 5))
    assert (verdict.outcome, verdict.reason) == (
        "pass",
        "all 3 bins over (rows) keep it; the smallest count is 5",
    )


def test_with_the_quasi_identifiers_each_bin_counts_by_itself():
    bins = Bins.of(("sex", "rows"), {("f", "1"): 4, ("m", "1"): 9, ("f", "2"): 5, (None, "2"): 1})
    model = RowCounts(table="visits", bin_size=5, fields=("sex",))
    assert model.failing(bins).tolist() == [True, False, False, True]
    assert RowCounts(table="visits", bin_size=5).judge(bins.project(("rows",))).outcome == "pass"


def test_nobody_at_all():
    verdict = RowCounts(table="visits", bin_size=5).judge(Bins.of(("rows",), {}))
    assert (verdict.outcome, verdict.bins, verdict.smallest) == ("pass", 0, 0)


@pytest.mark.parametrize("fields", [(), ("zip",), ("rows", "sex"), ("sex", "visits")])
def test_bins_of_something_else_are_refused(fields):
    bins = Bins.of(fields, {("secret",) * len(fields): 9})
    with pytest.raises(Mistake, match=r"over \(sex, rows\)") as told:
        RowCounts(table="visits", bin_size=5, fields=("sex",)).judge(bins)
    assert "secret" not in str(told.value)


people_by_number = st.dictionaries(
    st.tuples(st.sampled_from("fm"), st.integers(0, 9).map(str)), st.integers(1, 9), min_size=1
)


@settings(max_examples=example_count(60), deadline=None)
@given(sizes=people_by_number, bin_size=st.integers(1, 8))
def test_monotone_as_declared(sizes, bin_size):
    bins = Bins.of(("sex", "rows"), sizes)
    model = RowCounts(table="visits", bin_size=bin_size, fields=("sex",))
    assert not model.failing(bins.only(~model.failing(bins))).any()
    if not model.failing(bins).any():
        sexes = {"sex": Hierarchy.from_rows([(label, "*") for label in bins.labels[0]])}
        assert not model.failing(bins.recode(sexes, {"sex": 1})).any()


@settings(max_examples=example_count(60), deadline=None)
@given(sizes=people_by_number, bin_size=st.integers(1, 8), merging=st.sampled_from(RowCountMerging))
def test_what_is_merged_passes_when_counted_again(sizes, bin_size, merging):
    groups = np.array(["fm".index(sex) for sex, _ in sizes], np.int64)
    rows = np.array([int(number) for _, number in sizes], np.int64)
    people = np.array(list(sizes.values()), np.int64)
    kept = merge_row_counts(groups, rows, people, bin_size=bin_size, merging=merging)
    after: dict[tuple[str | None, ...], int] = {}
    for group, stays, count in zip(groups.tolist(), kept.tolist(), people.tolist(), strict=True):
        if stays >= 0:
            after["fm"[group], str(stays)] = after.get(("fm"[group], str(stays)), 0) + count
    model = RowCounts(table="visits", bin_size=bin_size, fields=("sex",))
    assert model.judge(Bins.of(("sex", "rows"), after)).outcome == "pass"
