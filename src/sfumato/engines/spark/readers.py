"""Making `source` in a Spark session out of Parquet, a table of a catalog, or whatever DuckDB
reads."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import DataType, NullType, StringType
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sfumato.errors import SourceError
from sfumato.policy import AS_FOUND, Order, SourceFormat

from ..compressed_file import suffix_of
from ..duckdb import engine as duckdb
from ..duckdb import errors as duckdb_errors
from ..duckdb.readers import FRAME
from ..duckdb.views import ReadOptions
from ..engine import WritePlan
from ..sql.queries import SOURCE, table
from .canonical_text import DIALECT
from .session import SparkEngineSession, quoted
from .snapshot import are_small

SCHEME = "spark:"
SUFFIXES = (".csv", ".tsv", ".txt")
"""Files that are read by DuckDB and handed on; Spark's own reader drops blank lines and guesses
what is ragged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkSource:
    """A person's options for a source; `view` is what to call it in the session."""

    view: str = SOURCE
    table: str = ""
    format: SourceFormat = AS_FOUND


def title_of(source: Any, table: str = "") -> str:
    """The name of a source in words.

    Example:
        >>> title_of("spark:hospital.visits"), title_of("data/people.parquet"), title_of("s3a://bucket/people/")
        ('hospital.visits', 'people.parquet', 'people')
    """
    if table or not isinstance(source, str | os.PathLike):
        return table or FRAME
    return _table_of(source) or Path(source).name


def is_small(source: Any) -> bool:
    """Whether a source is files of this machine that are so few that Spark's own start is most of
    the work."""
    if not isinstance(source, str | os.PathLike) or "://" in str(source):
        return False
    path = Path(source)
    return are_small(path.rglob("*") if path.is_dir() else (path,))


def read_into(session: SparkEngineSession, source: Any, options: SparkSource) -> None:
    """Make a view over a source in a session."""
    name = options.table or _table_of(source)
    if name:
        return _show(session, read_table(session, name), options.view)
    if isinstance(source, str) and "://" in source:
        return _show(session, _parquet(session, source), options.view)
    if not isinstance(source, str | os.PathLike):
        return _by_duckdb(session, source, options)
    path = Path(source)
    if not path.exists():
        raise SourceError(f"{path} does not exist.", attempt="checking the path.")
    if suffix_of(path) in SUFFIXES and path.is_file():
        session.state.add_files([path])
        return _by_duckdb(session, path, options)
    return _folder_or_file(session, path, options)


def _table_of(source: Any) -> str:
    return (
        source.removeprefix(SCHEME) if isinstance(source, str) and source.startswith(SCHEME) else ""
    )


def _folder_or_file(session: SparkEngineSession, path: Path, options: SparkSource) -> None:
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise SourceError(
            f"Folder {path.name} holds no Parquet file.", attempt="a file, or another folder."
        )
    if path.is_file() and path.suffix.lower() != ".parquet":
        raise SourceError(
            f"{path.name}: files that end in {path.suffix or 'nothing'} are not read by Spark.",
            attempt=f"one of .parquet, {', '.join(SUFFIXES)}, or the DuckDB engine.",
        )
    try:
        session.state.add_files(files)
        for file in files:
            file.open("rb").close()
    except PermissionError:
        raise SourceError(f"{path} may not be read by this user.") from None
    _show(session, _parquet(session, f"file:{path.absolute()}"), options.view)


def _parquet(session: SparkEngineSession, address: str) -> DataFrame:
    """Every field of every file, also of those that only some files have; the address is taken
    literally."""
    reader = session.spark.read.option("mergeSchema", "true").option("__globPaths__", "false")
    return session.asked(lambda: reader.parquet(address))


def read_table(session: SparkEngineSession, name: str) -> DataFrame:
    """A table or view of the session's catalogs, named as in SQL: `database.table`."""
    asked = _as_written(name)
    found = session.asked(lambda: session.spark.table(asked))
    session.state.add_table(name, lambda: session.asked(found.inputFiles))
    return found


def _as_written(name: str) -> str:
    """A name of several parts, each quoted."""
    try:
        parts = exp.to_table(name, dialect=DIALECT).parts
    except SqlglotError:
        parts = []
    if not parts or ".." in name:
        raise SourceError(
            f"{name!r} is not the name of a table.", attempt="for example hospital.visits."
        )
    return ".".join(quoted(part.name) for part in parts)


def list_tables(session: SparkEngineSession, database: str) -> dict[str, str]:
    """The tables of a database of the catalog, each with its full name."""
    prefix = _as_written(database)
    found = session.asked(lambda: session.spark.catalog.listTables(prefix))
    names = sorted(one.name for one in found if not one.isTemporary)
    if not names:
        raise SourceError(
            f"Database {database} holds no table.", attempt="another database of the catalog."
        )
    return {name: f"{prefix}.{quoted(name)}" for name in names}


def _by_duckdb(session: SparkEngineSession, source: Any, options: SparkSource) -> None:
    """A file or frame as DuckDB reads it, copied to Parquet for Spark, its rows in their order."""
    sweep, reader, scratch = duckdb.new_session(session, duckdb.DEFAULT_MEMORY)
    try:
        told = ReadOptions(scratch=scratch, format=options.format)
        title = duckdb.read_into(reader, source, told)
        name = f"read_{secrets.token_hex(4)}"
        with duckdb_errors.reading(title):
            fields = tuple(info.name for info in reader.describe(table(SOURCE)))
            everything = exp.select("*").from_(table(SOURCE))
            with session.scratch.filling(name) as folder:
                plan = WritePlan(fields=fields, order=Order.KEEP)
                reader.copy(everything, folder / "part-0.parquet", plan)
        session.state.add_readings(reader.files)
    finally:
        reader.close()
        sweep()
    _show(session, _parquet(session, session.scratch.place(name)), options.view)


def _show(session: SparkEngineSession, found: DataFrame, view: str) -> None:
    """Make a view: empty text is null, text compares by its characters, padding that a type adds is
    taken off."""

    def show() -> None:
        types = [(field.name, field.dataType, str(field.metadata)) for field in found.schema]
        shown = [_plain(name, kind, said).alias(name) for name, kind, said in types]
        found.select(*shown).createOrReplaceTempView(quoted(view))

    session.asked(show)


def _plain(name: str, kind: DataType, said: str) -> Column:
    value = functions.col(quoted(name))
    if isinstance(kind, NullType):
        return value.cast("string")
    if not isinstance(kind, StringType):
        return value
    if kind.simpleString() != "string":
        value = functions.collate(value, "UTF8_BINARY")
    if "'char(" in said:
        value = functions.rtrim(value)
    return functions.nullif(value, functions.lit(""))
