"""The seal of a people record: an HMAC over all its parts under the holder's key.

Whoever changes a number of the record without the key breaks the seal. Whoever has the key can seal
anything."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.keys import Key


def digest_of_parts(parts: Mapping[str, NDArray[Any]]) -> bytes:
    """The SHA-256 digest of named arrays, whatever their order."""
    told = hashlib.sha256()
    for name in sorted(parts):
        array = np.ascontiguousarray(parts[name])
        content = array.tobytes()
        told.update(f"{name}\0{array.dtype.str}\0{array.shape}\0{len(content)}\0".encode())
        told.update(content)
    return told.digest()


def seal_of(parts: Mapping[str, NDArray[Any]], *, key: Key, purpose: str) -> bytes:
    """The seal of named arrays, whatever their order."""
    return key.derive(purpose, "seal").digest(digest_of_parts(parts))
