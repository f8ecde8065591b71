"""A received DuckDB file in a session that reaches no other file: views in it are programs that
somebody else wrote.

A view may call `read_text` or `read_csv`, attach a database, ask for settings, or never end. A view
is first checked by `view_rule`. It is then bound and run only here, where external access is off,
settings are locked and time and size have limits. Its rows are copied for the engine's session.
Plain tables hold rows and nothing else: the engine reads them where they are."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
from sqlglot import exp

from sfumato.errors import SourceError

from ..limits import VIEW_BYTES, VIEW_RATIO, VIEW_SECONDS
from .query_thread import Worker
from .view_rule import find_foreign

ATTACHED = "attached"
_COPY = "copy"
_WAIT = 0.05
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "memory_limit": "1GB",
}
_TABLES = (
    "SELECT table_name, sql FROM duckdb_tables() WHERE database_name = 'attached' AND "
    "schema_name = 'main' "
    "UNION ALL SELECT view_name, NULL FROM duckdb_views() "
    "WHERE database_name = 'attached' AND schema_name = 'main' AND NOT internal"
)


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of a file. With `runs`, reading it evaluates code of the file: a view, or a field
    that is computed from others."""

    name: str
    runs: bool


def attach(path: Path, *, alias: str = ATTACHED, read_only: bool = True) -> exp.Attach:
    """`ATTACH path AS alias`, as a DuckDB file and no other kind, whatever its first bytes are."""
    options = [exp.AttachOption(this=exp.var("TYPE"), expression=exp.var("duckdb"))]
    if read_only:
        options.insert(0, exp.AttachOption(this=exp.var("READ_ONLY")))
    return exp.Attach(
        this=exp.alias_(exp.Literal.string(str(path.absolute())), alias),
        exists=True,
        expressions=options,
    )


def stored_tables(path: Path) -> tuple[StoredTable, ...]:
    """The tables and views of a file, none of which is run."""
    with _confined(path, folder=None) as connection:
        found = connection.execute(_TABLES).fetchall()
    return tuple(
        StoredTable(name, sql is None or "GENERATED ALWAYS" in sql.upper()) for name, sql in found
    )


def copy_view(path: Path, name: str, scratch: Path) -> Path:
    """A file of its own that holds the rows of a view as a table of the same name."""
    folder = scratch / f"view-{secrets.token_hex(4)}"
    folder.mkdir(mode=0o700)
    file = folder / "rows.duckdb"
    with _confined(path, folder=folder) as connection:
        _refuse_foreign(connection, path, name)
        connection.execute(attach(file, alias=_COPY, read_only=False).sql(dialect="duckdb"))
        rows = exp.select("*").from_(exp.table_(name, db="main", catalog=ATTACHED, quoted=True))
        made = exp.Create(
            this=exp.table_(name, db="main", catalog=_COPY, quoted=True),
            kind="TABLE",
            expression=rows,
        )
        what = f"{name} of {path.name}"
        try:
            _run(
                connection, made.sql(dialect="duckdb"), watched=folder, most=_most(path), what=what
            )
        except (duckdb.BinderException, duckdb.CatalogException, duckdb.PermissionException):
            raise SourceError(
                f"Table {name!r} of {path.name} cannot be read.",
                found="It is a view over something that is not in that file.",
                attempt="a table, or a view over tables of the same file.",
            ) from None
    return file


def _refuse_foreign(connection: duckdb.DuckDBPyConnection, path: Path, name: str) -> None:
    """Paths, settings, the clock and chance are no rows: nobody who reads a release may learn them
    from a view."""
    found = find_foreign(connection, database=ATTACHED, name=name)
    if found:
        raise SourceError(
            f"Table {name!r} of {path.name} is a view or has a computed field, and is not read.",
            found=f"It uses {found}: not rows of that file, or a function that is not known to "
            "depend on them alone.",
            attempt="--table with another table, or its rows stored as a table where the file "
            "comes from.",
        )


def _most(path: Path) -> int:
    return max(VIEW_BYTES, VIEW_RATIO * path.stat().st_size)


@contextmanager
def _confined(path: Path, *, folder: Path | None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that can reach one file, and a folder for what it writes; nothing can change
    that."""
    file = str(path.absolute())
    with duckdb.connect(":memory:", config=_CONFIG) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET enable_progress_bar = false")
        connection.execute(_set("allowed_paths", [file, _log_of(file)]))
        if folder is not None:
            connection.execute(_set("allowed_directories", [f"{folder.absolute()}/"]))
            connection.execute(_set("temp_directory", str(folder.absolute())))
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        try:
            connection.execute(attach(path).sql(dialect="duckdb"))
        except duckdb.Error:
            raise SourceError(
                f"{path.name} cannot be read as a DuckDB database.",
                attempt="checking that it is whole.",
            ) from None
        yield connection


def _log_of(file: str) -> str:
    """The write-ahead log beside a file, which DuckDB looks for: it takes a question mark for the
    start of a query."""
    path, mark, rest = file.partition("?")
    return f"{path}.wal{mark}{rest}"


def _set(name: str, value: str | list[str]) -> str:
    literal = (
        exp.Array(expressions=[exp.Literal.string(item) for item in value])
        if isinstance(value, list)
        else None
    )
    text = (literal or exp.Literal.string(str(value))).sql(dialect="duckdb")
    return f"SET {name} = {text}"


def _run(
    connection: duckdb.DuckDBPyConnection, sql: str, *, watched: Path, most: int, what: str
) -> None:
    """Run a query within limits of time and size, and stop it on Ctrl-C."""
    worker = Worker(lambda: connection.execute(sql), connection.interrupt)
    end = time.monotonic() + VIEW_SECONDS
    with worker:
        while not worker.wait(_WAIT):
            size = sum(file.stat().st_size for file in watched.iterdir())
            if size > most:
                raise _too_much(what, f"more than {most >> 20:,} MiB")
            if time.monotonic() > end:
                raise _too_much(what, f"more than {VIEW_SECONDS:g} seconds")
    worker.result()


def _too_much(what: str, found: str) -> SourceError:
    return SourceError(
        f"The view {what} takes {found}, which is the limit.",
        attempt="a table that holds its rows, made where the file comes from.",
    )
