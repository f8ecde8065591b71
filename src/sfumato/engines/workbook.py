"""Excel workbooks: sheets read row by row, and tables written so that no cell is a formula.

openpyxl streams both ways in little memory and needs nothing from the network. It is imported only
here."""

from __future__ import annotations

import contextlib
import math
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from sfumato.errors import MissingExtra, SourceError, TargetError
from sfumato.wording import counted

from .limits import RATIO, SHEET_BYTES

ROWS = 1_048_576
COLUMNS = 16_384
LONGEST_CELL = 32_767
_EXACT = 10**15
_FIRST_DAY = date(1900, 3, 1)


@contextmanager
def _openpyxl(name: str) -> Iterator[None]:
    """Errors inside are about the workbook called `name`; none of their text is passed on."""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise MissingExtra("Excel workbooks", extra="excel") from None
    try:
        yield
    except (SourceError, TargetError, OSError, MemoryError):
        raise
    except Exception:
        raise SourceError(
            f"{name} cannot be read as an Excel workbook.",
            attempt="checking that it is whole and ends in .xlsx for that reason, or saving the "
            "sheet as CSV.",
        ) from None


def sheet_names(path: Path, *, title: str = "") -> tuple[str, ...]:
    """The sheets of a workbook that hold cells."""
    with _openpyxl(title or path.name):
        _check_size(path, title or path.name)
        book = _load(path, values=True)
        try:
            return tuple(sheet.title for sheet in book.worksheets)
        finally:
            book.close()


def sheet_rows(path: Path, sheet: str, *, title: str = "") -> Iterator[list[Any]]:
    """The rows of a sheet up to its last cell that is not empty; formulas as the values that were
    stored with them."""
    name = title or path.name
    with _openpyxl(name):
        book = _load(path, values=True)
        try:
            cells = book[sheet]
            cells.reset_dimensions()
            for number, row in enumerate(cells.iter_rows(values_only=True), start=1):
                if number > ROWS or len(row) > COLUMNS:
                    raise SourceError(
                        f"{name} has more than {ROWS:,} rows or {COLUMNS:,} columns, which "
                        "is the limit."
                    )
                out = list(row)
                while out and out[-1] in (None, ""):
                    out.pop()
                yield out
        finally:
            book.close()


def check_formulas(path: Path, sheet: str, *, title: str = "") -> None:
    """Refuse a sheet with formulas of which no value was stored: reading them as empty would lose
    what they hold."""
    name = title or path.name
    with _openpyxl(name):
        formulas, values = _load(path, values=False), _load(path, values=True)
        try:
            for book in (formulas, values):
                book[sheet].reset_dimensions()
            pairs = zip(formulas[sheet].iter_rows(), values[sheet].iter_rows(), strict=True)
            missing = sum(
                1
                for asked, found in pairs
                for formula, value in zip(asked, found, strict=True)
                if formula.data_type == "f" and value.value is None
            )
        finally:
            formulas.close()
            values.close()
    if missing:
        raise SourceError(
            f"{name} holds formulas without values.",
            found=f"{counted(missing, 'cell was', 'cells were')} never calculated.",
            attempt="opening it in a spreadsheet program, saving it, and reading it again.",
        )


def has_formulas(path: Path) -> bool:
    """Whether any sheet holds a formula, by its bytes alone."""
    with zipfile.ZipFile(path) as packed:
        for item in packed.infolist():
            if item.filename.startswith("xl/worksheets/"):
                with packed.open(item) as file:
                    before = b""
                    while chunk := file.read(1 << 20):
                        if (
                            b"<f>" in before + chunk
                            or b"<f " in before + chunk
                            or b":f>" in before + chunk
                        ):
                            return True
                        before = chunk[-4:]
    return False


def cell_text(value: Any) -> str | None:
    """A cell as canonical text (docs/engines.md); a date without a time is a day."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0):
            return value.date().isoformat()
        whole, dot, part = value.isoformat(sep=" ").partition(".")
        return f"{whole}{dot}{part}".rstrip("0") if dot else whole
    return str(value)


def write_sheet(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Write a table as the only sheet of a workbook; the number of its rows. Text that starts with
    = is text too."""
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.utils.exceptions import IllegalCharacterError
    except ImportError:
        raise MissingExtra("Excel workbooks", extra="excel") from None
    if len(names) > COLUMNS:
        raise _beyond(f"{COLUMNS:,} columns")
    book = Workbook(write_only=True)
    sheet = book.create_sheet("release")

    def cell(value: Any) -> Any:
        plain = _plain(value)
        if isinstance(plain, str) and len(plain) > LONGEST_CELL:
            raise _beyond(f"{LONGEST_CELL:,} characters in a cell")
        made = WriteOnlyCell(sheet, value=plain)
        if isinstance(plain, str):
            made.data_type = "s"
        return made

    written = 0
    try:
        sheet.append([cell(name) for name in names])
        for row in rows:
            written += 1
            if written >= ROWS:
                raise _beyond(f"{ROWS - 1:,} rows")
            sheet.append([cell(value) for value in row])
        book.save(path)
    except BaseException as error:
        _abandon(sheet)
        if not isinstance(error, IllegalCharacterError):
            raise
        raise TargetError(
            "A cell holds a control character, which no workbook can hold.",
            attempt="--format csv or parquet.",
        ) from None
    return written


def _abandon(sheet: Any) -> None:
    """Close a sheet that will not be saved, and remove the file that holds its rows so far."""
    with contextlib.suppress(Exception):
        sheet.close()
    with contextlib.suppress(Exception):
        sheet._writer.cleanup()


def _plain(value: Any) -> Any:
    """A value that a workbook holds unchanged, else its text: whole numbers of more than 15 digits
    lose some there."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < _EXACT else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return float(value) if Decimal(repr(float(value))) == value else str(value)
    if isinstance(value, date):
        day = value.date() if isinstance(value, datetime) else value
        zoned = isinstance(value, datetime) and value.tzinfo is not None
        fine = isinstance(value, datetime) and value.microsecond % 1000 != 0
        return cell_text(value) if zoned or fine or day < _FIRST_DAY else value
    return str(value)


def _beyond(limit: str) -> TargetError:
    return TargetError(f"A sheet of Excel has at most {limit}.", attempt="--format csv or parquet.")


def _load(path: Path, *, values: bool) -> Any:
    from openpyxl import load_workbook

    return load_workbook(path, read_only=True, data_only=values, keep_links=False)


def _check_size(path: Path, name: str) -> None:
    limit = max(SHEET_BYTES, RATIO * path.stat().st_size)
    with zipfile.ZipFile(path) as packed:
        unpacked = sum(item.file_size for item in packed.infolist())
    if unpacked > limit:
        raise SourceError(
            f"{name} unpacks to more than {limit >> 20:,} MiB, which is the limit.",
            attempt="saving the sheet as CSV if you trust it.",
        )
