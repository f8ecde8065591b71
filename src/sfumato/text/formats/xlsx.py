"""Workbooks (XLSX): every cell is a part; written as a new workbook with values only.

Formulas become the values that the file has for them. Comments, pictures, charts, names, hidden
caches, properties and layout are left out; sheets are numbered, since their names can name people.
Needs the extra `excel`."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

from sfumato.errors import SourceError
from sfumato.wording import counted

from ..kinds import ReferenceKind
from ..replacement import ReplacedDocument
from .known_fields import kind_of_cell
from .packages import Package, packed
from .part_assembly import checked
from .parts import FilePart, FileReading

_MADE = datetime(1980, 1, 1)


class Xlsx:
    """A workbook. With `FileReading.columns`, only those columns of each sheet are read and all
    others stay; else all are, the first row too."""

    name = "XLSX"
    suffixes = (".xlsx",)

    def open(self, content: bytes, reading: FileReading) -> OpenedWorkbook:
        package = Package(content, name=self.name)
        book = _loaded(content)
        sheets = tuple(_sheet(sheet) for sheet in book.worksheets)
        cells = [
            cell for number, rows in enumerate(sheets) for cell in _cells(number, rows, reading)
        ]
        usual = (
            "xl/worksheets/sheet",
            "xl/sharedStrings",
            "xl/styles",
            "xl/workbook",
            "xl/theme",
            "_rels/",
        )
        others = [
            name
            for name in package.names
            if not name.endswith((".rels", "[Content_Types].xml", "/"))
            and not name.startswith(usual)
        ]
        return OpenedWorkbook(sheets=sheets, cells=tuple(cells), others=len(others))


def _loaded(content: bytes) -> Any:
    try:
        import openpyxl
    except ImportError:
        raise SourceError(
            "Workbooks need the extra excel.", attempt="pip install 'sfumato[excel]'."
        ) from None
    try:
        return openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    except (ValueError, KeyError, TypeError, OSError, zipfile.BadZipFile, AttributeError):
        raise SourceError(
            "This workbook is broken.", attempt="opening and saving it once."
        ) from None


def _sheet(sheet: Any) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(row) for row in sheet.iter_rows(values_only=True))


@dataclass(frozen=True, slots=True)
class _Cell:
    sheet: int
    row: int
    column: int
    part: FilePart = field(repr=False)


def _cells(number: int, rows: Sequence[Sequence[Any]], reading: FileReading) -> Iterator[_Cell]:
    header = [_text(value) for value in rows[0]] if rows else []
    wanted = (*reading.columns, *([reading.person] if reading.person else []))
    missing = [name for name in wanted if name not in header]
    if missing and rows:
        raise SourceError(
            f"Sheet {number + 1} has no column {', '.join(map(repr, missing))}.",
            attempt="the names of its first row, as they are written there.",
        )
    owner = header.index(reading.person) if reading.person and rows else -1
    for row, values in enumerate(rows):
        if reading.columns and row == 0:
            continue
        person = _text(values[owner]) if owner >= 0 and row else ""
        for column, value in enumerate(values):
            name = header[column]
            text = _text(value)
            if not text.strip() or (reading.columns and name not in reading.columns):
                continue
            kind = kind_of_cell(name, text) if row else None
            if isinstance(value, date) and kind is None:
                kind = ReferenceKind.DATE
            part = FilePart(
                place=f"row {row + 1:,} of sheet {number + 1}, column {column + 1}",
                text=text,
                person=person,
                kind=kind,
            )
            yield _Cell(number, row, column, part)


def _text(value: Any) -> str:
    """A value as a reader sees it; a day without its midnight."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _value(text: str, before: Any) -> Any:
    """A new text as the type that the cell had, where it is one; formulas are none."""
    try:
        if isinstance(before, datetime):
            return datetime.fromisoformat(text)
        if isinstance(before, date):
            return date.fromisoformat(text)
        if isinstance(before, int | float) and not isinstance(before, bool):
            return type(before)(text)
    except ValueError:
        pass
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedWorkbook:
    """A workbook that was read."""

    sheets: tuple[tuple[tuple[Any, ...], ...], ...] = field(repr=False)
    cells: tuple[_Cell, ...] = field(repr=False)
    others: int
    suffix: str = ""

    @property
    def parts(self) -> Sequence[FilePart]:
        return tuple(cell.part for cell in self.cells)

    @property
    def left_out(self) -> Sequence[str]:
        if not self.others:
            return ()
        return (counted(self.others, "comment, picture, chart or property file"),)

    @property
    def notes(self) -> Sequence[str]:
        return ("written as values: formulas, layout and names of sheets are not carried over",)

    def written(self, replaced: Sequence[ReplacedDocument]) -> bytes:
        import openpyxl

        checked(len(self.cells), replaced)
        new = {
            (cell.sheet, cell.row, cell.column): each.text
            for cell, each in zip(self.cells, replaced, strict=True)
        }
        book = openpyxl.Workbook()
        book.remove(book.active)
        book.properties.creator, book.properties.created, book.properties.modified = (
            "",
            _MADE,
            _MADE,
        )
        for number, rows in enumerate(self.sheets):
            sheet = book.create_sheet(f"Sheet{number + 1}")
            for row, values in enumerate(rows):
                for column, value in enumerate(values):
                    text = new.get((number, row, column), _text(value))
                    if text:
                        cell = sheet.cell(row + 1, column + 1)
                        cell.value = value if text == _text(value) else _value(text, value)
                        if isinstance(cell.value, str):
                            cell.data_type = "s"  # Never a formula, whatever it begins with.
        if not self.sheets:
            book.create_sheet("Sheet1")
        out = io.BytesIO()
        book.save(out)
        package = Package(out.getvalue(), name="XLSX")
        return packed({name: _timeless(name, package.read(name)) for name in sorted(package.names)})


def _timeless(name: str, content: bytes) -> bytes:
    """The properties without the time at which the file was written."""
    if name != "docProps/core.xml":
        return content
    return b'<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"/>'
