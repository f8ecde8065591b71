"""Signatures: Ed25519 keys (RFC 8032), and DSSE envelopes that bind a statement to its signer.

An envelope (Dead Simple Signing Envelope 1.0) holds a payload, its type and signatures. The
signature covers the pre-authentication encoding of both. No byte of either can change, and no
payload passes for one of another type. The secret half of a key is in a file that only its owner
may read (PEM, PKCS #8). The public half is a PEM file or one line of text."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn, Self

from sfumato.errors import MissingExtra, Mistake, SecretError
from sfumato.files import create_secret, read_secret

LINE: Final = "ed25519:"
"""A public key in one line begins with it; 32 bytes in base64 follow."""
PUBLIC_SUFFIX: Final = ".pub"
LARGEST_PUBLIC: Final = 4096
STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
_MAKE: Final = "a new one: sfumato key --sign FILE."
_PRIME: Final = 2**255 - 19
_OF_ORDER_8: Final = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER: Final = frozenset((0, 1, _PRIME - 1, _OF_ORDER_8, _PRIME - _OF_ORDER_8))
"""The y-coordinates of points of order 1, 2, 4 and 8: Chalkias, Garillot and Nikolaenko (2020), table 1."""


@dataclass(frozen=True, slots=True)
class VerifyKey:
    """The public half of a key: its holder can check signatures, and make none."""

    raw: bytes

    def __post_init__(self) -> None:
        """Anybody can sign for a point of small order, so its owner could deny a signature. A
        coordinate has one encoding, so that no key is given twice."""
        place = int.from_bytes(self.raw, "little") & ((1 << 255) - 1)
        if place >= _PRIME or place in _SMALL_ORDER:
            raise Mistake(
                "A public key was to be read.",
                found="Anybody could sign for it: it is no key that a program made at random.",
                attempt=_MAKE,
            )

    @classmethod
    def read(cls, given: str | Path) -> Self:
        """A public key from its line of text, or from a file with that line or in PEM."""
        if isinstance(given, str) and given.startswith(LINE):
            return cls(_raw_of_line(given, "The text"))
        path = Path(given)
        try:
            with path.open("rb") as file:
                content = file.read(LARGEST_PUBLIC)
        except OSError as error:
            raise Mistake(
                f"A public key was expected in {path}.",
                found=f"{error.strerror}.",
                attempt=f"the file that ends in {PUBLIC_SUFFIX}, or the line {LINE}…",
            ) from None
        if content.startswith(LINE.encode()):
            return cls(_raw_of_line(content.decode("ascii", "replace"), str(path)))
        return cls(_raw_of_pem(content, path))

    @property
    def line(self) -> str:
        """The key as one line of text, for a charter or a message."""
        return LINE + base64.b64encode(self.raw).decode()

    @property
    def number(self) -> str:
        """The digest by which an envelope names its signer."""
        return hashlib.sha256(self.raw).hexdigest()

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Whether the owner of this key signed the message."""
        _, ed25519 = _primitives()
        from cryptography.exceptions import InvalidSignature

        try:
            ed25519.Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True

    def pem(self) -> bytes:
        serialization, ed25519 = _primitives()
        public = ed25519.Ed25519PublicKey.from_public_bytes(self.raw)
        return bytes(
            public.public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
        )


class SigningKey:
    """The secret half of a key. Shown as `SigningKey(...)`, never pickled or copied."""

    __slots__ = ("_key", "public")

    def __init__(self, key: Any) -> None:
        serialization, _ = _primitives()
        self._key = key
        self.public = VerifyKey(
            key.public_key().public_bytes(
                serialization.Encoding.Raw, serialization.PublicFormat.Raw
            )
        )

    @classmethod
    def generate(cls) -> Self:
        """A new key from the system's entropy."""
        _, ed25519 = _primitives()
        return cls(ed25519.Ed25519PrivateKey.generate())

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """The key in a file that only its owner may read, as `create_file` wrote it."""
        serialization, ed25519 = _primitives()
        content = read_secret(Path(path))
        try:
            key = serialization.load_pem_private_key(content, password=None)
        except (ValueError, TypeError):
            key = None
        except Exception as error:  # OpenSSL's own errors may repeat what was read.
            raise _no_signing_key(path, found=f"{type(error).__name__}.") from None
        if not isinstance(key, ed25519.Ed25519PrivateKey):
            raise _no_signing_key(path, found="It holds no Ed25519 key in PEM (PKCS #8).")
        return cls(key)

    @classmethod
    def create_file(cls, path: str | Path) -> Self:
        """Make a new key: the secret half in a new file with permissions 0600, the public half
        beside it. Neither file may exist."""
        serialization, _ = _primitives()
        key, secret = cls.generate(), Path(path)
        public = public_file(secret)
        if public.exists():
            raise SecretError(
                f"{public} exists already and is not overwritten.",
                attempt="another name, or moving the old file away.",
            )
        content = key._key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        create_secret(secret, content)
        try:
            create_secret(public, key.public.pem())
            public.chmod(0o644)
        except (SecretError, OSError):
            secret.unlink(missing_ok=True)
            raise
        return key

    def sign(self, message: bytes) -> bytes:
        """64 bytes that only the owner of this key can make for this message."""
        return bytes(self._key.sign(message))

    def __repr__(self) -> str:
        return "SigningKey(...)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecretError(
            "A signing key is neither pickled nor copied.",
            attempt="loading it there with SigningKey.from_file.",
        )


@dataclass(frozen=True, slots=True)
class Envelope:
    """A DSSE envelope: a payload of bytes, its type, and signatures by the number of their key."""

    payload: bytes = field(repr=False)
    payload_type: str = PAYLOAD_TYPE
    signatures: tuple[tuple[str, bytes], ...] = ()

    @classmethod
    def signed(cls, payload: bytes, key: SigningKey, *, payload_type: str = PAYLOAD_TYPE) -> Self:
        signature = key.sign(pre_authentication(payload_type, payload))
        return cls(payload, payload_type, ((key.public.number, signature),))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an envelope strictly; ValueError where a JSON key is missing, unknown or repeated,
        or nothing is signed."""
        found = json.loads(text, object_pairs_hook=parse_once)
        if not isinstance(found, dict) or found.keys() != {"payload", "payloadType", "signatures"}:
            raise ValueError("no envelope")
        signatures = []
        for each in found["signatures"]:
            if not isinstance(each, dict) or each.keys() != {"keyid", "sig"}:
                raise ValueError("no signature")
            signatures.append((str(each["keyid"]), _decoded(each["sig"])))
        if not isinstance(found["payloadType"], str) or not signatures:
            raise ValueError("no signature")
        return cls(_decoded(found["payload"]), found["payloadType"], tuple(signatures))

    def text(self) -> str:
        """The envelope as JSON."""
        facts = {
            "payload": base64.b64encode(self.payload).decode(),
            "payloadType": self.payload_type,
            "signatures": [
                {"keyid": number, "sig": base64.b64encode(signature).decode()}
                for number, signature in self.signatures
            ],
        }
        return json.dumps(facts, indent=2) + "\n"

    def is_signed_by(self, key: VerifyKey) -> bool:
        """Whether one of the signatures is this key's, over exactly this payload and type."""
        message = pre_authentication(self.payload_type, self.payload)
        return any(
            number == key.number and key.verifies(signature, message)
            for number, signature in self.signatures
        )

    def statement(self) -> dict[str, Any]:
        """The in-toto statement in the payload; ValueError where it is none."""
        found = json.loads(self.payload.decode("utf-8"), object_pairs_hook=parse_once)
        if self.payload_type != PAYLOAD_TYPE or not isinstance(found, dict):
            raise ValueError("no statement")
        if found.get("_type") != STATEMENT_TYPE:
            raise ValueError("no statement")
        return found


def pre_authentication(payload_type: str, payload: bytes) -> bytes:
    """The signed bytes (DSSE 1.0): the type and the payload, each after its length.

    Example:
        >>> pre_authentication("http://example.com/HelloWorld", b"hello world")
        b'DSSEv1 29 http://example.com/HelloWorld 11 hello world'
    """
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def statement(
    predicate_type: str, subjects: Mapping[str, str], predicate: Mapping[str, Any]
) -> bytes:
    """An in-toto statement about files, each by its SHA-256 digest, in one spelling."""
    facts = {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": name, "digest": {"sha256": subjects[name]}} for name in sorted(subjects)
        ],
        "predicateType": predicate_type,
        "predicate": dict(predicate),
    }
    return json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def public_file(secret: Path) -> Path:
    """Where the public half of a new key is written."""
    return secret.with_name(secret.name + PUBLIC_SUFFIX)


def _primitives() -> tuple[Any, Any]:
    """The two modules of `cryptography` that keys need."""
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtra("Signing", extra="sign") from None
    return serialization, ed25519


def _raw_of_line(text: str, where: str) -> bytes:
    try:
        raw = base64.b64decode(text.strip().removeprefix(LINE), validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != 32:
        raise Mistake(
            f"{where} must hold a public key.",
            found=f"What follows {LINE} is not 32 bytes in base64.",
            attempt="the line as `sfumato key --sign` printed it.",
        )
    return raw


def _raw_of_pem(content: bytes, path: Path) -> bytes:
    serialization, ed25519 = _primitives()
    if b"PRIVATE KEY" in content:
        raise Mistake(
            f"A public key was expected in {path}.",
            found="It holds a secret key, which its owner should not hand out.",
            attempt=f"the file beside it that ends in {PUBLIC_SUFFIX}.",
        )
    try:
        key = serialization.load_pem_public_key(content)
    except Exception:
        key = None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise Mistake(
            f"A public key was expected in {path}.",
            found="It holds no Ed25519 key in PEM.",
            attempt=f"the file that ends in {PUBLIC_SUFFIX}, or the line {LINE}…",
        )
    return bytes(key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw))


def _no_signing_key(path: str | Path, *, found: str) -> SecretError:
    return SecretError(f"A key to sign with was expected in {path}.", found=found, attempt=_MAKE)


def _decoded(text: object) -> bytes:
    if not isinstance(text, str):
        raise ValueError("no base64")
    return base64.b64decode(text, validate=True)


def parse_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object in which no key occurs twice: readers would disagree about it."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found
