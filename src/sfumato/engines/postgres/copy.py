"""COPY, fast: rows out of the server as they arrive, entries into it as lines of text."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.abc import PQGen
from psycopg.pq.abc import PGconn
from psycopg.waiting import Wait
from sqlglot import exp

from sfumato.errors import SourceError

from ..sql.queries import column, named
from .connection import Connection

Write = Callable[[bytes | memoryview], object]

GATHERED = 1 << 17
NO_NUMBER = -(2**63)
_HEADER, _TRAILER = (
    19,
    2,
)  # Of PostgreSQL's binary format: signature, flags and no extension; no more rows.
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def copy_out(connection: Connection, sql: bytes, write: Write) -> int:
    """Run COPY … TO STDOUT and hand on every row; the number of rows.

    psycopg's own loop waits row by row, which takes twice as long as the server does. Ctrl-C
    cancels the query."""
    with connection.cursor() as cursor, cursor.copy(sql):
        return connection.wait(_arriving(connection.pgconn, write))


def _arriving(server: PGconn, write: Write) -> PQGen[int]:
    take = server.get_copy_data
    while True:
        size, row = take(1)
        if size > 0:
            write(row)
        elif size == 0:
            yield from _more(server)
        else:
            break
    last = None
    while True:
        while server.is_busy():
            yield from _more(server)
        result = server.get_result()
        if result is None:
            break
        last = result
    assert last is not None
    if last.status != psycopg.pq.ExecStatus.COMMAND_OK:
        raise psycopg.errors.error_from_result(last)
    return last.command_tuples or 0


def _more(server: PGconn) -> PQGen[None]:
    while not (yield Wait.R):
        pass
    server.consume_input()


def copy_in(connection: Connection, sql: bytes, lines: bytes) -> None:
    with connection.cursor() as cursor, cursor.copy(sql) as copy:
        copy.write(lines)


@contextmanager
def gathered(write: Write) -> Iterator[Write]:
    """Hand on many rows at once."""
    waiting = bytearray()

    def add(row: bytes | memoryview) -> None:
        waiting.extend(row)
        if len(waiting) > GATHERED:
            write(bytes(waiting))
            waiting.clear()

    yield add
    write(bytes(waiting))


def to_stdout(query: exp.Expr, file_format: str) -> exp.Copy:
    """`COPY (query) TO STDOUT`."""
    as_format = exp.CopyParameter(this=exp.var("FORMAT"), expression=exp.var(file_format))
    return exp.Copy(
        this=exp.Subquery(this=query), kind=False, files=[exp.var("STDOUT")], params=[as_format]
    )


def from_stdin(table: exp.Expr) -> exp.Copy:
    return exp.Copy(this=table, kind=True, files=[exp.var("STDIN")], params=[])


def as_lines(columns: Mapping[str, NDArray[Any]], *, null: str) -> bytes:
    """Entries as lines of COPY's text. `null` replaces null in keys, which are joined by
    equality."""
    cells = {
        name: _cells(values, null if _is_key(name) else "\\N") for name, values in columns.items()
    }
    text = "".join(map("{}\n".format, map("\t".join, zip(*cells.values(), strict=True))))
    if "\0" in text:
        text = _without_nul(cells)
    return text.encode()


def _is_key(name: str) -> bool:
    return name.startswith("key:")


def _cells(values: NDArray[Any], null: str) -> list[str]:
    texts = [None if value is None else str(value) for value in values.tolist()]
    joined = "".join(text for text in texts if text is not None)
    if any(character in joined for character in "\\\t\n\r"):
        return [null if text is None else text.translate(_ESCAPES) for text in texts]
    return [null if text is None else text for text in texts]


def _without_nul(cells: Mapping[str, list[str]]) -> str:
    """PostgreSQL holds no NUL: a key with one is the key of no row, and such a label cannot be
    written."""
    keys = [_is_key(name) for name in cells]
    lines = []
    for row in zip(*cells.values(), strict=True):
        if any("\0" in cell for cell, is_key in zip(row, keys, strict=True) if is_key):
            continue
        if any("\0" in cell for cell in row):
            raise no_nul()
        lines.append("\t".join(row) + "\n")
    return "".join(lines)


def no_nul() -> SourceError:
    return SourceError(
        "A label holds the character NUL, which PostgreSQL does not.", attempt="labels without it."
    )


def whole_numbers(query: exp.Query, names: Sequence[str]) -> exp.Select:
    """A query's columns, all whole numbers, without null: then every row has the same length."""
    whole = exp.DataType.Type.BIGINT
    nothing = exp.cast(exp.Literal.string(str(NO_NUMBER)), whole)
    shown = [
        named(exp.func("coalesce", exp.cast(column(name), whole), nothing.copy()), name)
        for name in names
    ]
    return exp.select(*shown).from_(query.subquery("asked"))


def parsed(rows: bytes | bytearray, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Columns from PostgreSQL's binary format of such rows; masked where there are nulls."""
    fields = [
        part for i in range(len(names)) for part in ((f"size{i}", ">i4"), (f"value{i}", ">i8"))
    ]
    table = np.frombuffer(
        rows[_HEADER : len(rows) - _TRAILER], np.dtype([("fields", ">i2"), *fields])
    )
    return {name: _masked(table[f"value{i}"].astype(np.int64)) for i, name in enumerate(names)}


def _masked(values: NDArray[np.int64]) -> NDArray[Any]:
    nulls = values == NO_NUMBER
    return np.ma.masked_array(values, nulls) if nulls.any() else values


def header(fields: Sequence[str]) -> bytes:
    """The first line of a CSV file."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(fields)
    return line.getvalue().encode()
