"""The canonical text of a cell, from its definition, and the cells of a released file. Imports
nothing of Sfumato."""

from __future__ import annotations

import csv
import datetime
import decimal
import math
from pathlib import Path

Cell = str | None
Row = dict[str, Cell]


def canonical(value: object) -> Cell:
    """One value as the docs say that values are written as text; empty text is null."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _real(value)
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        return _moment(value)
    return str(value)


def _real(value: float) -> str:
    """The shortest text that reads back as the same number, signs of nought and of NaN apart."""
    return "nan" if math.isnan(value) else repr(value)


def _moment(value: datetime.datetime) -> str:
    parts = f".{value.microsecond:06d}".rstrip("0") if value.microsecond else ""
    return f"{value:%Y-%m-%d %H:%M:%S}{parts}".rjust(19 + len(parts), "0")


def read_released(path: Path) -> tuple[list[str], list[Row]]:
    """The names of the fields of a released file and its rows in canonical text."""
    if path.suffix == ".parquet":
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path)
        columns = {
            name: [canonical(cell) for cell in table.column(name).to_pylist()]
            for name in table.column_names
        }
        return table.column_names, [
            dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)
        ]
    if path.suffix == ".xlsx":
        import openpyxl

        book = openpyxl.load_workbook(path, read_only=True)
        head, *lines = ([cell.value for cell in row] for row in book.active.iter_rows())
        book.close()
        names = [str(name) for name in head]
        return names, [
            dict(zip(names, map(canonical, line + [None] * (len(names) - len(line))), strict=True))
            for line in lines
        ]
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file, strict=True)
        names = next(lines)
        rows = [
            dict(zip(names, (cell or None for cell in line or [""]), strict=True)) for line in lines
        ]
    return names, rows
