"""Opening a source with the engine that fits it. Drivers are imported only when their engine is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sfumato.errors import SourceError

from .database import Database
from .engine import Engine

POSTGRES = ("postgresql://", "postgres://")
SPARK = "spark:"


def _duckdb(source: Any, **options: Any) -> Engine:
    from .engines.duckdb import DuckDBEngine

    return DuckDBEngine(source, **options)


def _reference(source: Any, **options: Any) -> Engine:
    from .engines.reference import ReferenceEngine

    return ReferenceEngine(source, **options)


def _duckdb_tables(source: Any, **options: Any) -> Database:
    from .engines.duckdb_database import DuckDBDatabase

    return DuckDBDatabase(source, **options)


def _reference_tables(source: Any, **options: Any) -> Database:
    from .engines.reference_database import ReferenceDatabase

    return ReferenceDatabase(source, **options)


ENGINES: dict[str, Callable[..., Engine]] = {"duckdb": _duckdb, "reference": _reference}
DATABASES: dict[str, Callable[..., Database]] = {"duckdb": _duckdb_tables, "reference": _reference_tables}


def engine_for(source: Any) -> str:
    """The engine that a source is opened with unless told: by its address, else DuckDB."""
    if isinstance(source, str) and source.startswith(POSTGRES):
        return "postgres"
    return "spark" if isinstance(source, str) and source.startswith(SPARK) else "duckdb"


def open_source(source: Any, *, engine: str = "", **options: Any) -> Engine:
    """Open a file, a frame, an Arrow table or a table of a database as one table.

    The engine is a context manager; closing it leaves nothing behind. Options of the DuckDB engine: `encoding`,
    `separator`, `table` (in a database file) and `memory`.
    """
    opened: Engine = _known(ENGINES, engine or engine_for(source))(source, **options)
    return opened


def open_database(source: Any, *, engine: str = "", **options: Any) -> Database:
    """Open a folder of files, a database or a mapping of frames as several tables.

    `tables` names those that are wanted, all where it is left out; other options are those of `open_source`.
    """
    opened: Database = _known(DATABASES, engine or engine_for(source))(source, **options)
    return opened


def _known(engines: dict[str, Callable[..., Any]], name: str) -> Callable[..., Any]:
    if name not in engines:
        raise SourceError(f"No engine is called {name!r}.", attempt=f"one of {', '.join(engines)}.")
    return engines[name]
