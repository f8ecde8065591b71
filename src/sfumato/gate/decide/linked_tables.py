"""Several tables about the same people, judged together: the disclosure of one table counts beside
that of the others.

The *joint bins* of an account are the different combinations of a person's bins in all of its
tables; absence from a table is a value too. Everything shown of any of the tables refines one
exposure over these. Somebody may combine answers about several tables, by known values or by an
amount that is in two tables. They learn no more than the classes of that one exposure, and those
must meet the rules of every table.

A person with several rows in a table is in several joint bins: one for each combination of their
rows. People are counted once in each class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import group
from sfumato.errors import SourceError
from sfumato.wording import counted

from .exposed_fields import qualified
from .protected_table import LinkedBins, ProtectedTable

Wholes = NDArray[np.int64]
MOST_COMBINATIONS: Final = 20_000_000
"""Combinations of the rows of all people up to which tables can be judged together."""


def link_tables(account: str, tables: Sequence[ProtectedTable]) -> dict[str, ProtectedTable]:
    """The same tables, each with the joint bins of all of them; `account` names their people."""
    people = _People.of(tables)
    if people.is_split:
        raise SourceError(
            f"Tables {_names(tables)} are declared to be about the same people, and no person is in "
            "two of them.",
            found="Their person keys have no value in common.",
            attempt='person keys that agree, or people = "NAME" for tables about other people.',
        )
    person, own = _combinations(tables, people)
    sizes = [len(table.bins) + 1 for table in tables]
    joint, first = group((own + 1).astype(np.int32), sizes)
    bins = own[first]
    pair = np.unique(joint * people.everyone + person)
    common = _Common(
        account=account,
        fields=tuple(qualified(table.name, name) for table in tables for name in table.fields),
        everyone=people.everyone,
        unit=pair // people.everyone,
        person=pair % people.everyone,
    )
    return {
        table.name: _linked(
            table, common, joint_person=numbers, own=bins[:, place], joint=joint, person=person,
            combinations=own[:, place],
        )
        for place, (table, numbers) in enumerate(zip(tables, people.numbers, strict=True))
    }  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class _People:
    """Everybody who is in one of the tables; `numbers` has the number of each table's people."""

    everyone: int
    numbers: tuple[Wholes, ...]

    @classmethod
    def of(cls, tables: Sequence[ProtectedTable]) -> _People:
        number: dict[str | None, int] = {}
        found = tuple(
            np.array([number.setdefault(key, len(number)) for key in table.person_keys], np.int64)
            for table in tables
        )
        return cls(everyone=len(number), numbers=found)

    @property
    def is_split(self) -> bool:
        """Whether some table has nobody in common with any other."""
        held = np.zeros(self.everyone, np.int64)
        for numbers in self.numbers:
            held[numbers] += 1
        return any(not (held[numbers] > 1).any() for numbers in self.numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Common:
    """The common parts of all tables of an account."""

    account: str
    fields: tuple[str, ...]
    everyone: int
    unit: Wholes = field(repr=False)
    person: Wholes = field(repr=False)


def _combinations(tables: Sequence[ProtectedTable], people: _People) -> tuple[Wholes, Wholes]:
    """For each combination of a person's bins in all tables: the person, and the bins, -1 where
    they are not in a table."""
    person = np.arange(people.everyone)
    columns: list[Wholes] = []
    for table, numbers in zip(tables, people.numbers, strict=True):
        pairs = np.unique(numbers[table.person_of] * len(table.bins) + table.bin_of)
        whose, bins = pairs // len(table.bins), pairs % len(table.bins)
        many = np.bincount(whose, minlength=people.everyone)
        first = np.cumsum(many) - many
        times = np.maximum(many[person], 1)
        if int(times.sum()) > MOST_COMBINATIONS:
            raise SourceError(
                f"Tables {_names(tables)} cannot be judged together.",
                found=f"Their people have {counted(int(times.sum()), 'combination')} of rows; "
                f"{MOST_COMBINATIONS:,} are possible.",
                attempt="fewer tables at one gate, or coarser quasi-identifiers.",
            )
        at = np.repeat(np.arange(len(person)), times)
        step = np.arange(len(at)) - np.repeat(np.cumsum(times) - times, times)
        there = many[person[at]] > 0
        place = np.minimum(first[person[at]] + step, max(len(bins) - 1, 0))
        columns = [column[at] for column in columns]
        columns.append(np.where(there, bins[place], -1))
        person = person[at]
    return person, np.stack(columns, axis=1)


def _linked(
    table: ProtectedTable,
    common: _Common,
    *,
    joint_person: Wholes,
    own: Wholes,
    joint: Wholes,
    person: Wholes,
    combinations: Wholes,
) -> ProtectedTable:
    """A table whose bins are the joint ones. Each row is in one of the joint bins that it fits.
    This is enough to count rows, because answers use the table's own bins."""
    span = len(table.bins)
    keys, first = np.unique(person * span + combinations, return_index=True)
    rows = joint_person[table.person_of] * span + table.bin_of
    links = LinkedBins(
        account=common.account,
        fields=common.fields,
        everyone=common.everyone,
        own=own,
        unit=common.unit,
        person=common.person,
        joint_person=joint_person,
    )
    return replace(
        table,
        bins=table.bins[np.maximum(own, 0)],
        bin_of=joint[first[np.searchsorted(keys, rows)]],
        links=links,
        unlinked=table,
    )


def _names(tables: Iterable[ProtectedTable]) -> str:
    return ", ".join(sorted(table.name for table in tables))


def accounts_of(
    tables: Mapping[str, ProtectedTable], people: Mapping[str, str]
) -> Iterator[tuple[str, tuple[ProtectedTable, ...]]]:
    """The tables by the people whom they are about. `people` has the name that a steward gave to
    the people of a table; those without a name are the same."""
    by_people: dict[str, list[ProtectedTable]] = {}
    for name, table in tables.items():
        by_people.setdefault(people.get(name, ""), []).append(table)
    for name, those in by_people.items():
        yield f"people {name}".strip(), tuple(those)
