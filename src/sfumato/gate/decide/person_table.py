"""People as rows: a number of each person's rows in another table, as a field of a table about
them.

A person's number follows from their own rows alone. Noise covers a person with all their rows in
all tables, so it covers these numbers too. Only noisy numbers are released of them, because the
absence of rows is a fact about a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sfumato.engines import FieldKind
from sfumato.hierarchies import Label
from sfumato.policy import Domain, Field, Membership, Role

from ..sql.person_rows import PEOPLE, PersonRows
from ..sql.row_pairs import RowPairs
from .pair_table import counts_beside
from .protected_table import HeldField, ProtectedTable

Numbers = NDArray[np.float64]
MOST_ROWS: Final = 100
"""Groups by a number of rows are declared up to so many."""


def people_table(table: ProtectedTable) -> ProtectedTable:
    """A row for each person of a table, without any field of it."""
    people = table.people
    policy = replace(table.policy, fields={}, entity=None, membership=Membership.PROTECTED)
    return ProtectedTable(
        name=PEOPLE + table.name,
        policy=policy,
        fields={},
        hierarchies={},
        person_of=np.arange(people),
        person_keys=table.person_keys,
        bin_of=np.zeros(people, np.int64),
        bins=np.zeros((1, 0), np.int32),
        secret=table.secret,
    )


def with_person_rows(
    table: ProtectedTable, found: Iterable[tuple[PersonRows, ProtectedTable]]
) -> ProtectedTable:
    """A table with further fields of its people, each computed from the rows of an inner table, which
    has the fields that the inner question derives; or of its rows, computed from pairs with those
    of an inner table."""
    fields, policies = dict(table.fields), dict(table.policy.fields)
    for rows, inner in found:
        paired = RowPairs.read(rows.rows.table) is not None
        if paired:
            numbers = counts_beside(rows, table, inner).astype(float)
        else:
            numbers = _of_keys(_by_person(rows, inner), inner, table, missing=rows.missing)
            numbers = numbers[table.person_of]
        counts = rows.rows.aggregates[0].function == "count"
        fields[rows.name] = _held(rows.name, numbers, whole=counts)
        policies[rows.name] = Field(
            name=rows.name,
            role=Role.INSENSITIVE,
            domain=Domain(least=0, most=MOST_ROWS) if counts else None,
            constant_per_person=not paired,
        )
    policy = replace(table.policy, fields=policies, membership=Membership.PROTECTED)
    return replace(table, fields=fields, policy=policy)


def _by_person(rows: PersonRows, inner: ProtectedTable) -> Numbers:
    """The number of each person of the inner table; not a number where none of their rows is
    meant."""
    question, (aggregate,) = rows.rows, rows.rows.aggregates
    chosen = np.ones(len(inner), bool)
    for condition in (question.about, question.having):
        if condition is not None:
            codes = {name: inner.fields[name].codes for name in condition.fields()}
            chosen &= condition.marks(inner.fields, codes)
    worth = np.ones(len(inner))
    if aggregate.field:
        held = inner.fields[aggregate.field]
        there = held.present[held.codes]
        if aggregate.function == "count":
            worth = there.astype(float)
        else:
            chosen &= there
            worth = held.numbers()[held.codes]
            chosen &= np.isfinite(worth)
    person, worth = inner.person_of[chosen], worth[chosen]
    many = np.bincount(person, minlength=inner.people)
    if aggregate.function in ("min", "max"):
        edge = np.full(inner.people, np.inf if aggregate.function == "min" else -np.inf)
        (np.minimum if aggregate.function == "min" else np.maximum).at(edge, person, worth)
        return np.where(many > 0, edge, np.nan)
    total = np.bincount(person, weights=worth, minlength=inner.people)
    divisor = np.maximum(many, 1) if aggregate.function == "avg" else 1
    return np.where(many > 0, total / divisor, np.nan)


def _of_keys(
    numbers: Numbers, inner: ProtectedTable, outer: ProtectedTable, *, missing: bool
) -> Numbers:
    """The numbers of the outer table's people, by their keys."""
    place: dict[Label, int] = {
        key: number for number, key in enumerate(inner.person_keys) if key is not None
    }
    at = np.array([place.get(key, -1) for key in outer.person_keys], np.int64)
    found = np.append(numbers, np.nan)[at]
    return found if missing else np.nan_to_num(found, nan=0.0)


def _held(name: str, numbers: Numbers, *, whole: bool) -> HeldField:
    values, codes = np.unique(numbers, return_inverse=True)
    texts = tuple(
        None if np.isnan(each) else str(int(each)) if whole else repr(float(each))
        for each in values.tolist()
    )
    return HeldField(
        name=name,
        role=Role.INSENSITIVE,
        kind=FieldKind.INTEGER if whole else FieldKind.REAL,
        values=texts or (None,),
        codes=codes.astype(np.int32),
    )
