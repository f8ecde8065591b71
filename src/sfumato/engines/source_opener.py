"""Opening a source with the engine that fits it. Drivers are imported only when their engine is
used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import SourceError
from sfumato.parts import with_question
from sfumato.policy import (
    NullWords,
    Policy,
    SourceFormat,
    format_of,
    null_words,
    null_words_by_table,
)

from .database import Database, TableView
from .declaration import ENGINES, EngineDeclaration
from .declarations.postgres import postgres_driver
from .engine import Engine, MadeColumn
from .joined_fields import Joined, joined_fields
from .role_views import RoleViews
from .target import Target

USUAL: Final = "duckdb"
"""The engine of what is no address."""


def engine_for(source: Any) -> str:
    """The default engine of a source: by its address, else DuckDB."""
    return next((name for name, each in ENGINES.all().items() if each.is_address(source)), USUAL)


def open_source(
    source: Any, *, engine: str = "", policy: Policy | None = None, **options: Any
) -> Engine:
    """Open a file, a frame, an Arrow table or a table of a database as one table.

    The engine is a context manager; closing it removes everything that it made. Options of the
    DuckDB engine: `encoding`, `separator`, `header`, `rename_headers`, `null_words`, `table` (in a
    database file or a workbook) and `memory`. The `policy` gives those that are omitted."""
    said, others = _format(SourceFormat() if policy is None else policy.source, options)
    given = _unless_usual(format=said, words=_is_workbook(source))
    opened: Engine = _known(engine, source).open(source, **others, **given)
    words = NullWords(
        every=said.null_words, fields=null_words(policy).fields if policy is not None else {}
    )
    try:
        opened = opened.with_nulls(words, owns=True) if words else opened
        return _with_joined(opened, policy)
    except BaseException:
        opened.close()
        raise


def _with_joined(opened: Engine, policy: Policy | None) -> Engine:
    """The table with the fields that its policy makes of others."""
    if policy is None or not any(field.made_of for field in policy.fields.values()):
        return opened
    names = [info.name for info in opened.fields()]
    joined = joined_fields(policy.fields, names, title=opened.title)
    return opened.with_joined(joined, owns=True) if joined else opened


def open_database(
    source: Any, *, engine: str = "", policy: Policy | None = None, **options: Any
) -> Database:
    """Open a folder of files, a database or a mapping of frames as several tables.

    `tables` names those that are wanted, all where it is left out; other options are those of
    `open_source`."""
    said, others = _format(SourceFormat() if policy is None else policy.source, options)
    policy = None if policy is None else replace(policy, source=said)
    own = {} if policy is None else {name: format_of(policy, name) for name in policy.tables}
    formats = {name: format for name, format in own.items() if format != said}
    given = _unless_usual(format=said) | ({"formats": formats} if formats else {})
    opened: Database = _known(engine, source).open_tables(source, **others, **given)
    words = {} if policy is None else null_words_by_table(policy)
    if said.null_words and policy is None:
        words = {name: NullWords(every=said.null_words) for name in opened.tables()}
    try:
        opened.read_as_null(words)
        opened.join_fields(_joined_by_table(opened, policy))
    except BaseException:
        opened.close()
        raise
    return opened


def _joined_by_table(opened: Database, policy: Policy | None) -> dict[str, Joined]:
    """The fields that the policy of each table makes of others."""
    out = {}
    for name, table in policy.tables.items() if policy is not None else ():
        if name in opened.tables() and any(field.made_of for field in table.fields.values()):
            names = [info.name for info in opened.view(TableView(table=name)).fields()]
            out[name] = joined_fields(table.fields, names, title=f"Table {name}")
    return out


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
    """Words for missing values are for the reader of a workbook alone, where a word among numbers
    would make the column text. Engines that read no files need not know the rest."""
    format = format if words else replace(format, null_words=())
    return {} if format == SourceFormat() else {"format": format}


def _known(asked: str, source: Any) -> EngineDeclaration:
    """The engine that was asked for, or that fits. Another would take an address for a path, and
    quote it in errors."""
    fits = engine_for(source)
    name = asked or fits
    if name not in ENGINES:
        raise SourceError(
            f"No engine is called {name!r}.",
            found=with_question("", name, tuple(ENGINES)).strip(),
            attempt=f"one of {', '.join(ENGINES)}.",
        )
    only = next((each.key for each in (ENGINES[name], ENGINES[fits]) if each.only_addresses), "")
    if only and (name != only or not isinstance(source, str)):
        raise SourceError(
            f"The engine {name} was asked for.",
            found=f"The source is {'' if fits == only else 'not '}the address of "
            f"{ENGINES[only].source_title}.",
            attempt="leaving the engine out, or postgresql://host/database as the source of engine "
            "postgres.",
        )
    return ENGINES[name]


def open_target(address: str, *, schema: str, source: Any, opened: Engine | Database) -> Target:
    """A schema to write a release to. `source` is the source of the release, and `opened` the open
    source. Where both are at one address, tables are made in the transaction that reads the
    source."""
    with postgres_driver():
        from .postgres.target import open_postgres_target

    return open_postgres_target(address, schema, opened=opened if source == address else None)


def open_views(address: str) -> RoleViews:
    """The views of a database through which roles read their releases."""
    with postgres_driver():
        from .postgres.role_views import PostgresViews

    return PostgresViews(address)


def write_database_file(
    path: Path, tables: Mapping[str, Path], *, notes: Mapping[str, str]
) -> None:
    """Write Parquet files as tables of one DuckDB file, with texts in JSON as further tables."""
    from .duckdb.database_file import write_database_file as write

    write(path, tables, notes=notes)


def write_made_rows(
    path: Path,
    columns: Mapping[str, MadeColumn],
    batches: Iterator[Mapping[str, NDArray[np.int64]]],
    *,
    constants: Mapping[str, str],
) -> int:
    """Write rows that were made, in batches of whole numbers, as CSV or Parquet, with further columns
    of one text; the number of rows."""
    from .duckdb.made_rows import write_made_rows as write

    return write(path, columns, batches, constants=constants)


def read_released_frame(path: Path, like: Any) -> Any:
    """A released Parquet file as a frame of the kind of `like`, with its types where no value
    changes. Where `like` is no frame, the frame is of any kind that is installed."""
    from .duckdb.released_frame import read_released_frame as read

    return read(path, like)
