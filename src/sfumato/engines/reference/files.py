"""The reference engine's files: CSV by Python's own module."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import SourceError, TargetError
from sfumato.hierarchies import Label
from sfumato.policy import SourceFormat
from sfumato.wording import counted

from ..compressed_file import is_compressed, unpack
from ..csv_dialect import dialect_of, encoding_of
from ..formula_cells import unquote

Row = dict[str, Label]


def read_rows(path: Path, format: SourceFormat) -> tuple[list[str], list[Row], dict[str, object]]:
    """The names, the rows and the dialect of a CSV file, compressed or not."""
    if not path.exists():
        raise SourceError(f"{path} does not exist.", attempt="checking the path.")
    with tempfile.TemporaryDirectory(prefix="sfumato-") as folder:
        plain = unpack(path, Path(folder)) if is_compressed(path) else path
        encoding = encoding_of(plain, format.encoding, title=path.name)
        return _read(plain, path, format, encoding=encoding, folder=Path(folder))


def _read(
    unpacked: Path, path: Path, format: SourceFormat, *, encoding: str, folder: Path
) -> tuple[list[str], list[Row], dict[str, object]]:
    try:
        text = unpacked.read_bytes().decode(encoding).removeprefix("\ufeff")
        copy = folder / "text.csv"
        copy.write_text(text, encoding="utf-8", newline="")
        dialect = dialect_of(copy, format, title=path.name, encoding=encoding)
        lines = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=dialect.separator)
        names = list(dialect.names)
        if dialect.header:
            next(lines)
        plain = unquote if format.quoted_formulas else str
        rows = [
            _row(path, names, [plain(cell) for cell in line], lines.line_num)
            for line in lines
            if line or len(names) == 1
        ]
    except (OSError, UnicodeError, csv.Error):
        raise SourceError(
            f"{path.name} cannot be read as CSV.",
            attempt="checking that it is whole, and its encoding.",
        ) from None
    return names, rows, dialect.facts()


def _row(path: Path, names: list[str], cells: list[str], number: int) -> Row:
    cells = cells or [""]
    if len(cells) != len(names):
        raise SourceError(
            f"{path.name} is ragged: its rows do not all have as many cells as its header.",
            found=f"Line {number} has {counted(len(cells), 'cell')}; the header has {len(names)}.",
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
