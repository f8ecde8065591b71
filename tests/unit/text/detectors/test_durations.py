"""Durations: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.durations import Durations

ARE = [
    ("two years and six months in prison", "two years and six months"),
    ("a thirty-day programme", "thirty-day"),
    ("after 44 hours", "44 hours"),
    ("ten minutes later", "ten minutes"),
    ("two and a half years", "two and a half years"),
    ("several weeks", "several weeks"),
]
ARE_NOT = ["one way or another", "a 7 year old", "many days", "the day", "x5 days"]


@pytest.mark.parametrize(("text", "duration"), ARE)
def test_finds_with_a_low_score(found, text, duration):
    assert found(Durations(), text, least=0.3) == [duration]
    assert found(Durations(), text) == []


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Durations(), text, least=0.1) == []
