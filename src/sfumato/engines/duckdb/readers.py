"""Making `source` in a DuckDB session out of a file, a table in a database file, or a frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp

from sfumato.errors import SourceError
from sfumato.files import OWNER_ONLY

from ..asked_names import one_table
from ..field_names import check_names
from ..formats import FORMATS
from ..frame_kind import FrameKind, frame_kind, is_without_fields, not_read
from ..sql.queries import column, named, table
from ..workbook import sheet_names
from .confined_session import ATTACHED, attach, copy_view, stored_tables
from .csv import read_csv
from .errors import reading
from .excel import read_excel
from .frame_columns import frame_names, unread_types, without_mixed_types
from .json import SCALARS, cell_text, json_types, with_digits_kept
from .parquet import needs_other_types, with_held_types
from .session import DuckDBSession
from .sqlite import read_sqlite, sqlite_tables, stored
from .views import ReadOptions, call, create_view

Reader = Callable[[DuckDBSession, Path, ReadOptions], None]

FRAME = "the frame"
# Read again for every question. Anything else, such as a stream of batches, may be readable only
# once.
READ_WHERE_IT_IS = (
    "DataFrame",
    "LazyFrame",
    "Table",
    "FileSystemDataset",
    "InMemoryDataset",
    "UnionDataset",
)


def read_parquet(session: DuckDBSession, path: Path, options: ReadOptions) -> None:
    """One file, or every Parquet file in a folder and below it."""
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise SourceError(
            f"Folder {path.name} holds no Parquet file.", attempt="a file, or another folder."
        )
    create_view(session, call("read_parquet", files), options)


def read_json(session: DuckDBSession, path: Path, options: ReadOptions) -> None:
    """A list of objects or one object per line. Text stays text, also where it looks like a
    date."""
    title = options.title or path.name
    with path.open("rb") as file:
        start = file.read(1024)
    if not start.strip():
        raise SourceError(
            f"{title} is empty.", attempt="a list of objects, or one object per line."
        )
    text = with_digits_kept(path, options.scratch)
    try:
        found = _json_found(session, text)
        numbers = found if text == path else _json_found(session, path)
    except duckdb.BinderException:
        raise SourceError(
            f"{title} is not a table.",
            found="It holds values that are not objects.",
            attempt="a list of objects, or one object per line.",
        ) from None
    kinds = json_types(session, text, found)
    mixed = [
        name for name in kinds if kinds[name] == "VARCHAR" and found[name] in (*SCALARS, "JSON")
    ]
    rows = call("read_json", text, records=True, columns=kinds | dict.fromkeys(mixed, "JSON"))
    if mixed:
        cells = (named(cell_text(name), name) if name in mixed else column(name) for name in kinds)
        rows = exp.select(*cells).from_(rows.subquery("as_found"))
    create_view(session, rows, options, parsed=text)
    texts = [
        name for name, kind in kinds.items() if kind == "VARCHAR" and numbers.get(name) in SCALARS
    ]
    if texts:
        note = (
            "Read as text, because no type holds every number as it is written: "
            f"{', '.join(texts)}."
        )
        session.files.note({"notes": [note]}, table=options.table_name)


def _json_found(session: DuckDBSession, path: Path) -> dict[str, str]:
    query = call("read_json", path, records=True, sample_size=-1)
    return {name: kind for name, kind, *_ in session.rows(exp.Describe(this=query))}


def tables_in(path: Path) -> tuple[str, ...]:
    """The names of the tables of a DuckDB or SQLite file, or of the sheets of a workbook."""
    if path.suffix.lower() in (".sqlite", ".sqlite3", ".db"):
        return sqlite_tables(path)
    if path.suffix.lower() == ".xlsx":
        return sheet_names(path)
    return tuple(stored.name for stored in stored_tables(path))


def read_duckdb(session: DuckDBSession, path: Path, options: ReadOptions) -> None:
    """A table where it is; a view by its rows, which are made where nothing else can be reached."""
    found = {stored.name: stored for stored in stored_tables(path)}
    name = one_table(path.name, list(found), options.table)
    file, alias = path, ATTACHED
    if found[name].runs:
        file, alias = copy_view(path, name, options.scratch), f"view {options.view}"
    session.run(attach(file, alias=alias))
    attached = exp.table_(name, db="main", catalog=alias, quoted=True)
    create_view(session, exp.select("*").from_(attached), options)


def read_frame(session: DuckDBSession, frame: Any, options: ReadOptions) -> None:
    """A pandas or polars frame or an Arrow table, read where it is; a stream of batches is copied
    in."""
    registered = f"frame {options.view}"
    if frame_kind(frame) is FrameKind.PANDAS and frame.columns.nlevels > 1:
        raise SourceError(
            "The frame has columns of several levels.",
            found="A field has one name.",
            attempt="one name for each, as in frame.columns = ['_'.join(c) for c in frame.columns].",
        )
    if isinstance(frame, list | tuple | Mapping) or is_without_fields(frame):
        raise not_read(frame)
    if frame_kind(frame) is FrameKind.DUCKDB:
        _read_relation(session, frame, options)
        return
    with reading(FRAME):
        try:
            check_names(FRAME, frame_names(frame))
            session.register(registered, without_mixed_types(_without_index(frame)))
        except (duckdb.InvalidInputException, duckdb.NotImplementedException, TypeError):
            raise unread_types(frame) or not_read(frame) from None
        found = exp.select("*").from_(table(registered))
        if type(frame).__name__ not in READ_WHERE_IT_IS:
            session.run(exp.Create(this=table(stored(options)), kind="TABLE", expression=found))
            session.unregister(registered)
            found = exp.select("*").from_(table(stored(options)))
        create_view(session, found, options)


def _without_index(frame: Any) -> Any:
    """A pandas frame without its index: DuckDB reads a frame that has Arrow's types through Arrow,
    which makes a column of an index."""
    if frame_kind(frame) is not FrameKind.PANDAS or type(frame.index).__name__ == "RangeIndex":
        return frame
    return frame.reset_index(drop=True)


def _read_relation(session: DuckDBSession, relation: Any, options: ReadOptions) -> None:
    """A relation of the caller's own connection, whose rows no other connection can read. They are
    copied to the engine's folder, which only its owner may enter."""
    check_names(FRAME, list(relation.columns))
    copy = options.scratch / f"{len(list(options.scratch.iterdir()))}-relation.parquet"
    with reading(FRAME):
        try:
            _held(relation, decimals=True).write_parquet(str(copy))
        except duckdb.ConversionException:
            _held(relation, decimals=False).write_parquet(str(copy))
        copy.chmod(OWNER_ONLY)
        create_view(session, call("read_parquet", copy), options)


def _held(relation: Any, *, decimals: bool) -> Any:
    """A relation in types that Parquet holds: DuckDB would round whole numbers of 128 bits."""
    described = [
        (name, str(kind)) for name, kind in zip(relation.columns, relation.types, strict=True)
    ]
    if not needs_other_types(described):
        return relation
    query = with_held_types(exp.select("*").from_("relation"), described, decimals=decimals)
    return relation.query("relation", query.sql(dialect="duckdb"))


COMPRESSED = tuple(
    suffix for each in FORMATS.all().values() if each.compressed for suffix in each.suffixes
)
"""Files that are also read where .gz follows."""
READERS: dict[str, Reader] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    ".json": read_json,
    ".jsonl": read_json,
    ".ndjson": read_json,
    ".xlsx": read_excel,
    ".duckdb": read_duckdb,
    ".ddb": read_duckdb,
    ".sqlite": read_sqlite,
    ".sqlite3": read_sqlite,
    ".db": read_sqlite,
}
