"""A whole release of the made-up hospital database beside the engine's own copy of the same six
tables.

The policy is the one that comes with it: k = 5 over the patients' four quasi-identifiers, numbers
of rows shared by five people in four tables, k^m over two fields, keys as random numbers, dates
shifted per patient, rows scrambled. A copy reads and writes every row once: DuckDB and Spark from
Parquet to Parquet, PostgreSQL from schema to schema. The floor is the least that any such release
does (`hospital_floor`); Spark has none.

`python -m benchmarks hospital` takes a few minutes. Other sizes and engines, with visits in
millions: `SFUMATO_HOSPITAL="duckdb:1,10,100 postgres:1,10 spark:10" python -m benchmarks hospital`
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

from sfumato.datasets import HOSPITAL_DATABASE_TYPES

from .data import CACHE
from .hospital_data import hospital, policy
from .hospital_floor import FLOOR_DUCKDB, FLOOR_POSTGRES
from .measuring import Cost, python

USUAL = "duckdb:1,10 postgres:1"
MEMORY = "4GB"
COPY_DUCKDB = f"""
import duckdb, pathlib, sys
connection = duckdb.connect()
connection.execute("SET preserve_insertion_order = false; SET memory_limit = '{MEMORY}'")
for file in pathlib.Path(sys.argv[1]).glob("*.parquet"):
    connection.execute(f"COPY (FROM '{{file}}') TO '{{sys.argv[2]}}/{{file.name}}' (FORMAT parquet)")
"""
COPY_POSTGRES = """
import psycopg, sys
connection = psycopg.connect(sys.argv[1], autocommit=True)
for table in sys.argv[2:]:
    connection.execute(f"CREATE TABLE copied.{table} AS SELECT * FROM public.{table}")
"""
COPY_SPARK = """
import pathlib, sys
from pyspark.sql import SparkSession
settings = {"spark.driver.memory": "4g", "spark.ui.enabled": "false"}
spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
for file in pathlib.Path(sys.argv[1]).glob("*.parquet"):
    spark.read.parquet(str(file)).write.parquet(f"{sys.argv[2]}/{file.name}")
"""
LINKS = (
    ("visits", "patient_id", "patients"), ("visits", "physician_id", "physicians"),
    *((table, "visit_id", "visits") for table in ("diagnoses", "procedures", "medications")),
)  # fmt: skip
HEADINGS = (
    "engine", "visits", "rows", "copy s", "floor s", "release s", "to copy", "to floor", "floor CPU s", "release CPU s",
    "MB",
)  # fmt: skip
Measured = tuple[Cost, Cost | None, Cost]
"""Of the engine's own copy, of the floor, and of the release."""

RELEASE = (
    "import json, sys, sfumato; source, policy, to, more = sys.argv[1:]; "
    "sfumato.release(source, policy, to=to, **json.loads(more))"
)


def main() -> None:
    wanted = os.environ.get("SFUMATO_HOSPITAL", USUAL)
    table = Table(
        title="release of the hospital database as a multiple of the engine's own copy, and of "
        "the floor"
    )
    for heading in HEADINGS:
        table.add_column(heading, justify="right")
    for part in wanted.split():
        engine, _, sizes = part.partition(":")
        for millions in sizes.split(","):
            visits = int(float(millions) * 1_000_000)
            folder = hospital(visits)
            copy, floor, made = MEASURED[engine](folder)
            table.add_row(engine, f"{visits:,}", f"{_rows(folder):,}", *_told(copy, floor, made))
    Console(width=130).print(table)


def _told(copy: Cost, floor: Cost | None, made: Cost) -> list[str]:
    """Seconds, what the release is a multiple of, CPU seconds and memory, in the order of
    HEADINGS."""
    told: list[float | None] = [
        copy.seconds,
        floor and floor.seconds,
        made.seconds,
        made.seconds / copy.seconds,
    ]
    told += [floor and made.seconds / floor.seconds, floor and floor.cpu, made.cpu]
    return [*("" if found is None else f"{found:.1f}" for found in told), f"{made.megabytes:.0f}"]


def _rows(folder: Path) -> int:
    files = [str(folder / f"{name}.parquet") for name in HOSPITAL_DATABASE_TYPES]
    return int(
        duckdb.sql(f"SELECT sum(num_rows) FROM parquet_file_metadata({files})").fetchall()[0][0]
    )


def _in_duckdb(folder: Path) -> Measured:
    copy = python(COPY_DUCKDB, str(folder), str(_fresh("copy")))
    floor = python(FLOOR_DUCKDB, str(folder), str(_fresh("copy")), MEMORY)
    _tidied(floor)
    made = python(
        RELEASE,
        str(folder),
        str(policy(folder)),
        str(_fresh("release", make=False)),
        f'{{"memory": "{MEMORY}"}}',
    )
    return copy, floor, _tidied(made)


def _in_spark(folder: Path) -> Measured:
    copy = python(COPY_SPARK, str(folder), str(_fresh("copy")))
    more = '{"engine": "spark", "master": "local[2]", "memory": "4g"}'
    made = python(
        RELEASE, str(folder), str(policy(folder)), str(_fresh("release", make=False)), more
    )
    return copy, None, _tidied(made)


def _in_postgres(folder: Path) -> Measured:
    """In a server of its own that keeps what it is told, as one in use does. The client's memory is
    told; CPU seconds are the server's and the client's. What one run has made is gone when the next
    begins."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "services"))
    from postgres_server import PostgresServer, found_binaries

    settings = {
        "shared_buffers": "1GB", "max_wal_size": "8GB", "maintenance_work_mem": "512MB",
        "fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "wal_level": "replica",
    }  # fmt: skip
    server = PostgresServer(found_binaries()[0], **settings)
    server.start()
    try:
        _load(server.uri(), folder)
        before = _cpu_of(server.uri())
        copy = python(COPY_POSTGRES, server.uri(), *HOSPITAL_DATABASE_TYPES)
        copy = replace(copy, cpu=copy.cpu + _cpu_of(server.uri()) - before)
        _emptied(server.uri(), "copied")
        before = _cpu_of(server.uri())
        floor = python(FLOOR_POSTGRES, server.uri())
        floor = replace(floor, cpu=floor.cpu + _cpu_of(server.uri()) - before)
        _emptied(server.uri(), "floor")
        documents = f'{{"documents": "{_fresh("release", make=False)}", "memory": "{MEMORY}"}}'
        before = _cpu_of(server.uri())
        made = python(
            RELEASE, server.uri(), str(policy(folder)), f"{server.uri()}#released", documents
        )
        made = replace(made, cpu=made.cpu + _cpu_of(server.uri()) - before)
    finally:
        server.stop()
    return copy, floor, _tidied(made)


def _emptied(uri: str, schema: str) -> None:
    """Drop what a run has made, and have the server write what it still owes to disk."""
    import psycopg

    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {schema} CASCADE")
        connection.execute("CHECKPOINT")


def _cpu_of(uri: str) -> float:
    """CPU seconds of a server's processes that have ended, where the system tells."""
    import psycopg

    time.sleep(2)  # A process that has just ended is counted when the server has seen it.
    with psycopg.connect(uri, autocommit=True) as connection:
        ((folder,),) = connection.execute("SHOW data_directory").fetchall()
    status = Path("/proc") / (Path(folder) / "postmaster.pid").read_text().split()[0] / "stat"
    if not status.exists():
        return 0.0
    ended = status.read_text().rpartition(")")[2].split()[13:15]
    return sum(map(int, ended)) / os.sysconf("SC_CLK_TCK")


def _load(uri: str, folder: Path) -> None:
    """The tables by COPY from CSV that DuckDB writes into a pipe's place: a file."""
    import psycopg

    keys = {"patients": "patient_id", "visits": "visit_id", "physicians": "physician_id"}
    rows = CACHE / "rows.csv"
    with psycopg.connect(uri, autocommit=True) as connection:
        for schema in ("copied", "floor", "released"):
            connection.execute(f"CREATE SCHEMA {schema}")
        for name, fields in HOSPITAL_DATABASE_TYPES.items():
            connection.execute(
                f"CREATE TABLE {name} ({', '.join(f'{f} {kind}' for f, kind in fields.items())})"
            )
            duckdb.sql(
                f"COPY (FROM '{folder / name}.parquet') TO '{rows}' (FORMAT csv, HEADER false)"
            )
            with (
                connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT csv)") as into,
                rows.open("rb") as file,
            ):
                while part := file.read(1 << 20):
                    into.write(part)
            if name in keys:
                connection.execute(f"ALTER TABLE {name} ADD PRIMARY KEY ({keys[name]})")
            connection.execute(f"ANALYZE {name}")
        for name, field, to in LINKS:
            connection.execute(f"ALTER TABLE {name} ADD FOREIGN KEY ({field}) REFERENCES {to}")
    rows.unlink()


def _fresh(name: str, *, make: bool = True) -> Path:
    path = CACHE / name
    shutil.rmtree(path, ignore_errors=True)
    if make:
        path.mkdir(parents=True)
    return path


def _tidied(made: Cost) -> Cost:
    for name in ("copy", "release"):
        shutil.rmtree(CACHE / name, ignore_errors=True)
    return made


MEASURED = {"duckdb": _in_duckdb, "postgres": _in_postgres, "spark": _in_spark}
