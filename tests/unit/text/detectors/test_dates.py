"""Dates with a month's name: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text import Document
from sfumato.text.detectors.dates import NamedMonthDates

ARE = [
    ("Wednesday, February 2, 1994", "Wednesday, February 2, 1994"),
    ("on 12 March 2002 the court", "12 March 2002"),
    ("the 3rd of May, 1962", "3rd of May, 1962"),
    ("the 3rd of May she came", "3rd of May"),
    ("June of 1993", "June of 1993"),
    ("in June 1993.", "June 1993"),
    ("Jan. 15th, 2023", "Jan. 15th, 2023"),
    ("Jan 15", "Jan 15"),
    ("12-Mar-2002", "12-Mar-2002"),
    ("12-MAR-02", "12-MAR-02"),
    ("May 3", "May 3"),
    ("3 to 5 May 1999", "3 to 5 May 1999"),
    ("12-14 March 2002", "12-14 March 2002"),
    ("1 and 9 September 2009", "1 and 9 September 2009"),
    ("late October 1984", "late October 1984"),
    ("December '05", "December '05"),
    ("the twenty-first of June 1999", "the twenty-first of June 1999"),
    ("Mittwoch, den 3. Mai 2001", "Mittwoch, den 3. Mai 2001"),
    ("le 1er janvier 2000", "1er janvier 2000"),
    ("el 3 de mayo de 2001", "3 de mayo de 2001"),
    ("3 maggio 1999", "3 maggio 1999"),
    ("3 de março de 2010", "3 de março de 2010"),
    ("3 mei 1999", "3 mei 1999"),
    ("den 3 maj 1999", "3 maj 1999"),
    ("3 lipca 1998 r.", "3 lipca 1998 r."),
    ("12 мая 2001 г.", "12 мая 2001 г."),
    ("3 Mayıs 2004", "3 Mayıs 2004"),
    ("3. toukokuuta 1999", "3. toukokuuta 1999"),
    ("3 مايو 2001", "3 مايو 2001"),
    ("3 Μαΐου 2001", "3 Μαΐου 2001"),
]
ARE_NOT = [
    "you may 3 times a day",
    "The March of Dimes",
    "two weeks ago 5 came",
    "Dr. May said",
    "mar the surface",
    "5 mag tablets",
    "set 3 goals",
    "decade",
    "no 12 patients",
]


@pytest.mark.parametrize(("text", "date"), ARE)
def test_finds(found, text, date):
    assert found(NamedMonthDates(), text) == [date]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(NamedMonthDates(), text) == []


def test_a_month_alone_scores_low(found):
    assert found(NamedMonthDates(), "since October she was well") == []
    assert found(NamedMonthDates(), "since October she was well", least=0.4) == ["October"]
    assert found(NamedMonthDates(), "between March and June 1994", least=0.4) == [
        "March",
        "June 1994",
    ]


def test_a_month_without_a_cue_is_found_where_it_means_nothing_else(found):
    assert found(NamedMonthDates(), "Colonoscopy March: clear", least=0.4) == ["March"]
    assert found(NamedMonthDates(), "Review, October", least=0.4) == ["October"]
    assert found(NamedMonthDates(), "March on, april showers", least=0.4) == []


def test_a_whole_date_is_surer_than_a_month_and_year():
    whole, part = (
        next(iter(NamedMonthDates().bid(Document(text)))).score
        for text in ("3 May 1999", "May 1999")
    )
    assert whole > part
