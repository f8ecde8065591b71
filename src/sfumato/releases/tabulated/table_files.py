"""The files of a table of counts: written as CSV or Parquet, and read back."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final

from sfumato.engines import Engine, FieldKind, WritePlan, open_source
from sfumato.errors import ReleaseBroken
from sfumato.policy import AREAS_FILE, Order, TablesOfCounts
from sfumato.tabulation import AreaTree, ReleasedTable

COUNTS: Final = "counts"
SUPPRESSED_COLUMN: Final = "suppressed"


def value_column(policy: TablesOfCounts) -> str:
    return "sum" if policy.measure else "count"


def table_columns(table_columns: Sequence[str], policy: TablesOfCounts) -> list[str]:
    """The columns of the file, from those of the labels."""
    last = [SUPPRESSED_COLUMN] if policy.declaration.marks_cells else []
    return [*table_columns, value_column(policy), *last]


def write_table(
    table: ReleasedTable, policy: TablesOfCounts, folder: Path, file_format: str
) -> Path:
    """One line for each cell; a suppressed cell has no value."""
    names = table_columns(table.columns, policy)
    file = folder / f"{COUNTS}.csv"
    marked = policy.declaration.marks_cells
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(names)
        for labels, value in zip(table.labels, table.values, strict=True):
            mark = [str(value is None).lower()] if marked else []
            writer.writerow([*labels, _text(value, policy.decimals), *mark])
    if file_format == "csv":
        return file
    kind = FieldKind.REAL if policy.decimals else FieldKind.INTEGER
    target = file.with_suffix(".parquet")
    with open_source(file) as source:
        column = value_column(policy)
        typed = source.gathered({column: kind}, source.cells((column,)))
        typed.write(WritePlan(fields=tuple(names), order=Order.KEEP), target)
    file.unlink()
    return target


def _text(value: int | None, decimals: int) -> str:
    if value is None:
        return ""
    return str(Decimal(value).scaleb(-decimals)) if decimals else str(value)


def read_table(engine: Engine, policy: TablesOfCounts) -> ReleasedTable:
    """The cells of a file that was written; ReleaseBroken where it is no such table."""
    has_areas = bool(policy.levels)
    columns = [*(("level", "area") if has_areas else ()), *policy.fields]
    names = table_columns(columns, policy)
    found = [info.name for info in engine.fields()]
    if found != names:
        raise ReleaseBroken(
            "The table of counts has other columns than its policy says.",
            found=f"It has {len(found)} in place of {len(names)}.",
        )
    labels: list[tuple[str, ...]] = []
    values: list[int | None] = []
    for batch in engine.spread_rows(names):
        cells = [batch[f"cell:{name}"].tolist() for name in names]
        labels.extend(
            tuple(str(label) for label in row) for row in zip(*cells[: len(columns)], strict=True)
        )
        values.extend(_value(text, policy.decimals) for text in cells[len(columns)])
        if policy.declaration.marks_cells:
            _check_marks(cells[len(columns)], cells[-1])
    if not columns:
        labels = [() for _ in values]
    return ReleasedTable(fields=policy.fields, labels=labels, values=values, has_areas=has_areas)


def _check_marks(values: Sequence[str | None], marks: Sequence[str | None]) -> None:
    """Cells without a value, and no others, are marked as suppressed."""
    for text, mark in zip(values, marks, strict=True):
        if mark != str(text is None or text == "").lower():
            raise ReleaseBroken(
                "A cell of the table of counts says of itself what is not so.",
                found=f"Its value and its mark in the column {SUPPRESSED_COLUMN} contradict each "
                "other.",
            )


def _value(text: str | None, decimals: int) -> int | None:
    if text is None or text == "":
        return None
    try:
        number = Decimal(text).scaleb(decimals)
    except ArithmeticError:
        raise ReleaseBroken("A value of the table of counts is no number.") from None
    if number != number.to_integral_value():
        raise ReleaseBroken("A value of the table of counts is no whole number of its unit.")
    return int(number)


def write_areas(tree: AreaTree, folder: Path) -> Path:
    """The public tree, one line for each of the smallest areas."""
    file = folder / AREAS_FILE
    _write(file, tree.levels[1:], tree.paths())
    return file


def _write(file: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
