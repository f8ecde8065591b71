"""The facts of the report of several tables: counts and words, gathered by the release. No cell
value is here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.protection import Outcome, Verdict

from .facts import BinFacts


@dataclass(frozen=True, kw_only=True)
class RowCountFacts:
    """How many people have each number of rows in a table, as (rows, people), before and after
    numbers were merged.

    `bin_size` is b_tabf (Sweeney 1997, section 3.8). With `with_quasi`, the numbers had to meet it
    within each bin of the quasi-identifiers. `rows_dropped` rows were dropped for it."""

    bin_size: int
    with_quasi: bool
    before: tuple[tuple[int, int], ...]
    after: tuple[tuple[int, int], ...]
    rows_dropped: int


@dataclass(frozen=True, kw_only=True)
class SetFacts:
    """The effect of k^m-anonymity on one set-valued field: how many labels its values became, and
    at what loss.

    `counts` is how many passes over the rows it took.
    """

    field: str
    k: int
    m: int
    within_bins: bool
    values_before: int
    labels_after: int
    loss: float
    counts: int
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class TableFacts:
    """One table: its place among the others, the account of its rows, and the treatment of its
    fields.

    `links` are (own field, "table.key"); `fields` are (name, role, what was done in words). Of the
    rows that are not released, `orphans` had no person, and `followed` were dropped with their
    parents. `by_bins` were in bins of too few people, and `by_count` disclosed how many rows
    someone has."""

    name: str
    file: str
    key: str
    links: tuple[tuple[str, str], ...]
    rows_source: int
    rows_released: int
    orphans: int
    followed: int
    by_bins: int
    by_count: int
    fields: tuple[tuple[str, str, str], ...]
    row_counts: RowCountFacts | None = None
    sets: tuple[SetFacts, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TablesFacts:
    """Everything the page shows. `tables` has parents first.

    `levels` are (TABLE.FIELD, level in words). `before` and `after` are the bins of the person's
    table, None where it has no quasi-identifier. `person` names the person's table; where it is not
    given, it is the first. `lost` are the quasi-identifiers that can no longer be
    used, and `keep` those of them that were to be kept."""

    title: str
    created: str
    version: str
    outcome: Outcome
    proposed: bool
    recipient: str
    recipient_description: str
    engine: str
    snapshot: Mapping[str, Any]
    solver: str
    verdicts: tuple[Verdict, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    tables: tuple[TableFacts, ...]
    people: int
    levels: tuple[tuple[str, str], ...]
    before: BinFacts | None
    after: BinFacts | None
    policy_toml: str
    files: Mapping[str, str]
    person: str = ""
    proof: str = ""
    open_fields: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
