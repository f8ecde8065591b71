"""Names marked by a title, a degree or a salutation: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text import Document
from sfumato.text.detectors.titled_names import TitledNames

ARE = [
    ("Dear Dr. Lang:", ["Lang"]),
    ("contact Mrs. Hodgkins in a week", ["Hodgkins"]),
    ("Marjorie Long, M.D. RE", ["Marjorie Long"]),
    ("by Dr. Frank at", ["Frank"]),
    ("Mr van der Berg and Ms. Lee", ["van der Berg", "Lee"]),
    ("Prof. J. K. Zorblat spoke", ["J. K. Zorblat"]),
    ("Patrick Hayes, M.D. 34764", ["Patrick Hayes"]),
    ("signed Ann Lee RN", ["Ann Lee"]),
    ("Judge Sonia Sotomayor ruled", ["Sonia Sotomayor"]),
    ("Dear Virginia,", ["Virginia"]),
    ("Mr K. appealed", ["K"]),
    ("DR. PATEL WAS CALLED", ["PATEL"]),
    ("seen by dr jones today", ["jones"]),
    ("Mrs. O’Brien's son", ["O’Brien"]),
    ("Frau Müller und Herr Schmidt", ["Müller", "Schmidt"]),
    ("Dr. May and Dr. Will", ["May", "Will"]),
]
ARE_NOT = [
    "Dear Sir or Madam,",
    "Dear Colleague,",
    "I miss the sea.",
    "Major surgery was done.",
    "the general condition",
    "the nurse said",
    "Take 2 tabs daily, MD aware",
    "Dr. on call",
    "Dear Doctor:",
    "Mr. President",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(TitledNames(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(TitledNames(), text) == []


@pytest.mark.parametrize("snippet", ["Dr. ", "Long, M.D"])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(TitledNames(), snippet) < 40


def test_an_hour_behind_a_slash_is_no_title():
    text = "Then 91 mL/hr.\nTakes Estelle daily."
    assert not list(TitledNames().bid(Document(text)))
