"""Number plates and vehicle numbers: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.plates import Plates

ARE = [
    ("registration number T61 TBX, was caught", "T61 TBX"),
    ("license plate 7ABC123", "7ABC123"),
    ("plate number is KAZ 4471.", "KAZ 4471"),
    ("AB12 CDE", "AB12 CDE"),
    ("M-AB 1234", "M-AB 1234"),
    ("AB-123-CD", "AB-123-CD"),
    ("1234 BCD", "1234 BCD"),
    ("VIN 1M8GDM9AXKP042788", "1M8GDM9AXKP042788"),
    ("Kennzeichen B-MW 4711", "B-MW 4711"),
]
ARE_NOT = [
    "a plate of food",
    "growth plate injury",
    "1M8GDM9A1KP042788",
    "AB1 CD",
    "registered in 2012",
    "B-12",
]


@pytest.mark.parametrize(("text", "plate"), ARE)
def test_finds(found, text, plate):
    assert found(Plates(), text) == [plate]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Plates(), text) == []
