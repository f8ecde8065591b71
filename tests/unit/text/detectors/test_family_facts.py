"""Facts of a family: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.family_facts import FamilyFacts

ARE = [
    ("She is divorced.", ["divorced"]),
    ("Widowed mother of seven", ["Widowed", "mother of seven"]),
    ("He has five children.", ["five children"]),
    ("the youngest of nine siblings", ["youngest of nine siblings"]),
]
ARE_NOT = [
    "She is married.",
    "Her parents divorced when she was four.",
    "He has two brothers with diabetes.",
    "Family history: mother of two died of cancer",
    "She has three sisters who had breast cancer.",
    "G3P2, two living",
    "two children's doses",
    "the widow-maker lesion",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(FamilyFacts(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(FamilyFacts(), text) == []
