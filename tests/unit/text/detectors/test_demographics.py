"""Nationalities, faiths and peoples: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.demographics import Demographics

ARE = [
    ("a Turkish national", ["Turkish"]),
    ("76-year-old white female", ["white"]),
    ("an African American man", ["African American"]),
    ("Roman Catholic priest", ["Roman Catholic"]),
    ("a Kurdish family", ["Kurdish"]),
    ("a Jehovah's Witness", ["Jehovah's Witness"]),
    ("black male", ["black"]),
    ("she is vietnamese", ["vietnamese"]),
]
ARE_NOT = [
    "white blood cells",
    "black stool",
    "German measles",
    "Mr. French",
    "the White House",
    "Black Friday",
    "a white coat",
    "French catheter",
    "the American College of Cardiology",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(Demographics(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Demographics(), text) == []


@pytest.mark.parametrize("snippet", ["African "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(Demographics(), snippet) < 40
