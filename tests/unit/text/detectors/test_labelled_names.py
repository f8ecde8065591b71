"""Names behind labels and formulas, signatures, last names before a comma: positive and negative
examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.labelled_names import LabelledNames

ARE = [
    ("RE: Virginia Townsend", ["Virginia Townsend"]),
    ("Patient Name: SMITH, JOHN A.", ["SMITH, JOHN A"]),
    ("Attending: Wei Zhang", ["Wei Zhang"]),
    ("My name is Zorblat Kraken.", ["Zorblat Kraken"]),
    ("She goes by Dot.", ["Dot"]),
    ("As you know, Dot is a 7 and 6/12 year old female", ["Dot"]),
    ("Sincerely,\n\nPatrick Hayes", ["Patrick Hayes"]),
    ("Townsend, Virginia M.\nBoston", ["Townsend, Virginia M"]),
    ("Dictated by: Ruth Moss", ["Ruth Moss"]),
    ("a man named Fred", ["Fred"]),
    ("Nombre: Carmen Ortiz", ["Carmen Ortiz"]),
    ("cc: Dr. Ann Lee", ["Ann Lee"]),
]
ARE_NOT = [
    "Patient: Stable.",
    "To: Whom it may concern",
    "Diagnosis: Asthma",
    "Boston, MA 02151",
    "It is a girl.",
    "From: 3 to 5",
    "This is a test.",
    "Name:\n",
    "the patient denies pain",
    "Sincerely,\n",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(LabelledNames(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(LabelledNames(), text) == []


@pytest.mark.parametrize("snippet", ["name: ", "Dot is a "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(LabelledNames(), snippet) < 40
