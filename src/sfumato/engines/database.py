"""The protocol of a database: several tables of one source, read in one state, each seen with the
rows that it links to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

from sfumato.policy import NullWords

from .engine import Abilities, Engine, Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """Follow `field` of the view so far (a field of the table itself, or one brought before) to the
    row of `table` with that `key`. Bring some of its fields: `bring` maps their names there to
    their names in the view.

    Where `field` is null or leads nowhere, what is brought is null.
    """

    field: str
    table: str
    key: str
    bring: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """One table with all of its own fields, and those that `joins` bring, in order; as many rows as
    the table.

    `fields` renames or omits: the table's own fields that the view has; None for all of them.
    """

    table: str
    joins: tuple[Join, ...] = ()
    fields: tuple[str, ...] | None = field(default=None)


class Database(Protocol):
    """One open source of several tables. A name in `stages` is a stage in place of the table
    itself."""

    title: str

    @property
    def name(self) -> str: ...

    @property
    def abilities(self) -> Abilities: ...

    def tables(self) -> tuple[str, ...]:
        """The names of the tables, in order of name."""
        ...

    def view(self, view: TableView, *, stages: Mapping[str, Engine] | None = None) -> Engine:
        """An engine over a view. `stages` maps table names to stages of this database's own
        engines. They are read in place of the tables, also where a join leads to them. Closing the
        database closes its views.

        With a stage that a join leads to, rows whose link leads to no row of the stage are left
        out."""
        ...

    def read_as_null(self, words: Mapping[str, NullWords]) -> None:
        """From now on, cells that are one of the words of their table and field are null."""
        ...

    def join_fields(self, joined: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        """From now on, tables have further fields, each of them several of their own as one
        text."""
        ...

    def substitute(self, stages: Mapping[str, Engine]) -> None:
        """From now on, tables are read from stages of this database's own engines; views made
        before are not."""
        ...

    def loose(self, table: str, field: str, *, to: str, key: str, nulls: bool = False) -> int:
        """How many rows of a table have a value in `field` that no row of table `to` has as its
        `key`. With `nulls`, rows without a value are counted too."""
        ...

    def repeated(self, table: str, key: str) -> int:
        """How many values of `key` are in more than one row; null is none."""
        ...

    def snapshot(self) -> Snapshot:
        """Which state of the source is read; SourceError where it has changed since it was
        opened."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
