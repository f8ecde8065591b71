"""Many ISO days are read at once as they are read one by one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError
from sfumato.hierarchies import Dates, dates
from sfumato.hierarchies.date_windows import iso, months_of_days
from sfumato.hierarchies.hierarchy import Hierarchy, Label

STEPS = (("month", "year", "10 years"), ("day", "quarter"), ("7 months",), ())
DAYS = st.dates().map(date.isoformat)
NEAR = st.from_regex(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-?[0-9]{2}|\s?[0-9٣]{4}-1[0-9]-[0-3]1", fullmatch=True
)


@given(NEAR | DAYS)
def test_a_day_that_is_read_is_the_day_that_it_says(text: str) -> None:
    months, moment = months_of_days([text]), iso(text.strip())
    if months is not None:
        assert moment is not None
        assert moment.text == text
        assert months.tolist() == [moment.first_month]


@given(DAYS)
def test_every_day_is_read(text: str) -> None:
    assert months_of_days([text, None]) is not None


@given(st.lists(DAYS | st.none(), unique=True, max_size=20), st.sampled_from(STEPS))
def test_days_are_bound_as_one_by_one(values: Sequence[Label], steps: tuple[str, ...]) -> None:
    found = Dates(steps).bind(values)
    with patch.object(dates, "months_of_days", lambda values: None):
        expected = Dates(steps).bind(values)
    assert _told(found) == _told(expected)


@given(st.lists(NEAR | DAYS | st.none(), unique=True, max_size=8))
def test_what_is_no_date_is_refused_alike(values: Sequence[Label]) -> None:
    with patch.object(dates, "months_of_days", lambda values: None):
        expected = _bound(values)
    assert _bound(values) == expected


def _bound(values: Sequence[Label]) -> object:
    try:
        return _told(Dates(("month", "year")).bind(values))
    except HierarchyError as refused:
        return str(refused)


def _told(hierarchy: Hierarchy) -> object:
    return hierarchy.labels, [codes.tolist() for codes in hierarchy.up], hierarchy.level_names
