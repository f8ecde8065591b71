"""Opening a source with the engine that fits it. Drivers are imported only when their engine is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from sfumato.errors import MissingExtra, SourceError
from sfumato.policy.records import Policy
from sfumato.policy.source_records import NullWords, SourceFormat
from sfumato.policy.source_section import format_of, null_words, null_words_by_table, source_as_table

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
    said = [*([options["format"]] if "format" in options else []), *(options.get("formats") or {}).values()]
    given = sorted({name for format in said for name in source_as_table(format) if name != "null_words"})
    if given:
        raise SourceError(
            f"A database was opened with {', '.join(given)}.", found="Only files have that.", attempt="without it."
        )
    return {name: value for name, value in options.items() if name not in ("format", "formats")}


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


def open_source(source: Any, *, engine: str = "", policy: Policy | None = None, **options: Any) -> Engine:
    """Open a file, a frame, an Arrow table or a table of a database as one table.

    The engine is a context manager; closing it leaves nothing behind. Options of the DuckDB engine: `encoding`,
    `separator`, `header`, `rename_headers`, `null_words`, `table` (in a database file or a workbook) and `memory`.
    What they leave out is as the `policy` says.
    """
    said, others = _format(SourceFormat() if policy is None else policy.source, options)
    given = _unless_usual(format=said, words=_is_workbook(source))
    opened: Engine = _known(ENGINES, engine, source)(source, **others, **given)
    words = NullWords(every=said.null_words, fields=null_words(policy).fields if policy is not None else {})
    if not words:
        return opened
    try:
        return opened.with_nulls(words, owns=True)
    except BaseException:
        opened.close()
        raise


def open_database(source: Any, *, engine: str = "", policy: Policy | None = None, **options: Any) -> Database:
    """Open a folder of files, a database or a mapping of frames as several tables.

    `tables` names those that are wanted, all where it is left out; other options are those of `open_source`.
    """
    said, others = _format(SourceFormat() if policy is None else policy.source, options)
    policy = None if policy is None else replace(policy, source=said)
    own = {} if policy is None else {name: format_of(policy, name) for name in policy.tables}
    formats = {name: format for name, format in own.items() if format != said}
    given = _unless_usual(format=said) | ({"formats": formats} if formats else {})
    opened: Database = _known(DATABASES, engine, source)(source, **others, **given)
    words = {} if policy is None else null_words_by_table(policy)
    if said.null_words and policy is None:
        words = {name: NullWords(every=said.null_words) for name in opened.tables()}
    try:
        opened.read_as_null(words)
    except BaseException:
        opened.close()
        raise
    return opened


def _format(decided: SourceFormat, options: dict[str, Any]) -> tuple[SourceFormat, dict[str, Any]]:
    """How the source is read, and the options that are about something else."""
    known = {item.name for item in fields(SourceFormat)}
    if isinstance(options.get("null_words"), str):
        raise SourceError("null_words is a text.", attempt="a list of texts.")
    said = decided.with_options({**options, "null_words": tuple(options.get("null_words", ()))})
    return said, {name: value for name, value in options.items() if name not in known}


def _is_workbook(source: Any) -> bool:
    return isinstance(source, str | Path) and str(source).lower().endswith(".xlsx")


def _unless_usual(*, format: SourceFormat, words: bool = False) -> dict[str, Any]:
    """Words for missing values are for the reader of a workbook alone, where a word among numbers would make the column
    text; engines that read no files need not know the rest."""
    format = format if words else replace(format, null_words=())
    return {} if format == SourceFormat() else {"format": format}


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
