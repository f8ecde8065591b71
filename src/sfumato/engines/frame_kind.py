"""The kind of frame that a source is, read from its class: no library of frames is imported for
it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from importlib.util import find_spec
from typing import Any

from sfumato.errors import SourceError


class FrameKind(StrEnum):
    """The libraries whose frames are read and handed back."""

    PANDAS = "pandas"
    POLARS = "polars"
    ARROW = "pyarrow"
    DUCKDB = "duckdb"


_CLASSES = {
    FrameKind.PANDAS: ("DataFrame",),
    FrameKind.POLARS: ("DataFrame", "LazyFrame"),
    FrameKind.ARROW: ("Table", "RecordBatch", "RecordBatchReader", "Dataset", "Scanner"),
    FrameKind.DUCKDB: ("DuckDBPyRelation",),
}


def frame_kind(source: Any) -> FrameKind | None:
    """The kind of a frame, also where its class is made from a library's own; None for anything
    else.

    Example:
        >>> frame_kind("patients.csv") is None, frame_kind([{"age": 40}]) is None
        (True, True)
    """
    for known in type(source).__mro__:
        library = known.__module__.partition(".")[0].lstrip("_")
        for kind, names in _CLASSES.items():
            if library == kind.value and known.__name__ in names:
                return kind
    return None


def installed_kind() -> FrameKind:
    """The kind that is handed out where the source was no frame: the first library that is
    installed."""
    installed = (kind for kind in FrameKind if find_spec(kind.value) is not None)
    return next(installed, FrameKind.DUCKDB)


def is_without_fields(source: Any) -> bool:
    """Whether it is a column or an array. DuckDB would make up the names of its fields, and takes
    the rows of an array for columns."""
    return type(source).__name__ in ("Series", "ndarray")


def not_read(source: Any) -> SourceError:
    """The error about a source that is no file and no frame, with what was probably meant.

    Example:
        >>> print(not_read([{"age": 40}]).attempt)
        pandas.DataFrame(rows).
    """
    held = list(source.values()) if isinstance(source, Mapping) else source
    held = held if isinstance(held, list | tuple) else ()
    frames = sum(frame_kind(each) is not None for each in held)
    attempt = (
        "the path of a file, a pandas or polars frame with at least one field, an Arrow table or a "
        "DuckDB relation."
    )
    if isinstance(source, Mapping) and frames == 1 == len(held):
        attempt = "the frame itself: a mapping is for several tables."
    elif frames:
        attempt = 'a mapping of names and frames, such as {"patients": …, "visits": …}.'
    elif isinstance(source, Mapping):
        attempt = "pandas.DataFrame(columns), or a mapping of names and frames for several tables."
    elif isinstance(source, list):
        attempt = "pandas.DataFrame(rows)."
    elif type(source).__name__ == "Series":
        attempt = "series.to_frame(): a table has named fields."
    elif type(source).__name__ == "ndarray":
        attempt = "pandas.DataFrame(array, columns=[…]): a table has named fields."
    return SourceError(f"A source of type {type(source).__name__} is not read.", attempt=attempt)
