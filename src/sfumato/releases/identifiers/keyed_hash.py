"""Keyed hashing: HMAC-SHA-256 under the holder's key (Garfinkel 2016, section 4.3.1; Sweeney 1997,
section 3.9).

A plain hash of an identifier is no protection. There are only 10^9 Social Security numbers, and
hashing them all takes minutes (`tests/attacks/test_pseudonyms.py` does it). Nobody can compute a
keyed hash without the key."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.errors import SecretError
from sfumato.keys import Key, key_words
from sfumato.policy import Method

from .description import beginning

FULL = 64
FEWEST_DIGITS = 32  # 128 bits: among ten billion values two would meet with a chance under 10^-18.


class HashReplacer:
    """HMAC-SHA-256 in hex, under a key derived for this field's domain.

    Without a key a random one is made and forgotten with this object: consistent within a release,
    not across.

    Example:
        >>> key = Key(bytes(range(32)))
        >>> HashReplacer(key, domain="ssn", digits=32).replace(["123-45-6789"])
        ['b53ca6222f2ab8e0dcd4ea7d0113bc1f']
    """

    redrawn: int = 0

    def __init__(self, key: Key | None, *, domain: str, digits: int = FULL) -> None:
        if not FEWEST_DIGITS <= digits <= FULL:
            raise SecretError(
                f"A hash of {digits} hex digits was asked for.",
                found="Under 32 digits (128 bits) two values could get the same hash; 64 is all "
                "there is.",
                attempt="a number from 32 to 64.",
            )
        self._kept = key is not None
        self._key = (key or Key.generate()).derive("hash", domain)
        self._digits = digits

    def replace(self, values: Sequence[str]) -> list[str]:
        digits = self._digits
        hashed = self._key.hex_digests(value.encode("utf-8", "surrogatepass") for value in values)
        return hashed if digits == FULL else [text[:digits] for text in hashed]

    def describe(self) -> str:
        return f"{beginning(Method.HASH)}{self._digits} hex digits, {key_words(kept=self._kept)}"
