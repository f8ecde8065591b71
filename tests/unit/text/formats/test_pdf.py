"""PDF: pages, fields and comments are read; text is written, and nothing else of the file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sfumato.errors import MissingExtra, SourceError
from sfumato.text.formats import FileReading
from sfumato.text.formats.pdf import Pdf

sys.path.insert(0, str(Path(__file__).parent))
from made_pdf import pdf

FILE = pdf(
    [["Dear Ann Lee,", "you came."], ["Second page"]],
    comments=["Remark on Ann"],
    fields=[("Patient", "Ann")],
)


def test_pages_fields_and_comments_are_parts():
    opened = Pdf().open(FILE, FileReading())
    assert {part.place: part.text for part in opened.parts} == {
        "page 1": "Dear Ann Lee,\nyou came.",
        "form fields of page 1": "Patient: Ann",
        "comments on page 1": "Remark on Ann",
        "page 2": "Second page",
    }
    assert opened.suffix == ".txt"
    assert "1 author of a comment" in opened.left_out
    assert "properties, fonts and layout" in opened.left_out


def test_text_is_written(write):
    written = write(Pdf().open(FILE, FileReading()), {"Ann Lee": "Zoë", "Ann": "Eve"})
    assert (
        written.decode() == "Dear Zoë,\nyou came.\nPatient: Eve\nRemark on Eve\n\f\nSecond page\n"
    )


def test_without_its_reader_a_scan_is_refused_and_a_page_of_pictures_told(monkeypatch):
    monkeypatch.setattr("sfumato.text.formats.pdf.can_read", lambda: False)
    with pytest.raises(SourceError, match="no text that can be read"):
        Pdf().open(pdf([[]], picture=True), FileReading())
    told = Pdf().open(pdf([["Ann"], []], picture=True), FileReading()).left_out
    assert "1 page that is only a picture" in told
    assert "2 pictures" in told


@pytest.mark.parametrize("content", [b"", b"Ann", b"%PDF-1.4 Ann", FILE[:200]])
def test_what_is_no_pdf_is_refused_without_a_word_of_it(content):
    with pytest.raises(SourceError) as refused:
        Pdf().open(content, FileReading())
    assert "Ann" not in str(refused.value)


def test_without_the_extra_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(MissingExtra, match=r"sfumato\[text\]"):
        Pdf().open(FILE, FileReading())
