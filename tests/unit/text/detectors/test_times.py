"""Times of day: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.times import Times

ARE = [
    ("at 10.30 a.m.", "10.30 a.m."),
    ("10:30 PM", "10:30 PM"),
    ("at 14:05", "14:05"),
    ("14:05:59 GMT", "14:05:59 GMT"),
    ("11 p.m.", "11 p.m."),
    ("8am", "8am"),
    ("14h30", "14h30"),
    ("2001-05-03T10:30:00Z", "10:30:00Z"),
]
LOW = [
    ("14.30 Uhr", "14.30 Uhr"),
    ("0930 hrs", "0930 hrs"),
    ("six o'clock, 6 o'clock", "6 o'clock"),
    ("at noon", "noon"),
]
ARE_NOT = [
    "ANA titre 1:40",
    "dilution of 1:20",
    "ratio 1:50",
    "10:75",
    "30:15",
    "I am 5",
    "13 pm",
    "Matthew 5:17",
    "1:1000",
    "lasted 30 hours",
]


@pytest.mark.parametrize(("text", "time"), ARE)
def test_finds(found, text, time):
    assert found(Times(), text) == [time]


@pytest.mark.parametrize(("text", "time"), LOW)
def test_scores_low(found, text, time):
    assert found(Times(), text) == []
    assert found(Times(), text, least=0.3) == [time]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Times(), text, least=0.1) == []
