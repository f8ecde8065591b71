"""Decrypting a released value, for the holder of the key: no search, and no lookup file."""

from __future__ import annotations

from sfumato.engines import Engine
from sfumato.errors import Mistake
from sfumato.policy import Policy
from sfumato.techniques import GCM_SIV, cipher_for

from .identifiers import Key
from .steps import step_secret


def reveal_encrypted(
    text: str, engine: Engine, *, policy: Policy, field: str, key: Key
) -> str | None:
    """The original of an encrypted value; None where the key or the field is another.

    AES-GCM-SIV detects that itself. A format-preserving cipher cannot, so the original counts only
    if the source has it. A decrypted value may still have been changed by a step before it was
    encrypted."""
    step = next(
        (step for step in policy.steps if step.declaration.encrypts and field in step.fields), None
    )
    if step is None:
        raise Mistake(
            f"The policy does not encrypt {field}.", attempt="a field that a step encrypts."
        )
    method = step.word("method")
    found = cipher_for(method, step_secret(key, step, method)).decrypted(text, field)
    if found is None or method == GCM_SIV:
        return found
    return (
        found
        if any(found in batch[field].tolist() for batch in engine.distinct((field,)))
        else None
    )
