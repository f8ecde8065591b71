"""MDAV: groups hold k rows, sums are kept, and what is no number is refused."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bins import Bins
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.errors import Mistake, NoRecodingFound
from sfumato.hierarchies import Hierarchy
from sfumato.measures import utility
from sfumato.protection import KAnonymity, NonUniqueness
from sfumato.solvers.microaggregation import Microaggregation, mdav


def table(*rows: tuple[str | None, ...]) -> tuple[Bins, dict[str, Hierarchy]]:
    names = ("age", "income")[: len(rows[0])]
    bins = Bins.of(names, Counter(rows))
    bounds = {
        n: Hierarchy.from_rows([(v, "*") for v in bins.labels[f]]) for f, n in enumerate(names)
    }
    return bins, bounds


def test_the_extremes_are_grouped_first():
    """Domingo-Ferrer and Torra 2005: around the farthest from the mean, then around the farthest
    from that."""
    bins, bounds = table(
        ("1",), ("2",), ("3",), ("50",), ("51",), ("99",), ("100",), ("98",), ("49",)
    )
    recoding = Microaggregation(k=3).solve(bins, bounds).recoding
    assert recoding.apply(bins, bounds).sizes() == {("99",): 3, ("2",): 3, ("50",): 3}


def test_fields_that_are_not_named_stay_as_they_are():
    bins, bounds = table(("1", "7"), ("3", "8"))
    recoding = Microaggregation(k=2, fields=("age",)).solve(bins, bounds).recoding
    assert recoding.apply(bins, bounds).sizes() == {("2", "7"): 1, ("2", "8"): 1}


def test_the_median_is_a_number_that_someone_has():
    bins, bounds = table(("1",), ("2",), ("60",))
    recoding = Microaggregation(k=3, aggregate="median").solve(bins, bounds).recoding
    assert recoding.apply(bins, bounds).sizes() == {("2",): 3}


def test_what_is_lost_is_the_distance_to_the_mean():
    bins, bounds = table(("10",), ("20",))
    recoding = Microaggregation(k=2).solve(bins, bounds).recoding
    assert utility(bins, bounds, recoding).loss == pytest.approx(0.5)


def test_mistakes_and_impossible_numbers_are_told():
    bins, bounds = table(("17",), (None,))
    with pytest.raises(Mistake, match="needs numbers"):
        Microaggregation(k=1).solve(bins, bounds)
    with pytest.raises(Mistake, match="no aggregate"):
        Microaggregation(k=1, aggregate="mode").solve(bins, bounds)
    with pytest.raises(NoRecodingFound, match="k = 3"):
        Microaggregation(k=3).solve(bins, bounds)


@settings(max_examples=example_count(60), deadline=None)
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 3)), min_size=1, max_size=40),
    st.integers(1, 5),
)
def test_every_row_is_in_a_group_of_k(rows, k):
    bins, bounds = table(*((str(age), str(income)) for age, income in rows))
    numbers = np.array([[float(text or 0) for text in found] for found in bins.tuples()])
    if len(rows) < k:
        with pytest.raises(NoRecodingFound):
            Microaggregation(k=k).solve(bins, bounds)
        return
    groups = mdav(numbers, bins.counts, k)
    sizes = np.bincount(groups.cluster, weights=groups.rows)
    assert sizes.min() >= k
    assert sizes.max() < 2 * k
    assert (
        np.bincount(groups.bin_of, weights=groups.rows, minlength=len(bins)).tolist()
        == bins.counts.tolist()
    )
    recoding = Microaggregation(k=k, digits=9).solve(bins, bounds).recoding
    after = recoding.apply(bins, bounds)
    assert after.smallest >= k
    total = sum(float(label or 0) * count for (label, _), count in after.sizes().items())
    assert total == pytest.approx(sum(age for age, _ in rows), abs=1e-6)


def test_no_field_to_group_by_is_refused():
    with pytest.raises(Mistake, match="no field to group rows by"):
        Microaggregation(k=2).solve(Bins.of((), {(): 3}), {})


def test_groups_that_break_a_model_are_merged_with_the_nearest():
    rows = [
        ("1", "flu"),
        ("2", "flu"),
        ("9", "cold"),
        ("10", "flu"),
        ("90", "gout"),
        ("91", "cold"),
    ]
    bins = bins_of_rows(("age",), rows, sensitive=("problem",))
    model = NonUniqueness(fields=("age",), sensitive=("problem",))
    solution = Microaggregation(k=2, models=(model,)).solve(bins, {})
    assert solution.recoding.apply(bins, {}).sizes() == {("5.5",): 4, ("90.5",): 2}
    assert len(solution.notes) == 2


def test_a_bin_that_stays_whole_leaves_no_group_under_k():
    bins = Bins.of(("age",), {("1",): 9, ("50",): 1, ("51",): 1})
    asked = (KAnonymity(k=3, fields=("age",)), KAnonymity(k=4, fields=()))
    assert (
        Microaggregation(k=3, models=asked).solve(bins, {}).recoding.apply(bins, {}).smallest >= 3
    )


def test_a_larger_k_of_all_fields_makes_larger_groups():
    bins = Bins.of(("age",), {(str(age),): 1 for age in range(12)})
    solution = Microaggregation(k=2, models=(KAnonymity(k=6, fields=("age",)),)).solve(bins, {})
    assert solution.recoding.apply(bins, {}).smallest == 6


def test_a_model_that_no_groups_keep_is_told():
    bins = bins_of_rows(("age",), [("1", "flu"), ("2", "flu")], sensitive=("problem",))
    model = NonUniqueness(fields=("age",), sensitive=("problem",))
    with pytest.raises(NoRecodingFound, match="keep k-anonymity, non-uniqueness"):
        Microaggregation(k=2, models=(model,)).solve(bins, {})
