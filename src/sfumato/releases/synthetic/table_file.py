"""The file of a synthetic table: written, read back, marked, and described for the manifest."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import (
    FieldKind,
    MadeColumn,
    WritePlan,
    mark_parquet,
    open_source,
    write_made_rows,
)
from sfumato.errors import Bug
from sfumato.policy import Order

from ..inventory import digest_of, size_of

TABLE: Final = "synthetic"
"""The name of the table, its file, and the column that marks its rows."""
MARKS: Final = {TABLE: "true"}
"""In the metadata of a Parquet file, beside the column of each row and the file's name."""
FORMATS: Final = ("csv", "parquet")


def copy_name(number: int) -> str:
    """The name of a copy: the first has the table's own.

    Example:
        >>> copy_name(1), copy_name(2)
        ('synthetic', 'synthetic_2')
    """
    return TABLE if number == 1 else f"{TABLE}_{number}"


def write_table(
    folder: Path,
    name: str,
    columns: Mapping[str, Sequence[Any]],
    *,
    kinds: Mapping[str, FieldKind],
    file_format: str,
) -> dict[str, Any]:
    """Write marked rows, read them back, and give the entry of the manifest. `kinds` are those of
    fields that are numbers in Parquet; all other cells are text."""
    file = folder / f"{name}.csv"
    rows = len(next(iter(columns.values())))
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*columns, TABLE])
        writer.writerows(zip(*columns.values(), ["true"] * rows, strict=True))
    with open_source(file) as table:
        if table.count_rows() != rows:
            raise Bug("the synthetic table has other rows than were drawn.")
        if file_format == "parquet":
            plan = WritePlan(fields=(*columns, TABLE), order=Order.KEEP)
            typed = table.gathered(kinds, table.cells(tuple(kinds))) if kinds else table
            typed.write(plan, file.with_suffix(".parquet"))
    if file_format == "parquet":
        file.unlink()
        file = file.with_suffix(".parquet")
        mark_parquet(file, MARKS)
    return _entry(file, list(columns), rows)


def write_made_table(
    folder: Path,
    name: str,
    columns: Mapping[str, MadeColumn],
    batches: Iterator[Mapping[str, NDArray[np.int64]]],
    *,
    rows: int,
    file_format: str,
) -> dict[str, Any]:
    """The same for rows that are drawn while they are written, some at a time."""
    file = folder / f"{name}.{file_format}"
    written = write_made_rows(file, columns, batches, constants=MARKS)
    with open_source(file) as table:
        if not written == table.count_rows() == rows:
            raise Bug("the synthetic table has other rows than were drawn.")
    return _entry(file, list(columns), rows)


def _entry(file: Path, columns: list[str], rows: int) -> dict[str, Any]:
    return {
        "file": file.name,
        "sha256": digest_of(file),
        "bytes": size_of(file),
        "rows": rows,
        "fields": columns,
        "marked_by": TABLE,
    }
