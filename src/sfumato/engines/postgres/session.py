"""A session of PostgreSQL: questions, temporary tables of its own, and what is written."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import numpy as np
import psycopg
from sqlglot import exp

from sfumato.policy import Order

from ..engine import FieldInfo, FieldKind, WritePlan
from ..sql import queries
from ..sql.session import Batch
from .copy import as_lines, copy_in, copy_out, from_stdin, gathered, header, to_stdout
from .parquet import write_parquet
from .queries import KEPT, canonical
from .transaction import SourceTransaction

_TYPES = {"text": "text", "whole": "bigint"}
_WRITTEN_OTHERWISE = ("boolean", "real", "double precision")
"""Types that COPY does not write as canonical text."""


class PostgresSession(SourceTransaction):
    """One connection in one transaction. Nothing is committed but what `create` made, and that only
    by `commit`."""

    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".parquet")
    row_id: ClassVar[str] = "ctid"

    def _run(self, statement: exp.Expr) -> int:
        return self._connection.execute(self._sql(statement)).rowcount

    def _analyze(self, place: exp.Expr) -> None:
        """Let the planner know a new table: nobody else does so in time."""
        self._connection.execute(b"ANALYZE " + self._sql(place))

    # -------------------------------------------------------------------------------------------
    # tables of its own

    def keep(self, query: exp.Expr, *, large: bool = False) -> str:
        """The server itself decides what stays in memory."""
        name = f"{KEPT}{next(self._names)}"
        self._run(_temporary(queries.table(name), query))
        self._analyze(queries.table(name))
        return name

    def forget(self, name: str) -> None:
        """Where the transaction has failed, its tables are gone, or go when it ends."""
        with contextlib.suppress(psycopg.Error):
            if self._connection.info.transaction_status is psycopg.pq.TransactionStatus.INTRANS:
                self._run(exp.Drop(tables=[queries.table(name)], kind="TABLE", exists=True))

    def remove(self, name: str, places: exp.Expr) -> None:
        chosen = exp.In(this=exp.column("ctid"), query=exp.Subquery(this=places))
        self._run(exp.Delete(this=queries.table(name), where=exp.Where(this=chosen)))

    def load(self, kinds: Mapping[str, str], batches: Iterator[Batch]) -> str:
        """Each batch is a COPY of its own, because a batch may be asked of this same session."""
        name = f"{KEPT}{next(self._names)}"
        place = queries.table(name)
        self._run(
            _temporary(_schema(place, {column: _TYPES[kind] for column, kind in kinds.items()}))
        )
        into = self._sql(from_stdin(place))
        try:
            for batch in batches:
                lines = as_lines(
                    {c: np.asarray(batch[c], object) for c in kinds}, null=str(self.stand_in)
                )
                copy_in(self._connection, into, lines)
        except BaseException:
            self.forget(name)
            raise
        self._analyze(place)
        return name

    # -----------------------------------------------------------------------------------------------------
    # writing

    def copy(self, query: exp.Expr, target: Path, plan: WritePlan) -> int:
        assert isinstance(query, exp.Query)
        infos = self.described(query)
        rows = self._sql(to_stdout(_as_cells(query, infos), "csv"))
        try:  # Around the opening too: a signal may come as soon as the file is there.
            with (
                target.open("wb", buffering=1 << 20) as file,
                self.in_order(plan.order),
                self._savepoint(),
            ):
                if target.suffix == ".parquet":
                    return write_parquet(self._connection, rows, infos, target, plan=plan)
                file.write(header([info.name for info in infos]))
                written = copy_out(self._connection, rows, file.write)
                file.flush()
                return written
        except BaseException:
            target.unlink(missing_ok=True)
            raise

    @contextmanager
    def in_order(self, order: Order) -> Iterator[None]:
        """Rows as they are stored are read by one worker."""
        if order is not Order.KEEP:
            yield
            return
        self._connection.execute("SET LOCAL max_parallel_workers_per_gather = 0")
        try:
            yield
        finally:
            with contextlib.suppress(psycopg.Error):
                self._connection.execute("SET LOCAL max_parallel_workers_per_gather TO DEFAULT")

    def create(self, place: exp.Table, query: exp.Query) -> int:
        """A table that stays if the transaction is committed; the number of its rows."""
        rows = self._run(exp.Create(this=place, kind="TABLE", expression=query))
        self._analyze(place)
        return rows

    def create_from(
        self, other: PostgresSession, place: exp.Table, query: exp.Query, types: Mapping[str, str]
    ) -> int:
        """The same, with rows of another session: as text, which servers of every version read."""
        self._run(exp.Create(this=_schema(place, types, collation="default"), kind="TABLE"))
        with (
            other._savepoint(),
            self._connection.cursor() as cursor,
            cursor.copy(self._sql(from_stdin(place))) as into,
            gathered(into.write) as write,
        ):
            rows = copy_out(other._connection, other._sql(to_stdout(query, "text")), write)
        self._analyze(place)
        return rows

    def commit(self) -> None:
        """End the transaction, and with it the session: what was created stays."""
        self._connection.commit()
        self._connection.close()


def _temporary(place: exp.Expr, query: exp.Expr | None = None) -> exp.Create:
    properties = exp.Properties(expressions=[exp.TemporaryProperty()])
    return exp.Create(this=place, kind="TABLE", properties=properties, expression=query)


def _schema(place: exp.Table, types: Mapping[str, str], *, collation: str = "C") -> exp.Schema:
    """A table with its columns."""
    parts = []
    for name, declared in types.items():
        collate = exp.CollateColumnConstraint(this=exp.to_identifier(collation, quoted=True))
        constraints = [exp.ColumnConstraint(kind=collate)] if declared == "text" else []
        kind = exp.DataType.build(declared, dialect="postgres", udt=True)
        parts.append(
            exp.ColumnDef(
                this=exp.to_identifier(name, quoted=True), kind=kind, constraints=constraints
            )
        )
    return exp.Schema(this=place, expressions=parts)


def _as_cells(query: exp.Query, infos: Sequence[FieldInfo]) -> exp.Select:
    """The result of a query, as canonical text where COPY itself would write something else. The
    order stays."""
    shown = [
        queries.named(canonical(queries.column(info.name), info), info.name)
        if info.declared in _WRITTEN_OTHERWISE or info.kind is FieldKind.OTHER
        else queries.column(info.name)
        for info in infos
    ]
    return exp.select(*shown).from_(query.subquery("made"))
