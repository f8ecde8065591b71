from __future__ import annotations

import pytest

from sfumato.surveys.name_words import phrase_in, words_of


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("birth_date", ("birth", "date")),
        ("BirthDate", ("birth", "date")),
        ("DOB", ("dob",)),
        ("patientSSN", ("patient", "ssn")),
        ("SSNumber", ("ss", "number")),
        ("zip-code.2", ("zip", "code", "2")),
        ('the "zip"', ("the", "zip")),
        ("Prénom", ("prenom",)),
        ("出生日期", ("出生日期",)),
        ("Geburtsdatum", ("geburtsdatum",)),
        ("", ()),
        ("___", ()),
    ],
)
def test_words(name, words):
    assert words_of(name) == words


def test_a_phrase_is_whole_words_in_a_row():
    assert phrase_in(("date", "of", "birth"), ("date of birth",)) == "date of birth"
    assert phrase_in(("date", "birth"), ("date of birth",)) is None
    assert phrase_in(("dateofbirth",), ("date of birth",)) == "date of birth"
    assert phrase_in(("average",), ("age",)) is None
