"""Reading CSV: every cell stays the text that it is, and what is not a table is refused with its line number."""

from __future__ import annotations

import codecs
import csv
import io
import re
import secrets
import shutil
from pathlib import Path

from sfumato.errors import SourceError

from .duckdb_session import Session
from .duckdb_views import ReadOptions, call, create_view
from .names import check_names

HEADER_BYTES = 1 << 20
_BREAK = re.compile(r"\r\n|\n|\r")
_NUMBER_OR_DATE = re.compile(r"(?=.*\d)[\d+\-.,:/eE $%]+")


def read_csv(session: Session, path: Path, options: ReadOptions) -> None:
    """02138 keeps its nought; an empty cell is null, quoted or not; NULL and NA are text."""
    text = path if _is_utf8(path, options.encoding) else _as_utf8(path, options)
    names, separator = _header(text, path, options.separator)
    query = call(
        "read_csv",
        text,
        delim=separator,
        header=True,
        quote='"',
        escape='"',
        auto_detect=False,
        columns=dict.fromkeys(names, "VARCHAR"),
        null_padding=False,
        strict_mode=True,
    )
    create_view(session, query, options, empty_is_null=True)


def _is_utf8(path: Path, encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii")
    except LookupError:
        raise _no_encoding(path, encoding) from None


def _as_utf8(path: Path, options: ReadOptions) -> Path:
    """A copy in UTF-8 in the engine's own folder: DuckDB itself knows few encodings."""
    copy = options.scratch / f"{secrets.token_hex(4)}.csv"
    try:
        with (
            path.open(encoding=options.encoding, newline="") as old,
            copy.open("w", encoding="utf-8", newline="") as new,
        ):
            shutil.copyfileobj(old, new, 1 << 20)
    except UnicodeError:
        raise SourceError(
            f"{path.name} is not {options.encoding} text.", attempt="another --encoding, or saving it as UTF-8."
        ) from None
    except LookupError:
        raise _no_encoding(path, options.encoding) from None
    return copy


def _no_encoding(path: Path, encoding: str) -> SourceError:
    return SourceError(f"{path.name}: no encoding is called {encoding!r}.", attempt="utf-8, latin-1, cp1252 or utf-16.")


def _header(text: Path, path: Path, separator: str) -> tuple[list[str], str]:
    """The names in the first line, and what stands between them."""
    if len(separator) > 1 or separator in ('"', "\n", "\r"):
        raise SourceError(f"Separator {separator!r} is not one character.", attempt="for example ';'.")
    with text.open("rb") as file:
        start = file.read(HEADER_BYTES)
    if not start.strip():
        raise SourceError(f"{path.name} is empty.", attempt="a file with a header line and at least one row.")
    begin = start.decode("utf-8-sig", errors="replace")
    first = begin.splitlines()[0]
    if not separator:
        outside_quotes = re.sub('"[^"]*"', "", first)
        separator = "\t" if path.suffix.lower() == ".tsv" else max(",;\t|", key=outside_quotes.count)
    names = next(csv.reader(io.StringIO(begin, newline=""), delimiter=separator)) if first.strip() else []
    _check_header(path.name, names)
    if any("\n" in cell or "\r" in cell for cell in names) and len(set(_BREAK.findall(begin))) > 1:
        # DuckDB goes by the first line break that it sees, and then finds no row without a word.
        raise SourceError(
            f"{path.name} has a name of a field with a line break in it, and lines that do not all end alike.",
            attempt="names that each stand on one line.",
        )
    return names, separator


def _check_header(name: str, names: list[str]) -> None:
    """A first line that holds an empty cell, a number or a date is data, not a header."""
    hint = "adding a first line with the name of each field."
    if not names:
        raise SourceError(f"{name} needs a header.", found="Its first line is empty.", attempt=hint)
    if any("\0" in cell or "�" in cell for cell in names):
        raise SourceError(
            f"{name} is not UTF-8 text.",
            found="Its first line holds bytes that are not UTF-8, or NUL bytes.",
            attempt="naming its encoding, for example --encoding latin-1 or --encoding utf-16.",
        )
    data = [str(n) for n, cell in enumerate(names, start=1) if _NUMBER_OR_DATE.fullmatch(cell.strip())]
    if data:
        raise SourceError(
            f"{name} seems to have no header.",
            found=f"Its first line holds a number or a date in column(s) {', '.join(data)}.",
            attempt=hint,
        )
    check_names(name, names)
