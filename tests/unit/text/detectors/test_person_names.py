"""Names known by the names themselves: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.person_names import PersonNames

ARE = [
    ("John Smith came.", ["John Smith"]),
    ("Then came Virginia Townsend.", ["Virginia Townsend"]),
    ("We saw Mary K. Long.", ["Mary K. Long"]),
    ("J. K. Rowling wrote", ["J. K. Rowling"]),
    ("signed I. Peters", ["I. Peters"]),
    ("Will Smith and June Carter met Grace.", ["Will Smith", "June Carter", "Grace"]),
    ("Mark O'Brien-Jones was late.", ["Mark O'Brien-Jones"]),
    ("JOHN SMITH WAS SEEN", ["JOHN SMITH"]),
    ("It was Patricia who called.", ["Patricia"]),
    ("Patricia's daughter", ["Patricia"]),
    ("with José García Márquez", ["José García Márquez"]),
    ("by Vincent van Gogh", ["Vincent van Gogh"]),
    ("applicant W.K. asked", ["W.K."]),
    ("patient john smith was seen", ["john smith"]),
    ("Anders Sørensen lives", ["Anders Sørensen"]),
    ("Rajesh Kumar Patel took", ["Rajesh Kumar Patel"]),
    ("McAllister agreed", ["McAllister"]),
]
ARE_NOT = [
    "Hope you are well.",
    "May I ask?",
    "I. Introduction",
    "Long story short.",
    "The Supreme Court of Human Rights.",
    "In June and on Monday.",
    "He took Lasix and Lipitor.",
    "the French Government",
    "WBC and MRI were normal.",
    "Past Medical History",
    "the U.S. and the U.K. at 5 p.m.",
    "grace and hope will mark the day",
    "Hepatitis B and vitamin K.",
    "Emergency Department",
    "Glasgow Coma Scale",
    "",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(PersonNames(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(PersonNames(), text) == []


@pytest.mark.long("a megabyte of each kind; one stays", every=2)
@pytest.mark.parametrize("snippet", ["John ", "J.K. "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(PersonNames(), snippet) < 40
