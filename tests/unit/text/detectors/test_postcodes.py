"""Postal codes: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.postcodes import Postcodes

ARE = [
    ("Boston, MA 02151", ["02151"]),
    ("Boston, MA 02151-1234", ["02151-1234"]),
    ("London SW1A 1AA", ["SW1A 1AA"]),
    ("Toronto, ON M5V 2T6", ["M5V 2T6"]),
    ("1012 AB Amsterdam", ["1012 AB"]),
    ("D-10115 Berlin", ["D-10115"]),
    ("Hauptstr. 5, 80331 München", ["80331"]),
    ("ZIP code 94110", ["94110"]),
    ("12 rue X, 75001 Paris", ["75001"]),
    ("Dublin D02 AF30", ["D02 AF30"]),
    ("Kraków 30-001", ["30-001"]),
]
ARE_NOT = [
    "WBC 12500 today",
    "in the year 1994",
    "blood pressure 120/80",
    "call 473-1214",
    "MRN 998877",
    "a total of 1,250 units",
    "B12 level",
    "T4 and T3",
    "A1c 7.2",
    "room 2214",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(Postcodes(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Postcodes(), text) == []


@pytest.mark.parametrize("snippet", ["1 ", "A1 1A"])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(Postcodes(), snippet) < 40
