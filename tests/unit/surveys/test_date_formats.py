from __future__ import annotations

from datetime import date

import pytest

from sfumato.surveys.date_formats import FORMATS, formats_that_fit, last_year_for


@pytest.mark.parametrize("form", [form for form, _ in FORMATS])
def test_what_a_format_writes_it_recognises(evidence, form):
    days = [date(1994, 1, 31), date(2001, 12, 25), date(1987, 7, 30)]
    values = [day.strftime(form) if form else day.isoformat() for day in days]
    assert form in [found for found, _ in formats_that_fit(evidence("x", values))]


def test_a_format_that_fits_only_some_values_is_not_proposed(evidence):
    values = ["31/01/1994", "25/12/2001", "01/02/2003"]
    assert [form for form, _ in formats_that_fit(evidence("x", values))] == ["%d/%m/%Y"]


def test_impossible_and_far_away_dates_are_no_dates(evidence):
    assert formats_that_fit(evidence("x", ["2001-02-30", "2001-13-01"])) == ()
    assert formats_that_fit(evidence("x", ["0001-01-01", "9999-12-31"])) == ()


def test_two_digit_years_end_with_this_year():
    assert last_year_for("%m/%d/%y", today=date(2024, 5, 1)) == {"last_year": 2024}
    assert last_year_for("%m/%d/%Y") == {}
