"""Licences and certificates: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.licences import Licences

ARE = [
    ("Patrick Hayes, M.D. 34764", "34764"),
    ("driver's license D1234567", "D1234567"),
    ("licence no. 445566", "445566"),
    ("certificate number C-99821", "C-99821"),
    ("DEA AB1234563", "AB1234563"),
    ("NPI 1234567893", "1234567893"),
    ("MORGA753116SM9IJ", "MORGA753116SM9IJ"),
    ("D123-4567-8901", "D123-4567-8901"),
    ("Führerscheinnummer B072RRE2I55", "B072RRE2I55"),
    ("GMC 1234567", "1234567"),
]
ARE_NOT = [
    "AB1234564",
    "1234567894",
    "licence fee of 2012",
    "a licensed 5 mg dose",
    "the M.D. 3 came",
    "registered 12 patients",
]


@pytest.mark.parametrize(("text", "number"), ARE)
def test_finds(found, text, number):
    assert found(Licences(), text) == [number]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Licences(), text) == []
