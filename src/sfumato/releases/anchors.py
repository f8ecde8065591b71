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

from .agreement import agreement_checks, agreement_digest
from .checks import Check
from .people_record import PeopleRecord
from .people_recount import people_record_checks
from .policy_choice import PolicyLike
from .policy_copy import differences

MOST_TOLD = 6
_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


@dataclass(frozen=True, kw_only=True)
class Anchors:
    """A policy, the digest of a manifest, a public key, the digest of a signed agreement and a people
    record that a person holds; each may be missing."""

    policy: Policy | None = None
    digest: str = ""
    signer: VerifyKey | None = None
    agreement: str = ""
    people: PeopleRecord | None = None
    any_solver: bool = False
    """Whether levels may be others than the policy's solver finds, as in releases that were solved
    beside those to other profiles."""

    @classmethod
    def of(
        cls,
        policy: PolicyLike | None,
        digest: str | None,
        *,
        signer: VerifyKey | str | Path | None = None,
        agreement: str | Path | None = None,
        people: PeopleRecord | str | Path | None = None,
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
        return cls(
            policy=given,
            digest=found[1] if found is not None else "",
            signer=known,
            agreement=agreement_digest(agreement),
            people=PeopleRecord.read(Path(people)) if isinstance(people, str | Path) else people,
        )


def anchor_checks(anchors: Anchors, text: str, facts: Mapping[str, Any]) -> Iterator[Check]:
    """Whether the manifest is the one whose digest was given, and its policy the one that was
    given."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    if anchors.digest:
        same = digest == anchors.digest
        yield Check(
            claim="the manifest has the digest that was given",
            outcome="pass" if same else "fail",
            found="it has"
            if same
            else "it has another digest: this is not the release that printed it",
        )
    yield from agreement_checks(facts, given=anchors.agreement)
    yield from people_record_checks(facts, given=anchors.people, digest=digest)
    if anchors.policy is None:
        return
    if "scrubbed" in facts:
        raise Mistake(
            "Scrubbed files were made under no policy.", attempt="--digest in place of --policy."
        )
    differing = [
        place
        for place in differences(anchors.policy, facts)
        if not (anchors.any_solver and place.partition(".")[0] == "solve")
    ]
    yield Check(
        claim="the policy is the one that was given",
        outcome="fail" if differing else "pass",
        found=f"they differ in {some_of(differing, MOST_TOLD)}" if differing else "it is",
    )
