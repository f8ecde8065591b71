"""Dates in words: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.spoken_dates import SpokenDates

ARE = [
    ("Date of birth is May third nineteen sixty two.", ["May third nineteen sixty two"]),
    ("on the fifth of June two thousand one", ["the fifth of June two thousand one"]),
    ("since October nineteen ninety", ["October nineteen ninety"]),
]
ARE_NOT = [
    "the third of four visits",
    "nineteen patients",
    "a second opinion in May",
    "her third dose in June",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(SpokenDates(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(SpokenDates(), text) == []
