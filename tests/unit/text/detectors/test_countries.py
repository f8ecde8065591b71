"""Countries: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.countries import Countries

ARE = [
    ("born in France", ["France"]),
    ("to the United Kingdom", ["United Kingdom"]),
    ("in the USA", ["USA"]),
    ("the Republic of Moldova", ["Republic of Moldova"]),
    ("visited Jordan", ["Jordan"]),
    ("left Bosnia and Herzegovina", ["Bosnia and Herzegovina"]),
    ("he came from turkey", ["turkey"]),
]
ARE_NOT = [
    "Chad said hello.",
    "china plates broke",
    "AS and IS",
    "Mr. France",
    "us and them",
    "an IT firm",
    "Georgia Brown",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(Countries(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Countries(), text) == []


@pytest.mark.parametrize("snippet", ["U. S. "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(Countries(), snippet) < 40
