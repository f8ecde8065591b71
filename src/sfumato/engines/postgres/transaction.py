"""Questions to PostgreSQL in one transaction, which sees one state of the source however long it
takes."""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from collections.abc import Container, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import Any, LiteralString

import psycopg
from numpy.typing import NDArray
from sqlglot import exp

from ..engine import FieldInfo, FieldKind, Snapshot
from ..sql import queries
from ..sql.codes import objects
from . import errors as postgres_errors
from .connection import begin, connect, work_memory
from .copy import copy_out, no_nul, parsed, to_stdout, whole_numbers
from .queries import PostgresQueries
from .tables import (
    COLUMNS,
    LOCKED,
    TYPES,
    ServerRelation,
    as_fields,
    chosen,
    is_text,
    kind_of,
    relations,
)

DEFAULT_MEMORY = "3GB"
LONGEST_NAME = 63
_SNAPSHOT = """
SELECT pg_catalog.pg_current_snapshot()::text,
  pg_catalog.to_char(pg_catalog.transaction_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
"""


class SourceTransaction:
    """A connection and its one transaction. Closing rolls it back: temporary tables are dropped,
    the source is as it was.

    `table` names one table that is wanted, `schema` one whose tables are wanted, or some `tables`
    of it. They are locked against being emptied or changed in form (not against new rows) before
    the snapshot is taken, so that it holds for all."""

    def __init__(
        self,
        uri: str,
        *,
        table: str | None = None,
        schema: str = "",
        tables: Container[str] | None = None,
        memory: str = DEFAULT_MEMORY,
    ) -> None:
        memory = work_memory(memory)
        self._connection, self.server = connect(uri)
        self._names = count()
        self._long: dict[str, str] = {}
        self.stand_in = -(2**62) - secrets.randbits(62)
        try:
            with self.reading(self.server.title()):
                self._relations = relations(self._connection)
                self.table = None if table is None else chosen(self._relations, table, self.server)
                within = [
                    r
                    for r in self._relations
                    if r.schema == schema and (tables is None or r.name in tables)
                ]
                wanted = within if self.table is None else [self.table]
                begin(self._connection, memory=memory)
                self._lock([r for r in wanted if r.wholly and r.kind in LOCKED])
                ((self._state, self._taken),) = self._connection.execute(_SNAPSHOT).fetchall()
        except BaseException:
            self.close()
            raise

    def _lock(self, wanted: Sequence[ServerRelation]) -> None:
        for relation in wanted:
            place = exp.table_(relation.name, db=relation.schema, quoted=True).sql(
                dialect="postgres"
            )
            self._connection.execute(f"LOCK TABLE {place} IN ACCESS SHARE MODE".encode())

    def queries(self, source: exp.Expr | None = None) -> PostgresQueries:
        return PostgresQueries(source, stand_in=self.stand_in, encoding=self.server.encoding)

    # ------------------------------------------------------------------------------------------------------
    # tables

    def list_tables(self, schema: str) -> tuple[str, ...]:
        """The tables and views of a schema of which something may be read, without partitions of
        others."""
        return tuple(
            r.name for r in self._relations if r.schema == schema and r.readable and not r.partition
        )

    def from_table(self, schema: str, table: str) -> exp.Subquery:
        """A table with all fields that may be read, as something to select from under the name
        `source`."""
        with self.reading(f"{schema}.{table}"):
            names = [name for name, readable in self.asked(COLUMNS, schema, table) if readable]
            place = exp.table_(table, db=schema, quoted=True)
            described = self._described(
                exp.select(*map(queries.column, names)).from_(place).limit(0)
            )
        return as_fields(schema, table, described)

    def describe(self, source: exp.Expr) -> tuple[FieldInfo, ...]:
        return tuple(
            info for info, _ in self._described(exp.select("*").from_(source.copy()).limit(0))
        )

    def described(self, query: exp.Query) -> tuple[FieldInfo, ...]:
        """The fields of what a query gives."""
        return self.describe(query.copy().subquery("asked"))

    def _described(self, query: exp.Expr) -> list[tuple[FieldInfo, bool]]:
        """The fields of an answer, and whether each is a kind of text. Domains are what they are
        made of."""
        with self._savepoint(), self._connection.cursor() as cursor:
            result = cursor.execute(self._sql(query)).pgresult
            assert result is not None
            places = range(result.nfields)
            names = [(result.fname(i) or b"").decode() for i in places]
            cursor.execute(
                TYPES, ([result.ftype(i) for i in places], [result.fmod(i) for i in places])
            )
            types = cursor.fetchall()
        return [
            (
                FieldInfo(self._long.get(name, name), kind_of(declared), declared),
                is_text(declared, typtype, category),
            )
            for name, (declared, typtype, category) in zip(names, types, strict=True)
        ]

    # ------------------------------------------------------------------------------------------------------
    # asking

    def _sql(self, query: exp.Expr) -> bytes:
        """As text for the server, which would cut names of more than 63 bytes: these get
        another."""
        query = query.copy()
        for identifier in query.find_all(exp.Identifier):
            name = identifier.name
            if len(name.encode()) > LONGEST_NAME:
                short = f"long {hashlib.sha256(name.encode()).hexdigest()[:40]}"
                self._long[short] = name
                identifier.set("this", short)
        sql = query.sql(dialect="postgres", copy=False)
        if "\0" in sql:
            raise no_nul()
        return sql.encode()

    @contextmanager
    def _savepoint(self) -> Iterator[None]:
        """A question that fails or is interrupted does not end the transaction. Only for what
        writes nothing: each savepoint that writes takes one of the server's transaction numbers."""
        self._connection.execute("SAVEPOINT asked")
        try:
            yield
        except BaseException:
            with contextlib.suppress(
                psycopg.Error
            ):  # psycopg's own way would log what went wrong, with values.
                self._connection.execute("ROLLBACK TO asked")
                self._connection.execute("RELEASE asked")
            raise
        self._connection.execute("RELEASE asked")

    def asked(self, sql: LiteralString, *values: str) -> list[tuple[Any, ...]]:
        """Rows of a catalogue."""
        with self._savepoint():
            return self._connection.execute(sql, values).fetchall()

    def rows(self, query: exp.Expr) -> list[tuple[Any, ...]]:
        with self._savepoint():
            return self._connection.execute(self._sql(query)).fetchall()

    def columns(self, query: exp.Expr) -> dict[str, NDArray[Any]]:
        """Whole numbers are read in the server's own bytes; texts one by one."""
        assert isinstance(query, exp.Query)
        infos = self.described(query)
        names = [info.name for info in infos]
        if any(info.kind is not FieldKind.INTEGER for info in infos):
            rows = self.rows(query)
            return {name: objects([row[i] for row in rows]) for i, name in enumerate(names)}
        answer = bytearray()
        with self._savepoint():
            wanted = to_stdout(whole_numbers(query, names), "binary")
            copy_out(self._connection, self._sql(wanted), answer.extend)
        return parsed(answer, names)

    def stream(self, query: exp.Expr, size: int) -> Iterator[Sequence[tuple[Any, ...]]]:
        """With a cursor of the server's: other questions may be asked while it is open."""
        with self._connection.cursor(name=f"stream {next(self._names)}") as cursor:
            cursor.execute(self._sql(query))
            while rows := cursor.fetchmany(size):
                yield rows

    def snapshot(self) -> Snapshot:
        version = f"{self.server.version // 10_000}.{self.server.version % 10_000}"
        facts = {"snapshot": self._state, "taken": self._taken, "server": version}
        return Snapshot(kind="postgresql snapshot", facts=facts)

    def reading(self, title: str) -> AbstractContextManager[None]:
        return postgres_errors.reading(title, self.server)

    def writing(self, title: str, target: str) -> AbstractContextManager[None]:
        return postgres_errors.writing(title, self.server, target)

    def close(self) -> None:
        with contextlib.suppress(psycopg.Error):
            self._connection.rollback()
        self._connection.close()
