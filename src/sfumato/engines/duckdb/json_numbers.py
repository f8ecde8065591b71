"""Numbers of JSON that no double holds as they are written: DuckDB would round them, so a copy
holds them as text."""

from __future__ import annotations

import mmap
import re
import secrets
from pathlib import Path
from typing import IO

_SUSPECT = re.compile(rb"[0-9.]{17}|-0(?![0-9.])|[0-9][eE][+-]?[0-9]{3}")
"""A number of up to 15 digits is held, unless its exponent is long; a search for the others takes
little time."""
_TOKEN = re.compile(
    rb'"[^"\\]*(?:\\.[^"\\]*)*"?|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?', re.DOTALL
)

_CHUNK = 1 << 20


def is_held(number: str) -> bool:
    """Whether reading a number keeps it: whole numbers have types of their own, others need all of
    their digits.

    Example:
        >>> is_held("0.30000000000000004"), is_held("12345678901234567.89"), is_held("-0")
        (True, False, False)
    """
    if number.lstrip("-").isdigit():
        return number != "-0"
    return _digits(repr(float(number))) == _digits(number)


def _digits(number: str) -> str:
    """From the first to the last that is not nought. The nearest double with the same digits is the
    same number."""
    return re.split("[eE]", number)[0].lstrip("-").replace(".", "").strip("0")


def with_digits_kept(path: Path, scratch: Path) -> Path:
    """The file itself, or a copy in which numbers that no double holds are quoted."""
    if not path.stat().st_size:
        return path
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        if _SUSPECT.search(text) is None:
            return path
        copy = scratch / f"{secrets.token_hex(4)}.json"
        end, found = 0, False
        with copy.open("xb") as new:
            for token in _TOKEN.finditer(text):
                start = token.start()
                if text[start] == ord('"') or is_held(token[0].decode("ascii")):
                    continue
                _write(new, text, end, start)
                new.write(b'"' + token[0] + b'"')
                end, found = token.end(), True
            _write(new, text, end, len(text))
    if not found:
        copy.unlink()
    return copy if found else path


def _write(new: IO[bytes], text: mmap.mmap, start: int, end: int) -> None:
    for place in range(start, end, _CHUNK):
        new.write(text[place : min(place + _CHUNK, end)])
