"""Releases as the register has them: recorded facts, and the digests of the ledger's parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from .moves import Move

_RELEASE_FACTS: Final = {
    "name", "group", "digest", "imported", "key_check", "person", "fields", "overlaps", "sensitive",
    "not_judged", "parts",
}  # fmt: skip
_MORE_FACTS: Final = {
    "classes", "ledgers", "apart", "private", "account", "answers", "uncounted", "replaced",
}  # fmt: skip
"""Optional facts of a release."""


@dataclass(frozen=True, kw_only=True)
class RegisteredRelease:
    """A release in the ledger: its name, the group that holds it, the digest of its manifest, and
    the digests of the ledger's parts."""

    name: str
    group: str
    digest: str
    imported: bool
    key_check: str
    person: str
    fields: tuple[str, ...]
    overlaps: tuple[int, ...]
    sensitive: tuple[str, ...]
    not_judged: tuple[str, ...]
    parts: Mapping[str, str] = field(repr=False)
    classes: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By group that gets it, the digest of the joint classes of all that the group then holds."""
    ledgers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By group, the digest of the releases whose joint classes these are."""
    apart: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """By group, releases without a person in common with those before them."""
    private: bool = False
    """Whether its rows were made with private noise, and count in the account."""
    account: str = ""
    """The end of the register's privacy account when it was recorded."""
    answers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Digests of what gates had shown when it was recorded, by gate and group."""
    uncounted: tuple[str, ...] = ()
    """Released fields that nobody was taken to know, and that are not sensitive."""
    replaced: tuple[str, ...] = ()
    """Further released fields, such as pseudonyms and scrubbed texts."""
    number: int = 0
    time: str = ""
    author: str = ""

    @property
    def released(self) -> tuple[str, ...]:
        """All fields of its tables that are known of it."""
        return (*self.fields, *self.sensitive, *self.uncounted, *self.replaced)

    def as_facts(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "group": self.group,
            "digest": self.digest,
            "imported": self.imported,
            "key_check": self.key_check,
            "person": self.person,
            "fields": list(self.fields),
            "overlaps": list(self.overlaps),
            "sensitive": list(self.sensitive),
            "not_judged": list(self.not_judged),
            "parts": dict(self.parts),
            "classes": dict(self.classes),
            "ledgers": dict(self.ledgers),
            "apart": {group: list(names) for group, names in self.apart.items()},
            "private": self.private,
            "account": self.account,
            "answers": dict(self.answers),
            "uncounted": list(self.uncounted),
            "replaced": list(self.replaced),
        }

    @classmethod
    def of(cls, move: Move) -> Self:
        facts = move.facts
        if facts.keys() - _MORE_FACTS != _RELEASE_FACTS:
            raise ValueError("no release")
        return cls(
            name=str(facts["name"]),
            group=str(facts["group"]),
            digest=str(facts["digest"]),
            imported=facts["imported"] is True,
            key_check=str(facts["key_check"]),
            person=str(facts["person"]),
            fields=tuple(map(str, facts["fields"])),
            overlaps=tuple(map(int, facts["overlaps"])),
            sensitive=tuple(map(str, facts["sensitive"])),
            not_judged=tuple(map(str, facts["not_judged"])),
            parts={str(name): str(digest) for name, digest in facts["parts"].items()},
            classes={str(name): str(each) for name, each in facts.get("classes", {}).items()},
            ledgers={str(name): str(each) for name, each in facts.get("ledgers", {}).items()},
            apart={str(name): tuple(each) for name, each in facts.get("apart", {}).items()},
            private=facts.get("private") is True,
            account=str(facts.get("account", "")),
            uncounted=tuple(map(str, facts.get("uncounted", ()))),
            replaced=tuple(map(str, facts.get("replaced", ()))),
            answers={str(line): str(each) for line, each in facts.get("answers", {}).items()},
            number=move.number,
            time=move.time,
            author=move.author,
        )
