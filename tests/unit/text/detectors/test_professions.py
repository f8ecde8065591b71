"""Professions: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.professions import Professions

ARE = [
    ("works as a truck driver", ["truck driver"]),
    ("a retired school teacher", ["school teacher"]),
    ("He is a plumber.", ["plumber"]),
    ("Occupation: engineer", ["engineer"]),
    ("she worked as a nurse", ["nurse"]),
    ("his father, a coal miner", ["coal miner"]),
    ("two firefighters came", ["firefighters"]),
    ("a retired lighthouse keeper from Wick", ["lighthouse keeper"]),
    ("works part-time as a page-turner at the hall", ["page-turner"]),
    ("a former executive assistant, now retired", ["executive assistant"]),
]
ARE_NOT = [
    "the nurse called the doctor",
    "Dr. Baker came",
    "the doctor said",
    "general condition",
    "major depression",
    "she cooks",
    "a model of care",
    "the officer",
    "a former smoker",
    "works as expected",
    "retired in May",
    "worked as prescribed",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(Professions(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Professions(), text) == []


@pytest.mark.parametrize("snippet", ["retired "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(Professions(), snippet) < 40
