"""The same value is found in every place, but for words that mean something else elsewhere."""

from __future__ import annotations

import pytest

from sfumato.text.bids import Bid
from sfumato.text.documents import Document
from sfumato.text.kinds import Kind
from sfumato.text.repeat_mask import sweep


def swept(value, kind, text):
    """What is found in a text once the value was found in another of the same person."""
    found = sweep([Document(value), Document(text)], [[Bid(0, len(value), kind, 0.9, "x")], []])[1]
    return [text[bid.start : bid.end] for bid in found]


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        ("473-1214", Kind.PHONE, "or (473-1214)."),
        ("+1 617 473", Kind.PHONE, "or +1 617 473"),
        ("Townsend", Kind.NAME, "and Townsend's dog"),
        ("Marina Corp", Kind.ORGANISATION, "of Marina Corp, since"),
        ("Schalchen", Kind.TOWN, "(Schalchen)"),
        ("Turkish", Kind.DEMOGRAPHIC, "in Turkish liras"),
    ],
)
def test_found_again(value, kind, text):
    assert swept(value, kind, text) == [value]


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        ("Long", Kind.NAME, "Long ago"),
        ("Hodgkins", Kind.NAME, "he developed Hodgkins"),
        ("single", Kind.DEMOGRAPHIC, "a single dose"),
        ("12", Kind.LICENCE, "12 mg"),
        ("1993", Kind.DATE, "1993 units"),
        ("473-1214", Kind.PHONE, "473-12145"),
        ("Townsend", Kind.NAME, "Townsendville"),
        ("Schalchen", Kind.TOWN, "SCHALCHEN"),
    ],
)
def test_left_to_the_detectors(value, kind, text):
    assert swept(value, kind, text) == []


def test_what_is_found_already_is_not_found_twice():
    text = "Marina Corp, Marina Corp"
    whole, part = Bid(0, 11, Kind.ORGANISATION, 0.9, "x"), Bid(13, 19, Kind.NAME, 0.9, "x")
    assert sweep([Document(text)], [[whole, part]]) == [(whole, part)]
