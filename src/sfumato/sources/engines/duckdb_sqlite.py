"""Reading SQLite with Python's own driver, batch by batch, so that no downloaded extension is needed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
from sqlglot import exp

from sfumato.errors import SourceError

from ..queries import column, table
from .duckdb_session import Session
from .duckdb_views import ReadOptions, create_view
from .names import one_table

BATCH = 50_000


def stored(options: ReadOptions) -> str:
    """What a table that is copied in is called."""
    return f"stored {options.view}"


def read_sqlite(session: Session, path: Path, options: ReadOptions) -> None:
    """Copy one table into the engine: SQLite's columns hold any type, so each gets the one that fits its values."""
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        _copy(database, session, path, options)
    except sqlite3.Error:
        raise SourceError(
            f"{path.name} cannot be read as an SQLite database.", attempt="checking that the file is whole."
        ) from None
    finally:
        database.close()
    create_view(session, exp.select("*").from_(table(stored(options))), options)


def sqlite_tables(path: Path) -> tuple[str, ...]:
    """The names of the tables of a file."""
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return tuple(_tables(database))
    except sqlite3.Error:
        raise SourceError(
            f"{path.name} cannot be read as an SQLite database.", attempt="checking that the file is whole."
        ) from None
    finally:
        database.close()


def _tables(database: sqlite3.Connection) -> list[str]:
    found = database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    return [row[0] for row in found if not row[0].startswith("sqlite_")]


def _copy(database: sqlite3.Connection, session: Session, path: Path, options: ReadOptions) -> None:
    quoted = _quoted(one_table(path.name, _tables(database), options.table))
    names = [item[0] for item in database.execute(f"SELECT * FROM {quoted} LIMIT 0").description]
    kinds = {name: _kind(database, quoted, name) for name in names}
    parts = [exp.ColumnDef(this=exp.to_identifier(n, quoted=True), kind=k) for n, k in kinds.items()]
    schema = exp.Schema(this=table(stored(options)), expressions=parts)
    session.run(exp.Create(this=schema, kind="TABLE"))
    insert = exp.insert(exp.select(*(column(n) for n in names)).from_(table("batch")), table(stored(options)))
    rows = database.execute(f"SELECT * FROM {quoted}")
    while batch := rows.fetchmany(BATCH):
        columns = zip(*batch, strict=True)
        made = {n: _cells(cells, kinds[n]) for n, cells in zip(names, columns, strict=True)}
        with session.batch(made):
            session.run(insert)


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(dialect="sqlite")


def _kind(database: sqlite3.Connection, quoted_table: str, name: str) -> exp.DataType:
    query = f"SELECT DISTINCT typeof({_quoted(name)}) FROM {quoted_table}"
    kinds = {row[0] for row in database.execute(query)} - {"null"}
    if "blob" in kinds:
        raise SourceError(f"Field {name} holds binary values.", attempt="a view without that field.")
    types = exp.DataType.Type
    if kinds == {"integer"}:
        return exp.DataType.build(types.BIGINT)
    return exp.DataType.build(types.DOUBLE if kinds and kinds <= {"integer", "real"} else types.TEXT)


def _cells(cells: tuple[object, ...], kind: exp.DataType) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    out = np.empty(len(cells), object)
    as_text = kind.this is exp.DataType.Type.TEXT
    out[:] = [str(cell) if as_text and cell is not None else cell for cell in cells]
    return out
