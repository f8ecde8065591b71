"""A release request, with everything but its policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.signatures import SigningKey

from .identifiers import Key
from .keyword_policy import PolicyKeywords

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class ReleaseRequest:
    """The parameters of a release besides its policy.

    Tables are written to files in `target`, or to `schema` at `address`; `target` has all
    documents. The policy or the request may ask for `quote_formulas`. `require` and `solver`
    replace those of the policy. With `hands_out`, the tables are handed out as frames, and the
    target is a private folder that is removed. `sign` is the key that signs the manifest."""

    target: Path
    schema: str
    address: str
    source: Any
    file_format: str
    key: Key | None
    lookup_file: Path | None
    replace: bool
    engine: str
    progress: Progress
    created: str
    options: dict[str, Any]
    quote_formulas: bool = False
    require: tuple[object, ...] | None = None
    solver: object = None
    hands_out: bool = False
    sign: SigningKey | None = None
    keywords: PolicyKeywords = field(default_factory=PolicyKeywords)
    person: str = ""
    """The field that identifies the person of a row, for a people record."""
    agreement: str = ""
    """The digest of the text that the recipient signed."""
