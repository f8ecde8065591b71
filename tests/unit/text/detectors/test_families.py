"""Families: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.families import Families

ARE = [
    ("She was staying at the Abernathys' home.", ["Abernathys"]),
    ("The Okonkwos came to visit.", ["Okonkwos"]),
    ("dinner with the Thistlewoods' children", ["Thistlewoods"]),
]
ARE_NOT = [
    "The Germans came first.",
    "He supports the Yankees.",
    "the Hills' view",
    "The Labs were normal.",
    "The Nurses came.",
    "the kidneys were normal",
    "The Americas were visited.",
]


@pytest.mark.parametrize(("text", "wanted"), ARE)
def test_finds(found, text, wanted):
    assert found(Families(), text) == wanted


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Families(), text) == []
