"""The same value is found in every place, but for words that mean something else elsewhere."""

from __future__ import annotations

import pytest

from sfumato.text.bids import Bid
from sfumato.text.documents import Document
from sfumato.text.kinds import ReferenceKind
from sfumato.text.repeat_mask import sweep


def swept(value, kind, text):
    """What is found in a text once the value was found in another of the same person."""
    found = sweep([Document(value), Document(text)], [[Bid(0, len(value), kind, 0.9, "x")], []])[1]
    return [text[bid.start : bid.end] for bid in found]


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        ("473-1214", ReferenceKind.PHONE, "or (473-1214)."),
        ("+1 617 473", ReferenceKind.PHONE, "or +1 617 473"),
        ("Townsend", ReferenceKind.NAME, "and Townsend's dog"),
        ("Marina Corp", ReferenceKind.ORGANISATION, "of Marina Corp, since"),
        ("Schalchen", ReferenceKind.TOWN, "(Schalchen)"),
        ("Turkish", ReferenceKind.DEMOGRAPHIC, "in Turkish liras"),
    ],
)
def test_found_again(value, kind, text):
    assert swept(value, kind, text) == [value]


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        ("Long", ReferenceKind.NAME, "Long ago"),
        ("Hodgkins", ReferenceKind.NAME, "he developed Hodgkins"),
        ("April", ReferenceKind.NAME, "she came on April 3"),
        ("single", ReferenceKind.DEMOGRAPHIC, "a single dose"),
        ("12", ReferenceKind.LICENCE, "12 mg"),
        ("1993", ReferenceKind.DATE, "1993 units"),
        ("473-1214", ReferenceKind.PHONE, "473-12145"),
        ("Townsend", ReferenceKind.NAME, "Townsendville"),
        ("Schalchen", ReferenceKind.TOWN, "SCHALCHEN"),
    ],
)
def test_left_to_the_detectors(value, kind, text):
    assert swept(value, kind, text) == []


def test_what_is_found_already_is_not_found_twice():
    text = "Marina Corp, Marina Corp"
    whole, part = (
        Bid(0, 11, ReferenceKind.ORGANISATION, 0.9, "x"),
        Bid(13, 19, ReferenceKind.NAME, 0.9, "x"),
    )
    assert sweep([Document(text)], [[whole, part]]) == [(whole, part)]
