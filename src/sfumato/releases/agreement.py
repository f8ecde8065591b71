"""The agreement under which a release is made: the manifest names the signed text by its digest.

The text stays with those who signed it (Sweeney 2000, figure 35: a contract with the recipient)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from sfumato.errors import Mistake, as_caller_writes

from .checks import Check
from .inventory import digest

_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")


def agreement_digest(given: str | Path | None) -> str:
    """The digest of a signed text: of the file, or as sha256:… of one that is elsewhere. Empty
    where there is no agreement."""
    if given is None:
        return ""
    found = _DIGEST.fullmatch(str(given).strip().lower())
    if found is not None:
        return found[1]
    path = Path(given)
    if not path.is_file():
        raise Mistake(
            f"An agreement was named: {path}.",
            found="There is no such file.",
            attempt="the file of the signed text, or sha256: with its 64 digits.",
        )
    return digest(path)


def agreement_facts(digest: str) -> dict[str, Any]:
    """What a manifest says of its agreement; nothing where there is none."""
    return {"agreement": {"sha256": digest}} if digest else {}


def agreement_checks(facts: Mapping[str, Any], *, given: str) -> Iterator[Check]:
    """Whether the agreement of a manifest is the one that was given, by its digest."""
    stated = facts.get("agreement", {}).get("sha256", "")
    if given:
        same = stated == given
        yield Check(
            claim="the release was made under the agreement that was given",
            outcome="pass" if same else "fail",
            found="its manifest has the digest of the text"
            if same
            else "its manifest names another agreement"
            if stated
            else "its manifest names no agreement",
        )
    elif stated:
        yield Check(
            claim="the release was made under an agreement",
            outcome="review",
            found=as_caller_writes(
                f"sha256:{stated[:16]}…; the text was not compared with it (--agreement FILE)"
            ),
        )
