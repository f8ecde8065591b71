"""People: sources about the same people, and the field of each that identifies the person of a row.

Sources without a common key are taken to be about the same people. A group's holdings of them
together are then *review* at best. A people record declares the common key, so that releases of
these sources are judged as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from .moves import Move
from .release_checks import check_names


@dataclass(frozen=True, kw_only=True)
class PeopleLink:
    """Sources about the same people: `key` is the common key in words, such as "hospital number";
    `sources` has the field with that key by source."""

    name: str
    key: str
    sources: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, move: Move) -> Self:
        facts = move.facts
        if facts.keys() != {"people", "key", "sources"} or not isinstance(facts["sources"], dict):
            raise ValueError("no people")
        sources = facts["sources"]
        check_names(facts["people"], facts["key"], *sources, *sources.values())
        if not sources:
            raise ValueError("no people")
        return cls(name=facts["people"], key=facts["key"], sources=dict(sources))

    def as_facts(self) -> dict[str, Any]:
        return {"people": self.name, "key": self.key, "sources": dict(self.sources)}


def common_key(person: str, links: Mapping[str, PeopleLink]) -> str:
    """The key by which a field distinguishes people: the common key where exactly one record names
    the field, else the field itself."""
    named = [each for each in links.values() if person in each.sources.values()]
    return f"people {named[0].name}" if len(named) == 1 else person
