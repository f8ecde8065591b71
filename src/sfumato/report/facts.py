"""The facts of a report page: counts and words, gathered by the release. No cell value is among
them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sfumato.hierarchies import Hierarchy
from sfumato.measures import Ads0, Utility
from sfumato.protection import Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFacts:
    """One field: its role, its treatment in words, and for a recoded one how far it was
    generalised."""

    name: str
    role: str
    treatment: str
    known: bool = False
    level_names: tuple[str, ...] = ()
    labels_per_level: tuple[int, ...] = ()
    rows_at_level: tuple[int, ...] = ()
    distinct_before: int = 0
    distinct_after: int = 0
    precision: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BinFacts:
    """The bins as a distribution: `bins[i]` bins with `rows[i]` rows have from `edges[i]` to
    `edges[i + 1] - 1` rows each; the last edge is open."""

    count: int
    smallest: int
    average: float
    edges: tuple[int, ...]
    bins: tuple[int, ...]
    rows: tuple[int, ...]
    unique_rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFacts:
    """One move of the solver: in words, how many bins it left and how many rows still failed."""

    what: str
    bins: int
    rows_failing: int


@dataclass(frozen=True, kw_only=True)
class ReportFacts:
    """Everything the page shows."""

    title: str
    created: str
    version: str
    outcome: Outcome
    proposed: bool
    recipient: str
    recipient_description: str
    engine: str
    solver: str
    seed: int
    rows_source: int
    rows_released: int
    verdicts: tuple[Verdict, ...]
    ads0: Ads0
    utility: Utility
    before: BinFacts
    after: BinFacts
    fields: tuple[FieldFacts, ...]
    steps: tuple[StepFacts, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    policy_toml: str
    files: Mapping[str, str] = field(default_factory=dict)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)
    picture: str = field(default="", repr=False)
    proof: str = ""
    keep: tuple[str, ...] = ()
    open_fields: tuple[str, ...] = ()
