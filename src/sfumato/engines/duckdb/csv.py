"""Reading CSV with DuckDB: every cell stays the text that it is, and a file that is no table is
refused with the line at fault."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

from sfumato.errors import SourceError

from ..csv_dialect import dialect_of, encoding_of
from ..limits import LINE_BYTES
from ..text_encoding import is_utf8
from .session import DuckDBSession
from .views import ReadOptions, call, create_view

_BUFFER = 1 << 24
"""Bytes that are parsed at a time. Of DuckDB's usual 32 MB, so few wait for each other that rows in
order take half as long again."""


def read_csv(session: DuckDBSession, path: Path, options: ReadOptions) -> None:
    """02138 keeps its nought; an empty cell is null, quoted or not; NULL and NA are text."""
    title = options.title or path.name
    encoding = encoding_of(path, options.format.encoding, title=title)
    text = path if is_utf8(encoding) else _as_utf8(path, options, encoding)
    dialect = dialect_of(text, options.format, title=title, encoding=encoding)
    query = call(
        "read_csv",
        text,
        delim=dialect.separator,
        header=dialect.header,
        quote='"',
        escape='"',
        auto_detect=False,
        columns=dict.fromkeys(dialect.names, "VARCHAR"),
        null_padding=False,
        strict_mode=True,
        buffer_size=_BUFFER,
        max_line_size=LINE_BYTES,
    )
    create_view(session, query, options, empty_is_null=True, parsed=text)
    session.files.note(dialect.facts(), table=options.table_name)


def _as_utf8(path: Path, options: ReadOptions, encoding: str) -> Path:
    """A copy in UTF-8 in the engine's own folder: DuckDB itself knows few encodings."""
    copy = options.scratch / f"{secrets.token_hex(4)}.csv"
    try:
        with (
            path.open(encoding=encoding, newline="") as old,
            copy.open("x", encoding="utf-8", newline="") as new,
        ):
            shutil.copyfileobj(old, new, 1 << 20)
    except UnicodeError:
        raise SourceError(
            f"{options.title or path.name} is not {encoding} text.",
            attempt="another --encoding, or saving it as UTF-8.",
        ) from None
    return copy
