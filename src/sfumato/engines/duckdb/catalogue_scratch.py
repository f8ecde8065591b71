"""A scratch database for catalogue queries: a closed DuckDB in memory, with made-up tables named as
in PostgreSQL.

Clients ask which tables and columns there are with queries of any complexity. Those run here, over
rows that were made from the policy's catalogue. No private table is ever in it, and a query that
takes too long is ended."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb
from sqlglot import exp

from sfumato.errors import NotAdmitted

from .scratch import CLOSED

_PAD: Final = {**CLOSED, "memory_limit": "256MB", "python_enable_replacements": "false"}
_STARTING: Final = {key: value for key, value in _PAD.items() if key != "lock_configuration"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PadTable:
    """A table to be made: its columns with DuckDB's words for their types, and its rows."""

    schema: str
    name: str
    columns: Mapping[str, str]
    rows: Sequence[tuple[Any, ...]] = ()


class CataloguePad:
    """Made tables, and queries over them. Each query has a cursor of its own, so several threads
    may ask.

    Example:
        >>> pad = CataloguePad([PadTable(schema="made", name="t", columns={"a": "INTEGER"}, rows=[(1,), (2,)])])
        >>> import sqlglot
        >>> pad.run(sqlglot.parse_one("SELECT a FROM made.t ORDER BY a DESC"), seconds=5, most=10)
        ([('a', 'INTEGER')], [(2,), (1,)])
    """

    def __init__(self, tables: Iterable[PadTable]) -> None:
        self._pad = duckdb.connect(":memory:", config=_STARTING)
        tables = tuple(tables)
        for schema in sorted({table.schema for table in tables}):
            self._pad.execute(f"CREATE SCHEMA {_quoted(schema)}")
        for table in tables:
            self._make(table)
        self._pad.execute("SET lock_configuration = true")

    def _make(self, table: PadTable) -> None:
        columns = ", ".join(f"{_quoted(name)} {kind}" for name, kind in table.columns.items())
        name = f"{_quoted(table.schema)}.{_quoted(table.name)}"
        self._pad.execute(f"CREATE TABLE {name} ({columns})")
        if table.rows:
            marks = ", ".join("?" * len(table.columns))
            self._pad.executemany(
                f"INSERT INTO {name} VALUES ({marks})", [list(row) for row in table.rows]
            )

    def run(
        self, tree: exp.Expr, *, seconds: float, most: int
    ) -> tuple[list[tuple[str, str]], list[tuple[Any, ...]]]:
        """The columns with their types, and the rows; `NotAdmitted` where that fails or takes too
        long."""
        with self._pad.cursor() as cursor:
            ending = threading.Timer(seconds, cursor.interrupt)
            ending.start()
            try:
                found = cursor.execute(tree.sql("duckdb"))
                columns = [(each[0], str(each[1])) for each in found.description or ()]
                rows = found.fetchmany(most + 1)
            except duckdb.InterruptException:
                raise NotAdmitted(
                    "The question about the catalogue takes too long.", code="too-long"
                ) from None
            except (duckdb.Error, ValueError, OverflowError):
                raise NotAdmitted(
                    "The gate cannot work out this question about the catalogue.", code="catalogue"
                ) from None
            finally:
                ending.cancel()
        if len(rows) > most:
            raise NotAdmitted(f"The answer has more than {most:,} rows.", code="too-long")
        return columns, rows


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
