"""Encryption that keeps a value's format: FF1 (NIST SP 800-38G), by libffx over AES from
`cryptography`.

FF1 permutes the numbers below some size. A value is numbered among all values of its format: digits
for digits, small letters for small ones, capitals for capitals, all else as it is. The number is
encrypted, and the value with the new number replaces it: rank, then encipher (Bellare, Ristenpart,
Rogaway and Stegers 2009). Name of the field and format are FF1's tweak. FF3 and FF3-1 were
withdrawn by NIST in 2025 and are not offered."""

from __future__ import annotations

import string
from typing import Any

from sfumato.errors import MissingExtra, Mistake

FEWEST = (
    1_000_000  # values that a format must have, as SP 800-38G Rev. 1 asks: fewer could all be tried
)
_CLASSES = {"0": string.digits, "a": string.ascii_lowercase, "A": string.ascii_uppercase}
_CLASS_OF = str.maketrans(
    {letter: name for name, letters in _CLASSES.items() for letter in letters}
)


class FormatPreserving:
    """FF1 under a key of 32 bytes. It does not detect a wrong key: the result must be looked up."""

    def __init__(self, key: bytes) -> None:
        try:
            from ffx import FF1
        except ImportError:
            raise MissingExtra(
                "Encrypting values with their format kept", extra="encrypt"
            ) from None
        self._cipher: Any = FF1(key)

    def check(self, values: list[str], field: str) -> None:
        strange = sum(not value.isascii() for value in values)
        small = sum(value.isascii() and _size(shape(value)) < FEWEST for value in values)
        if strange or small:
            raise Mistake(
                f"Format-preserving encryption of {field} was asked for.",
                found=f"Of its {len(values)} values, {small} have formats with fewer than a "
                "million values, which "
                f"could all be tried, and {strange} have characters that are not ASCII and "
                "would stay as they are.",
                attempt='method = "aes-gcm-siv".',
            )

    def encrypted(self, value: str, field: str) -> str:
        kept = shape(value)
        number = self._cipher.encrypt_int(
            _number(value, kept), domain=_size(kept), tweak=_tweak(field, kept)
        )
        return _value(number, kept)

    def decrypted(self, text: str, field: str) -> str | None:
        kept = shape(text)
        if not text.isascii() or _size(kept) < FEWEST:
            return None
        number = self._cipher.decrypt_int(
            _number(text, kept), domain=_size(kept), tweak=_tweak(field, kept)
        )
        return _value(number, kept)


def shape(value: str) -> str:
    """The format: a letter for each class of characters, and all other characters themselves.

    Example:
        >>> shape("MRN-1000 x")
        'AAA-0000 a'
    """
    return value.translate(_CLASS_OF)


def _size(kept: str) -> int:
    size = 1
    for mark in kept:
        size *= len(_CLASSES.get(mark, "-"))
    return size


def _number(value: str, kept: str) -> int:
    """The place of a value among all of its format.

    Example:
        >>> _number("b3", "a0"), _value(13, "a0")
        (13, 'b3')
    """
    number = 0
    for letter, mark in zip(value, kept, strict=True):
        letters = _CLASSES.get(mark)
        if letters is not None:
            number = number * len(letters) + letters.index(letter)
    return number


def _value(number: int, kept: str) -> str:
    out = []
    for mark in reversed(kept):
        letters = _CLASSES.get(mark)
        if letters is None:
            out.append(mark)
        else:
            number, place = divmod(number, len(letters))
            out.append(letters[place])
    return "".join(reversed(out))


def _tweak(field: str, kept: str) -> bytes:
    name = field.encode()
    return len(name).to_bytes(4, "big") + name + kept.encode()
