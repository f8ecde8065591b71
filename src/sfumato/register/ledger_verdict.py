"""The requirement on all that a group holds, and the verdict on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sfumato.errors import Mistake
from sfumato.protection import Outcome
from sfumato.wording import counted

from .release_content import AccountVerdict

NAMED: Final = 6
"""The most releases that the words of a verdict name for one reason."""


@dataclass(frozen=True, kw_only=True)
class LedgerRequirement:
    """The requirement on all that a group holds: `k` people in every class; of each sensitive field
    `l` values left, belief within `t` of the shares of all people, and a gain of at most `gain`."""

    k: int
    l: int = 1  # noqa: E741
    t: float = 1.0
    gain: float = 1.0

    def __post_init__(self) -> None:
        fits = self.k >= 1 and self.l >= 1 and 0 < self.t <= 1 and 0 < self.gain <= 1
        if not fits:
            raise Mistake(
                "A requirement on all releases together was asked for.",
                found=f"k = {self.k}, l = {self.l}, t = {self.t}, gain = {self.gain}.",
                attempt="k and l of 1 or more, t and gain above 0 and at most 1.",
            )


@dataclass(frozen=True, kw_only=True)
class LedgerVerdict:
    """The verdict on all releases that a group holds: numbers of people, and no value.

    `smallest` is the size of the smallest class, `below` how many people are in classes under k.
    `compatible_smallest` and `compatible_below` are the same for people who cannot be ruled out,
    None where they were too many to compare. `sensitive` are people for whom too little is left of
    a field, by field and rule."""

    outcome: Outcome
    requirement: LedgerRequirement
    releases: tuple[str, ...]
    people: int
    smallest: int
    below: int
    compatible_smallest: int | None
    compatible_below: int | None
    newcomers: int
    leavers: int
    newcomers_below: int
    sensitive: Mapping[str, Mapping[str, int]]
    because: tuple[str, ...]
    not_judged: tuple[str, ...]
    account: AccountVerdict | None = None
    """The cost to one person of everything private about the people."""
    joined: tuple[str, ...] = ()
    """Groups that share a recipient with this one: their releases are judged as one."""

    @property
    def reason(self) -> str:
        """The verdict in words."""
        k, parts = self.requirement.k, []
        if self.below:
            why = f", because of {listed(self.because)}" if self.because else ""
            parts.append(
                f"k over all that they hold is {self.smallest}; "
                f"{counted(self.below, 'person', 'people')} below {k}{why}"
            )
        elif self.people:
            parts.append(f"k over all that they hold is {self.smallest}")
        if self.newcomers_below:
            parts.append(f"{counted(self.newcomers_below, 'newcomer')} between releases among them")
        for name, rules in self.sensitive.items():
            parts += [
                f"{rule} of {name} fails for {counted(people, 'person', 'people')}"
                for rule, people in rules.items()
                if people
            ]
        if self.account is not None:
            parts.append(self.account.reason)
        parts += [f"not judged: {each}" for each in _by_reason(self.not_judged)]
        words = "; ".join(parts) or f"k over all that they hold is {self.smallest}"
        if self.joined:
            words += f"; judged together with {listed(self.joined)}: they share a recipient"
        return words

    def as_dict(self) -> dict[str, Any]:
        return {
            "outcome": self.outcome,
            "requirement": vars(self.requirement),
            "releases": list(self.releases),
            "people": self.people,
            "smallest": self.smallest,
            "below": self.below,
            "compatible_smallest": self.compatible_smallest,
            "compatible_below": self.compatible_below,
            "newcomers": self.newcomers,
            "leavers": self.leavers,
            "newcomers_below": self.newcomers_below,
            "sensitive": {name: dict(rules) for name, rules in self.sensitive.items()},
            "because": list(self.because),
            "not_judged": list(self.not_judged),
            "account": None if self.account is None else vars(self.account),
            "joined": list(self.joined),
            "reason": self.reason,
        }


def _by_reason(unjudged: Sequence[str]) -> list[str]:
    """Words such as "RELEASE: why" once for all releases with the same reason."""
    names: dict[tuple[str, str], list[str]] = {}
    for each in unjudged:
        name, colon, why = each.partition(": ")
        names.setdefault((colon, why), []).append(name)
    return [
        f"{listed([*some[:NAMED], *([f'{len(some) - NAMED} more'] if some[NAMED:] else [])])}"
        f"{colon}{why}"
        for (colon, why), some in names.items()
    ]


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
