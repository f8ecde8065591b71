"""DuckDB: files, frames and database files on this machine."""

from __future__ import annotations

from typing import Any

from ..database import Database
from ..declaration import FILE_OPTIONS, EngineDeclaration
from ..engine import Abilities, Engine

ABILITIES = Abilities(
    larger_than_memory=True,
    reads=(
        "CSV",
        "TSV",
        "Parquet",
        "JSON",
        "Excel*",
        "DuckDB",
        "SQLite",
        "pandas",
        "polars",
        "Arrow",
    ),
    writes=("CSV", "Parquet", "Excel*"),
    numbers_stages=True,
)


def _open(source: Any, **options: Any) -> Engine:
    from ..duckdb.engine import DuckDBEngine

    return DuckDBEngine(source, **options)


def _open_tables(source: Any, **options: Any) -> Database:
    from ..duckdb.database import DuckDBDatabase

    return DuckDBDatabase(source, **options)


DECLARATION = EngineDeclaration(
    key="duckdb",
    doc="files, frames and database files on this machine; the default",
    can=ABILITIES,
    open=_open,
    open_tables=_open_tables,
    options=("table", *FILE_OPTIONS, "memory"),
    usual_format="",
)
