"""The policy that a release was made under: the one given, the one beside the source, or the
manifest's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import PolicyError, Problem
from sfumato.policy import Policy, policy_from_table, read_policy
from sfumato.releases import PolicyLike, beside, differences, policy_without_hierarchies
from sfumato.wording import some_of

MOST_TOLD = 6


@dataclass(frozen=True, kw_only=True)
class PolicyFound:
    """A policy and its origin. Without `hierarchies`, those of the source's values cannot be
    built."""

    policy: Policy
    came_from: str
    hierarchies: bool = True


def policy_of_release(
    given: PolicyLike | None, facts: Mapping[str, Any], *, folder: Path, source: Any
) -> PolicyFound:
    """The policy that a release was made under; PolicyError where a different one was given."""
    if given is not None:
        policy = read_policy(given)
        differing = list(differences(policy, facts))
        if differing:
            raise _another(policy, differing)
        return PolicyFound(policy=policy, came_from="given, and the one that the manifest has")
    near = _beside(source)
    if near is not None and not list(differences(near, facts)):
        return PolicyFound(
            policy=near, came_from="beside the source, and the one that the manifest has"
        )
    try:
        own = policy_from_table(facts["policy"], folder=folder, name="the manifest's policy")
    except PolicyError:
        own = policy_without_hierarchies(dict(facts), folder)
        return PolicyFound(
            policy=own, came_from="the manifest, without its hierarchies", hierarchies=False
        )
    return PolicyFound(policy=own, came_from="the manifest")


def _beside(source: Any) -> Policy | None:
    if not isinstance(source, str | Path) or not beside(source).exists():
        return None
    try:
        return read_policy(beside(source))
    except PolicyError:
        return None


def _another(policy: Policy, differing: list[str]) -> PolicyError:
    problem = Problem(
        where="policy",
        found="the release was made under another: they differ in "
        f"{some_of(differing, MOST_TOLD)}.",
        attempt="the policy that the release was made under, or leaving --policy out: its manifest "
        "has it.",
    )
    return PolicyError([problem], name=f"Policy {policy.name}, compared with the release,")
