"""A DuckDB file of released tables, for recipients who query it with their own tools."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import duckdb
from sqlglot import exp

from sfumato.errors import Bug
from sfumato.runs import UNFINISHED, hidden_name

from .errors import writing


def write_database_file(
    path: Path, tables: Mapping[str, Path], *, notes: Mapping[str, str]
) -> None:
    """Write Parquet files as tables of one DuckDB file, and texts in JSON as tables of one row. The
    file is compared with its parts before it gets its name, and replaces an earlier one at once."""
    draft = path.with_name(hidden_name(path, UNFINISHED))
    try:
        with writing(path.name, str(path)), duckdb.connect(str(draft)) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            for name, file in tables.items():
                _store(connection, name, file)
            for name, text in notes.items():
                note = exp.alias_(exp.Placeholder(), "manifest")
                connection.execute(_create(name, exp.select(note)), [text])
            connection.execute("CHECKPOINT")
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
        draft.with_name(draft.name + ".wal").unlink(missing_ok=True)


def _store(connection: duckdb.DuckDBPyConnection, name: str, file: Path) -> None:
    """One table, whose rows are those of its file."""
    read = exp.Anonymous(this="read_parquet", expressions=[exp.Literal.string(str(file))])
    rows = exp.select("*").from_(read)
    connection.execute(_create(name, rows))
    stored = exp.select("*").from_(exp.table_(name, quoted=True))
    for one, other in ((rows, stored), (stored, rows)):
        rest = exp.Except(this=one.copy(), expression=other.copy(), distinct=False)
        if connection.execute(rest.limit(1).sql(dialect="duckdb")).fetchone() is not None:
            raise Bug(f"table {name} of a DuckDB file differs from the release that was judged.")


def _create(name: str, query: exp.Select) -> str:
    made = exp.Create(this=exp.table_(name, quoted=True), kind="TABLE", expression=query)
    return made.sql(dialect="duckdb")
