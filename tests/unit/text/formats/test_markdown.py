"""Markdown: marks stay in the file and out of the text; what was replaced still is Markdown."""

from __future__ import annotations

import pytest

from sfumato.text.formats import FileReading
from sfumato.text.formats.markdown import Markdown


def opened(source: str):
    return Markdown().open(source.encode(), FileReading())


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Dear **A**nn _Lee_", "Dear Ann Lee"),
        ("M&uuml;ller \\*star", "Müller *star"),
        ("a `Ann` <b>L</b>ee", "a Ann Lee"),
        ("* item\n* snake_case 2 * 3", "* item\n* snake_case 2 * 3"),
        ("| Ann | Lee |", "| Ann | Lee |"),
    ],
)
def test_the_text_is_without_marks(source, text, write):
    file = opened(source)
    assert file.parts[0].text == text
    assert write(file) == source.encode()


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("Dear **A**nn *Lee*, M&uuml;ller", "Dear **Eve Day**, M&uuml;ller"),
        ("**Ann *Lee*** came", "**Eve Day** came"),
        ("_Ann_ **Lee** `x`", "_Eve Day_ `x`"),
    ],
)
def test_a_name_half_in_bold_is_one_name(source, written, write):
    assert write(opened(source), {"Ann Lee": "Eve Day"}).decode() == written


def test_an_entity_in_a_name_goes_with_it(write):
    assert (
        write(opened("Dr. M&uuml;ller &amp; Sons"), {"Müller": "Ebert"}) == b"Dr. Ebert &amp; Sons"
    )


def test_the_target_of_a_link_stays_one_word(write):
    assert (
        write(opened("[Ann](https://e.org/Ann)"), {"Ann": "[NAME 1]"})
        == b"[[NAME 1]](https://e.org/[NAME%201])"
    )


FRONT = """---
author: Ann Lee
by: 'Ann O''Lee'
said: "Ann"
tags: [Ann, b]
list:
  - Ann Lee
---
Text of Ann.
"""


def test_front_matter_stays_front_matter(write):
    file = opened(FRONT)
    assert [part.place for part in file.parts] == ["front matter", "text"]
    assert "Ann O'Lee" in file.parts[0].text
    assert write(file) == FRONT.encode()
    lines = write(file, {"Ann": "[NAME 1]"}).decode().splitlines()
    assert lines[1:7] == [
        'author: "[NAME 1] Lee"',
        "by: '[NAME 1] O''Lee'",
        'said: "[NAME 1]"',
        "tags: [[NAME 1], b]",
        "list:",
        '  - "[NAME 1] Lee"',
    ]
    assert write(file, {"Ann": "Eve"}).decode() == FRONT.replace("Ann", "Eve")


def test_a_rule_is_no_front_matter():
    assert [part.place for part in opened("---\nAnn").parts] == ["text"]
