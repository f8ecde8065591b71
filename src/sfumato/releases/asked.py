"""What a release is asked for, and what it is when it is finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.engines import Engine
from sfumato.policy import Policy
from sfumato.protection import Outcome, Verdict

from .identifiers import Key
from .stepping import Stepped

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Release:
    """A finished release: where it is, what was judged, and its manifest.

    Tables are files, or SCHEMA.TABLE where they were written to a database; `folder` has manifest and report.
    `digest` is that of the manifest: whoever holds it notices every later change (`sfumato verify --digest`).
    `accounts` say for each of several tables where its rows went, which is for the holder and not in the manifest.
    """

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


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a release is asked for, besides its policy. `address` and `schema` are where tables are written to if not to
    files in `target`, the folder of all else; `stepped` is what the policy's steps did to a single table, `collected`
    that table as it was before them. `quote_formulas` is as the policy or the command line says. `require` is what is
    required in place of the policy's own, `solver` the solver in place of its own."""

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
    stepped: Stepped | None = None
    collected: Engine | None = None
    quote_formulas: bool = False
    require: tuple[object, ...] | None = None
    solver: object = None
