"""KIRP, UIRP, RMP and inclusion probability by hand, and against an intruder who really tries."""

import numpy as np
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.assessment.risk.population import Alike, PopulationCounts
from sfumato.assessment.risk.probabilities import EDGES, THRESHOLDS, inclusion, kirp, rmp, uirp

COUNTS = np.array([1, 2, 5])
SIZES = np.array([2.0, 2.0, 20.0])
PEOPLE = PopulationCounts(
    known="table", said="", total=30.0, alike=Alike.each(COUNTS), sizes=SIZES, chance=1 / SIZES
)


def test_known_inclusion_is_bins_over_rows():
    found = kirp(COUNTS, COUNTS)
    assert found.average == pytest.approx(3 / 8)
    assert found.maximum == 1
    assert found.interval is None


def test_unknown_inclusion_is_bins_over_people():
    """Three kinds of people are released; in each, all its people together have a chance of one."""
    found = uirp(PEOPLE)
    assert found.average == pytest.approx(3 / 30)
    assert found.maximum == 0.5
    assert sum(found.within) == 30
    assert found.above[THRESHOLDS.index(0.2)] == pytest.approx(4 / 30)


def test_record_matching_is_averaged_over_rows():
    found = rmp(PEOPLE)
    assert found.average == pytest.approx((1 / 2 + 2 / 2 + 5 / 20) / 8)
    assert sum(found.within) == 8


def test_inclusion_is_the_share_that_is_in():
    found = inclusion(PEOPLE)
    assert found.average == pytest.approx(8 / 30)
    assert found.maximum == 1
    assert found.per_bin.tolist() == [0.5, 1.0, 0.25]


@pytest.mark.parametrize(
    ("size", "place"), [(1, 6), (2, 5), (3, 4), (4, 3 + 1), (5, 3), (10, 2), (20, 1), (100, 0)]
)
def test_classes_hold_their_upper_edge(size, place):
    within = kirp(np.array([size]), np.array([size])).within
    assert within[place] == size
    assert sum(within) == size
    assert len(within) == len(EDGES) - 1


def test_a_risk_of_exactly_the_threshold_is_not_above_it():
    found = kirp(np.array([5, 3, 2]), np.array([5, 3, 2]))
    assert dict(zip(THRESHOLDS, found.above, strict=True))[0.2] == pytest.approx(0.5)
    assert dict(zip(THRESHOLDS, found.above, strict=True))[1 / 3] == pytest.approx(0.2)


def test_without_a_population_the_reason_stands_in_place_of_numbers():
    nothing = PopulationCounts(known="nothing", said="", reason="nobody said")
    for found in (uirp(nothing), rmp(nothing), inclusion(nothing)):
        assert found.average is None
        assert found.reason == "nobody said"
        assert found.as_dict()["above"] == {}


def test_an_empty_table_has_no_risk_to_tell():
    none = np.zeros(0, np.int64)
    assert kirp(none, none).reason == "the table is empty"


@settings(max_examples=example_count(20), deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6)), min_size=1, max_size=8),
    st.integers(0, 9),
)
def test_an_intruder_is_right_as_often_as_told(kinds, others):
    """Whoever picks a row for a person of the population, and whoever names a person for a row,
    counted exactly."""
    rows = np.array([inside for inside, _ in kinds])
    people = np.array([inside + outside for inside, outside in kinds], float)
    behind = PopulationCounts(
        known="table",
        said="",
        total=people.sum() + others,
        alike=Alike.each(rows),
        sizes=people,
        chance=1 / people,
    )
    picked = sum(f / F * (1 / f) for f, F in zip(rows, people, strict=True) for _ in range(int(F)))
    named = sum(1 / F for f, F in zip(rows, people, strict=True) for _ in range(int(f)))
    assert uirp(behind).average == pytest.approx(picked / behind.total)
    assert rmp(behind).average == pytest.approx(named / rows.sum())
    assert rmp(behind).average <= kirp(rows, rows).average + 1e-12


@settings(max_examples=example_count(30), deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=30))
def test_bins_of_one_size_taken_together_change_nothing(sizes):
    counts = np.array(sizes)
    together, apart = kirp(counts, counts), kirp(counts, counts.copy())
    assert together.per_bin.tolist() == apart.per_bin.tolist() == [1 / size for size in sizes]
    assert together.average == pytest.approx(apart.average)
    assert together.within == pytest.approx(apart.within)
    assert together.above == pytest.approx(apart.above)
