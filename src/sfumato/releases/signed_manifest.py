"""The signature of a release: an in-toto statement about its manifest and every file, in a DSSE
envelope beside them.

The manifest decides the statement to the byte. A signature of another release, a rewritten digest
and a statement with more claims are therefore noticed, even before a key is asked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sfumato.errors import Mistake, ReleaseBroken, as_caller_writes
from sfumato.files import write_whole
from sfumato.signatures import Envelope, SigningKey, VerifyKey, statement

from .atomic_folder import MANIFEST, SIGNATURE
from .checks import Check
from .manifest import ReleaseShape

PREDICATE: Final = "urn:sfumato:attestation:release:1"
"""The kind of statement; a name, which nobody fetches."""
CLAIM: Final = "the manifest is signed by its holder"
SHOWN: Final = 16
"""Digits of a key's number that a message shows."""
_STATED: Final = ("sfumato", "format", "shape", "created", "outcome")


def release_statement(text: str, facts: Mapping[str, Any]) -> bytes:
    """The statement that a signature of a release covers: the digests of its manifest and files,
    and its kind."""
    subjects = {MANIFEST: hashlib.sha256(text.encode()).hexdigest()}
    if facts["shape"] == ReleaseShape.LETTERS:
        listed = {str(each["file"]): str(each["sha256"]) for each in facts["scrubbed"]["files"]}
    elif facts["shape"] == ReleaseShape.SYNTHETIC:
        listed = {str(each["file"]): str(each["sha256"]) for each in facts["tables"].values()}
    else:
        listed = {name: str(each["sha256"]) for name, each in facts["files"].items()}
    return statement(PREDICATE, listed | subjects, {key: facts[key] for key in _STATED})


def sign_manifest(folder: Path, facts: Mapping[str, Any], key: SigningKey) -> None:
    """Write the envelope beside a manifest that was just written."""
    text = (folder / MANIFEST).read_text(encoding="utf-8")
    write_whole(folder / SIGNATURE, Envelope.signed(release_statement(text, facts), key).text())


def check_signable(folder: Path) -> Mapping[str, Any]:
    """The manifest of a release that has no signature yet; Mistake where it cannot be signed."""
    if (folder / SIGNATURE).exists():
        raise Mistake(
            f"The release {folder} was to be signed.",
            found="It has a signature, which is not replaced.",
            attempt="sfumato verify --signer.",
        )
    try:
        facts = json.loads((folder / MANIFEST).read_bytes())
        release_statement("", facts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise Mistake(
            f"The release {folder} was to be signed.",
            found=f"It has no {MANIFEST} that Sfumato wrote.",
            attempt="the folder of a release.",
        ) from None
    return dict(facts)


def signature_check(
    envelope_text: str | None, text: str, facts: Mapping[str, Any], *, signer: VerifyKey | None
) -> Check:
    """Whether the holder signed this manifest. Without `signer`, whose signature it is cannot be
    seen; that it is about this manifest can."""
    if envelope_text is None:
        found = "it is not signed" if signer is not None else "it is not signed by anybody"
        return Check(claim=CLAIM, outcome="review" if signer is None else "fail", found=found)
    try:
        envelope = Envelope.parse(envelope_text)
        is_plain = envelope.text() == envelope_text
    except (ValueError, TypeError, AttributeError, RecursionError):
        is_plain = False
    if not is_plain:
        return Check(
            claim=CLAIM, outcome="fail", found=f"{SIGNATURE} is not one that Sfumato wrote"
        )
    if envelope.payload != release_statement(text, facts):
        return Check(
            claim=CLAIM, outcome="fail", found="the signature is of another release or manifest"
        )
    numbers = ", ".join(number[:SHOWN] for number, _ in envelope.signatures)
    if signer is None:
        decides = as_caller_writes("--signer checks whose it is")
        found = f"signed with the key {numbers}; {decides}"
        return Check(claim=CLAIM, outcome="review", found=found)
    if envelope.is_signed_by(signer):
        return Check(claim=CLAIM, outcome="pass", found=f"by the key {signer.number[:SHOWN]}")
    if signer.number not in {number for number, _ in envelope.signatures}:
        found = f"by another key: {numbers}"
    else:
        found = "the key did not make this signature"
    return Check(claim=CLAIM, outcome="fail", found=found)


def read_envelope(path: Path, *, largest: int) -> str | None:
    """The text of an envelope; None where there is no such file, and ReleaseBroken where it is no
    plain file."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise ReleaseBroken(f"{path.parent} has something else in place of {SIGNATURE}.")
    if not path.exists():
        return None
    if path.stat().st_size > largest:
        raise ReleaseBroken(f"{path} is too large to be a signature.")
    return path.read_bytes().decode("utf-8", "replace")
