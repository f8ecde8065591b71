"""The reference engine's files: CSV by Python's own module."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import SourceError, TargetError
from sfumato.policy.hierarchies import Label

Row = dict[str, Label]


def read_rows(path: Path) -> tuple[list[str], list[Row]]:
    """The header and the rows of a CSV file in UTF-8, separated by commas."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, strict=True)
            names = next(lines, [])
            rows = [_row(path, names, line, lines.line_num) for line in lines if line or len(names) == 1]
    except (OSError, UnicodeError, csv.Error):
        raise SourceError(
            f"{path.name} cannot be read as CSV.", attempt="checking that it exists and is UTF-8 text with a header."
        ) from None
    if not names:
        raise SourceError(f"{path.name} is empty.", attempt="a file with a header line and at least one row.")
    return names, rows


def _row(path: Path, names: list[str], cells: list[str], number: int) -> Row:
    cells = cells or [""]
    if len(cells) != len(names):
        raise SourceError(
            f"{path.name} is ragged: its rows do not all have as many cells as its header.",
            found=f"Line {number} has {len(cells)} cell(s); the header has {len(names)}.",
        )
    return dict(zip(names, cells, strict=True))


def write_rows(fields: Sequence[str], rows: Sequence[Row], target: Path) -> None:
    try:
        with target.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=fields)
            writer.writeheader()
            writer.writerows(rows)
    except OSError as error:
        raise TargetError(
            f"The release cannot be written to {target}.",
            found=f"{error.strerror}.",
            attempt="another folder with --to; nothing was released.",
        ) from None
