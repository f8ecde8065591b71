"""Opening a source with the engine that fits it. Drivers are imported only when their engine is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sfumato.errors import MissingExtra, SourceError

from .addresses import SPARK, is_postgres
from .database import Database
from .engine import Engine
from .target import Target


def _duckdb(source: Any, **options: Any) -> Engine:
    from .engines.duckdb import DuckDBEngine

    return DuckDBEngine(source, **options)


def _reference(source: Any, **options: Any) -> Engine:
    from .engines.reference import ReferenceEngine

    return ReferenceEngine(source, **options)


def _postgres(source: Any, **options: Any) -> Engine:
    with _postgres_driver():
        from .engines.postgres import PostgresEngine

    return PostgresEngine(source, **_in_schema(**_of_databases(options)))


def _postgres_tables(source: Any, **options: Any) -> Database:
    with _postgres_driver():
        from .engines.postgres_database import PostgresDatabase

    return PostgresDatabase(source, **_of_databases(options))


def _spark(source: Any, **options: Any) -> Engine:
    with _spark_driver():
        from .engines.spark import SparkEngine

    return SparkEngine(source, **options)


def _spark_tables(source: Any, **options: Any) -> Database:
    with _spark_driver():
        from .engines.spark_database import SparkDatabase

    return SparkDatabase(source, **options)


@contextmanager
def _spark_driver() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] not in ("pyspark", "py4j", "pyarrow"):
            raise
        raise MissingExtra("Reading with Spark", extra="spark") from None


@contextmanager
def _postgres_driver() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] != "psycopg":
            raise
        raise MissingExtra("Reading from PostgreSQL", extra="postgres") from None


def _of_databases(options: dict[str, Any]) -> dict[str, Any]:
    """Without what a person may have to say about a file."""
    for name, usual in (("encoding", "utf-8"), ("separator", "")):
        if options.get(name, usual) != usual:
            raise SourceError(f"A database was opened with {name} {options[name]!r}.", attempt="without it.")
    return {name: value for name, value in options.items() if name not in ("encoding", "separator")}


def _in_schema(*, table: str = "", schema: str = "", **options: Any) -> dict[str, Any]:
    """One table of a schema is SCHEMA.TABLE."""
    if schema and not table:
        raise SourceError(f"One table of schema {schema!r} was asked for.", attempt="naming it with --table.")
    return {"table": f"{schema}.{table}" if schema else table, **options}


def _duckdb_tables(source: Any, **options: Any) -> Database:
    from .engines.duckdb_database import DuckDBDatabase

    return DuckDBDatabase(source, **options)


def _reference_tables(source: Any, **options: Any) -> Database:
    from .engines.reference_database import ReferenceDatabase

    return ReferenceDatabase(source, **options)


ENGINES: dict[str, Callable[..., Engine]] = {
    "duckdb": _duckdb,
    "reference": _reference,
    "postgres": _postgres,
    "spark": _spark,
}
DATABASES: dict[str, Callable[..., Database]] = {
    "duckdb": _duckdb_tables,
    "reference": _reference_tables,
    "postgres": _postgres_tables,
    "spark": _spark_tables,
}


def engine_for(source: Any) -> str:
    """The engine that a source is opened with unless told: by its address, else DuckDB."""
    if is_postgres(source):
        return "postgres"
    return "spark" if isinstance(source, str) and source.startswith(SPARK) else "duckdb"


def open_source(source: Any, *, engine: str = "", **options: Any) -> Engine:
    """Open a file, a frame, an Arrow table or a table of a database as one table.

    The engine is a context manager; closing it leaves nothing behind. Options of the DuckDB engine: `encoding`,
    `separator`, `table` (in a database file) and `memory`.
    """
    opened: Engine = _known(ENGINES, engine, source)(source, **options)
    return opened


def open_database(source: Any, *, engine: str = "", **options: Any) -> Database:
    """Open a folder of files, a database or a mapping of frames as several tables.

    `tables` names those that are wanted, all where it is left out; other options are those of `open_source`.
    """
    opened: Database = _known(DATABASES, engine, source)(source, **options)
    return opened


def _known(engines: dict[str, Callable[..., Any]], asked: str, source: Any) -> Callable[..., Any]:
    """The engine that was asked for, or that fits. Another would take an address for a path, and quote it in errors."""
    name = asked or engine_for(source)
    if (name != "postgres") if is_postgres(source) else (name == "postgres" and not isinstance(source, str)):
        raise SourceError(
            f"The engine {name} was asked for.",
            found=f"The source is {'' if is_postgres(source) else 'not '}the address of a PostgreSQL database.",
            attempt="leaving the engine out, or postgresql://host/database as the source of engine postgres.",
        )
    if name not in engines:
        raise SourceError(f"No engine is called {name!r}.", attempt=f"one of {', '.join(engines)}.")
    return engines[name]


def open_target(address: str, *, schema: str, source: Any, opened: Engine | Database) -> Target:
    """A schema to write a release to. `source` is what was asked to be released, and `opened` what it was opened as:
    where both are at one address, tables are made in the transaction that reads the source."""
    with _postgres_driver():
        from .engines.postgres_target import open_postgres_target

    return open_postgres_target(address, schema, opened=opened if source == address else None)
