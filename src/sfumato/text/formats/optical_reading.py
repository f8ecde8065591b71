"""Pages of a scan read by Tesseract: each word with its place on the page, and how sure it is.

Tesseract (Smith 2007) is a program of its own, called page by page; nothing leaves the machine, and
no file is written for it. A page is readable where it has no ink, or where most of its words are
sure."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from io import BytesIO
from statistics import median
from typing import TYPE_CHECKING, Final

from sfumato.errors import MissingExtra, SourceError

if TYPE_CHECKING:
    from PIL.Image import Image

PROGRAM: Final = "tesseract"
TASK: Final = "Reading scans with the program tesseract (on Debian: apt install tesseract-ocr)"
SURE: Final = 60.0
"""Words from this confidence on, of 100, are read; others are covered."""
_LONGEST: Final = 180
"""Seconds for one page."""
_INK: Final = 128
_BLANK: Final = 0.0005
"""A page with a smaller share of dark points has nothing on it."""
_FRAME: Final = 0.02
"""The share of a page at each edge that shadows of a scanner darken."""
_MOST_REMEMBERED: Final = 200

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in points of the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadWord:
    """A word of a page. `start` and `end` are its place in the page's text."""

    start: int
    end: int
    box: Box
    is_sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPage:
    """A page as it was read. `is_unreadable` is whether there is ink on it that is not words."""

    text: str = field(repr=False)
    words: tuple[ReadWord, ...] = field(repr=False)
    is_unreadable: bool

    @property
    def unsure(self) -> int:
        return sum(not word.is_sure for word in self.words)


def needs_reader() -> None:
    """Raise `MissingExtra` where Tesseract or Pillow is not installed."""
    if not can_read():
        raise MissingExtra(TASK, extra="ocr")


def can_read() -> bool:
    """Whether scans can be read here."""
    return find_spec("PIL") is not None and shutil.which(PROGRAM) is not None


def read_page(picture: Image) -> ReadPage:
    """Read a page in shades of grey. The last pages are remembered: a scrub opens a file several
    times."""
    key = hashlib.sha256(f"{picture.size}".encode() + picture.tobytes()).digest()
    found = _remembered.pop(key, None)
    if found is None:
        found = _read(picture)
    _remembered[key] = found
    while len(_remembered) > _MOST_REMEMBERED:
        _remembered.popitem(last=False)
    return found


_remembered: OrderedDict[bytes, ReadPage] = OrderedDict()


def _read(picture: Image) -> ReadPage:
    rows = list(_rows(_asked(picture)))
    text, words = "", list[ReadWord]()
    line: tuple[str, ...] | None = None
    for place, box, confidence, word in rows:
        text += "" if line is None else " " if place == line else "\n"
        if line is not None and place[:-1] != line[:-1]:
            text += "\n"
        line = place
        start = len(text)
        text += word
        words.append(ReadWord(start=start, end=len(text), box=box, is_sure=confidence >= SURE))
    sure = median(row[2] for row in rows) >= SURE if rows else _is_blank(picture)
    return ReadPage(text=text, words=tuple(words), is_unreadable=not sure)


def _asked(picture: Image) -> str:
    needs_reader()
    page = BytesIO()
    picture.save(page, "PNG")
    command = (PROGRAM, "stdin", "stdout", "-l", "eng", "--psm", "3", "--dpi", "300", "tsv")
    try:
        done = subprocess.run(
            command,
            input=page.getvalue(),
            capture_output=True,
            timeout=_LONGEST,
            check=True,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        )
    except (OSError, subprocess.SubprocessError):
        raise SourceError(
            "A page of a scan cannot be read.",
            found="Tesseract failed, or took too long.",
            attempt="installing the English data of Tesseract (Debian: tesseract-ocr-eng).",
        ) from None
    return done.stdout.decode("utf-8", "replace")


def _rows(table: str) -> Iterator[tuple[tuple[str, ...], Box, float, str]]:
    """The words of Tesseract's table: the line of each, its box, its confidence and itself."""
    for row in table.splitlines()[1:]:
        level, *place, _, left, top, width, height, confidence, word = row.split("\t", 11)
        if level == "5" and word.strip():
            x, y = int(left), int(top)
            box = x, y, x + int(width), y + int(height)
            yield tuple(place), box, float(confidence), word.strip()


def _is_blank(picture: Image) -> bool:
    width, height = picture.size
    edge = int(_FRAME * width), int(_FRAME * height)
    inner = picture.crop(
        (*edge, max(edge[0] + 1, width - edge[0]), max(edge[1] + 1, height - edge[1]))
    )
    dark: Sequence[int] = inner.histogram()[:_INK]
    return sum(dark) <= _BLANK * inner.size[0] * inner.size[1]
