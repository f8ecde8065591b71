"""Workbooks: cells in, values out."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime

import openpyxl
import pytest

from sfumato.errors import SourceError
from sfumato.scrubbing import scrub
from sfumato.text.formats.parts import FileReading
from sfumato.text.formats.xlsx import Xlsx
from sfumato.text.replacement import ReplacedDocument


def workbook():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Townsend"
    sheet.append(["id", "surname", "dob", "note", "n"])
    note = "Virginia Townsend was seen by Dr. Hayes."
    sheet.append(["P1", "Townsend", datetime(1961, 6, 15), note, 5])
    sheet.append(["P2", "Lee", None, "=1+1", 6.5])
    sheet["B2"].comment = openpyxl.comments.Comment("Virginia", "Townsend")
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_cells_are_parts_and_columns_say_what_they_hold():
    parts = Xlsx().open(workbook(), FileReading(person="id")).parts
    told = {(part.text, part.person, str(part.kind)) for part in parts}
    assert ("Townsend", "P1", "name") in told
    assert ("1961-06-15", "P1", "date") in told
    assert ("5", "P1", "None") in told


def test_only_chosen_columns_are_read():
    parts = Xlsx().open(workbook(), FileReading(columns=("note",))).parts
    assert [part.text for part in parts] == ["Virginia Townsend was seen by Dr. Hayes."]
    with pytest.raises(SourceError, match="no column"):
        Xlsx().open(workbook(), FileReading(columns=("letter",)))


def test_nothing_of_the_people_is_in_the_package_and_types_stay(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(workbook())
    scrub(tmp_path / "a.xlsx", to=tmp_path / "out")
    (written,) = (tmp_path / "out").glob("*.xlsx")
    with zipfile.ZipFile(written) as package:
        whole = b"".join(map(package.read, package.namelist()))
    for secret in (b"Townsend", b"Virginia", b"Hayes"):
        assert secret not in whole
    sheet = openpyxl.load_workbook(written).active
    assert isinstance(sheet["C2"].value, datetime)
    assert sheet["C2"].value != datetime(1961, 6, 15)
    assert (sheet["E2"].value, sheet["E3"].value) == (5, 6.5)


def test_a_text_that_begins_like_a_formula_stays_text():
    opened = Xlsx().open(workbook(), FileReading())
    texts = [ReplacedDocument(text="=cmd()", replacements=()) for _ in opened.parts]
    book = openpyxl.load_workbook(io.BytesIO(opened.written(texts)))
    assert {cell.data_type for row in book.active for cell in row if cell.value} <= {
        "s",
        "inlineStr",
    }


@pytest.mark.parametrize("content", [b"PK\x03\x04", b"", b"text"])
def test_a_broken_workbook_is_refused(content):
    with pytest.raises(SourceError):
        Xlsx().open(content, FileReading())
