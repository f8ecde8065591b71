"""A whole release of the made-up hospital database beside the engine's own copy of the same six tables.

The policy is the one that comes with it: k = 5 over the patients' four quasi-identifiers, numbers of rows shared by
five people in four tables, k^m over two fields, keys as random numbers, dates shifted per patient, rows scrambled. A
copy reads and writes every row once: DuckDB and Spark from Parquet to Parquet, PostgreSQL from schema to schema.

`python -m benchmarks hospital` takes a few minutes. Other sizes and engines, with visits in millions:
`SFUMATO_HOSPITAL="duckdb:1,10,100 postgres:1,10 spark:10" python -m benchmarks hospital`
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

from sfumato.made_up import HOSPITAL_DATABASE_TYPES

from .data import CACHE
from .hospital_data import hospital, policy
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
RELEASE = (
    "import json, sys, sfumato; source, policy, to, more = sys.argv[1:]; "
    "sfumato.release(source, policy, to=to, **json.loads(more))"
)


def main() -> None:
    wanted = os.environ.get("SFUMATO_HOSPITAL", USUAL)
    table = Table(title="release of the hospital database against the engine's own copy")
    for heading in ("engine", "visits", "rows", "copy s", "release s", "release CPU s", "release MB", "ratio"):
        table.add_column(heading, justify="right")
    for part in wanted.split():
        engine, _, sizes = part.partition(":")
        for millions in sizes.split(","):
            visits = int(float(millions) * 1_000_000)
            folder = hospital(visits)
            copy, made = MEASURED[engine](folder)
            table.add_row(
                engine, f"{visits:,}", f"{_rows(folder):,}", f"{copy.seconds:.1f}", f"{made.seconds:.1f}",
                f"{made.cpu:.1f}", f"{made.megabytes:.0f}", f"{made.seconds / copy.seconds:.2f}",
            )  # fmt: skip
    Console(width=110).print(table)


def _rows(folder: Path) -> int:
    files = [str(folder / f"{name}.parquet") for name in HOSPITAL_DATABASE_TYPES]
    return int(duckdb.sql(f"SELECT sum(num_rows) FROM parquet_file_metadata({files})").fetchall()[0][0])


def _in_duckdb(folder: Path) -> tuple[Cost, Cost]:
    copy = python(COPY_DUCKDB, str(folder), str(_fresh("copy")))
    made = python(
        RELEASE, str(folder), str(policy(folder)), str(_fresh("release", make=False)), f'{{"memory": "{MEMORY}"}}'
    )
    return copy, _tidied(made)


def _in_spark(folder: Path) -> tuple[Cost, Cost]:
    copy = python(COPY_SPARK, str(folder), str(_fresh("copy")))
    more = '{"engine": "spark", "master": "local[2]", "memory": "4g"}'
    made = python(RELEASE, str(folder), str(policy(folder)), str(_fresh("release", make=False)), more)
    return copy, _tidied(made)


def _in_postgres(folder: Path) -> tuple[Cost, Cost]:
    """In a server of its own that keeps what it is told, as one in use does; the client's CPU and memory are told."""
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
        copy = python(COPY_POSTGRES, server.uri(), *HOSPITAL_DATABASE_TYPES)
        documents = f'{{"documents": "{_fresh("release", make=False)}", "memory": "{MEMORY}"}}'
        made = python(RELEASE, server.uri(), str(policy(folder)), f"{server.uri()}#released", documents)
    finally:
        server.stop()
    return copy, _tidied(made)


def _load(uri: str, folder: Path) -> None:
    """The tables by COPY from CSV that DuckDB writes into a pipe's place: a file."""
    import psycopg

    keys = {"patients": "patient_id", "visits": "visit_id", "physicians": "physician_id"}
    rows = CACHE / "rows.csv"
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA copied")
        connection.execute("CREATE SCHEMA released")
        for name, fields in HOSPITAL_DATABASE_TYPES.items():
            connection.execute(f"CREATE TABLE {name} ({', '.join(f'{f} {kind}' for f, kind in fields.items())})")
            duckdb.sql(f"COPY (FROM '{folder / name}.parquet') TO '{rows}' (FORMAT csv, HEADER false)")
            with connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT csv)") as into, rows.open("rb") as file:
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
