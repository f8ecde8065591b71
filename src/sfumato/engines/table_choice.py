"""Whether a source holds several tables, where nobody named the one that is meant."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.errors import Bug

from .addresses import SPARK, is_address, is_postgres
from .database import Database, TableView
from .engine import Engine
from .field_names import ClashingNames
from .source_opener import open_database, open_source

DATABASE_FILES = (".duckdb", ".ddb", ".sqlite", ".sqlite3", ".db")


def open_several(
    source: Any, *, engine: str = "", table: str = "", **options: Any
) -> Database | None:
    """The source as several tables, open, where it holds several and none of them is named; else
    None.

    A folder of Parquet files that all have the same fields is one table in parts. `spark:NAME` is a
    database, and `spark:NAME.TABLE` is a table of it."""
    if table or not _may_hold_several(source):
        return None
    database = open_database(source, engine=engine, **options)
    try:
        if len(database.tables()) > 1 and not _is_one_in_parts(source, database):
            return database
    except BaseException:
        database.close()
        raise
    database.close()
    return None


@dataclass(frozen=True, kw_only=True)
class UndecidedSource:
    """An open source without a policy yet: several tables, or one. `options` are those that it was
    opened with."""

    database: Database | None = field(default=None, repr=False)
    table: Engine | None = field(default=None, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def engine(self) -> Engine:
        """The only table."""
        if self.table is None:
            raise Bug("a source of several tables was asked for its only one.")
        return self.table


@contextmanager
def open_undecided(source: Any, *, engine: str = "", **options: Any) -> Iterator[UndecidedSource]:
    """Open a source without a policy yet, as one table or as several.

    Names of fields that are missing or repeated are changed, as `rename_headers` does, unless the
    first line looks like a row. A policy that is proposed from such a source has to record this."""
    try:
        opened = _opened(source, engine, options)
    except ClashingNames:
        opened = _opened(source, engine, {**options, "rename_headers": True})
    with opened.database or opened.engine:
        yield opened


def _opened(source: Any, engine: str, options: Mapping[str, Any]) -> UndecidedSource:
    several = open_several(source, engine=engine, **options)
    if several is not None:
        return UndecidedSource(database=several, options=options)
    return UndecidedSource(table=open_source(source, engine=engine, **options), options=options)


def _may_hold_several(source: Any) -> bool:
    if is_address(source):
        return is_postgres(source) or (source.startswith(SPARK) and "." not in source)
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        return path.is_dir() or path.suffix.lower() in DATABASE_FILES
    return isinstance(source, Mapping)


def _is_one_in_parts(source: Any, database: Database) -> bool:
    if not isinstance(source, str | os.PathLike) or not Path(source).is_dir():
        return False
    if any(path.is_dir() or path.suffix.lower() != ".parquet" for path in _shown(Path(source))):
        return False
    names = [
        {info.name for info in database.view(TableView(table=name)).fields()}
        for name in database.tables()
    ]
    return all(fields == names[0] for fields in names)


def _shown(folder: Path) -> list[Path]:
    """The content of a folder, without the files that Spark and others put beside the data."""
    return [path for path in folder.iterdir() if not path.name.startswith((".", "_"))]
