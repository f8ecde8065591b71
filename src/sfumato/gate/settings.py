"""What a gate is told when it starts: which tables, for whom, what history and noise count for.
Frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Mode(StrEnum):
    """How numbers are answered: as they are where that is safe, with noise, or whichever loses
    less."""

    EXACT = "exact"
    NOISY = "noisy"
    EITHER = "either"


class Audience(StrEnum):
    """With whom a recipient shares what was shown: nobody, their groups, or everybody at the
    gate."""

    PERSON = "person"
    GROUPS = "groups"
    EVERYONE = "everyone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much noisy answers may cost in all: each, per person and table, per table for everybody
    together."""

    query: float = 0.05
    person: float = 0.25
    table: float = 0.5
    delta: float = 1e-6
    """What one question may cost beside its epsilon, where groups have to pass a noisy
    threshold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What holds for one recipient profile. `least` is how many people a noisy number is about at
    the least."""

    mode: Mode = Mode.EITHER
    audience: Audience = Audience.EVERYONE
    budget: Budget = field(default_factory=Budget)
    least: int = 20
    rows_per_person: int = 10
    """Of a person with more rows than this, noisy numbers count so many."""
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Between which numbers a field is summed; what lies outside is counted as the nearer one."""
    steps: Mapping[str, float] = field(default_factory=dict)
    clamp: bool = False
    """Whether noisy counts below zero and averages outside their bounds are shown as the nearest
    possible number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks: the account's name, its profile, and the groups it is declared to belong to."""

    name: str
    profile: str
    groups: tuple[str, ...] = ()

    def audiences(self, terms: Terms) -> tuple[str, ...]:
        """Everyone whose memory an answer enters; each must stay within the conditions."""
        own = (f"person {self.name}",)
        if terms.audience is Audience.PERSON:
            return own
        groups = tuple(f"group {name}" for name in sorted(self.groups))
        return (*own, *groups) if terms.audience is Audience.GROUPS else (*own, *groups, "everyone")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldTable:
    """A table at the gate: where its rows are, and under which policy it is asked."""

    name: str
    source: str
    policy: Path
    table: str = ""
    """Which table of a database it is; a file has one."""
    coarsest: Mapping[str, int] = field(default_factory=dict)
    people: str = ""
    """Whom it is about. Tables about the same people are judged together; those without a name
    are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything of gate.toml. Addresses are of this machine alone unless told otherwise."""

    folder: Path
    tables: Mapping[str, HeldTable]
    terms: Mapping[str, Terms] = field(default_factory=dict)
    host: str = "127.0.0.1"
    hosts: tuple[str, ...] = ()
    """Names under which people reach it, beside its address."""
    http_port: int = 8417
    wire_port: int = 5417
    certificate: Path | None = None
    certificate_key: Path | None = None
    queries_per_minute: int = 60
    session_minutes: int = 60
    anchor: Path | None = None
    """A file, best on another disk, that keeps the end of the audit."""
    connections: int = 1_000
    """At a time, at each door."""
    connections_per_address: int = 200

    def terms_of(self, profile: str) -> Terms:
        return self.terms.get(profile, Terms())
