"""Web addresses: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.urls import Urls

ARE = [
    ("see https://www.example.org/a?b=c#d.", "https://www.example.org/a?b=c#d"),
    ("(http://example.org/x_(y))", "http://example.org/x_(y)"),
    ("ftp://files.example.org", "ftp://files.example.org"),
    ("www.example.org/path,", "www.example.org/path"),
    ("at example.com today", "example.com"),
    ("her blog jane-doe.blogspot.co.uk is", "jane-doe.blogspot.co.uk"),
    ("facebook.com/jane.doe.7", "facebook.com/jane.doe.7"),
    ("WWW.EXAMPLE.ORG", "WWW.EXAMPLE.ORG"),
    ("https://münchen.example/ärzte", "https://münchen.example/ärzte"),
]
ARE_NOT = [
    "He came.In the end",
    "e.g. this, i.e. that",
    "3.com",
    "jane@example.org",
    "the ratio a://",
    "p. 12.de",
    "5.5 mg",
]


@pytest.mark.parametrize(("text", "address"), ARE)
def test_finds(found, text, address):
    assert found(Urls(), text) == [address]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Urls(), text) == []
