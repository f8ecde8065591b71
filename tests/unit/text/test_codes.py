"""Codes of a document: every run with a digit, and the words before it."""

from __future__ import annotations

import pytest

from sfumato.text import Document

RUNS = [
    ("CH#32-841-09787 and A12", ["32-841-09787", "A12"]),
    ("no.18403/91, 05/26/86", ["18403/91", "05/26/86"]),
    ("at 10:30, 1.5 mg", ["10", "30", "1.5"]),
    ("no digits here", []),
    ("a 7-year-old", ["7-year-old"]),
    ("ended 1999.Then 2", ["1999", "2"]),
    ("x² Ⅻ", []),
]


@pytest.mark.parametrize(("text", "runs"), RUNS)
def test_codes(text, runs):
    assert [code.text for code in Document(text).codes] == runs


def test_words_before_stop_at_the_sentence_but_not_at_an_abbreviation():
    document = Document("The chart was lost. Tel. No. 4731214")
    assert document.codes[0].before == ("no", "tel")


def test_words_before_stop_at_a_blank_line_but_not_at_a_line():
    assert Document("MRN\n998877").codes[0].before == ("mrn",)
    assert Document("MRN\n\n998877").codes[0].before == ()


def test_number_starts():
    assert Document("12 a 3b c4").number_starts == (0, 5)
