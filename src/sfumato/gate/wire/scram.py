"""SCRAM-SHA-256 (RFC 5802, 7677), the server's side: both prove that they know the password, and
neither sends it.

A name that nobody has is met with a salt of its own and a proof that never fits: it looks like a
wrong password."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import Final

from ..accounts import Verifier
from .message_stream import MalformedMessage

MECHANISM: Final = "SCRAM-SHA-256"
_PLAIN_BINDINGS: Final = (b"n", b"y")


class Exchange:
    """One log-in: the client's first message, then its last one.

    Example:
        >>> exchange = Exchange(Verifier(b"salt", 4096, b"stored", b"server"), nonce=lambda: "theirs")
        >>> exchange.first(b"n,,n=ann,r=mine")
        b'r=minetheirs,s=c2FsdA==,i=4096'
    """

    def __init__(self, verifier: Verifier, *, nonce: Callable[[], str] | None = None) -> None:
        self._verifier = verifier
        self._nonce = nonce or _random
        self._nonces = b""
        self._header = b""
        self._bare = b""
        self._first = b""

    def first(self, message: bytes) -> bytes:
        """The response to the client's first message."""
        binding, _, rest = message.partition(b",")
        identity, _, self._bare = rest.partition(b",")
        if binding not in _PLAIN_BINDINGS or (identity and not identity.startswith(b"a=")):
            raise MalformedMessage(
                "The log-in asks for a binding to the channel that the gate does not have."
            )
        self._header = message[: len(message) - len(self._bare)]
        parts = dict(_part(each) for each in self._bare.split(b","))
        theirs = parts.get(b"r", b"")
        if not theirs or b"n" not in parts or b"m" in parts or not theirs.isascii():
            raise MalformedMessage
        self._nonces = theirs + self._nonce().encode()
        salt = base64.b64encode(self._verifier.salt)
        self._first = b"r=%b,s=%b,i=%d" % (self._nonces, salt, self._verifier.rounds)
        return self._first

    def last(self, message: bytes) -> bytes | None:
        """The response to the client's last message; None where its proof is not one."""
        without, found, proof = message.rpartition(b",p=")
        parts = dict(_part(each) for each in without.split(b",")) if found else {}
        if _plain(parts.get(b"c", b"")) != self._header or parts.get(b"r") != self._nonces:
            raise MalformedMessage
        said = b",".join((self._bare, self._first, without))
        signature = hmac.digest(self._verifier.stored_key, said, "sha256")
        given = _plain(proof).ljust(len(signature), b"\0")
        key = bytes(a ^ b for a, b in zip(given, signature, strict=False))
        right = hmac.compare_digest(hashlib.sha256(key).digest(), self._verifier.stored_key)
        ours = b"v=" + base64.b64encode(hmac.digest(self._verifier.server_key, said, "sha256"))
        return ours if right and len(given) == len(signature) else None


def _random() -> str:
    return base64.b64encode(secrets.token_bytes(18)).decode()


def _part(text: bytes) -> tuple[bytes, bytes]:
    name, found, value = text.partition(b"=")
    if not found or len(name) != 1:
        raise MalformedMessage
    return name, value


def _plain(text: bytes) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise MalformedMessage from None
