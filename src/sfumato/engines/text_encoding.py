"""The encoding of a text file: named by its byte order mark, or found from its bytes."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

from sfumato.errors import SourceError
from sfumato.wording import counted

UTF8 = "utf-8"
SCANNED = 256 << 20
"""Bytes that are looked at. Beyond them an encoding that does not fit is an error of reading, never
a wrong letter."""
_CHUNK = 1 << 20
_ASCII = bytes(range(128))
_C1 = bytes(range(0x80, 0xA0))
_NOT_IN_1252 = b"\x81\x8d\x8f\x90\x9d"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def is_utf8(encoding: str) -> bool:
    """Whether text in an encoding is UTF-8 as it is; LookupError where nothing is called so.

    Example:
        >>> is_utf8("UTF8"), is_utf8("ascii"), is_utf8("latin-1")
        (True, True, False)
    """
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig", "ascii")


def find_encoding(path: Path, *, title: str = "") -> str:
    """UTF-8, UTF-16, UTF-32, Latin-1 or Windows-1252. A UTF-8 file with damaged bytes is refused,
    not guessed.

    Latin-1 and Windows-1252 differ only in bytes that Latin-1 has no letters for.
    """
    with path.open("rb") as file:
        start = file.read(4096)
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    wide = _without_mark(start)
    if wide:
        return wide
    if _is_utf8_text(path):
        return UTF8
    return _one_byte(path, title or path.name)


def _without_mark(start: bytes) -> str:
    """UTF-16 without a mark: nearly every second byte of Western text is 0."""
    pairs = len(start) // 2
    if pairs < 2:
        return ""
    first, second = (start[place : 2 * pairs : 2].count(0) for place in (0, 1))
    if second > 0.4 * pairs and first < 0.05 * pairs:
        return "utf-16-le"
    return "utf-16-be" if first > 0.4 * pairs and second < 0.05 * pairs else ""


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        for _ in range(SCANNED // _CHUNK):
            chunk = file.read(_CHUNK)
            if not chunk:
                return
            yield chunk


def _is_utf8_text(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder(UTF8)()
    try:
        for chunk in _chunks(path):
            if not chunk.isascii() or decoder.getstate()[0]:
                decoder.decode(chunk)
        if path.stat().st_size <= SCANNED:
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _one_byte(path: Path, title: str) -> str:
    sound = damaged = controls = unknown = 0
    first_line, lines = 0, 1
    for chunk in _chunks(path):
        high = len(chunk.translate(None, _ASCII))
        fits = len(chunk.decode(UTF8, "ignore").encode().translate(None, _ASCII))
        sound, damaged = sound + fits, damaged + high - fits
        controls += len(chunk) - len(chunk.translate(None, _C1))
        unknown += len(chunk) - len(chunk.translate(None, _NOT_IN_1252))
        if not first_line and high != fits:
            first_line = lines + _line_of_damage(chunk)
        lines += chunk.count(b"\n")
    if sound > damaged:
        raise SourceError(
            f"{title} is not UTF-8 text.",
            found=f"Most of it is, and {counted(damaged, 'byte is', 'bytes are')} not, "
            f"the first near line {first_line}.",
            attempt="mending that line, or naming the encoding, for example --encoding latin-1.",
        )
    if unknown:
        raise SourceError(
            f"The encoding of {title} cannot be found.",
            found="Its bytes are neither UTF-8 nor UTF-16, Latin-1 or Windows-1252.",
            attempt="naming the encoding, for example --encoding shift_jis, or saving the file as "
            "UTF-8.",
        )
    return "windows-1252" if controls else "latin-1"


def _line_of_damage(chunk: bytes) -> int:
    try:
        chunk.decode(UTF8)
    except UnicodeDecodeError as error:
        return chunk.count(b"\n", 0, error.start)
    return 0
