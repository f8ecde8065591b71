"""Ways into an engine: how rows get into it. A new engine adds an entry to `WAYS` and one to
`MAIN`.

What an engine cannot do is marked where it is asked: `never(reason)` by its nature, or
`not_yet(reason)`."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import duckdb
import polars
import postgres_server
import pyarrow
import pyarrow.parquet
import pytest
import spark_local

from sfumato.engines import Engine, open_source

Rows = Sequence[tuple[str | None, ...]]

# ------------------------------------------------------------------------------------------- ways
# into an engine


def _as_rows(fields: Sequence[str], rows: Rows, folder: Path) -> Engine:
    return open_source(
        [dict(zip(fields, row, strict=True)) for row in rows], engine="reference", fields=fields
    )


def _as_csv(engine: str) -> Callable[[Sequence[str], Rows, Path], Engine]:
    def opened(fields: Sequence[str], rows: Rows, folder: Path) -> Engine:
        path = folder / "source.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows([fields, *rows])
        return open_source(path, engine=engine)

    return opened


def _arrow(fields: Sequence[str], rows: Rows) -> pyarrow.Table:
    columns = [
        pyarrow.array([row[i] for row in rows], pyarrow.string()) for i in range(len(fields))
    ]
    return pyarrow.table(columns, names=list(fields))


def _as_parquet(fields: Sequence[str], rows: Rows, folder: Path) -> Engine:
    pyarrow.parquet.write_table(_arrow(fields, rows), folder / "source.parquet")
    return open_source(folder / "source.parquet")


def _as_sqlite(fields: Sequence[str], rows: Rows, folder: Path) -> Engine:
    names = ", ".join('"' + name.replace('"', '""') + '" TEXT' for name in fields)
    with closing(sqlite3.connect(folder / "source.sqlite")) as database, database:
        database.execute(f"CREATE TABLE people ({names})")
        marks = ", ".join("?" * len(fields))
        database.executemany(f"INSERT INTO people VALUES ({marks})", rows)
    database.close()
    return open_source(folder / "source.sqlite")


def _as_duckdb_file(fields: Sequence[str], rows: Rows, folder: Path) -> Engine:
    with duckdb.connect(str(folder / "source.duckdb")) as database:
        database.register("rows", _arrow(fields, rows))
        database.execute("CREATE TABLE people AS SELECT * FROM rows")
    return open_source(folder / "source.duckdb")


def _as_postgres(fields: Sequence[str], rows: Rows, folder: Path) -> Engine:
    server = postgres_server.running()
    return open_source(server.uri(), table=server.table(fields, rows))


def _as_spark_parquet(fields: Sequence[str], rows: Rows, folder: Path) -> Engine:
    pyarrow.parquet.write_table(_arrow(fields, rows), folder / "source.parquet")
    return open_source(folder / "source.parquet", engine="spark", spark=spark_local.running())


def _as_spark_csv(fields: Sequence[str], rows: Rows, folder: Path) -> Engine:
    spark_local.running()
    return _as_csv("spark")(fields, rows, folder)


def _as_postgres_view(fields: Sequence[str], rows: Rows, folder: Path) -> Engine:
    """Columns of other types of text, in a database that sorts as people do, behind a view in a
    schema of its own."""
    server = postgres_server.running()
    database = server.sorting_as_people_do()
    table, quoted = server.table(fields, rows, database=database), postgres_server.quoted
    types = ("varchar", "varchar(200000)", "text")
    columns = ", ".join(
        f"{quoted(name)}::{types[i % 3]} AS {quoted(name)}" for i, name in enumerate(fields)
    )
    server.run(
        f'CREATE VIEW "it\'s a.schema".{table} AS SELECT {columns} FROM {table}', database=database
    )
    return open_source(server.uri(database), table=f"it's a.schema.{table}")


WAYS: dict[str, Callable[[Sequence[str], Rows, Path], Engine]] = {
    "reference": _as_rows,
    "reference-csv": _as_csv("reference"),
    "duckdb-csv": _as_csv("duckdb"),
    "duckdb-parquet": _as_parquet,
    "duckdb-sqlite": _as_sqlite,
    "duckdb-file": _as_duckdb_file,
    "duckdb-pandas": lambda fields, rows, folder: open_source(_arrow(fields, rows).to_pandas()),
    "duckdb-polars": lambda fields, rows, folder: open_source(
        polars.from_arrow(_arrow(fields, rows))
    ),
    "duckdb-arrow": lambda fields, rows, folder: open_source(_arrow(fields, rows)),
    "duckdb-stream": lambda fields, rows, folder: open_source(_arrow(fields, rows).to_reader()),
    "postgres": _as_postgres,
    "postgres-view": _as_postgres_view,
    "spark-parquet": _as_spark_parquet,
    "spark-csv": _as_spark_csv,
}

FIELDS = ("zip", "sex", "ill")
ROWS: Rows = (
    ("02138", "f", "flu"),
    ("02138", "f", None),
    ("02139", "m", "flu"),
    (None, "f", "gout"),
    (None, None, "flu"),
    ("02138", "f", "flu"),
)
Open = Callable[..., Engine]


MAIN = ("reference", "duckdb-csv", "duckdb-arrow", "postgres", "spark-parquet")


def opening(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Skips or expects failure as the test's marks say for the way's engine."""
    for mark in request.node.iter_markers():
        if mark.name in ("never", "not_yet") and request.param.startswith(mark.kwargs["engine"]):
            (pytest.skip if mark.name == "never" else pytest.xfail)(mark.args[0])
    with ExitStack() as stack:
        yield lambda fields=FIELDS, rows=ROWS: stack.enter_context(
            WAYS[request.param](fields, rows, tmp_path)
        )
