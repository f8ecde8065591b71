"""Names of relatives: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.relatives import Relatives

ARE = [
    ("her daughter Anna and son Peter", ["Anna", "Peter"]),
    ("mother: Mary Long", ["Mary Long"]),
    ("his sister, Ruth, called", ["Ruth"]),
    ("mother-in-law Ruth Moss", ["Ruth Moss"]),
    ("my daughter sophie has fever", ["sophie"]),
    ("his twin brother named Zorban", ["Zorban"]),
    ("Anna, her daughter, came", ["Anna"]),
    ("with daughters Anna, Beth and Carla", ["Anna", "Beth", "Carla"]),
    ("Baby girl Aoife 3.9 kg", ["Aoife"]),
    ("next of kin: Otto Klein", ["Otto Klein"]),
]
ARE_NOT = [
    "The mother reported pain.",
    "her daughter lives in town",
    "mother: deceased",
    "Baby Boy Apgars 8 and 9",
    "brother died at 60",
    "His father, a farmer, died",
    "family history of diabetes",
    "her son will come",
    "the Mother and Child unit",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(Relatives(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Relatives(), text) == []


@pytest.mark.parametrize("snippet", ["daughter Anna, "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(Relatives(), snippet) < 40
