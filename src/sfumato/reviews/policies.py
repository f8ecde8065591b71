"""Under which policy a release was made: the one that was given, the one beside the source, or the manifest's own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import PolicyError, Problem
from sfumato.policy import Policy, policy_as_table, policy_from_table, read_policy
from sfumato.policy.hierarchies import CsvHierarchy, HierarchySpec
from sfumato.releases import beside
from sfumato.releases.verifying import policy_without_hierarchies

MOST_TOLD = 6


@dataclass(frozen=True, kw_only=True)
class PolicyFound:
    """A policy and where it came from. Without `hierarchies`, those of the source's values cannot be built."""

    policy: Policy
    came_from: str
    hierarchies: bool = True


def given_policy(given: Policy | str | Path) -> Policy:
    return given if isinstance(given, Policy) else read_policy(Path(given))


def policy_of_release(
    given: Policy | str | Path | None, facts: Mapping[str, Any], *, folder: Path, source: Any
) -> PolicyFound:
    """The policy that a release was made under; PolicyError where the one that was given is another."""
    if given is not None:
        policy = given_policy(given)
        differing = list(differences(policy, facts))
        if differing:
            raise _another(policy, differing)
        return PolicyFound(policy=policy, came_from="given, and the one that the manifest has")
    near = _beside(source)
    if near is not None and not list(differences(near, facts)):
        return PolicyFound(policy=near, came_from="beside the source, and the one that the manifest has")
    try:
        own = policy_from_table(facts["policy"], folder=folder, name="the manifest's policy")
    except PolicyError:
        own = policy_without_hierarchies(dict(facts), folder)
        return PolicyFound(policy=own, came_from="the manifest, without its hierarchies", hierarchies=False)
    return PolicyFound(policy=own, came_from="the manifest")


def differences(policy: Policy, facts: Mapping[str, Any]) -> Iterator[str]:
    """The places in which a policy is not the manifest's, as dotted names; also files of hierarchies that changed.

    Whether it was only proposed is left out: a person who confirms a policy deletes that line and nothing else.
    """
    mine = json.loads(json.dumps(policy_as_table(policy), default=str))
    theirs = dict(facts["policy"])
    mine.pop("proposed", None)
    theirs.pop("proposed", None)
    yield from _unlike(mine, theirs, "")
    specs = _specs(policy)
    for name, said in facts.get("hierarchies", {}).items():
        spec = specs.get(name)
        if isinstance(spec, CsvHierarchy) and spec.digest != said["sha256"]:
            yield f"the file of the hierarchy of {name}"


def _specs(policy: Policy) -> dict[str, HierarchySpec | None]:
    """By the names that a manifest has: FIELD of one table, TABLE.FIELD of several."""
    out = {name: decided.hierarchy for name, decided in policy.fields.items()}
    out |= {f"release.{name}": spec for name, spec in out.items()}
    for table in policy.tables.values():
        out |= {f"{table.name}.{name}": decided.hierarchy for name, decided in table.fields.items()}
    return out


def _unlike(mine: object, theirs: object, place: str) -> Iterator[str]:
    """Places down to the hierarchies and lists, whose insides could name values."""
    inside = place.rsplit(".", 1)[-1] == "hierarchy"
    if inside or not isinstance(mine, dict) or not isinstance(theirs, dict):
        if mine != theirs:
            yield place
        return
    for key in dict.fromkeys((*mine, *theirs)):
        there = f"{place}.{key}".removeprefix(".")
        if key in mine and key in theirs:
            yield from _unlike(mine[key], theirs[key], there)
        else:
            yield there


def _beside(source: Any) -> Policy | None:
    if not isinstance(source, str | Path) or not beside(source).exists():
        return None
    try:
        return read_policy(beside(source))
    except PolicyError:
        return None


def _another(policy: Policy, differing: list[str]) -> PolicyError:
    more = f" and {len(differing) - MOST_TOLD} more" if len(differing) > MOST_TOLD else ""
    problem = Problem(
        where="policy",
        found=f"the release was made under another: they differ in {', '.join(differing[:MOST_TOLD])}{more}.",
        attempt="the policy that the release was made under, or leaving --policy out: its manifest has it.",
    )
    return PolicyError([problem], name=f"Policy {policy.name}, held against the release,")
