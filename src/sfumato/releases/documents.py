"""The files beside the tables of a release: policy, report and, last, the manifest that lists them
all."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.policy import Policy, policy_as_toml

from .atomic_folder import MANIFEST, POLICY, REPORT
from .inventory import list_files
from .manifest import write_manifest
from .policy_copy import policy_copy


def write_documents(
    facts: Mapping[str, Any], folder: Path, *, policy: Policy, page: str
) -> dict[str, Any]:
    """Write policy, report and manifest; the manifest's facts, with the digest of every file in the
    folder."""
    (folder / POLICY).write_text(policy_as_toml(policy_copy(policy)), encoding="utf-8")
    write_report(folder / REPORT, page)
    known = {
        str(table["file"]): str(table["sha256"])
        for table in facts["tables"].values()
        if "file" in table
    }
    written = dict(facts) | {"files": list_files(folder, known=known)}
    write_manifest(written, folder / MANIFEST)
    return written


def write_report(path: Path, page: str) -> None:
    """Write the report for the holder alone: it counts the source's bins.

    The manifest travels and has the digest of the report. A random mark in the report keeps the
    digest from confirming a guess at the report's content."""
    path.touch(mode=0o600)
    path.write_text(f"{page.rstrip()}\n<!-- {secrets.token_hex(16)} -->\n", encoding="utf-8")


def manifest_digest(folder: Path) -> str:
    """The digest that anchors a release: it changes with every file and every word of it."""
    return hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
