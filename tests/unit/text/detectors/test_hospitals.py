"""Hospitals: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.hospitals import Hospitals

ARE = [
    ("St. John's Hospital CH#32", ["St. John's Hospital"]),
    ("by Dr. Frank at Brigham's.", ["Brigham's"]),
    ("Massachusetts General Hospital", ["Massachusetts General Hospital"]),
    ("the Hospital for Sick Children", ["Hospital for Sick Children"]),
    ("Sunrise Nursing Home", ["Sunrise Nursing Home"]),
    ("at Mass General", ["Mass General"]),
    ("Mayo Clinic", ["Mayo Clinic"]),
    ("Lakeview Medical Center", ["Lakeview Medical Center"]),
    ("to Huntington hospital", ["Huntington hospital"]),
    ("Hôpital Necker", ["Hôpital Necker"]),
    ("and the Brigham", ["Brigham"]),
    ("seen at UKLM Med Ctr for", ["UKLM Med Ctr"]),
    ("seen at UKLM Med. Center", ["UKLM Med. Center"]),
    ("to UKLM medical center", ["UKLM medical center"]),
    ("from Lakeview Hosp", ["Lakeview Hosp"]),
]
ARE_NOT = [
    "admitted to hospital",
    "the clinic called",
    "The hospital was full.",
    "medical center",
    "Primary care center",
    "he was at home",
    "Brigham came",
    "Hospital course: stable",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(Hospitals(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Hospitals(), text) == []


@pytest.mark.parametrize("snippet", ["Hospital for the "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(Hospitals(), snippet) < 40
