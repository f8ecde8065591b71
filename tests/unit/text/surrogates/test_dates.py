"""Dates are shifted or cut in the form they were written in."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.text.surrogates.dates import date_surrogate
from sfumato.text.surrogates.styles import DateStyle
from sfumato.text.surrogates.written_dates import read_date

FORMS = [
    ("Wednesday, February 2, 1994", 30, "Friday, March 4, 1994"),
    ("05/26/86", 6, "06/01/86"),
    ("26.5.1986", 6, "1.6.1986"),
    ("26/05/1986", 6, "01/06/1986"),
    ("1986-05-26", 6, "1986-06-01"),
    ("19860526", 6, "19860601"),
    ("26MAY1986", 6, "1JUN1986"),
    ("3rd of May 2001", -1, "2nd of May 2001"),
    ("Dec. 31, 1999", 1, "Jan. 1, 2000"),
    ("2 février 1994", 30, "4 mars 1994"),
    ("Mittwoch, 2. Februar 1994", 1, "Donnerstag, 3. Februar 1994"),
    ("1994年2月2日", 30, "1994年3月4日"),
    ("May 3", 30, "June 2"),
    ("06/1993", 30, "07/1993"),
    ("June of 1993", 30, "July of 1993"),
    ("1993", 300, "1994"),
    ("1996/97", 365, "1997/98"),
    ("the 1990s", 3, "the 1990s"),
]


@pytest.mark.parametrize(("text", "days", "expected"), FORMS)
def test_shifted(text, days, expected):
    assert date_surrogate(text, style=DateStyle.SHIFT, days=days) == expected


@pytest.mark.parametrize(
    ("text", "month", "year"),
    [
        ("Wednesday, February 2, 1994", "February, 1994", "1994"),
        ("05/26/86", "05/86", "86"),
        ("26.5.1986", "5.1986", "1986"),
        ("1986-05-26", "1986-05", "1986"),
        ("19860526", "198605", "1986"),
        ("2 February 1994", "February 1994", "1994"),
        ("June of 1993", "June of 1993", "1993"),
        ("1994年2月2日", "1994年2月", "1994"),
        ("May 3", "May", None),
        ("5/26", "May", None),
        ("Christmas 1995", "1995", "1995"),
        ("Tuesday", None, None),
        ("99/99/99", None, None),
    ],
)
def test_cut(text, month, year):
    assert date_surrogate(text, style=DateStyle.MONTH) == month
    assert date_surrogate(text, style=DateStyle.YEAR) == year


def test_the_order_of_day_and_month_is_asked_for_where_it_cannot_be_seen():
    assert date_surrogate("05/06/2007", style=DateStyle.SHIFT, days=1) == "05/07/2007"
    assert (
        date_surrogate("05/06/2007", style=DateStyle.SHIFT, days=1, day_first=True) == "06/06/2007"
    )


@pytest.mark.parametrize(
    "text", ["31 February", "the day before", "3 to 5 May", "Jan 3 to Feb 4", "", "🙂"]
)
def test_what_is_not_understood_is_suppressed(text):
    assert date_surrogate(text, style=DateStyle.SHIFT, days=3) is None


def test_a_day_that_would_come_back_is_suppressed():
    assert date_surrogate("May 3", style=DateStyle.SHIFT, days=365) is None


@pytest.mark.parametrize(("text", "days"), [("1 Jan 0001", -2), ("31 Dec 9999", 2)])
def test_past_the_end_of_the_calendar_is_suppressed(text, days):
    out = date_surrogate(text, style=DateStyle.SHIFT, days=days)
    assert out is None


@given(
    day=st.dates(min_value=date(1931, 1, 1), max_value=date(2028, 12, 31)),
    days=st.integers(-365, 365).filter(bool),
    form=st.sampled_from(
        ["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%m/%d/%Y", "%Y%m%d", "%A, %d %b %Y", "%m/%d/%y"]
    ),
)
def test_days_between_dates_are_kept_in_every_form(day, days, form):
    new = read_date(date_surrogate(day.strftime(form), style=DateStyle.SHIFT, days=days))
    assert date(new.year, new.month, new.day) - day == timedelta(days)
