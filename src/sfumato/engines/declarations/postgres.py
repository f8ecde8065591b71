"""PostgreSQL: tables and views where they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sfumato.errors import MissingExtra, SourceError
from sfumato.policy import source_as_table

from ..addresses import is_postgres
from ..database import Database
from ..declaration import EngineDeclaration
from ..engine import Abilities, Engine

ABILITIES = Abilities(
    larger_than_memory=True,
    reads=("tables and views of PostgreSQL",),
    writes=("CSV", "Parquet", "PostgreSQL"),
    numbers_stages=True,
)


def _open(source: Any, **options: Any) -> Engine:
    with postgres_driver():
        from ..postgres.engine import PostgresEngine

    return PostgresEngine(source, **_in_schema(**_of_databases(options)))


def _open_tables(source: Any, **options: Any) -> Database:
    with postgres_driver():
        from ..postgres.database import PostgresDatabase

    return PostgresDatabase(source, **_of_databases(options))


@contextmanager
def postgres_driver() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] != "psycopg":
            raise
        raise MissingExtra("Reading from PostgreSQL", extra="postgres") from None


def _of_databases(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a database; those about reading a file are refused."""
    said = [
        *([options["format"]] if "format" in options else []),
        *(options.get("formats") or {}).values(),
    ]
    given = sorted(
        {name for format in said for name in source_as_table(format) if name != "null_words"}
    )
    if given:
        raise SourceError(
            f"A database was opened with {', '.join(given)}.",
            found="Only files have that.",
            attempt="without it.",
        )
    return {name: value for name, value in options.items() if name not in ("format", "formats")}


def _in_schema(*, table: str = "", schema: str = "", **options: Any) -> dict[str, Any]:
    """One table of a schema is SCHEMA.TABLE."""
    if schema and not table:
        raise SourceError(
            f"One table of schema {schema!r} was asked for.", attempt="naming it with --table."
        )
    return {"table": f"{schema}.{table}" if schema else table, **options}


DECLARATION = EngineDeclaration(
    key="postgres",
    doc="tables and views of a PostgreSQL server, where they are",
    can=ABILITIES,
    open=_open,
    open_tables=_open_tables,
    extra="postgres",
    is_address=is_postgres,
    only_addresses=True,
    source_title="a PostgreSQL database",
    options=("table", "schema", "null_words", "memory"),
)
