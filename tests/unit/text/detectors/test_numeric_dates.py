"""Dates in digits: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.numeric_dates import NumericDates

ARE = [
    ("DOB 05/26/86", "05/26/86"),
    ("26.5.1986", "26.5.1986"),
    ("26-05-1986", "26-05-1986"),
    ("1986-05-26", "1986-05-26"),
    ("1986-05-26T10:30:00Z", "1986-05-26"),
    ("1986/5/26", "1986/5/26"),
    ("19860526", "19860526"),
    ("DOB 052686", "052686"),
    ("26MAY1986", "26MAY1986"),
    ("26May86", "26May86"),
    ("since 06/1993", "06/1993"),
    ("seen on 5/26 again", "5/26"),
    ("1986年5月26日", "1986年5月26日"),
    ("1986년 5월 26일", "1986년 5월 26일"),
    ("٠٥/٢٦/١٩٨٦", "٠٥/٢٦/١٩٨٦"),
]
ARE_NOT = [
    "strength 5/5 throughout",
    "a 2/6 systolic murmur",
    "7 and 6/12 year old",
    "BP 120/80",
    "13/32/86",
    "doses 5-10-15",
    "1.10.12",
    "application 18403/91",
    "12345678",
    "99/99/9999",
    "EUR 10.50.30",
]


@pytest.mark.parametrize(("text", "date"), ARE)
def test_finds(found, text, date):
    assert found(NumericDates(), text) == [date]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(NumericDates(), text) == []
