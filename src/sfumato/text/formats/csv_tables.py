"""Tables as CSV: every cell of the chosen columns is a part; cells that are not replaced keep their
bytes, quotes and all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sfumato.errors import SourceError

from ..replacement import ReplacedDocument
from .encodings import DecodedText, decoded
from .known_fields import kind_of_cell
from .part_assembly import checked
from .parts import FilePart, FileReading

_DELIMITERS = ",;\t|"
_SAMPLE = 64 * 1024


@dataclass(frozen=True, slots=True)
class _Cell:
    """The place of a cell in the source."""

    start: int
    end: int
    is_quoted: bool


class CsvTable:
    """A table with delimiters. With `FileReading.columns`, only those are read and all others stay;
    else all are.

    Without chosen columns the header is read like any other row, because the first row of a table
    without a header is somebody's. A column whose name means its content, such as "surname", is
    certain to hold it, chosen or not.

    Example:
        >>> reading = FileReading(columns=("note",), person="id")
        >>> opened = CsvTable().open(b"id;note\\n7;'Dot; came'\\n8;\\"a \\"\\"b\\"\\"\\"\\n", reading)
        Traceback (most recent call last):
        ...
        sfumato.errors.SourceError: This table's rows do not have as many cells as its header.
          Row 2 has 3, the header has 2.
          Try quoting cells that hold the delimiter.
        >>> opened = CsvTable().open(b"id;note\\n8;\\"a \\"\\"b\\"\\"\\"\\n", reading)
        >>> [(part.place, part.text, part.person) for part in opened.parts]
        [('row 2, column 2', 'a "b"', '8')]
    """

    name = "CSV"
    suffixes = (".csv", ".tsv", ".tab")

    def open(self, content: bytes, reading: FileReading) -> OpenedTable:
        text = decoded(content, asked=reading.encoding)
        delimiter = delimiter_of(text.text)
        rows = list(_rows(text.text, delimiter))
        if not rows:
            return OpenedTable(source=text, delimiter=delimiter, cells=(), parts=())
        header = [_value(text.text, cell) for cell in rows[0]]
        chosen, person = _columns(header, reading)
        cells: list[_Cell] = []
        parts: list[FilePart] = []
        for number, row in enumerate(rows, start=1):
            if reading.columns:
                _check_width(row, number, header)
                if number == 1:
                    continue
            whose = _value(text.text, row[person]) if number > 1 and 0 <= person < len(row) else ""
            for column in chosen or range(len(row)):
                if column < len(row) and (value := _value(text.text, row[column])).strip():
                    is_named = number > 1 and column < len(header)
                    kind = kind_of_cell(header[column], value) if is_named else None
                    place = f"row {number:,}, column {column + 1:,}"
                    cells.append(row[column])
                    parts.append(FilePart(place=place, text=value, person=whose, kind=kind))
        return OpenedTable(source=text, delimiter=delimiter, cells=tuple(cells), parts=tuple(parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedTable:
    """A table that was read, with the cells of its parts in their order."""

    source: DecodedText
    delimiter: str
    cells: Sequence[_Cell] = field(repr=False)
    parts: Sequence[FilePart]
    left_out: Sequence[str] = ()
    suffix: str = ""

    @property
    def notes(self) -> Sequence[str]:
        return self.source.notes

    def written(self, replaced: Sequence[ReplacedDocument]) -> bytes:
        checked(len(self.parts), replaced)
        source = self.source.text
        pieces: list[str] = []
        last = 0
        for cell, part, each in zip(self.cells, self.parts, replaced, strict=True):
            if each.text != part.text:
                pieces += (
                    source[last : cell.start],
                    _cell(each.text, self.delimiter, is_quoted=cell.is_quoted),
                )
                last = cell.end
        return self.source.encoded("".join((*pieces, source[last:])))


def delimiter_of(text: str) -> str:
    """The delimiter that cuts the first rows into the most cells, all rows alike; a comma where
    none does.

    Example:
        >>> delimiter_of("a;b\\n1,5;2\\n"), delimiter_of("a\\nb\\n")
        (';', ',')
    """
    sample = text[:_SAMPLE]
    best, most = ",", (0, 0)
    for delimiter in _DELIMITERS:
        widths = [
            len(row)
            for row, _ in zip(_rows(sample, delimiter, strict=False), range(50), strict=False)
        ]
        widths = widths[:-1] if len(widths) > 1 and len(sample) < len(text) else widths
        if not widths or widths[0] < 2:
            continue
        alike = sum(width == widths[0] for width in widths)
        if (score := (alike * 100 // len(widths), widths[0])) > most:
            best, most = delimiter, score
    return best


def _rows(text: str, delimiter: str, *, strict: bool = True) -> Iterator[list[_Cell]]:
    """The rows as places of cells; rows without any character are none."""
    bare = re.compile(rf"[^{re.escape(delimiter)}\r\n]*")
    quoted = re.compile(r'"(?:[^"]|"")*+"')
    place, row = 0, list[_Cell]()
    while place < len(text):
        start = place
        is_quoted = text[place] == '"'
        if is_quoted:
            found = quoted.match(text, place)
            if found is None:
                if strict:
                    raise _unclosed(len(row))
                return
            place = found.end()
        rest = bare.match(text, place)
        place = rest.end() if rest else place
        row.append(_Cell(start, place, is_quoted))
        if place < len(text) and text[place] == delimiter:
            place += 1
            if place == len(text):
                row.append(_Cell(place, place, False))  # noqa: FBT003
            continue
        place += 2 if text.startswith("\r\n", place) else 1
        if len(row) > 1 or row[0].end > row[0].start:
            yield row
        row = []
    if row:
        yield row


def _value(text: str, cell: _Cell) -> str:
    source = text[cell.start : cell.end]
    if not cell.is_quoted:
        return source
    inside, _, after = source[1:].rpartition('"')
    return inside.replace('""', '"') + after


def _cell(text: str, delimiter: str, *, is_quoted: bool) -> str:
    needed = (
        is_quoted
        or text[:1] in ('"', "")
        or any(mark in text for mark in (delimiter, "\n", "\r", '"'))
    )
    return '"' + text.replace('"', '""') + '"' if needed else text


def _columns(header: Sequence[str], reading: FileReading) -> tuple[tuple[int, ...], int]:
    wanted = (*reading.columns, *([reading.person] if reading.person else []))
    missing = [name for name in wanted if name not in header]
    if missing:
        raise SourceError(
            f"The table has no column {', '.join(repr(name) for name in missing)}.",
            found=f"Its first row has {len(header):,} cells.",
            attempt="the names of its header, as they are written there.",
        )
    chosen = tuple(place for place, name in enumerate(header) if name in reading.columns)
    return chosen, header.index(reading.person) if reading.person else -1


def _check_width(row: Sequence[_Cell], number: int, header: Sequence[str]) -> None:
    """A row that is longer than the header has cells of no column: nobody chose whether they are
    text."""
    if len(row) <= len(header) or all(cell.start == cell.end for cell in row[len(header) :]):
        return
    raise SourceError(
        "This table's rows do not have as many cells as its header.",
        found=f"Row {number:,} has {len(row):,}, the header has {len(header):,}.",
        attempt="quoting cells that hold the delimiter.",
    )


def _unclosed(cells: int) -> SourceError:
    return SourceError(
        "This table has a quoted cell that is never closed.",
        found=f"It is cell {cells + 1:,} of its row.",
        attempt="closing it, or doubling quotes inside quoted cells.",
    )
