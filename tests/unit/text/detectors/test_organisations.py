"""Employers and bodies: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.organisations import Organisations

ARE = [
    ("at Marina Corp 473-1214", ["Marina Corp"]),
    ("Worked for Zorblat Industries, Inc. and", ["Zorblat Industries, Inc"]),
    ("the University of North Carolina", ["University of North Carolina"]),
    ("Sinop Assize Court", ["Sinop Assize Court"]),
    ("the Court of Cassation", ["Court of Cassation"]),
    ("Boston Latin School", ["Boston Latin School"]),
    ("employed at Zorblat", ["Zorblat"]),
    ("an IBM engineer", ["IBM"]),
    ("the Ministry of the Interior", ["Ministry of the Interior"]),
    ("Müller GmbH", ["Müller GmbH"]),
    ("Smith & Sons Ltd.", ["Smith & Sons Ltd"]),
    ("employer: Acme", ["Acme"]),
]
ARE_NOT = [
    "the company said",
    "in court",
    "He went to school.",
    "of course",
    "as a group",
    "The government agreed.",
    "Police came.",
    "a target weight",
    "Co-pay is due",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(Organisations(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Organisations(), text) == []


@pytest.mark.parametrize("snippet", ["University of the ", "works for "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(Organisations(), snippet) < 40
