"""Keyed draws: the numbers that decide which surrogate a value gets, the same for the same secret and value.

HMAC-SHA-256 (RFC 2104) under a key derived for one domain, as the pseudonyms of tables have it. Whoever lacks the
secret cannot tell the numbers from random ones; whoever has it can repeat every replacement.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NoReturn, TypeVar

from sfumato.errors import SecretError

SECRET_BYTES = 32
FEWEST_DIFFERENT = 8  # Random bytes have about 30 different ones; under 8 happens once in 10^37.
BLOCK = hashlib.sha256().block_size
LABEL = "sfumato text 1"
Entry = TypeVar("Entry")


class Drawing:
    """At least 32 secret bytes, from which numbers are drawn. Shown as `Drawing(...)`, neither pickled nor copied.

    Example:
        >>> draw = Drawing(bytes(range(32))).derive("person", "7")
        >>> draw
        Drawing(...)
        >>> draw.pick("abcdef", "a value") == draw.pick("abcdef", "a value")
        True
    """

    __slots__ = ("_inner", "_outer")

    def __init__(self, secret: bytes) -> None:
        _check(secret)
        # HMAC's two padded keys, hashed once: a digest then costs a third of hmac.digest.
        block = (secret if len(secret) <= BLOCK else hashlib.sha256(secret).digest()).ljust(BLOCK, b"\0")
        self._inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block))
        self._outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))

    def derive(self, *domain: str) -> Drawing:
        """The draws of one domain; they tell nothing about those of another."""
        return Drawing(self._digest(LABEL, *domain))

    def numbers(self, *value: str) -> Iterator[int]:
        """Numbers of 256 bits without end for one value: the first, and others should it be taken."""
        for attempt in count():
            yield int.from_bytes(self._digest(str(attempt), *value), "big")

    def number(self, *value: str) -> int:
        return next(self.numbers(*value))

    def pick(self, entries: Sequence[Entry], *value: str) -> Entry:
        return entries[self.number(*value) % len(entries)]

    def ordered(self, entries: Sequence[str], *value: str) -> list[str]:
        """The entries in an order that only the secret tells."""
        return sorted(entries, key=lambda entry: self._digest("order", *value, entry))

    def _digest(self, *parts: str) -> bytes:
        inner, outer = self._inner.copy(), self._outer.copy()
        for part in parts:
            encoded = part.encode("utf-8", "surrogatepass")
            inner.update(len(encoded).to_bytes(4, "big") + encoded)
        outer.update(inner.digest())
        return outer.digest()

    def __repr__(self) -> str:
        return "Drawing(...)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecretError(
            "A secret is neither pickled nor copied, so that it is not left in a file or in another process.",
            attempt="making the drawing there from the secret.",
        )


def _check(secret: bytes) -> None:
    attempt = "32 random bytes, as openssl rand makes."
    if len(secret) < SECRET_BYTES:
        found = f"This one has {len(secret)}."
        raise SecretError(f"The secret needs at least {SECRET_BYTES} bytes.", found=found, attempt=attempt)
    if len(set(secret)) < FEWEST_DIFFERENT:
        found = f"Only {len(set(secret))} different bytes occur in its {len(secret)}."
        raise SecretError("This secret is not random.", found=found, attempt=attempt)
