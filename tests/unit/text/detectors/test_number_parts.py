"""Parts of numbers: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.number_parts import NumberParts

ARE = [
    ("MRN ends with 778.", ["778"]),
    ("Last four of his social are 6789.", ["6789"]),
    ("SSN, last four: 4432", ["4432"]),
    ("paid with card ending 4418.", ["4418"]),
    ("account ending in 9921", ["9921"]),
]
ARE_NOT = [
    "The last four visits were in 2019.",
    "last 4 days",
    "pregnancy ending in 2019",
    "number ending in 3.5 was wrong",
    "first three of 12",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(NumberParts(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(NumberParts(), text) == []
