"""Dates by calendar windows."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError
from sfumato.hierarchies import Dates, hierarchy_from_table


def ladder(spec, value):
    hierarchy = spec.bind([value])
    return [names[0] for names in hierarchy.labels[1:]]


@pytest.mark.parametrize(
    ("step", "label"),
    [
        ("day", "1965-09-20"),
        ("month", "1965-09"),
        ("quarter", "1965-Q3"),
        ("3 months", "1965-Q3"),
        ("6 months", "1965-07..1965-12"),
        ("year", "1965"),
        ("1 year", "1965"),
        ("5 years", "1965-1969"),
        ("10 years", "1960-1969"),
        ("18 months", "1965-01..1966-06"),
    ],
)
def test_each_step_has_its_label(step, label):
    assert ladder(Dates((step,)), "1965-09-20") == [label, "*"]


def test_a_timestamp_is_read_as_its_date():
    assert ladder(Dates(("day", "month")), "1965-09-20 23:59:59.5+00:00") == [
        "1965-09-20",
        "1965-09",
        "*",
    ]


def test_a_leap_day_has_its_month():
    assert ladder(Dates(("month",)), "2000-02-29") == ["2000-02", "*"]


def test_a_bare_month_and_a_bare_year_keep_their_text_until_a_window_holds_them():
    hierarchy = Dates(("month", "quarter", "year")).bind(["1965-09-20", "1965-09", "1965"])
    assert hierarchy.labels[1:] == (("1965-09", "1965"), ("1965-Q3", "1965"), ("1965",), ("*",))


def test_a_year_that_straddles_two_windows_keeps_its_text():
    assert ladder(Dates(("18 months", "3 years")), "1966") == ["1966", "1965-1967", "*"]


def test_a_format_reads_text_dates():
    assert ladder(Dates(("month", "year"), format="%m/%d/%Y"), "9/20/1965") == [
        "1965-09",
        "1965",
        "*",
    ]


def test_a_format_without_a_day_gives_months():
    assert ladder(Dates(("day", "month"), format="%b %Y"), "Sep 1965") == [
        "1965-09",
        "1965-09",
        "*",
    ]


def test_last_year_places_two_digit_years():
    assert ladder(Dates(("year",), format="%m/%d/%y", last_year=1999), "09/20/65") == ["1965", "*"]


def test_null_stays_null_below_the_top():
    assert Dates(("month", "year")).bind([None, "1965-09-20"]).labels[1:] == (
        (None, "1965-09"),
        (None, "1965"),
        ("*",),
    )


@pytest.mark.parametrize("values", [[], [None], ["1965-09-20"]])
def test_the_height_does_not_depend_on_the_values(values):
    assert Dates(("month", "year")).bind(values).height == 3


def test_values_that_are_not_dates_are_counted_and_not_told():
    with pytest.raises(HierarchyError) as caught:
        Dates(("year",)).bind(["1965-09-20", "1965-13-01", "Alice", "2001-02-29"])
    assert "3 of 4 distinct values are not dates" in str(caught.value)
    assert "Alice" not in str(caught.value)


@pytest.mark.parametrize(
    "steps",
    [
        ["2 months", "5 months"],
        ["year", "month"],
        ["month", "month"],
        ["4 months", "6 months"],
        ["year", "1 year"],
    ],
)
def test_a_ladder_that_does_not_nest_is_refused(steps):
    with pytest.raises(HierarchyError, match=r"whole windows|each different"):
        hierarchy_from_table({"dates": steps})


@pytest.mark.parametrize("step", ["week", "0 years", "5", "5 days", ""])
def test_an_unknown_step_is_refused(step):
    with pytest.raises(HierarchyError, match="is not a step"):
        hierarchy_from_table({"dates": [step]})


@pytest.mark.parametrize("form", ["%d.%m.", "%Q %Y", "dd/mm/yyyy", "%%Y"])
def test_a_format_without_a_year_or_with_unknown_directives_is_refused(form):
    with pytest.raises(HierarchyError, match="is not a format of dates"):
        hierarchy_from_table({"dates": ["year"], "format": form})


def test_last_year_needs_a_two_digit_year():
    with pytest.raises(HierarchyError, match="two-digit year"):
        hierarchy_from_table({"dates": ["year"], "format": "%Y", "last_year": 1999})


@pytest.mark.parametrize("last_year", [True, "1999", 99])
def test_last_year_is_a_year(last_year):
    with pytest.raises(HierarchyError, match="last_year must be a year"):
        hierarchy_from_table({"dates": ["year"], "format": "%y", "last_year": last_year})


@given(
    st.sets(st.dates(), min_size=1, max_size=20),
    st.lists(st.integers(2, 4), max_size=3),
    st.integers(1, 30),
)
def test_any_windows_that_multiply_nest_and_cover_every_date(dates: set[date], factors, first):
    steps, width = [f"{first} months"], first
    for factor in factors:
        width *= factor
        steps.append(f"{width} months")
    values = [day.isoformat() for day in sorted(dates)]
    hierarchy = Dates(tuple(steps)).bind([*values, None])
    assert hierarchy.ends_in_one_value
    assert hierarchy.labels[0] == (*values, None)
