"""The secret of surrogates in texts, one for files and for text fields: the same person is the same
in both."""

from __future__ import annotations

from .identifiers import Key


def text_secret(key: Key) -> bytes:
    """The secret of all surrogates in texts, from the key of the pseudonyms; it discloses nothing
    about the key."""
    return key.derive("text", "surrogates").digest(b"secret")
