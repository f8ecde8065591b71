"""Reading SQLite with Python's own driver, batch by batch, so that no downloaded extension is
needed."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import numpy as np
from sqlglot import exp

from sfumato.errors import SourceError

from ..asked_names import one_table
from ..declared_text import declared_text
from ..engine import FieldKind
from ..limits import VIEW_SECONDS
from ..sql.queries import column, table
from .session import DuckDBSession
from .views import ReadOptions, create_view

BATCH = 50_000
_STEPS = 100_000


def stored(options: ReadOptions) -> str:
    """The name of a table that is copied in."""
    return f"stored {options.view}"


def read_sqlite(session: DuckDBSession, path: Path, options: ReadOptions) -> None:
    """Copy one table into the engine: SQLite's columns hold any type, so each gets the one that
    fits its values."""
    database = _confined(path)
    try:
        _copy(database, session, path, options)
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            raise SourceError(
                f"A view of {path.name} takes more than {VIEW_SECONDS:g} seconds, which is "
                "the limit.",
                attempt="a table that holds its rows, made where the file comes from.",
            ) from None
        raise (
            _forbidden(path, options.table) if _is_forbidden(error) else _unreadable(path)
        ) from None
    except sqlite3.Error as error:
        raise (
            _forbidden(path, options.table) if _is_forbidden(error) else _unreadable(path)
        ) from None
    finally:
        database.close()
    create_view(session, exp.select("*").from_(table(stored(options))), options)


def sqlite_tables(path: Path) -> tuple[str, ...]:
    """The names of the tables of a file."""
    database = _confined(path)
    try:
        return tuple(_tables(database))
    except sqlite3.Error:
        raise _unreadable(path) from None
    finally:
        database.close()


def _unreadable(path: Path) -> SourceError:
    return SourceError(
        f"{path.name} cannot be read as an SQLite database.",
        attempt="checking that the file is whole.",
    )


def _is_forbidden(error: sqlite3.Error) -> bool:
    """Whether the connection refused what a view does; SQLite has several codes for that, and these
    words."""
    return any(
        words in str(error) for words in ("not authorized", "unsafe use of", "is prohibited")
    )


def _forbidden(path: Path, name: str) -> SourceError:
    return SourceError(
        f"View {name!r} of {path.name} is not read."
        if name
        else f"The view of {path.name} is not read.",
        found="It does something else than select rows of that file.",
        attempt="--table with another table, or its rows stored as a table where the file comes "
        "from.",
    )


_READS = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
)


def _confined(path: Path) -> sqlite3.Connection:
    """A connection that selects and does nothing else: views and triggers are programs that
    somebody else wrote."""
    try:
        database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error:
        raise _unreadable(path) from None
    database.execute("PRAGMA trusted_schema = OFF")
    database.set_authorizer(_may)
    return database


def _limit_views(database: sqlite3.Connection, name: str) -> None:
    """A table has the rows that it has; a view may never end."""
    query = "SELECT type = 'view' FROM sqlite_master WHERE name = ?"
    if any(is_view for (is_view,) in database.execute(query, (name,)).fetchall()):
        end = time.monotonic() + VIEW_SECONDS
        database.set_progress_handler(lambda: time.monotonic() > end, _STEPS)


def _may(
    action: int, first: str | None, second: str | None, database: str | None, inner: str | None
) -> int:
    is_load = action == sqlite3.SQLITE_FUNCTION and second == "load_extension"
    return sqlite3.SQLITE_OK if action in _READS and not is_load else sqlite3.SQLITE_DENY


def _tables(database: sqlite3.Connection) -> list[str]:
    found = database.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
    ).fetchall()
    return [row[0] for row in found if not row[0].startswith("sqlite_")]


def _copy(
    database: sqlite3.Connection, session: DuckDBSession, path: Path, options: ReadOptions
) -> None:
    name = one_table(path.name, _tables(database), options.table)
    _limit_views(database, name)
    quoted = _quoted(name)
    names = [item[0] for item in database.execute(f"SELECT * FROM {quoted} LIMIT 0").description]
    kinds = {name: _kind(database, quoted, name) for name in names}
    parts = [
        exp.ColumnDef(this=exp.to_identifier(n, quoted=True), kind=k) for n, k in kinds.items()
    ]
    schema = exp.Schema(this=table(stored(options)), expressions=parts)
    session.run(exp.Create(this=schema, kind="TABLE"))
    insert = exp.insert(
        exp.select(*(column(n) for n in names)).from_(table("batch")), table(stored(options))
    )
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
        raise SourceError(
            f"Field {name} holds binary values.", attempt="a view without that field."
        )
    types = exp.DataType.Type
    if kinds == {"integer"}:
        return exp.DataType.build(types.BIGINT)
    return exp.DataType.build(
        types.DOUBLE if kinds and kinds <= {"integer", "real"} else types.TEXT
    )


def _cells(
    cells: tuple[object, ...], kind: exp.DataType
) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    out = np.empty(len(cells), object)
    as_text = kind.this is exp.DataType.Type.TEXT
    out[:] = [_text(cell) if as_text and cell is not None else cell for cell in cells]
    return out


def _text(cell: object) -> str:
    """A cell of a field of several types: a real number is `2` and not `2.0`, whether the others are
    real ones or words."""
    text = str(cell)
    real = isinstance(cell, float)
    return (declared_text(text, FieldKind.REAL) or text) if real else text
