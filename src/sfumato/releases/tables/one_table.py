"""A single table with several rows per person, seen as a database of one table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Self

from sfumato.engines import Abilities, Engine, Snapshot, TableView
from sfumato.errors import Bug, PolicyError, Problem, SfumatoError
from sfumato.parts import Shape
from sfumato.policy import (
    CellReading,
    NullRule,
    NullWords,
    Policy,
    Replacement,
    Role,
    TablePolicy,
    abilities_of,
    not_of_people,
    solvers_of,
)

NAME = "release"


def as_tables(policy: Policy) -> Policy:
    """The policy of one table as that of a database which has only it; its person key repeats.

    A requirement on rows, and not on people, is refused: nothing would judge it.
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


@contextmanager
def said_of_one_table(policy: Policy) -> Iterator[None]:
    """Errors about a single table name its fields and places as its policy does, which has no
    [tables] and no name for the table."""
    try:
        yield
    except SfumatoError as error:
        if tuple(policy.tables) == (NAME,):
            _say_of_one_table(error, policy)
        raise


def _say_of_one_table(error: SfumatoError, policy: Policy) -> None:
    fields = "|".join(map(re.escape, sorted(policy.tables[NAME].fields, key=len, reverse=True)))
    changes = [
        (rf"\btables\.{NAME}\.", ""),
        (rf"\b{NAME}\.(?=(?:{fields})(?!\w))", ""),
        (rf"\b(rows?|people|bins|values|keys) of {NAME}\b", r"\1 of the table"),
        (rf"\btable {NAME}\b", "the table"),
    ]

    def said(text: str) -> str:
        for pattern, new in changes:
            text = re.sub(pattern, new, text)
        return text

    if isinstance(error, PolicyError):
        error.problems = tuple(
            Problem(where=said(one.where), found=said(one.found), attempt=said(one.attempt))
            for one in error.problems
        )
    SfumatoError.__init__(
        error, said(error.asked), found=said(error.found), attempt=said(error.attempt)
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
        """The engine's session, where it has one."""
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
        """The opener of the engine closes it; nothing is closed here."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


# What a policy of one table may ask where a person has several rows: nothing that would be
# counted in rows.

_SEVERAL = "a person may have several rows"


def asked_of_rows(policy: Policy) -> Iterator[Problem]:
    """Requirements that have no meaning where a person may have several rows; the others count
    people."""
    require = policy.require
    for key, reason in not_of_people(policy, Shape.SEVERAL_ROWS):
        yield Problem(
            where=f"require.{key}",
            found=f"{_SEVERAL}, and {reason}.",
            attempt=f"k in place of {key}, or a table with one row per person.",
        )
    looked_at = {
        name for declared, asked in require.items() for name in declared.covered(asked, policy)
    }
    unseen = [
        name
        for name in policy.named(Role.QUASI)
        if name not in looked_at and policy.profile.links_on(name) > 0
    ]
    if unseen:
        yield Problem(
            where="require.k",
            found=(f"{_SEVERAL}, and no rule says how many people must share {', '.join(unseen)}."),
            attempt="k = 5 under [require].",
        )
    if any(asked.within_bins for asked in require.each("k_m")):
        yield Problem(
            where="require.k_m.within_bins",
            found=f"{_SEVERAL}, which may be in different bins, so that their set is in none.",
            attempt="within_bins = false, or a table of people beside that of their rows.",
        )
    yield from _number_of_rows(policy)


def _number_of_rows(policy: Policy) -> Iterator[Problem]:
    """A problem where no rule sets b_tabf, the number of people who must share a number of rows
    (Sweeney 1997, section 3.8)."""
    asked, person = policy.row_counts, policy.fields.get(policy.entity or "")
    replaced = (person.replace if person is not None else None) or Replacement()
    if asked.linking == 0 or not replaced.tells_rows_apart:
        return
    if policy.require.k is None and asked.bin_size is None:
        yield Problem(
            where="require.k",
            found="The number of a person's rows may identify the person, and no rule says "
            "how many people must share it.",
            attempt="k = 5 under [require], or row_counts = { bin_size = 5 } or { linking = 0 }.",
        )


def unlike_people(policy: Policy) -> Iterator[Problem]:
    """Everything else that is decided about rows one by one."""
    solver = policy.solve.solver
    if Shape.SEVERAL_ROWS not in abilities_of(policy).shapes and policy.named(Role.QUASI):
        yield Problem(
            where="solve.solver",
            found=f"{_SEVERAL}, and {solver} counts rows where people must be counted.",
            attempt=f"one of {solvers_of(Shape.SEVERAL_ROWS)}.",
        )
    if policy.require.reading is not CellReading.STRICT:
        yield Problem(
            where="require.reading",
            found=f"{_SEVERAL}, and then a suppressed cell is a value of its own.",
            attempt='reading = "strict".',
        )
    if policy.nulls is not NullRule.VALUE:
        yield Problem(
            where="nulls",
            found=f"{_SEVERAL}, and then a missing value is a value of its own.",
            attempt='nulls = "value".',
        )
    if policy.household is not None:
        yield Problem(
            where="household",
            found=f"{_SEVERAL}, and households are not kept together then.",
            attempt="leaving it out, or a table with one row per person.",
        )
    for name, decided in policy.fields.items():
        if decided.shift is not None and decided.shift.per != policy.entity:
            yield Problem(
                where=f"fields.{name}.shift.per",
                found=f"{_SEVERAL}, and all of their dates move together.",
                attempt=f"leaving it out: it is {policy.entity}.",
            )
