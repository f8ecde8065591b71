"""People: sources about the same people, and the field of each that identifies the person of a row.

Sources without a common key are taken to be about the same people. A group's holdings of them
together are then *review* at best. A people record declares the common key, so that releases of
these sources are judged as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from .moves import Move
from .release_checks import check_names


class KeySpelling(StrEnum):
    """The meaning of keys that differ in spelling alone."""

    SAME = "same"
    DISTINCT = "distinct"


@dataclass(frozen=True, kw_only=True)
class PeopleLink:
    """Sources about the same people: `key` is the common key in words, such as "hospital number";
    `sources` has the field with that key by source. `spelling` says whether keys that look alike
    are one person; without it, releases with such keys are refused."""

    name: str
    key: str
    sources: Mapping[str, str] = field(default_factory=dict)
    spelling: KeySpelling | None = None

    @classmethod
    def of(cls, move: Move) -> Self:
        facts = move.facts
        needed = {"people", "key", "sources"}
        if facts.keys() - {"spelling"} != needed or not isinstance(facts["sources"], dict):
            raise ValueError("no people")
        sources = facts["sources"]
        check_names(facts["people"], facts["key"], *sources, *sources.values())
        if not sources:
            raise ValueError("no people")
        spelling = KeySpelling(facts["spelling"]) if "spelling" in facts else None
        return cls(name=facts["people"], key=facts["key"], sources=dict(sources), spelling=spelling)

    def as_facts(self) -> dict[str, Any]:
        facts = {"people": self.name, "key": self.key, "sources": dict(self.sources)}
        return facts if self.spelling is None else {**facts, "spelling": self.spelling.value}


def common_key(person: str, links: Mapping[str, PeopleLink]) -> str:
    """The key by which a field distinguishes people: the common key where exactly one record names
    the field, else the field itself."""
    named = _naming(person, links)
    return f"people {named[0].name}" if len(named) == 1 else person


def key_spelling(person: str, links: Mapping[str, PeopleLink]) -> KeySpelling | None:
    """What was declared about keys of a field that look alike; nothing where two records name it."""
    named = _naming(person, links)
    return named[0].spelling if len(named) == 1 else None


def _naming(person: str, links: Mapping[str, PeopleLink]) -> list[PeopleLink]:
    return [each for each in links.values() if person in each.sources.values()]
