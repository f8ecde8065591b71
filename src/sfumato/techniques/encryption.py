"""Encrypting values under the holder's key, so that the holder alone can decrypt them (Sweeney
2000, section 5; Garfinkel 2016, 4.3.1).

AES-256-GCM-SIV (RFC 8452) with one nonce for all. With equal nonces it discloses that two values
are equal and nothing else, which is intended here, because equal values stay equal. The name of the
field is authenticated with each value. Equal values of two fields differ, and a value that was
moved to another field is not read as its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sfumato.errors import MissingExtra, Mistake, Problem
from sfumato.hierarchies import Suppression
from sfumato.parts import parameter
from sfumato.policy import Method, Policy, PolicyStep, TechniqueDeclaration, never

from .cells import Cells
from .format_preserving import FormatPreserving
from .step_result import StepContext, StepResult

GCM_SIV = "aes-gcm-siv"
_BLOCK = 16
_NONCE = bytes(12)
_FEW = 50
_WORDS = {
    GCM_SIV: "encrypted under the holder's key (AES-256-GCM-SIV): equal values stay equal; nothing "
    "else can be read",
    "format-preserving": "encrypted under the holder's key with its format kept (FF1 over AES-256): equal "
    "values stay "
    "equal; how long a value was and where it had digits and letters can be seen",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Encryption:
    """How values are encrypted."""

    method: str = parameter(
        "a cipher, or one that keeps length and alphabet",
        default="aes-gcm-siv",
        words=("aes-gcm-siv", "format-preserving"),
    )


class Cipher(Protocol):
    """One way of encrypting the values of a field. `check` refuses values that it cannot take;
    `decrypted` is None where it did not make the text, as far as it can detect that."""

    def check(self, values: list[str], field: str) -> None: ...

    def encrypted(self, value: str, field: str) -> str: ...

    def decrypted(self, text: str, field: str) -> str | None: ...


class GcmSiv:
    """AES-256-GCM-SIV, in hex. Values are padded to whole blocks of 16 bytes first, so that lengths
    disclose little."""

    def __init__(self, key: bytes) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
        except ImportError:
            raise MissingExtra("Encrypting values", extra="encrypt") from None
        from cryptography.exceptions import UnsupportedAlgorithm

        try:
            self._cipher = AESGCMSIV(key)
        except UnsupportedAlgorithm:
            raise Mistake(
                "Encrypting values needs AES-GCM-SIV.",
                found="The OpenSSL behind the package cryptography has none.",
                attempt="pip install cryptography, whose own OpenSSL has it.",
            ) from None

    def check(self, values: list[str], field: str) -> None:
        """Any text can be encrypted."""

    def encrypted(self, value: str, field: str) -> str:
        plain = value.encode("utf-8", "surrogatepass") + b"\x80"
        filled = plain + bytes(-len(plain) % _BLOCK)
        return self._cipher.encrypt(_NONCE, filled, field.encode()).hex()

    def decrypted(self, text: str, field: str) -> str | None:
        from cryptography.exceptions import InvalidTag

        try:
            filled = self._cipher.decrypt(_NONCE, bytes.fromhex(text), field.encode())
        except (ValueError, InvalidTag):
            return None
        return filled.rstrip(b"\0")[:-1].decode("utf-8", "surrogatepass")


def cipher_for(method: str, key: bytes) -> Cipher:
    return GcmSiv(key) if method == GCM_SIV else FormatPreserving(key)


def encrypted(cells: Cells, step: PolicyStep, around: StepContext) -> StepResult:
    """Each value becomes the same text wherever it is in the field; null stays null; the field
    becomes text."""
    method = step.word("method")
    cipher = cipher_for(method, around.secret(method))
    words, warnings = {}, []
    for name in step.fields:
        codes, labels = cells.codes(name)
        values = [label for label in labels.tolist() if label is not None]
        cipher.check(values, name)
        new = np.full(len(labels), None, object)
        new[: len(values)] = [cipher.encrypted(value, name) for value in values]
        cells = cells.with_texts(name, new[codes], is_text=True)
        words[name] = _WORDS[method]
        if 0 < len(values) < min(_FEW, len(cells)):
            warnings.append(
                f"{name} is encrypted and has few values ({len(values)} in {len(cells)} "
                "rows): how often each occurs "
                "may reveal which it is."
            )
    return StepResult(
        cells=cells,
        words=words,
        facts={"cipher": method, "equal_values": "equal"},
        warnings=tuple(warnings),
    )


def _check(policy: Policy, step: PolicyStep, where: str) -> Iterator[Problem]:
    """One thing takes the place of an identifier, and hierarchies are of values that can be
    read."""
    for name in step.fields:
        field = policy.fields.get(name)
        if field is None:
            continue
        if field.replace is not None and field.replace.method is not Method.REMOVE:
            method = field.replace.method.value
            yield Problem(
                where=f"{where}.fields",
                found=f'{name} is encrypted, and its replace = "{method}" contradicts that.',
                attempt=f"leaving out the step, or replace of {name}.",
            )
        if field.hierarchy is not None and not isinstance(field.hierarchy, Suppression):
            yield Problem(
                where=f"{where}.fields",
                found=f"{name} is encrypted, and its hierarchy is of values that can be read.",
                attempt=f"leaving out the hierarchy of {name}: what is encrypted is kept or "
                "suppressed.",
            )


DECLARATION = TechniqueDeclaration(
    key="encrypt",
    doc="values are encrypted under the holder's key",
    title="encryption",
    record=Encryption,
    apply=encrypted,
    check=_check,
    draws=never,
    keyed=True,
    encrypts=True,
    trials=({"method": "aes-gcm-siv"}, {"method": "format-preserving"}),
)
