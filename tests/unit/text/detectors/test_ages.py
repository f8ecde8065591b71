"""Ages: over 89 they identify, others score low; positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.ages import Ages

OVER_89 = [
    ("a 93-year-old man", "93-year-old"),
    ("aged 101", "101"),
    ("Age: 90", "90"),
    ("ninety-two year old woman", "ninety-two year old"),
    ("a hundred and one years old", "a hundred and one years old"),
    ("in her nineties", "nineties"),
    ("in his late 90s", "late 90s"),
    ("a centenarian", "centenarian"),
    ("94 yo", "94 yo"),
    ("95 y/o M", "95 y/o"),
    ("her 100th birthday", "100th birthday"),
    ("92 Jahre alt", "92 Jahre alt"),
    ("âgée de 97 ans", "97 ans"),
]
OTHERS = [
    ("a 45yo man", "45yo"),
    ("89 years old", "89 years old"),
    ("aged eight", "eight"),
    ("aged forty-eight", "forty-eight"),
    ("at the age of two she", "two"),
    ("34F with cough", "34F"),
    ("60M", "60M"),
    ("a two-year-old boy", "two-year-old"),
    ("3 months old", "3 months old"),
    ("93 days old", "93 days old"),
    ("a 45-jähriger Mann", "45-jähriger"),
    ("de 45 años", "45 años"),
    ("he turned 60", "60"),
    ("45 yr male", "45 yr male"),
    ("in her forties", "forties"),
]
ARE_NOT = [
    "aged cheese",
    "16F Foley catheter",
    "98F",
    "the age of 12 mg",
    "for 93 years",
    "page 93",
    "stage 92",
    "the old 93",
    "turned 180 degrees over",
    "150 years old",
]


@pytest.mark.parametrize(("text", "age"), OVER_89)
def test_over_89_identifies(found, text, age):
    assert found(Ages(), text, least=0.9) == [age]


@pytest.mark.parametrize(("text", "age"), OTHERS)
def test_others_score_low(found, text, age):
    assert found(Ages(), text) == []
    assert found(Ages(), text, least=0.3) == [age]


def test_an_age_to_the_month_is_sure_and_no_date(found):
    assert found(Ages(), "Dot is a 7 and 6/12 year old female", least=0.8) == [
        "7 and 6/12 year old"
    ]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Ages(), text, least=0.1) == []
