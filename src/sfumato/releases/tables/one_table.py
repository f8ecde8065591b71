"""A single table with several rows per person, seen as a database of one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from sfumato.engines import Abilities, Engine, Snapshot, TableView
from sfumato.errors import Bug, PolicyError
from sfumato.policy import NullWords, Policy, TablePolicy

from .people_requirements import asked_of_rows, unlike_people

NAME = "release"


def as_tables(policy: Policy) -> Policy:
    """The policy of one table as that of a database which has only it; its person key repeats.

    What is asked of rows, and not of people, is refused: nothing would look at it.
    """
    problems = [*asked_of_rows(policy), *unlike_people(policy)]
    if problems:
        raise PolicyError(
            problems, name=f"Policy {policy.name}, for a table with several rows per person,"
        )
    table = TablePolicy(name=NAME, fields=policy.fields, row_counts=policy.row_counts)
    return replace(
        policy,
        fields={},
        tables={NAME: table},
        entity=f"{NAME}.{policy.entity}",
        require=policy.require.in_table(NAME),
    )


def as_said(policy: Policy) -> Policy:
    """The policy as a person wrote it: of one table where it is that of a database which has only
    one."""
    table = policy.tables.get(NAME)
    if len(policy.tables) != 1 or table is None or table.key or policy.entity is None:
        return policy
    return replace(
        policy,
        fields=table.fields,
        tables={},
        entity=policy.entity.removeprefix(f"{NAME}."),
        row_counts=table.row_counts,
        require=policy.require.in_table(""),
    )


class OneTable:
    """One engine as a database. The engine stays its opener's to close."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.name = engine.name
        self.abilities: Abilities = engine.abilities
        self.title = engine.title

    @property
    def session(self) -> object:
        """What the engine asks, where it asks something."""
        return getattr(self._engine, "session", None)

    def tables(self) -> tuple[str, ...]:
        return (NAME,)

    def view(self, view: TableView, *, stages: Mapping[str, Engine] | None = None) -> Engine:
        if view.table != NAME or view.joins:
            raise Bug("a single table was asked for another.")
        return (stages or {}).get(NAME, self._engine)

    def read_as_null(self, words: Mapping[str, NullWords]) -> None:
        raise Bug("a single table was opened without its words for missing values.")

    def join_fields(self, joined: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        raise Bug("a single table was opened without the fields that are made of others.")

    def substitute(self, stages: Mapping[str, Engine]) -> None:
        raise Bug("a single table takes its steps before it is seen as a database.")

    def loose(self, table: str, field: str, *, to: str, key: str, nulls: bool = False) -> int:
        raise Bug("a single table has no links.")

    def repeated(self, table: str, key: str) -> int:
        raise Bug("a single table has no key.")

    def snapshot(self) -> Snapshot:
        return self._engine.snapshot()

    def close(self) -> None:
        """Nothing is its own."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
