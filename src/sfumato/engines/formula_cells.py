"""Cells and names that a spreadsheet would run as a formula, and how they are quoted in a CSV file.

A spreadsheet runs a cell that starts with =, @, + or -, a tab or a carriage return; a number is
none. Quoted, such a cell has an apostrophe in front, and so has every cell that only differs from
one by apostrophes: nothing is lost."""

from __future__ import annotations

import csv
import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import TargetError
from sfumato.wording import counted

from .sql.queries.trees import NUMBER, RUN

QUOTED = "^'+[=@+\t\r-]"
_RUN, _QUOTED, _NUMBER = re.compile(RUN), re.compile(QUOTED), re.compile(NUMBER)
_LONGEST = 1 << 30


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would run a cell.

    Example:
        >>> [is_formula(cell) for cell in ("=1+1", "@SUM(A1)", "-2.5", "+31 6 123", "a=b", "")]
        [True, True, False, True, False, False]
    """
    return _RUN.match(cell) is not None and _NUMBER.match(cell) is None


def quote(cell: str) -> str:
    """A cell as it is written, so that no spreadsheet runs it.

    Example:
        >>> [quote(cell) for cell in ("=1+1", "-2.5", "'=1", "it's")]
        ["'=1+1", '-2.5', "''=1", "it's"]
    """
    return f"'{cell}" if is_formula(cell) or _QUOTED.match(cell) is not None else cell


def unquote(cell: str) -> str:
    """A cell as it was before it was quoted.

    Example:
        >>> [unquote(quote(cell)) for cell in ("=1+1", "-2.5", "'=1", "it's")]
        ['=1+1', '-2.5', "'=1", "it's"]
    """
    return cell[1:] if _QUOTED.match(cell) is not None else cell


def quote_file(path: Path) -> None:
    """Quote the names and cells of a CSV file that was just written, row by row."""
    if path.is_dir():
        raise TargetError(
            "Formulas are quoted in one CSV file, and this engine writes a folder of them.",
            attempt="--format parquet, the DuckDB engine, or a policy without quote_formulas.",
        )
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    before = csv.field_size_limit(_LONGEST)
    try:
        with (
            path.open(encoding="utf-8", newline="") as old,
            draft.open("x", encoding="utf-8", newline="") as new,
        ):
            plainly = csv.writer(new, lineterminator="\n")
            fully = csv.writer(new, lineterminator="\n", quoting=csv.QUOTE_ALL)
            for row in csv.reader(old, strict=True):
                # A bare carriage return ends a line for many readers, and Python 3.11 would not
                # quote it.
                writer = fully if any("\r" in cell for cell in row) else plainly
                writer.writerow([quote(cell) for cell in row])
        os.replace(draft, path)
    finally:
        csv.field_size_limit(before)
        draft.unlink(missing_ok=True)


def formula_sentences(
    names: Sequence[str], cells: dict[str, int], *, quoted: bool
) -> tuple[str, ...]:
    """Warnings about names and cells of a file that a spreadsheet would run. It discloses no
    cell."""
    total = sum(cells.values())
    if not total and not names:
        return ()
    where = [f"{count:,} in {name}" for name, count in cells.items() if count]
    parts = [f"{counted(total, 'cell')} ({', '.join(where)})"] if total else []
    parts += [counted(len(names), "name")] if names else []
    what = f"A spreadsheet would run {' and '.join(parts)} as formulas"
    if quoted:
        return (f"{what}: they have an apostrophe in front (quote_formulas).",)
    return (f"{what}. Set quote_formulas = true, or ask recipients to import the file as text.",)
