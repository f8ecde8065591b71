"""Turning DuckDB's complaints into ours. Its messages hold cell values, so none of their text is passed on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from sfumato.errors import Bug, SfumatoError, SourceError, TargetError


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Errors raised inside are about reading the source called `name`."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        raise _about_reading(name, error) from None


@contextmanager
def writing(name: str, target: str) -> Iterator[None]:
    """Errors raised inside are about writing `target`, or about reading the source while doing so."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        text = str(error).lower()
        if "no space left" in text or "disk quota" in text:
            raise TargetError(
                f"The release cannot be written to {target}.",
                found="The disk is full.",
                attempt="freeing space, or another folder with --to; nothing was released.",
            ) from None
        if "cannot open file" in text or "permission denied" in text or "could not write" in text:
            raise TargetError(
                f"The release cannot be written to {target}.",
                found="The folder does not accept new files.",
                attempt="another folder with --to; nothing was released.",
            ) from None
        raise _about_reading(name, error) from None


def _about_reading(name: str, error: duckdb.Error) -> SfumatoError:
    text = str(error)
    low = text.lower()
    if isinstance(error, duckdb.ParserException | duckdb.BinderException | duckdb.CatalogException):
        return Bug(f"DuckDB refused a query over {name} with {type(error).__name__}.")
    line = re.search(r"line:?\s*(\d+)", text, re.IGNORECASE)
    where = f"line {line[1]}" if line else "a line"
    if "unicode" in low or "utf-8" in low or "utf8" in low or "encoding" in low:
        return SourceError(
            f"{name} is not UTF-8 text.",
            found=f"Bytes that are not UTF-8 stand on {where}.",
            attempt="naming its encoding, for example --encoding latin-1, or saving it as UTF-8.",
        )
    if "expected number of columns" in low or "too many columns" in low or "missing columns" in low:
        counts = re.search(r"expected number of columns:\s*(\d+)\s*found:\s*(\d+)", low)
        found = (
            f"{where.capitalize()} has {counts[2]} cells; the header has {counts[1]}."
            if counts
            else (f"{where.capitalize()} has another number of cells than the header.")
        )
        return SourceError(
            f"{name} is ragged: its rows do not all have as many cells as its header.",
            found=found,
            attempt="mending that line (often an unquoted separator inside a cell).",
        )
    if "quote" in low:
        return SourceError(
            f"{name} cannot be read as CSV.",
            found=f"A quotation mark is opened and not closed, or misplaced, near {where}.",
            attempt='doubling quotation marks inside quoted cells ("").',
        )
    if "maximum line size" in low:
        return SourceError(
            f"{name} cannot be read as CSV.",
            found=f"{where.capitalize()} is longer than the reader allows.",
            attempt="looking for an unclosed quotation mark there.",
        )
    if "out of memory" in low:
        return SourceError(
            f"{name} needs more memory than the engine was given.",
            attempt="a larger --memory, or more space in the temporary folder.",
        )
    if "no space left" in low:
        return SourceError(
            f"{name} could not be worked on: the temporary folder is full.",
            attempt="setting TMPDIR to a folder with more space.",
        )
    kind = type(error).__name__
    return SourceError(
        f"{name} cannot be read.",
        found=f"The engine stopped with {kind}; its message is held back because it may hold values.",
        attempt="checking that the file is whole and of the kind that its name says.",
    )
