"""The settings of a gate at its start: its tables, its recipients, history and noise. Frozen
records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from pathlib import Path

from sfumato.accounting import rho_of


class Mode(StrEnum):
    """How numbers are answered: as they are where that is safe, with noise, or whichever loses
    less."""

    EXACT = "exact"
    NOISY = "noisy"
    EITHER = "either"


class Audience(StrEnum):
    """With whom a recipient shares answers: nobody, their groups, or everybody at the gate."""

    PERSON = "person"
    GROUPS = "groups"
    EVERYONE = "everyone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much noisy answers may cost in all: per recipient, and for everybody together, for all
    tables about the same people. Limits are epsilons at `delta` and count in rho.

    A question takes the part `query / person` of what a recipient has.

    Example:
        >>> budget = Budget(query=0.05, person=0.25)
        >>> budget.person_rho / budget.question_rho
        Fraction(5, 1)
    """

    query: float = 0.05
    person: float = 0.25
    table: float = 0.5
    delta: float = 1e-6
    """Of a person in the tables, for all answers together. Half of it is for groups that pass a
    noisy threshold."""
    period: float = 0.0
    period_days: int = 0
    """No recipient spends more than `period` in so many days; 0 is no such limit."""
    most: float = 0.0
    """The most that somebody may choose for one question; `query` where it is 0."""

    @property
    def person_rho(self) -> Fraction:
        return rho_of(self.person, self.delta / 2)

    @property
    def question_rho(self) -> Fraction:
        """Decimal numbers as they are written: 0.25 has room for 5 times 0.05."""
        return self.person_rho * Fraction(repr(self.query)) / Fraction(repr(self.person))

    def chosen(self, epsilon: float) -> Budget:
        """The budget of a question for which somebody chose an epsilon."""
        return replace(self, query=epsilon)

    @property
    def question_delta(self) -> float:
        """The part of delta for a question with a threshold: its part of everybody's rho."""
        everybody = rho_of(self.table, self.delta / 2)
        return self.delta / 2 * float(self.question_rho / everybody)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifetime:
    """The most that all noisy answers to anybody may cost a person of the tables, for as long as the
    gate keeps its memory. It never renews."""

    epsilon: float
    delta: float = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationTerms:
    """Whether recipients may validate what they found on a synthetic copy, and the usual epsilon of
    that; 0 is that of any question."""

    allowed: bool = False
    epsilon: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms of one recipient profile. `least` is how many people a noisy number is about at the
    least."""

    mode: Mode = Mode.EITHER
    audience: Audience = Audience.EVERYONE
    budget: Budget = field(default_factory=Budget)
    least: int = 20
    rows_per_person: int = 10
    """Noisy numbers count at most so many rows of a person."""
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The bounds between which a field is summed; a number outside counts as the nearer bound."""
    steps: Mapping[str, float] = field(default_factory=dict)
    clamp: bool = False
    """Whether noisy counts below zero and averages outside their bounds are shown as the nearest
    possible number."""
    validation: ValidationTerms = field(default_factory=ValidationTerms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """The asker: the account's name, its profile, and the groups it is declared to belong to."""

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
class LinkedCopy:
    """A synthetic release of a table: its folder, and the digest of its manifest."""

    release: Path
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldTable:
    """A table at the gate: where its rows are, and under which policy it is asked."""

    name: str
    source: str
    policy: Path
    table: str = ""
    """The table of a database; a file has one."""
    coarsest: Mapping[str, int] = field(default_factory=dict)
    people: str = ""
    """The people that it is about. Tables about the same people are judged together, as are all
    without a name."""
    rows_per_person: int = 0
    """The most rows of one person that noisy numbers of this table count; 0 is what the terms
    say."""
    synthetic: LinkedCopy | None = None
    """The synthetic release that recipients work on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything of gate.toml. Addresses are of this machine alone by default."""

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
    """At a time, at each interface."""
    connections_per_address: int = 200
    lifetime: Lifetime | None = None
    reload: bool = True
    """Whether the gate keeps the rows that it answers from, so that tables may change."""
    reload_hours: float = 0.0
    """After how many hours all tables are reloaded, again and again; 0 is only when asked."""
    register: Path | None = None
    """The folder of the register that the gate opens beside its tables."""
    people_key: Path | None = None
    """The key under which the releases of that register number their people."""
    account: Path | None = None
    """An account that noisy answers share with releases about the same people: a file, or the
    folder of a register."""

    def terms_of(self, profile: str) -> Terms:
        return self.terms.get(profile, Terms())
