"""Translating DuckDB's errors into ours. Its messages hold cell values, so none of their text is
passed on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from sfumato.errors import Bug, SfumatoError, SourceError, TargetError
from sfumato.runs import watch
from sfumato.wording import counted

# The driver quotes the offending line between these two sentences, so only their last occurrence is
# DuckDB's own.
_LINE = re.compile(r"[\w ]+: CSV Error on Line: (\d+)")
_CELLS = re.compile(r"^Expected Number of Columns: (\d+) Found: (\d+)", re.MULTILINE)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Errors raised inside are about reading the source called `name`."""
    with watch() as interrupts:
        try:
            yield
        except (duckdb.Error, UnicodeError, RuntimeError) as error:
            interrupts.check()
            raise _about_reading(name, error) from None


@contextmanager
def writing(name: str, target: str) -> Iterator[None]:
    """Errors raised inside are about writing `target`, or about reading the source while doing
    so."""
    with watch() as interrupts:
        try:
            yield
        except (duckdb.Error, UnicodeError, RuntimeError) as error:
            interrupts.check()
            raise _about_writing(target, error) or _about_reading(name, error) from None


def _about_writing(target: str, error: Exception) -> TargetError | None:
    text = str(error).lower()
    if not isinstance(error, duckdb.IOException) or Path(target).name.lower() not in text:
        return None
    if "no space left" in text or "disk quota" in text:
        found, attempt = (
            "The disk is full.",
            "freeing space, or another folder with --to; nothing was released.",
        )
    else:
        found = "The folder does not exist or does not accept new files."
        attempt = "another folder with --to; nothing was released."
    return TargetError(f"The release cannot be written to {target}.", found=found, attempt=attempt)


def _about_reading(name: str, error: Exception) -> BaseException:
    """The error to raise instead of `error`."""
    if isinstance(error, duckdb.InterruptException) or str(error) == "Query interrupted":
        return KeyboardInterrupt()  # DuckDB answers Ctrl-C with a RuntimeError of this text.
    if isinstance(error, UnicodeError):
        return _not_text(name, "a line")
    if not isinstance(error, duckdb.Error):
        return error
    if isinstance(error, duckdb.ParserException | duckdb.BinderException | duckdb.CatalogException):
        return Bug(f"DuckDB refused a query over {name} with {type(error).__name__}.")
    return _about_csv(name, str(error)) or _about_space(name, error)


def _about_csv(name: str, text: str) -> SourceError | None:
    line = _LINE.match(text)
    where = f"line {line[1]}" if line else "a line"
    if "Invalid unicode" in text or "not utf-8 encoded" in text.lower():
        return _not_text(name, where)
    cells = _CELLS.findall(text)
    if line and cells:
        expected, found = cells[-1]
        return SourceError(
            f"{name} is ragged: its rows do not all have as many cells as its header.",
            found=f"{where.capitalize()} has {counted(int(found), 'cell')}; the header has "
            f"{expected}.",
            attempt="mending that line (often an unquoted separator inside a cell).",
        )
    if "Maximum line size" in text:
        return SourceError(
            f"{name} cannot be read as CSV.",
            found=f"{where.capitalize()} is longer than the 2 MB that a line may have.",
            attempt="looking for an unclosed quotation mark there, or Parquet where cells are that "
            "long.",
        )
    if "maximum_object_size" in text:
        return SourceError(
            f"{name} cannot be read as JSON.",
            found="An object is larger than the 16 MiB that one may have.",
            attempt="one object for each row, or Parquet where cells are that long.",
        )
    if "malformed json" in text.lower():
        return SourceError(
            f"{name} cannot be read as JSON.",
            found="It is cut off, or a comma, a quotation mark or a bracket is missing or "
            "misplaced.",
            attempt="a whole file: a list of objects, or one object per line.",
        )
    if "exceeds maximum recursion depth" in text:
        return SourceError(
            f"{name} cannot be read as JSON.",
            found="It is nested deeper than 128 levels, which is the limit.",
            attempt="one object for each row, without objects in it.",
        )
    if "unterminated quote" in text:
        return SourceError(
            f"{name} cannot be read as CSV.",
            found=f"A quotation mark is opened and not closed, or misplaced, near {where}.",
            attempt='doubling quotation marks inside quoted cells ("").',
        )
    if "state machine reached an invalid state" in text:
        return SourceError(
            f"{name} cannot be read as CSV.",
            found="Its lines do not all end alike (CR LF, LF or CR), or a quotation mark is "
            "misplaced.",
            attempt="saving it again with one kind of line end.",
        )
    return None


def _not_text(name: str, where: str) -> SourceError:
    return SourceError(
        f"{name} is not UTF-8 text.",
        found=f"Bytes that are not UTF-8 are on {where}.",
        attempt="naming its encoding, for example --encoding latin-1, or saving it as UTF-8.",
    )


def _about_space(name: str, error: duckdb.Error) -> SfumatoError:
    low = str(error).lower()
    if isinstance(error, duckdb.OutOfMemoryException):
        return SourceError(
            f"{name} needs more memory than the engine was given.",
            attempt="a larger --memory, or more space in the temporary folder.",
        )
    if isinstance(error, duckdb.IOException) and "no space left" in low:
        return SourceError(
            f"{name} could not be worked on: the temporary folder is full.",
            attempt="setting TMPDIR to a folder with more space.",
        )
    return SourceError(
        f"{name} cannot be read.",
        found=f"The engine stopped with {type(error).__name__}; its message is held back because "
        "it may hold values.",
        attempt="checking that the file is whole and of the kind that its name says.",
    )
