"""Dictated numbers: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.dictated_numbers import DictatedNumbers

ARE = [
    (
        "phone is six one seven, five five five, oh one two three",
        ["six one seven, five five five, oh one two three"],
    ),
    ("MRN is four four seven two nine one", ["four four seven two nine one"]),
    (
        "Social is one two three dash four five dash six seven eight nine.",
        ["one two three dash four five dash six seven eight nine"],
    ),
    ("Take down nine oh two one oh four seven please", ["nine oh two one oh four seven"]),
]
ARE_NOT = [
    "one or two tablets",
    "She counted one two three four five six seven eight.",
    "two to three times",
    "four five",
    "Stage two, three of nine nodes",
    "one, two and three",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(DictatedNumbers(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(DictatedNumbers(), text) == []
