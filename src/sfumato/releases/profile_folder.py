"""A folder with a release for each of several recipient profiles, made in one run and judged
together. `profiles.json` names the manifest of each by its digest, and states the joint verdicts.

The folder is the holder's. Each recipient is given the folder of their profile, and nothing else."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

from sfumato.errors import ReleaseBroken
from sfumato.policy import Policy

from .atomic_folder import MANIFEST, PROFILES
from .checks import Check, accepted
from .documents import manifest_digest

FORMAT: Final = 1
PROFILE_NAME: Final = re.compile(r"[A-Za-z0-9][\w-]*")
NO_RULES: Final = {"k": 1, "l": 1, "t": 1.0, "gain": 1.0}
"""The joint requirement that nothing breaks."""
JOINT: Final = "joint"
"""The key of the requirement on all releases together, for `accept`."""


@dataclass(frozen=True, kw_only=True)
class ProfileFolder:
    """The facts of `profiles.json`: the digest of each profile's manifest, the profiles that were
    judged apart from the others, and the verdict on each group."""

    digests: Mapping[str, str]
    apart: tuple[str, ...] = ()
    verdicts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The digest of the file, for verify."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def text(self) -> str:
        facts = {
            "format": FORMAT,
            "profiles": dict(self.digests),
            "apart": list(self.apart),
            "verdicts": {name: dict(each) for name, each in self.verdicts.items()},
        }
        return json.dumps(facts, indent=2) + "\n"

    @property
    def groups(self) -> Mapping[str, frozenset[str]]:
        """The profiles that are judged together, by the name of their group."""
        together = frozenset(self.digests) - frozenset(self.apart)
        groups = {"together": together} if together else {}
        return groups | {name: frozenset({name}) for name in self.apart}

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the file; ReleaseBroken where it is not one that this version wrote."""
        try:
            facts = json.loads((folder / PROFILES).read_text(encoding="utf-8"))
            digests = {str(name): str(digest) for name, digest in facts["profiles"].items()}
            if facts["format"] != FORMAT or not digests:
                raise ValueError("another format")
            if not all(map(PROFILE_NAME.fullmatch, digests)):
                raise ValueError("no names")
            return cls(
                digests=digests,
                apart=tuple(map(str, facts["apart"])),
                verdicts={str(name): dict(each) for name, each in facts["verdicts"].items()},
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise ReleaseBroken(
                f"{folder / PROFILES} is not a file that Sfumato wrote.",
                attempt="sfumato verify with the folder of one profile.",
            ) from None


def is_profile_folder(place: str | Path) -> bool:
    """Whether a place is a folder of releases to several profiles."""
    return (Path(place) / PROFILES).is_file()


def profile_folder_checks(
    folder: Path,
    *,
    digest: str,
    accept: Sequence[str],
    verified: Callable[[str, Sequence[str]], Iterable[Check]],
    policy_of: Callable[[str], Policy],
) -> Iterator[Check]:
    """Check that every release is the one that was judged, each release itself, and the verdicts.
    `verified` gives the checks of one profile's release, with the keys that a person accepts as
    undecided in it; `policy_of` the policy of its manifest."""
    facts = ProfileFolder.read(folder)
    own = [key for key in accept if key != JOINT]
    policies: dict[str, Policy] = {}
    if digest:
        yield _digest_check(folder, digest)
    strangers = sorted({p.name for p in folder.iterdir()} - {PROFILES, *facts.digests})
    yield Check(
        claim="nothing else is in the folder",
        outcome="fail" if strangers else "pass",
        found=f"{len(strangers)} more" if strangers else "it holds",
    )
    for name, expected in facts.digests.items():
        there = (folder / name / MANIFEST).is_file()
        same = there and manifest_digest(folder / name) == expected
        yield Check(
            claim=f"{name}: the release is the one that was judged with the others",
            outcome="pass" if same else "fail",
            found=f"as {PROFILES} says" if same else f"not the release that {PROFILES} names",
        )
        if there:
            several = verified(name, own)
            yield from (replace(each, claim=f"{name}: {each.claim}") for each in several)
            policies[name] = policy_of(name)
    yield _stated_verdicts(facts)
    yield _stated_rules(facts, policies)
    yield from accepted(_joint_checks(facts), accept)


def _stated_verdicts(facts: ProfileFolder) -> Check:
    """Whether the file states a passing verdict on every group; nothing is counted."""
    groups = facts.groups
    fits = set(facts.apart) <= facts.digests.keys() and facts.verdicts.keys() == groups.keys()
    fits = fits and all(
        set(verdict.get("releases", ())) == groups[name] and verdict.get("outcome") == "pass"
        for name, verdict in facts.verdicts.items()
    )
    return Check(
        claim=f"{PROFILES} states that every release was judged, and that every joint verdict "
        "is a pass",
        outcome="pass" if fits else "fail",
        found="it states so" if fits else "a release has no joint verdict, or it is no pass",
    )


def joint_rules(policy: Policy) -> dict[str, float]:
    """The rules of a policy that hold for several releases together: k, l, t and gain."""
    require = policy.require
    return {
        "k": require.k or 1,
        "l": max((int(each.l) for each in require.each("l_diversity")), default=1),
        "t": min((each.t for each in require.each("t_closeness")), default=1.0),
        "gain": min((each.gain for each in require.each("confidence_gain")), default=1.0),
    }


def _stated_rules(facts: ProfileFolder, policies: Mapping[str, Policy]) -> Check:
    """Whether the joint requirement of every group is that of the policies of its releases."""
    stated = {
        group: {
            key: verdict.get("requirement", {}).get(key, none) for key, none in NO_RULES.items()
        }
        for group, verdict in facts.verdicts.items()
    }
    fits = all(
        stated.get(group) == joint_rules(policies[name])
        for group, names in facts.groups.items()
        for name in names & policies.keys()
    )
    return Check(
        claim=f"{PROFILES} states the joint requirement of the policies",
        outcome="pass" if fits else "fail",
        found="it does" if fits else "a joint requirement is not that of the policies",
    )


def _joint_checks(facts: ProfileFolder) -> Iterator[Check]:
    """The joint requirement on each group, which nobody judges here: only the run that made the
    releases knew which rows are one person's, and who was left out. Of a release that is alone in
    its group, all rows of a person were judged together."""
    for group in facts.groups.values():
        names = [name for name in facts.digests if name in group]
        yield Check(
            claim=f"joint verdict: the requirement holds for {_held_together(names)}",
            outcome="review",
            found="not recounted here: only the run that released them knew the person of each row",
            requirement=JOINT,
        )


def _held_together(names: Sequence[str]) -> str:
    return (
        f"{' and '.join(names)} together"
        if len(names) > 1
        else f"all rows of a person in {names[0]}"
    )


def _digest_check(folder: Path, digest: str) -> Check:
    same = hashlib.sha256((folder / PROFILES).read_bytes()).hexdigest() == digest
    return Check(
        claim=f"{PROFILES} has the digest that was given",
        outcome="pass" if same else "fail",
        found="it has" if same else "it has another digest: other releases were judged together",
    )
