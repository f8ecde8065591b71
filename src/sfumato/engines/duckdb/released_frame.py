"""A released file as a frame, of the kind and with the types of the source frame.

Only types are put back, field by field, and only where every value stays as it is. A type keeps no
value that no released row has. Categories are those of released rows, also inside lists and
structs, and metadata of the source is removed."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb

from ..frame_kind import FrameKind, frame_kind, installed_kind
from .duration_text import duration
from .errors import reading

TITLE = "the released table"


def read_released_frame(path: Path, like: Any) -> Any:
    """The table of a file as a frame of the kind of `like`, which may be anything else too."""
    kind = frame_kind(like) or installed_kind()
    with reading(TITLE):
        return _MAKERS[kind](path, like if frame_kind(like) is kind else None)


def _as_relation(path: Path, like: Any) -> Any:
    """A relation of a connection of its own, which lives as long as the relation does."""
    connection = duckdb.connect(":memory:", config={"autoinstall_known_extensions": "false"})
    connection.execute("SET TimeZone = 'UTC'")
    read = "read_parquet($1)"
    if path.suffix == ".csv":  # Cells of CSV are text: 02138 keeps its nought.
        columns = ", ".join(f"{_literal(name)}: 'VARCHAR'" for name in _header(_parts(path)[0]))
        read = f"read_csv($1, auto_detect = false, header = true, columns = {{{columns}}})"
    files = [str(part.absolute()) for part in _parts(path)]
    connection.execute(f"CREATE TABLE release AS SELECT * FROM {read}", [files])
    return connection.table("release")


def _parts(path: Path) -> list[Path]:
    """The files of a table: one, or those of a folder that a cluster wrote."""
    return sorted(path.glob(f"*{path.suffix}")) if path.is_dir() else [path]


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# ------------------------------------------------------------------------------------------------
# pandas


def _as_pandas(path: Path, like: Any) -> Any:
    found = _as_relation(path, like)
    frame = found.df()
    if like is None:
        return frame
    columns = {str(label): place for place, label in enumerate(like.columns)}
    for name in list(frame.columns):
        if name in columns:
            before = like.iloc[:, columns[name]]
            frame[name] = _kept(_pandas_typed, frame[name], before, found)
    frame.columns = [like.columns[columns[name]] if name in columns else name for name in frame]
    return frame


def _pandas_typed(now: Any, before: Any, found: Any) -> Any:
    pandas = import_module("pandas")
    wanted = before.dtype
    kind = str(dict(zip(found.columns, found.types, strict=True))[now.name])
    is_object = pandas.api.types.is_object_dtype(wanted)
    if now.dtype == wanted and (kind == "VARCHAR" or not is_object):
        return now
    if isinstance(wanted, pandas.CategoricalDtype):
        there = set(now.dropna().tolist())
        labels = [label for label in wanted.categories.tolist() if label in there]
        if there - set(labels):
            return now  # It was recoded: its labels are none of the categories.
        return now.astype(pandas.CategoricalDtype(labels, ordered=wanted.ordered))
    if is_object:  # Dates, lists, bytes and structs as Python's own.
        cells = [row[0] for row in found.project(_quoted(now.name)).fetchall()]
        return pandas.Series(cells, index=now.index, name=now.name, dtype=object)
    if wanted.kind == "m":
        return pandas.to_timedelta(now.map(duration, na_action="ignore"), unit="us").astype(wanted)
    if _is_text(now) and not _is_text(before):
        return now  # It was recoded to text.
    return now.astype(wanted)


def _is_text(series: Any) -> bool:
    pandas = import_module("pandas")
    return bool(pandas.api.types.is_string_dtype(series.dtype))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# ------------------------------------------------------------------------------------------------
# polars


def _as_polars(path: Path, like: Any) -> Any:
    """Read by polars itself, so that nothing else need be installed; from memory, so that the file
    may be deleted."""
    polars = import_module("polars")
    contents = [BytesIO(part.read_bytes()) for part in _parts(path)]
    frame = polars.concat(
        polars.read_csv(content, infer_schema=False)
        if path.suffix == ".csv"
        else polars.read_parquet(content)
        for content in contents
    )
    if like is None:
        return frame
    schema = dict(like.collect_schema())
    series = [
        _kept(_polars_typed, now, schema[now.name]) if now.name in schema else now
        for now in frame.get_columns()
    ]
    typed = type(frame)(series)
    return typed.lazy() if type(like).__name__ == "LazyFrame" else typed


def _polars_typed(now: Any, wanted: Any) -> Any:
    polars = import_module("polars")
    if now.dtype == wanted:
        return now
    if isinstance(wanted, polars.Enum):
        there = set(now.drop_nulls().to_list())
        labels = [label for label in wanted.categories.to_list() if label in there]
        return now if there - set(labels) else now.cast(polars.Enum(labels))
    if isinstance(wanted, polars.Duration):
        spans = [None if text is None else duration(text) for text in now.to_list()]
        return polars.Series(now.name, spans, dtype=polars.Duration("us")).cast(wanted)
    if now.dtype == polars.String and wanted != polars.Categorical:
        return now  # It was recoded to text.
    return now if _names_labels(wanted) else now.cast(wanted)


def _names_labels(kind: Any) -> bool:
    """Whether a nested type lists categories, which may be those of rows that were left out."""
    polars = import_module("polars")
    if isinstance(kind, polars.Struct):
        return any(_names_labels(each.dtype) for each in kind.fields)
    if isinstance(kind, polars.List | polars.Array):
        return _names_labels(kind.inner)
    return isinstance(kind, polars.Enum)


# ------------------------------------------------------------------------------------------------
# Arrow


def _as_arrow(path: Path, like: Any) -> Any:
    table = _as_relation(path, like).to_arrow_table()
    if like is None:
        return table
    schema = like.dataset_schema if hasattr(like, "dataset_schema") else like.schema
    wanted = {field.name: field.type for field in schema}
    for place, name in enumerate(table.column_names):
        if name in wanted:
            typed = _kept(_arrow_typed, table.column(place), wanted[name])
            table = table.set_column(place, name, typed)
    return table


def _arrow_typed(now: Any, wanted: Any) -> Any:
    arrow = import_module("pyarrow")
    types = arrow.types
    if now.type == wanted:
        return now
    if types.is_dictionary(wanted):
        return now.cast(wanted.value_type).dictionary_encode().unify_dictionaries()
    if types.is_duration(wanted):
        spans = [None if text is None else duration(text) for text in now.to_pylist()]
        return arrow.chunked_array([arrow.array(spans, arrow.duration("us")).cast(wanted)])
    texts = types.is_string, types.is_large_string, types.is_string_view
    if types.is_string(now.type) and not any(is_text(wanted) for is_text in texts):
        return now  # It was recoded to text.
    return now.cast(_without_metadata(wanted))


def _without_metadata(kind: Any) -> Any:
    """A type whose inner fields have no metadata of the source; an error for types that carry
    parameters of their own."""
    arrow = import_module("pyarrow")
    if arrow.types.is_struct(kind):
        return arrow.struct([(each.name, _without_metadata(each.type)) for each in kind])
    for is_list, make in (
        (arrow.types.is_list, arrow.list_),
        (arrow.types.is_large_list, arrow.large_list),
    ):
        if is_list(kind):
            inner = arrow.field(kind.value_field.name, _without_metadata(kind.value_type))
            return make(inner)
    if arrow.types.is_nested(kind) or isinstance(kind, arrow.BaseExtensionType):
        raise TypeError
    return kind


def _kept(typed: Callable[..., Any], now: Any, *further: Any) -> Any:
    """A field with the type that it had. Where a value does not fit, it keeps the type of the
    file; a library's own message could quote the value."""
    try:
        return typed(now, *further)
    except Exception:
        return now


_MAKERS: Mapping[FrameKind, Callable[[Path, Any], Any]] = {
    FrameKind.PANDAS: _as_pandas,
    FrameKind.POLARS: _as_polars,
    FrameKind.ARROW: _as_arrow,
    FrameKind.DUCKDB: _as_relation,
}
