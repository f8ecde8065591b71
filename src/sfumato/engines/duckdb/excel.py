"""Reading a sheet of an Excel workbook into DuckDB: each column gets the type that all of its cells
have.

Cells that the policy takes for missing values have no type, so that numbers beside them stay
numbers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sqlglot import exp

from sfumato.errors import SourceError, as_caller_writes
from sfumato.wording import counted

from ..asked_names import one_table
from ..field_names import check_names, is_data, mend_names, numbered_names, renamed_note
from ..sql.queries import column, named, table
from ..workbook import cell_text, check_formulas, has_formulas, sheet_names, sheet_rows
from .session import DuckDBSession
from .sqlite import stored
from .views import ReadOptions, create_view

BATCH = 20_000
_WHOLE = 2**63


def read_excel(session: DuckDBSession, path: Path, options: ReadOptions) -> None:
    """Two passes: one for the types, one for the cells. Numbers, dates and text stay what they
    are."""
    title = options.title or path.name
    sheet = one_table(title, sheet_names(path, title=title), options.table)
    if has_formulas(path):
        check_formulas(path, sheet, title=title)
    names, kinds, notes = _scan(path, sheet, options, title)
    parts = [
        exp.ColumnDef(this=exp.to_identifier(n, quoted=True), kind=exp.DataType.build(kinds[n]))
        for n in names
    ]
    session.run(
        exp.Create(this=exp.Schema(this=table(stored(options)), expressions=parts), kind="TABLE")
    )
    shown = [named(exp.cast(column(n), exp.DataType.build(kinds[n])), n) for n in names]
    insert = exp.insert(exp.select(*shown).from_(table("batch")), table(stored(options)))
    rows = _rows(path, sheet, options, title)
    while batch := list(islice(rows, BATCH)):
        made = {}
        for place, name in enumerate(names):
            cells = np.empty(len(batch), object)
            cells[:] = [cell_text(row[place]) if place < len(row) else None for row in batch]
            made[name] = cells
        with session.batch(made):
            session.run(insert)
    create_view(session, exp.select("*").from_(table(stored(options))), options)
    facts = {"sheet": sheet, "header": options.format.header, **({"notes": notes} if notes else {})}
    session.files.note(facts, table=options.table_name)


def _rows(path: Path, sheet: str, options: ReadOptions, title: str) -> Iterator[list[Any]]:
    """The rows below the header. Rows without any cell are left out, as blank lines of CSV are."""
    rows = sheet_rows(path, sheet, title=title)
    if options.format.header:
        next(rows, None)
    words = frozenset(options.format.null_words)
    if not words:
        return (row for row in rows if row)
    return (
        [None if isinstance(cell, str) and cell.strip() in words else cell for cell in row]
        for row in rows
        if row
    )


def _scan(
    path: Path, sheet: str, options: ReadOptions, title: str
) -> tuple[list[str], dict[str, str], list[str]]:
    """The names of the fields, the types of their cells, and what to know about them."""
    first = next(sheet_rows(path, sheet, title=title), [])
    if not first:
        raise SourceError(
            f"{title} needs a header.",
            found="The first row of the sheet is empty.",
            attempt="a sheet that starts with the names of the fields.",
        )
    texts = [cell_text(cell) or "" for cell in first]
    notes = []
    names = texts
    if not options.format.header:
        names = numbered_names(len(texts))
    elif options.format.rename_headers:
        names = mend_names(texts)
    data = options.format.header and any(map(is_data, texts))
    if data:
        notes.append(
            as_caller_writes(
                "The first row was taken for the header, and holds a number or a date. Use "
                "--no-header otherwise."
            )
        )
    if options.format.header and names != texts:
        notes.append(renamed_note(texts, names, told=not data))
    check_names(title, names, told=not data, attempt="--rename-headers")
    seen: list[set[str]] = [set() for _ in names]
    for number, row in enumerate(_rows(path, sheet, options, title), start=1):
        if len(row) > len(names):
            raise SourceError(
                f"{title} is ragged: its rows do not all have as many cells as its header.",
                found=f"Row {number} below the header has {counted(len(row), 'cell')}; the "
                f"header has {len(names)}.",
                attempt="names for all columns, or an empty space beside the table.",
            )
        for place, cell in enumerate(row):
            if cell not in (None, ""):
                seen[place].add(_kind(cell))
    return names, {name: _type(kinds) for name, kinds in zip(names, seen, strict=True)}, notes


def _kind(cell: Any) -> str:
    if isinstance(cell, bool):
        return "BOOLEAN"
    if isinstance(cell, int):
        return "BIGINT" if abs(cell) < _WHOLE else "TEXT"
    if isinstance(cell, float):
        return "DOUBLE"
    if isinstance(cell, datetime):
        return (
            "DATE"
            if (cell.hour, cell.minute, cell.second, cell.microsecond) == (0, 0, 0, 0)
            else "TIMESTAMP"
        )
    return "DATE" if isinstance(cell, date) else "TEXT"


def _type(kinds: set[str]) -> str:
    """The type that holds all of them, else text."""
    for type_, holds in (("DOUBLE", {"BIGINT", "DOUBLE"}), ("TIMESTAMP", {"DATE", "TIMESTAMP"})):
        if len(kinds) > 1 and kinds <= holds:
            return type_
    return next(iter(kinds)) if len(kinds) == 1 else "TEXT"
