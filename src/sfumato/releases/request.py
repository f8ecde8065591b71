"""A release request, with everything but its policy, and the finished release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.policy import Policy
from sfumato.protection import Outcome, Verdict

from .identifiers import Key

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Release:
    """A finished release: where it is, what was judged, and its manifest.

    Tables are files, or SCHEMA.TABLE where they were written to a database; `folder` has manifest
    and report. `digest` is that of the manifest: whoever holds it notices every later change
    (`sfumato verify --digest`). `accounts` say for each of several tables where its rows went,
    which is for the holder and not in the manifest; so are the fields that are `lost`."""

    folder: Path
    table: Path | str
    outcome: Outcome
    verdicts: tuple[Verdict, ...]
    rows: int
    rows_suppressed: int
    policy: Policy = field(repr=False)
    proposed_file: Path | None = None
    tables: Mapping[str, Path | str] = field(default_factory=dict)
    accounts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    manifest: dict[str, Any] = field(repr=False, default_factory=dict)
    digest: str = ""
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ReleaseRequest:
    """The parameters of a release besides its policy.

    Tables are written to files in `target`, or to `schema` at `address`; `target` has all
    documents. The policy or the request may ask for `quote_formulas`. `require` and `solver`
    replace those of the policy."""

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
