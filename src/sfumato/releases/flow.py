"""A flow: how one shape of data takes the steps of the pipeline, and the records that they hand on.

The pipeline knows the order of the steps. A flow knows how its shape of data counts, solves, plans,
stages, recounts and describes itself. Each method takes the record of the step before and returns
its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from sfumato.bins import Bins
from sfumato.engines import Database, Engine, Lookup, WritePlan
from sfumato.policy import Field, Policy
from sfumato.protection import Outcome, Verdict

from .destinations import Destination, WrittenTables
from .manifest import Manifest
from .required_verdicts import RequiredVerdict

if TYPE_CHECKING:
    from .texts.text_lookups import Texts

WEAKER = "another solver, or weaker requirements"


@dataclass(frozen=True, eq=False, kw_only=True)
class StagedTable:
    """A table that is ready to be written: the engine that has its rows, the plan, and the number
    of rows expected.

    `source` is compared with the written table: no value of a `replaced` field may be in both, and
    `kept` fields keep their type. `prefix` precedes names of fields in messages. With `is_stage`,
    the engine has rows of a stage; with `is_temporary`, it is closed once they are written."""

    name: str
    engine: Engine
    plan: WritePlan
    rows: int
    source: Engine
    replaced: tuple[Field, ...] = ()
    kept: tuple[str, ...] = ()
    prefix: str = ""
    title: str = ""
    is_stage: bool = True
    is_temporary: bool = False
    person: str | None = None
    """Of several tables, the field of the engine that identifies the person of a row; None where
    rows are nobody's."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Stages:
    """All tables that are written, parents first. `write_beside` writes further files into the
    folder."""

    tables: tuple[StagedTable, ...]
    write_beside: Callable[[Path], None] | None = None


FoundT = TypeVar("FoundT")


@dataclass(frozen=True, eq=False, kw_only=True)
class RecountedRelease(Generic[FoundT]):
    """The written tables, counted afresh: rows by table, verdicts, and the requirements that need
    one.

    `broken` are further claims that do not hold, in words. `found` is what this shape of data
    counts besides."""

    found: FoundT
    rows: Mapping[str, int]
    verdicts: tuple[Verdict, ...]
    required: Sequence[RequiredVerdict]
    broken: Sequence[str] = ()
    attempt: str = WEAKER


@dataclass(frozen=True, eq=False, kw_only=True)
class Account:
    """Everything that documents need and that every shape of data has.

    `words` state the treatment of each field, by table. `sections` are parts of the manifest that
    steps and texts add."""

    outcome: Outcome
    created: str
    place: Destination
    verdicts: tuple[Verdict, ...]
    words: Mapping[str, Mapping[str, str]]
    warnings: tuple[str, ...]
    sections: Mapping[str, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Description:
    """The documents of a release: the manifest, and the report made from the facts of the
    manifest."""

    manifest: Manifest
    page: Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The facts for the caller besides verdicts: the main table, rows that were suppressed, all
    tables by name."""

    table: str
    rows: int
    rows_suppressed: int
    tables: Mapping[str, Path | str] = field(default_factory=dict)
    accounts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    lost: tuple[str, ...] = ()


class ReleasePlan(Protocol):
    """The parts of every plan: the words about each field, by table, and the texts that were
    scrubbed."""

    @property
    def texts(self) -> Texts | None: ...

    def words(self) -> dict[str, dict[str, str]]: ...


CountedT = TypeVar("CountedT")
SolvedT = TypeVar("SolvedT")
PlannedT = TypeVar("PlannedT", bound=ReleasePlan)


class Flow(Protocol[CountedT, SolvedT, PlannedT, FoundT]):
    """The steps of the pipeline for one shape of data, in their order."""

    policy: Policy
    """The policy as its author wrote it."""
    joins_tables: bool
    """Whether written tables are counted together, over their links."""
    counts: str
    """The unit of bins, in words: rows, people or subjects."""

    @property
    def source(self) -> Engine | Database: ...

    def count(self) -> CountedT:
        """Check the source against the policy and count it."""
        ...

    def solve(self, counted: CountedT) -> SolvedT:
        """Find a recoding."""
        ...

    def plan(self, solved: SolvedT) -> PlannedT:
        """Decide what replaces each value."""
        ...

    def stage(self, planned: PlannedT) -> Stages:
        """Give each table its rows and its plan."""
        ...

    def count_bins(self, solved: SolvedT) -> Mapping[str, Bins]:
        """The bins that were solved, by table; asked for only where stages are kept."""
        ...

    def recoding(self, solved: SolvedT) -> Mapping[str, Sequence[Lookup]]:
        """How values are recoded and which bins are left out, by table; asked for only where stages
        are kept."""
        ...

    def recount_bins(
        self, planned: PlannedT, recounted: RecountedRelease[FoundT], written: WrittenTables
    ) -> Mapping[str, Bins]:
        """The bins of what was written, by table; asked for only where stages are kept."""
        ...

    def recount(self, planned: PlannedT, written: WrittenTables) -> RecountedRelease[FoundT]:
        """Count what was written and judge the requirements on it."""
        ...

    def warnings(self, planned: PlannedT, recounted: RecountedRelease[FoundT]) -> tuple[str, ...]:
        """Warnings to read before the release is published; counts and names of fields only."""
        ...

    def describe(
        self, planned: PlannedT, recounted: RecountedRelease[FoundT], account: Account
    ) -> Description:
        """The manifest and the report."""
        ...

    def summarise(
        self, planned: PlannedT, recounted: RecountedRelease[FoundT], place: Destination
    ) -> Summary:
        """The facts for the caller."""
        ...
