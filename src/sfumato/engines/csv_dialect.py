"""The dialect of a CSV file: its encoding, its separator and the names of its fields, found or
given by a person."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import SourceError, as_caller_writes
from sfumato.policy import SourceFormat
from sfumato.wording import some_of

from .field_names import check_names, is_data, mend_names, numbered_names, renamed_note
from .formula_cells import unquote
from .limits import FIELDS, HEADER_BYTES
from .text_encoding import UTF8, find_encoding, is_utf8

SEPARATORS = ",;\t|"
WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_LOOKED_AT = 50
_CUT = 1 << 16
_BREAK = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvDialect:
    """How a file is read, for the reader and for the manifest. `notes` are for the person who reads
    it."""

    encoding: str
    separator: str
    names: tuple[str, ...]
    header: bool
    renamed: int = 0
    notes: tuple[str, ...] = ()

    def facts(self) -> dict[str, object]:
        """The manifest's record of how the file was read, without a name of a field."""
        return {
            "encoding": self.encoding,
            "separator": self.separator,
            "header": self.header,
            **({"renamed_headers": self.renamed} if self.renamed else {}),
            **({"notes": list(self.notes)} if self.notes else {}),
        }


def encoding_of(path: Path, given: str, *, title: str) -> str:
    """The encoding that was named, if there is one so called, or the one that is found."""
    if not given:
        return find_encoding(path, title=title)
    try:
        is_utf8(given)
        "".encode(given)
    except LookupError:
        raise SourceError(
            f"{title}: no encoding is called {given!r}.",
            attempt="utf-8, latin-1, windows-1252 or utf-16.",
        ) from None
    return given


def dialect_of(text: Path, asked: SourceFormat, *, title: str, encoding: str = UTF8) -> CsvDialect:
    """The dialect of a file in UTF-8, which was in `encoding` before."""
    if len(asked.separator) > 1 or asked.separator in ('"', "\n", "\r"):
        raise SourceError(
            f"Separator {asked.separator!r} is not one character.", attempt="for example ';'."
        )
    begin = _start(text, title)
    separator = asked.separator or ("\t" if _is_tsv(title) else _separator(begin))
    first = _first(begin, separator, title)
    if len(first) > FIELDS:
        raise SourceError(
            f"{title} has too many fields.",
            found=f"Its first line has {len(first):,} cells; at most {FIELDS:,} are read.",
            attempt="another --separator, or a table with a row for each value.",
        )
    names, notes, renamed = _names(first, asked, title)
    if encoding in ("latin-1", "windows-1252") and not asked.encoding:
        notes.append(
            f"Not UTF-8: read as {encoding}. Name the encoding if letters with accents look wrong."
        )
    _check_breaks(first, begin, title)
    return CsvDialect(
        encoding=encoding,
        separator=separator,
        names=tuple(names),
        header=asked.header,
        renamed=renamed,
        notes=tuple(notes),
    )


def _is_tsv(title: str) -> bool:
    return title.lower().removesuffix(".gz").endswith(".tsv")


def _start(text: Path, title: str) -> str:
    with text.open("rb") as file:
        start = file.read(HEADER_BYTES)
    if not start.strip():
        raise SourceError(
            f"{title} is empty.", attempt="a file with a header line and at least one row."
        )
    begin = start.decode("utf-8-sig", errors="replace")
    if len(start) == HEADER_BYTES and not _BREAK.search(begin):
        raise SourceError(
            f"The first line of {title} is longer than {HEADER_BYTES >> 20} MiB, which is "
            "the limit.",
            attempt="checking that the file is CSV, or Parquet for tables with many fields.",
        )
    return begin


def _separator(begin: str) -> str:
    """The mark that splits the first lines into equally many cells, the most of them."""
    lines = "\n".join(_first_lines(begin, _LOOKED_AT + 1))

    def score(mark: str) -> tuple[float, int]:
        widths = [len(row) for row in _rows(lines, mark) if row]
        if not widths or widths[0] == 1:
            return 0.0, 0
        return sum(width == widths[0] for width in widths) / len(widths), widths[0]

    return max(SEPARATORS, key=score)


def _first_lines(begin: str, count: int) -> list[str]:
    """The first lines of a long text, of which no more is cut than is needed."""
    size = _CUT
    while len(lines := begin[:size].splitlines()) <= count and size < len(begin):
        size *= 4
    return lines[:count]


def _rows(text: str, mark: str) -> list[list[str]]:
    out: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # What was read so far is enough to choose a separator by.
        out.extend(csv.reader(io.StringIO(text, newline=""), delimiter=mark))
    return out


def _first(begin: str, separator: str, title: str) -> list[str]:
    if not _first_lines(begin, 1)[0].strip():
        raise SourceError(
            f"{title} needs a header.",
            found="Its first line is empty.",
            attempt="adding a first line with the name of each field.",
        )
    try:
        lines = (found.group() for found in _LINE.finditer(begin))
        return next(csv.reader(lines, delimiter=separator))
    except csv.Error:
        raise SourceError(
            f"{title} cannot be read as CSV.",
            found="A cell of its first line is too long, or a quotation mark there is not closed.",
            attempt="mending that line.",
        ) from None


def _names(
    first: Sequence[str], asked: SourceFormat, title: str
) -> tuple[list[str], list[str], int]:
    """The names of the fields, what to know about them, and how many were changed."""
    if not asked.header:
        return numbered_names(len(first)), [], 0
    if any("\0" in cell or "�" in cell for cell in first):
        raise SourceError(
            f"{title} is not UTF-8 text.",
            found="Its first line holds bytes that are not UTF-8, or NUL bytes.",
            attempt="naming its encoding, for example --encoding latin-1 or --encoding utf-16.",
        )
    data = [str(place) for place, cell in enumerate(first, start=1) if is_data(cell)]
    notes = []
    if data:
        notes.append(
            f"The first line was taken for the header, and holds a number or a date in "
            f"{'column' if len(data) == 1 else 'columns'} {some_of(data, 10)}. "
            + as_caller_writes("Use --no-header if it is a row.")
        )
    first = [unquote(name) for name in first] if asked.quoted_formulas else first
    names = mend_names(first) if asked.rename_headers else list(first)
    renamed = sum(1 for old, new in zip(first, names, strict=True) if old != new)
    if renamed:
        notes.append(renamed_note(first, names, told=not data))
    check_names(title, names, told=not data, attempt="--rename-headers")
    return names, notes, renamed


def _check_breaks(first: Sequence[str], begin: str, title: str) -> None:
    if any("\n" in cell or "\r" in cell for cell in first) and len(set(_BREAK.findall(begin))) > 1:
        # DuckDB goes by the first line break that it sees, and then finds no row without a word.
        raise SourceError(
            f"{title} has a name of a field with a line break in it, and lines that do not "
            "all end alike.",
            attempt="names that are each on one line.",
        )
