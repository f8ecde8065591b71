"""Bytes as text and back: the encoding of a file is found, kept, and reported where it was
assumed."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sfumato.errors import SourceError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NOT_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MOSTLY = 0.02
_ENCODINGS_OF_TEXT = "UTF-8, UTF-16 or UTF-32, or Windows-1252"
_UNDEFINED = frozenset(b"\x81\x8d\x8f\x90\x9d")  # Windows-1252 gives these bytes no character.


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """The text of a file, its encoding, the mark it began with, and the notes to report."""

    text: str = field(repr=False)
    encoding: str
    mark: bytes = b""
    notes: Sequence[str] = ()

    def encoded(self, text: str) -> bytes:
        """In the file's own encoding; where that has not all the characters now needed, in UTF-8
        with its mark."""
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError:
            return codecs.BOM_UTF8 + text.encode("utf-8", "replace")


def decoded(content: bytes, *, declared: str = "", asked: str = "") -> DecodedText:
    """Read bytes as text: by the mark they begin with, as `declared` in the file, else as UTF-8,
    UTF-16 without a mark, or as `asked`. The last resort is Windows-1252, which is reported.

    Example:
        >>> decoded("Zoë".encode()).encoding, decoded("Zoë".encode("cp1252")).notes
        ('utf-8', ('read as Windows-1252, because it is not UTF-8',))
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return DecodedText(
                text=_strict(content[len(mark) :], encoding), encoding=encoding, mark=mark
            )
    if b"\x00" in content[:4096] and (wide := _wide(content)):
        return DecodedText(text=_strict(content, wide), encoding=wide)
    for encoding in filter(None, (_known(declared), "utf-8", _known(asked, refuse=True))):
        try:
            return DecodedText(text=_sound(content.decode(encoding)), encoding=encoding)
        except UnicodeDecodeError:
            continue
    if asked or not _UNDEFINED.isdisjoint(content):
        raise _undecodable("Some of its bytes encode no character in any of them.")
    text = _sound(content.decode("cp1252"))
    return DecodedText(
        text=text, encoding="cp1252", notes=("read as Windows-1252, because it is not UTF-8",)
    )


def _known(encoding: str, *, refuse: bool = False) -> str:
    if not encoding:
        return ""
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except (LookupError, UnicodeError, TypeError):
        if refuse:
            raise SourceError(
                "The named encoding of a file is unknown.",
                attempt="'utf-8', 'utf-16' or 'cp1252'.",
            ) from None
        return ""
    # Marks and zero bytes were looked at before; bytes that came here are not UTF-16, whatever the
    # file says.
    return "" if name.startswith(("utf-16", "utf-32", "utf-7", "idna", "punycode")) else name


def _wide(content: bytes) -> str:
    """UTF-16 without a mark: nearly every other byte of Latin text is zero."""
    sample = content[:4096]
    pairs = max(1, len(sample) // 2)
    if sample[1::2].count(0) > 0.4 * pairs and sample[::2].count(0) < 0.05 * pairs:
        return "utf-16-le"
    if sample[::2].count(0) > 0.4 * pairs and sample[1::2].count(0) < 0.05 * pairs:
        return "utf-16-be"
    return ""


def _strict(content: bytes, encoding: str) -> str:
    try:
        return _sound(content.decode(encoding))
    except UnicodeDecodeError:
        raise _undecodable(f"It begins like {encoding.upper()}, but not all of it is.") from None


def _sound(text: str) -> str:
    """The text, unless it is full of characters that texts do not have: then it is a file of
    another kind."""
    control = len(_NOT_TEXT.findall(text))
    if control > max(8, _MOSTLY * len(text)) or (
        control and len(text) < 16 and control * 4 > len(text)
    ):
        raise SourceError(
            "This file is not text.",
            found=f"{control:,} of its {len(text):,} characters are control characters.",
            attempt="a text file, or the right suffix for what it is.",
        )
    return text


def _undecodable(found: str) -> SourceError:
    return SourceError(
        f"This file's bytes cannot be read as text in {_ENCODINGS_OF_TEXT}.",
        found=found,
        attempt="naming its encoding.",
    )
