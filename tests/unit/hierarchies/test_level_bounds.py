"""The finest and the coarsest level of a hierarchy, by number and by name."""

import pytest

from sfumato.errors import HierarchyError
from sfumato.hierarchies import Dates, Hierarchy, RaisedHierarchy, within_levels

AGES = Hierarchy.from_rows(
    [("31", "30-34", "30s", "*"), ("38", "35-39", "30s", "*"), ("44", "40-44", "40s", "*")],
    level_names=("age", "five years", "decade", "suppressed"),
)


def test_nothing_asked_changes_nothing():
    assert within_levels(AGES, finest=None, coarsest=None) is AGES


@pytest.mark.parametrize("coarsest", [2, "decade"])
def test_levels_above_the_coarsest_are_gone(coarsest):
    found = within_levels(AGES, finest=None, coarsest=coarsest)
    assert (found.height, found.labels[-1], found.finest) == (2, ("30s", "40s"), 0)


@pytest.mark.parametrize("finest", [1, "five years"])
def test_the_finest_level_is_known_and_numbers_stay(finest):
    found = within_levels(AGES, finest=finest, coarsest=None)
    assert (found.height, found.finest, found.labels[0]) == (3, 1, ("31", "38", "44"))


def test_a_raised_hierarchy_counts_its_finest_level_from_where_it_starts():
    bounded = within_levels(AGES, finest=2, coarsest=None)
    raised = RaisedHierarchy.of(bounded, 1, counts=[1, 1, 1], occurring=bounded.labels[1])
    assert raised.finest == 1


@pytest.mark.parametrize(
    ("finest", "coarsest"), [(4, None), (None, 9), ("year", None), (None, "Decade"), (3, 1)]
)
def test_what_is_impossible_is_refused_with_what_there_is(finest, coarsest):
    with pytest.raises(HierarchyError) as refused:
        within_levels(AGES, finest=finest, coarsest=coarsest)
    assert refused.value.found
    assert refused.value.attempt
    assert "31" not in str(refused.value)


def test_builders_name_their_levels():
    dates = Dates(("month", "year")).bind(["2020-01-31"])
    assert within_levels(dates, finest="month", coarsest="year").finest == 1
