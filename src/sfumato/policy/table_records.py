"""The decisions about the tables of a database: their keys, their links, and what the number of
rows may disclose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from .source_records import SourceFormat

if TYPE_CHECKING:
    from .records import Field


class Orphans(StrEnum):
    """The treatment of a row whose link leads nowhere, so that its person is unknown."""

    REFUSE = "refuse"
    REMOVE = "remove"


class RowCountMerging(StrEnum):
    """How numbers of rows are merged: so that the fewest rows are dropped, or as the paper does
    (Sweeney 1997, Fig. 2)."""

    FEWEST_ROWS = "fewest-rows"
    DATAFLY = "datafly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A foreign key: where `field` has a value, it is that of `key` in one row of `table`."""

    field: str
    table: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCountPolicy:
    """The number of a person's rows in a table, which a recipient may know (Sweeney 1997, section
    3.8).

    Each number is shared by at least `bin_size` people (b_tabf; None: the policy's k). `linking` is
    P_tabf. At 1 the number is known together with the quasi-identifiers and counted with them. At 0
    it is not protected, and in between it is protected by itself; with Datafly's anonymity level it
    also sets b_tabf. Where it is known `together` with the numbers in tables before this one, it is
    counted with them."""

    bin_size: int | None = None
    linking: float | None = None
    merging: RowCountMerging = RowCountMerging.FEWEST_ROWS
    together: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePolicy:
    """One table of a database. `key` is the field that other tables link to; empty where none does.

    `source` is how it is read, where that differs from the other tables.
    """

    name: str
    fields: Mapping[str, Field]
    key: str = ""
    links: tuple[Link, ...] = ()
    row_counts: RowCountPolicy = field(default_factory=RowCountPolicy)
    orphans: Orphans = Orphans.REFUSE
    source: SourceFormat = field(default_factory=SourceFormat)
