"""Parquet out of PostgreSQL, which does not write it: through a private CSV file, by DuckDB."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import duckdb
from sqlglot import exp

from sfumato.errors import Bug, TargetError
from sfumato.policy import Order
from sfumato.runs import temporary_folder

from ..duckdb import errors as duckdb_errors
from ..duckdb.session import DuckDBSession
from ..duckdb.views import call
from ..engine import FieldInfo, FieldKind, WritePlan
from ..sql.queries import column, named
from .connection import Connection
from .copy import copy_out

MEMORY = "3GB"
USUAL_LINE = (
    1 << 21
)  # DuckDB's own limit, which is raised where a row needs it: its buffers grow with it.
_TYPES = {
    "smallint": "SMALLINT",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "real": "FLOAT",
    "double precision": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp without time zone": "TIMESTAMP",
    "timestamp with time zone": "TIMESTAMPTZ",
}


def write_parquet(
    connection: Connection,
    copy: bytes,
    infos: Sequence[FieldInfo],
    target: Path,
    *,
    plan: WritePlan,
) -> int:
    """Run a COPY into a file that only its owner can read, and turn that into Parquet with the
    types of the fields."""
    as_they_come = replace(
        plan, order=Order.SCRAMBLE if plan.order is Order.SCRAMBLE else Order.KEEP
    )
    with temporary_folder() as scratch:
        rows = scratch / "rows.csv"
        count, longest = _stored(connection, copy, rows)
        session = DuckDBSession(str(scratch), MEMORY)
        try:
            with (
                duckdb_errors.writing("the rows of the server", str(target)),
                _dates_in_range(str(target)),
            ):
                written = session.copy(_typed(rows, infos, longest), target, as_they_come)
        finally:
            session.close()
    if written != count:
        raise Bug(f"The server sent {count} rows, and {written} were written.")
    return count


def _stored(connection: Connection, copy: bytes, rows: Path) -> tuple[int, int]:
    """How many rows were written, and how long the longest is."""
    longest = 0
    with rows.open("wb", buffering=1 << 20) as file:

        def write(row: bytes | memoryview) -> None:
            nonlocal longest
            longest = max(longest, len(row))
            file.write(row)

        return copy_out(connection, copy, write), longest


@contextmanager
def _dates_in_range(target: str) -> Iterator[None]:
    try:
        yield
    except duckdb.ConversionException:
        raise TargetError(
            f"The release cannot be written to {target}.",
            found="A date or time is before year 1 or later than Parquet can hold.",
            attempt="CSV, where it is text; nothing was released.",
        ) from None


def _typed(rows: Path, infos: Sequence[FieldInfo], longest: int) -> exp.Select:
    read = call(
        "read_csv",
        rows,
        delim=",",
        header=False,
        quote='"',
        escape='"',
        auto_detect=False,
        columns={f"c{i}": "VARCHAR" for i in range(len(infos))},
        max_line_size=max(USUAL_LINE, longest + 1),
        null_padding=False,
        strict_mode=True,
    )
    shown = [named(_cell(column(f"c{i}"), info), info.name) for i, info in enumerate(infos)]
    return exp.select(*shown).from_(read.subquery("rows"))


def _cell(text: exp.Expr, info: FieldInfo) -> exp.Expr:
    if info.kind in (FieldKind.DATE, FieldKind.TIMESTAMP):
        # Where DuckDB reads a file and a date at once, it overlooks what stands behind the day,
        # such as BC.
        text = exp.Reverse(this=exp.Reverse(this=text))
    return exp.cast(text, parquet_type(info.declared), dialect="duckdb")


def parquet_type(declared: str) -> str:
    """The type of a field in Parquet; text where Parquet has none for it.

    Example:
        >>> parquet_type("numeric(12,2)"), parquet_type("numeric"), parquet_type("timestamp(3) without time zone")
        ('DECIMAL(12, 2)', 'TEXT', 'TIMESTAMP')
    """
    exact = re.fullmatch(r"numeric\((\d+),(\d+)\)", declared)
    if exact and int(exact[1]) <= 38 and int(exact[2]) <= int(exact[1]):
        return f"DECIMAL({exact[1]}, {exact[2]})"
    return _TYPES.get(re.sub(r"\(\d+\)", "", declared), "TEXT")
