"""The columns of a frame: their names, and which of them have types that DuckDB does not read."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np

from sfumato.errors import SourceError
from sfumato.wording import counted, some_of

from ..declared_text import declared_text
from ..engine import FieldKind
from ..frame_kind import FrameKind, frame_kind
from ..workbook import cell_text

_NUMBERS = (int, float, Decimal, np.number)
_SCALARS = (*_NUMBERS, str, bool, np.bool_, date)


def frame_names(frame: Any) -> list[str]:
    """The frame's own names: DuckDB would make up others where two are alike."""
    if hasattr(frame, "collect_schema"):
        return list(frame.collect_schema().names())
    names = frame.schema.names if hasattr(frame, "schema") else getattr(frame, "columns", ())
    return [str(name) for name in names]


def unread_types(frame: Any) -> SourceError | None:
    """The error about columns whose type is not read, such as intervals and periods of pandas; None
    where each column by itself is read."""
    names = frame_names(frame) if frame_kind(frame) is not None else []
    unread = [name for place, name in enumerate(names) if not _is_read(frame, place)]
    if not unread:
        return None
    cast = f"frame.astype({{{unread[0]!r}: str}})"
    return SourceError(
        f"The frame has {counted(len(unread), 'column')} of a type that is not read.",
        found=f"By name: {some_of(unread, 6)}.",
        attempt=f"another type, as in {cast} of pandas, or leaving {_them(unread)} out.",
    )


def _them(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _is_read(frame: Any, place: int) -> bool:
    with duckdb.connect(":memory:") as connection:
        try:
            connection.register("one", _column(frame, place))
            connection.execute("SELECT count(*) FROM (SELECT * FROM one LIMIT 1)")
        except (duckdb.Error, TypeError):
            return False
    return True


def _column(frame: Any, place: int) -> Any:
    """One column, as a frame of the same library; the frame itself where it cannot be cut."""
    kind = frame_kind(frame)
    if kind is FrameKind.PANDAS:
        return frame.iloc[:, [place]].reset_index(drop=True)
    if kind is FrameKind.POLARS or hasattr(frame, "select"):
        return frame.select([frame_names(frame)[place]])
    return frame


def without_mixed_types(frame: Any) -> Any:
    """A pandas frame of which columns with cells of several types are text: DuckDB reads them by the
    first cells, so that one cell may decide how all others are read, or end in an error."""
    if frame_kind(frame) is not FrameKind.PANDAS:
        return frame
    out = frame
    for place, kind in enumerate(frame.dtypes):
        column = frame.iloc[:, place]
        if str(kind) != "object" or not _is_mixed(column):
            continue
        if out is frame:
            out = frame.copy(deep=False)
        there = column.notna()
        cells = [_cell(cell) if known else None for cell, known in zip(column, there, strict=True)]
        out.isetitem(place, np.array(cells, object))
    return out


def _is_mixed(column: Any) -> bool:
    types = {type(cell) for cell in column}
    if len(types) < 2:
        return False
    types = {type(cell) for cell in column[column.notna()]}
    one_scale = any(
        all(issubclass(each, own) and each is not bool for each in types)
        for own in (str, _NUMBERS, date)
    )
    return len(types) > 1 and not one_scale and all(issubclass(each, _SCALARS) for each in types)


def _cell(cell: Any) -> str | None:
    """A cell as text, whatever the other cells of its column are."""
    plain = cell.item() if isinstance(cell, np.generic) else cell
    if isinstance(plain, str):
        return plain
    text = cell_text(plain)
    is_number = isinstance(plain, _NUMBERS) and not isinstance(plain, bool)
    return declared_text(text, FieldKind.REAL) if is_number else text
