"""Keys: the secret from which pseudonyms, date shifts and surrogates follow, and how one is kept
out of sight.

Garfinkel (2022), section 4.3.1: a keyed hash needs a key "with sufficient randomness to defeat a
brute force attack". A holder of the key can repeat the whole transformation. So a key is at least
256 bits, its file is its owner's alone, and nothing prints, pickles or copies it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import secrets
import string
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import NoReturn, Self, TypeVar

from sfumato.errors import SecretError
from sfumato.files import create_secret, read_secret

KEY_BYTES = 32
FEWEST_DIFFERENT = (
    8  # A random key of 32 bytes has about 30 different ones; under 8 happens once in 10^37.
)
BLOCK = hashlib.sha256().block_size
LABEL = b"sfumato pseudonyms 1"
TEXT_LABEL = "sfumato text 1"
Entry = TypeVar("Entry")


class HmacKey:
    """HMAC-SHA-256 (RFC 2104) under at least 32 secret bytes, which nothing prints, pickles or
    copies."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, secret: bytes) -> None:
        _check_strength(secret)
        # The two padded keys are hashed once: a digest then costs a third of hmac.digest.
        block = (secret if len(secret) <= BLOCK else hashlib.sha256(secret).digest()).ljust(
            BLOCK, b"\0"
        )
        self._inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block))
        self._outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))

    def digest(self, message: bytes) -> bytes:
        """HMAC-SHA-256 of the message under this key, 32 bytes."""
        inner = self._inner.copy()
        inner.update(message)
        outer = self._outer.copy()
        outer.update(inner.digest())
        return outer.digest()

    def hex_digests(self, messages: Iterable[bytes]) -> list[str]:
        """The same of many messages, in hex: no function is called for each of them."""
        begin, close = self._inner.copy, self._outer.copy
        out = []
        for message in messages:
            inner, outer = begin(), close()
            inner.update(message)
            outer.update(inner.digest())
            out.append(outer.hexdigest())
        return out

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecretError(
            "A key is neither pickled nor copied, so that it is not left in a file or in "
            "another process.",
            attempt="loading it there with Key.from_file or Key.from_environment.",
        )


class Key(HmacKey):
    """At least 32 secret bytes. Shown as `Key(...)`, never pickled, compared in constant time.

    Example:
        >>> key = Key(bytes(range(32)))
        >>> key
        Key(...)
        >>> key.derive("hash", "ssn") == key.derive("hash", "mrn")
        False
    """

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        super().__init__(secret)
        self._secret = bytes(secret)

    @classmethod
    def generate(cls) -> Self:
        """A new random key from the system's entropy."""
        return cls(secrets.token_bytes(KEY_BYTES))

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """The key in a file that only its owner may read, written as hex or base64."""
        return cls(_decoded(read_secret(path), str(path)))

    @classmethod
    def from_environment(cls, name: str = "SFUMATO_KEY") -> Self:
        """The key in an environment variable, written as hex or base64."""
        text = os.environ.get(name)
        if text is None:
            raise SecretError(
                f"The environment variable {name} is not set.",
                attempt="setting it to 32 random bytes in hex, for example from: openssl rand -hex "
                "32.",
            )
        return cls(
            _decoded(text.encode("utf-8", "surrogateescape"), f"The environment variable {name}")
        )

    @classmethod
    def create_file(cls, path: Path) -> Self:
        """Make a new random key and keep it, as hex, in a new file with permissions 0600."""
        key = cls.generate()
        create_secret(path, key._secret.hex().encode() + b"\n")
        return key

    def derive(self, purpose: str, domain: str) -> Key:
        """The key for one purpose in one domain; it reveals nothing about this key or about any other
        derived one.

        A domain is the set of fields in which the same value gets the same pseudonym: by default
        one field."""
        return Key(self.digest(_framed((LABEL, purpose.encode(), domain.encode()))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and hmac.compare_digest(self._secret, other._secret)

    __hash__ = None  # type: ignore[assignment]


class KeyedDraws(HmacKey):
    """Numbers that decide which surrogate a value gets: the same for the same secret and value.

    Without the secret, the numbers cannot be distinguished from random ones; a holder of the secret
    can repeat every replacement.

    Example:
        >>> draws = KeyedDraws(bytes(range(32))).derive("person", "7")
        >>> draws
        KeyedDraws(...)
        >>> draws.pick("abcdef", "a value") == draws.pick("abcdef", "a value")
        True
    """

    __slots__ = ()

    def derive(self, *domain: str) -> KeyedDraws:
        """The draws of one domain; they reveal nothing about those of another."""
        return KeyedDraws(self._parts_digest(TEXT_LABEL, *domain))

    def numbers(self, *value: str) -> Iterator[int]:
        """Numbers of 256 bits without end for one value: the first, and others should it be
        taken."""
        for attempt in count():
            yield int.from_bytes(self._parts_digest(str(attempt), *value), "big")

    def number(self, *value: str) -> int:
        return next(self.numbers(*value))

    def pick(self, entries: Sequence[Entry], *value: str) -> Entry:
        return entries[self.number(*value) % len(entries)]

    def ordered(self, entries: Sequence[str], *value: str) -> list[str]:
        """The entries in an order that depends on the secret."""
        return sorted(entries, key=lambda entry: self._parts_digest("order", *value, entry))

    def _parts_digest(self, *parts: str) -> bytes:
        return self.digest(_framed(part.encode("utf-8", "surrogatepass") for part in parts))


def key_words(*, kept: bool) -> str:
    """The manifest's words about the key of a replacement: whether a later release can repeat
    it."""
    if kept:
        return "with the holder's key; the same key gives the same replacement in a later release"
    return (
        "with a random key made for this release and kept nowhere; no later release can repeat it"
    )


def _framed(parts: Iterable[bytes]) -> bytes:
    """Parts as one message, each after its length: no two lists of parts give the same message."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def _check_strength(secret: bytes) -> None:
    attempt = "a key of 32 random bytes, as Key.create_file or openssl rand -hex 32 makes."
    if len(secret) < KEY_BYTES:
        raise SecretError(
            f"A key needs at least {KEY_BYTES} bytes.",
            found=f"This one has {len(secret)}.",
            attempt=attempt,
        )
    if len(set(secret)) < FEWEST_DIFFERENT:
        raise SecretError(
            "This key is not random.",
            found=f"Only {len(set(secret))} different bytes occur in its {len(secret)}.",
            attempt=attempt,
        )


def _decoded(text: bytes, where: str) -> bytes:
    """The bytes of hex or base64 text; hex is tried first."""
    compact = b"".join(text.split())
    if set(compact) <= set(string.hexdigits.encode()) and len(compact) % 2 == 0:
        return bytes.fromhex(compact.decode())
    padded = compact.translate(bytes.maketrans(b"-_", b"+/")) + b"=" * (-len(compact) % 4)
    try:
        return base64.b64decode(padded, validate=True)
    except binascii.Error:
        raise SecretError(
            f"{where} holds no key in hex or base64.",
            attempt="the output of: openssl rand -hex 32.",
        ) from None
