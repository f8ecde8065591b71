"""SASLprep (RFC 4013): a password as clients of PostgreSQL spell it before they prove that they
know it.

Some characters look alike, or are not seen at all. A client maps them to one spelling. The gate
must do so when it keeps a verifier, or a password with such a character would never fit. Where the
rules forbid a character, both leave the password as it is, as libpq does."""

from __future__ import annotations

import stringprep
import unicodedata
from typing import Final

_FORBIDDEN: Final = (
    stringprep.in_table_a1,
    stringprep.in_table_c12,
    stringprep.in_table_c21_c22,
    stringprep.in_table_c3,
    stringprep.in_table_c4,
    stringprep.in_table_c5,
    stringprep.in_table_c6,
    stringprep.in_table_c7,
    stringprep.in_table_c8,
    stringprep.in_table_c9,
)


def saslprep(text: str) -> str:
    """The text in the one spelling of RFC 4013, or as it is where that forbids it.

    Example:
        >>> saslprep("I\\xadX"), saslprep("\\u2168"), saslprep("a\\xa0b"), saslprep("bell\\x07") == "bell\\x07"
        ('IX', 'IX', 'a b', True)
    """
    if text.isascii():
        return text
    spaced = "".join(" " if stringprep.in_table_c12(each) else each for each in text)
    shown = "".join(each for each in spaced if not stringprep.in_table_b1(each))
    normal = unicodedata.ucd_3_2_0.normalize("NFKC", shown)
    if not normal or any(forbids(each) for each in normal for forbids in _FORBIDDEN):
        return text
    right_to_left = [stringprep.in_table_d1(each) for each in normal]
    if any(right_to_left):
        mixed = any(stringprep.in_table_d2(each) for each in normal)
        if mixed or not right_to_left[0] or not right_to_left[-1]:
            return text
    return normal
