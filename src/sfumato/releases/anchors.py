"""The anchors of a release, which nobody who rewrites its folder can change: a digest, the holder's
policy, or the holder's public key."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from sfumato.errors import Mistake
from sfumato.policy import Policy, read_policy
from sfumato.signatures import VerifyKey
from sfumato.wording import some_of

from .checks import Check
from .policy_choice import PolicyLike
from .policy_copy import differences

MOST_TOLD = 6
_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


@dataclass(frozen=True, kw_only=True)
class Anchors:
    """A policy, the digest of a manifest and a public key that a person holds; each may be
    missing."""

    policy: Policy | None = None
    digest: str = ""
    signer: VerifyKey | None = None

    @classmethod
    def of(
        cls,
        policy: PolicyLike | None,
        digest: str | None,
        *,
        signer: VerifyKey | str | Path | None = None,
    ) -> Self:
        """Read what was given; a digest is 64 hexadecimal digits, as a release prints them. An
        empty text is none."""
        found = _DIGEST.fullmatch(digest.strip().lower()) if digest is not None else None
        if digest is not None and found is None:
            raise Mistake(
                "The digest of a manifest was asked for.",
                found=f"{len(digest.strip())} characters that are no such digest were given.",
                attempt="the 64 digits that the release printed.",
            )
        given = None if policy is None else read_policy(policy)
        known = (
            signer if signer is None or isinstance(signer, VerifyKey) else VerifyKey.read(signer)
        )
        return cls(policy=given, digest=found[1] if found is not None else "", signer=known)


def anchor_checks(anchors: Anchors, text: str, facts: Mapping[str, Any]) -> Iterator[Check]:
    """Whether the manifest is the one whose digest was given, and its policy the one that was
    given."""
    if anchors.digest:
        same = hashlib.sha256(text.encode()).hexdigest() == anchors.digest
        yield Check(
            claim="the manifest has the digest that was given",
            outcome="pass" if same else "fail",
            found="it has"
            if same
            else "it has another digest: this is not the release that printed it",
        )
    if anchors.policy is None:
        return
    if "scrubbed" in facts:
        raise Mistake(
            "Scrubbed files were made under no policy.", attempt="--digest in place of --policy."
        )
    differing = list(differences(anchors.policy, facts))
    yield Check(
        claim="the policy is the one that was given",
        outcome="fail" if differing else "pass",
        found=f"they differ in {some_of(differing, MOST_TOLD)}" if differing else "it is",
    )
