"""Opening a source with the engine that fits it. Drivers are imported only when their engine is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sfumato.errors import SourceError

from .engine import Engine


def _duckdb(source: Any, **options: Any) -> Engine:
    from .engines.duckdb import DuckDBEngine

    return DuckDBEngine(source, **options)


def _reference(source: Any, **options: Any) -> Engine:
    from .engines.reference import ReferenceEngine

    return ReferenceEngine(source, **options)


ENGINES: dict[str, Callable[..., Engine]] = {"duckdb": _duckdb, "reference": _reference}


def open_source(source: Any, *, engine: str = "duckdb", **options: Any) -> Engine:
    """Open a file, a frame or an Arrow table. The engine is a context manager; closing it leaves nothing behind.

    Options of the DuckDB engine: `encoding`, `separator`, `table` (in a database file) and `memory`.
    """
    if engine not in ENGINES:
        raise SourceError(f"No engine is called {engine!r}.", attempt=f"one of {', '.join(ENGINES)}.")
    return ENGINES[engine](source, **options)
