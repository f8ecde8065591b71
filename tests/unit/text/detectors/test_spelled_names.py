"""Spelled names: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.spelled_names import SpelledNames

ARE = [
    ("Last name is spelled T-O-W-N-S-E-N-D.", ["T-O-W-N-S-E-N-D"]),
    ("It is K as in king, E, L as in lima, L, Y.", ["K as in king, E, L as in lima, L, Y"]),
    ("K as in kilo, A as in alpha, T as in tango", ["K as in kilo, A as in alpha, T as in tango"]),
    ("spelled B, A, P, T, I, S, T, E and", ["B, A, P, T, I, S, T, E"]),
    ("Her name is H-O-P-E.", ["H-O-P-E"]),
]
ARE_NOT = [
    "A-B-C-D-E approach was used.",
    "LOL A-W-E-S-O-M-E game",
    "type A-B blood",
    "X-ray of the C-spine",
    "He spelled a word.",
    "Vitamin B as in bread",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(SpelledNames(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(SpelledNames(), text) == []
