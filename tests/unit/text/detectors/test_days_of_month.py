"""Days of a month: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.days_of_month import DaysOfMonth

ARE = [
    ("She was discharged the 25th.", ["the 25th"]),
    ("Readmitted on the 3rd; surgery follows.", ["the 3rd"]),
    ("went home the 16th", ["the 16th"]),
    ("due the 20th and well", ["the 20th"]),
]
ARE_NOT = [
    "fracture of the 5th metatarsal",
    "weight on the 90th percentile",
    "after the 2nd dose",
    "seen on the 3rd of May",
    "on the 4th floor",
    "pain after the 1st-line therapy",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(DaysOfMonth(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(DaysOfMonth(), text) == []
