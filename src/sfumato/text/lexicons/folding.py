"""One spelling for a word however it is written: lower case, no accents."""

from __future__ import annotations

import re
from unicodedata import normalize

_MARKS = re.compile("[\u0300-\u036f]")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "’": "'"}
)


def folded(word: str) -> str:
    """The word as lexicons have it.

    Example:
        >>> folded("José"), folded("O’BRIEN"), folded("Łódź")
        ('jose', "o'brien", 'lodz')
    """
    if word.isascii():
        return word.lower()
    bare = _MARKS.sub("", normalize("NFKD", word).casefold())
    return normalize("NFC", bare).translate(_LETTERS)
