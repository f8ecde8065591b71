"""Declarations about two names that look alike: whether they are one recipient or two.

What one recipient holds is judged over all its names. A custodian signs the declaration; a later
one about the same names replaces it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from .moves import Move
from .recipient_names import recipient_key
from .release_checks import check_names


class NamesAre(StrEnum):
    """The meaning of two names that look alike."""

    SAME = "same"
    DIFFERENT = "different"


@dataclass(frozen=True, kw_only=True)
class RecipientLink:
    """Two names of recipients or groups, what they are, and why."""

    names: tuple[str, str]
    are: NamesAre
    reason: str

    @classmethod
    def of(cls, move: Move) -> Self:
        facts = move.facts
        if facts.keys() != {"names", "are", "reason"} or not str(facts["reason"]).strip():
            raise ValueError("no recipients")
        one, other = map(str, facts["names"])
        check_names(one, other)
        if recipient_key(one) == recipient_key(other):
            raise ValueError("one name")
        return cls(names=(one, other), are=NamesAre(facts["are"]), reason=str(facts["reason"]))

    def as_facts(self) -> dict[str, Any]:
        return {"names": list(self.names), "are": self.are.value, "reason": self.reason}

    @property
    def pair(self) -> frozenset[str]:
        return pair_of(*self.names)


def pair_of(one: str, other: str) -> frozenset[str]:
    """The two names, by which a declaration is found however they are spelled."""
    return frozenset((recipient_key(one), recipient_key(other)))


def same_names(declared: Mapping[frozenset[str], NamesAre]) -> dict[str, frozenset[str]]:
    """By the key of each name that is declared to be the same recipient as another, the keys of all
    that are the same, itself included."""
    found: dict[str, frozenset[str]] = {}
    for pair, are in declared.items():
        if are is NamesAre.SAME:
            whole = frozenset().union(*(found.get(each, {each}) for each in pair))
            found.update(dict.fromkeys(whole, whole))
    return found
