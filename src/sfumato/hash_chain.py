"""A hash chain: each record has the digest of the one before, so that a removed or changed record
breaks the chain."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

FIRST: Final = "0" * 64
"""The digest before the first record."""
_spelt: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


def digest_of(entry: Mapping[str, Any]) -> str:
    """The digest of a record: of everything in it but the digest itself, in one spelling."""
    plain = {key: value for key, value in entry.items() if key != "digest"}
    return hashlib.sha256(_spelt(plain).encode()).hexdigest()
