"""E-mail addresses: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.emails import Emails

ARE = [
    ("write to jane.doe@example.org.", "jane.doe@example.org"),
    ("jane+scrub_7@mail.example.co.uk", "jane+scrub_7@mail.example.co.uk"),
    ("<O'Brien@example.com>", "O'Brien@example.com"),
    ("j@x.io", "j@x.io"),
    ("jürgen@müller.de", "jürgen@müller.de"),
    ("иван@пример.рф", "иван@пример.рф"),
    ("root@[192.168.0.1]", "root@[192.168.0.1]"),
    ("jane at example dot org", "jane at example dot org"),
    ("jane.doe [at] example [dot] org", "jane.doe [at] example [dot] org"),
    ("jane(at)example(dot)org", "jane(at)example(dot)org"),
    ("mailto:jane@example.org?subject=x", "jane@example.org"),
]
ARE_NOT = [
    "@dot_townsend",
    "5 mg @ 8 am",
    "user@localhost",
    "meet me at noon",
    "we look at the dot plot",
    "@",
    "a@",
    "@b.org",
    "... @ example.org",
]


@pytest.mark.parametrize(("text", "address"), ARE)
def test_finds(found, text, address):
    assert found(Emails(), text) == [address]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Emails(), text) == []
