"""Teams and clubs: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.teams import Teams

ARE = [
    ("with the U. S. Junior Gymnastics team.", ["U. S. Junior Gymnastics team"]),
    ("a Boston Red Sox fan", ["Boston Red Sox"]),
    ("plays for Newcastle United", ["Newcastle United"]),
    ("the Salem Rotary Club", ["Salem Rotary Club"]),
    ("the Lincoln High School Marching Band", ["Lincoln High School Marching Band"]),
    ("hurt with the Arvenby rowing club", ["Arvenby rowing club"]),
    ("a fan of the Yankees", ["Yankees"]),
    ("at the Arvenby Hornets game", ["Arvenby Hornets"]),
    ("He is captain of the Lurchers.", ["Lurchers"]),
]
ARE_NOT = [
    "the team met",
    "The Trauma Team was called.",
    "our care team",
    "a rubber band",
    "The band played",
    "club foot",
    "stung by hornets",
    "Hornets sting.",
    "He plays with Mr. Long.",
    "training with the nurse",
    "Palliative Care team",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(Teams(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Teams(), text) == []


@pytest.mark.parametrize("snippet", ["U. S. "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(Teams(), snippet) < 40
