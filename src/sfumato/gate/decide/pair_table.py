"""Numbers of the rows beside a row: how many rows of its person meet a condition on both.

Such a number follows from the rows of one person alone. Noise covers a person with all their rows, so
it covers these numbers too, and nothing but noisy numbers is released of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sfumato.policy import Field, Membership, Role

from ..sql.person_rows import PersonRows
from ..sql.row_pairs import RowPairs
from .derived_table import derived_table
from .joined_table import Partners
from .protected_table import HeldField, ProtectedTable

Wholes = NDArray[np.int64]
_Side = tuple[Callable[[str], str], ProtectedTable, Wholes]
"""How the fields of a table are called in pairs, the table, and its row in each pair."""
MOST_OTHERS: Final = 100
"""So many rows of a person are compared with each of their rows."""
_MOST_PAIRS: Final = 2_000_000
"""Pairs that are in memory at a time."""


def counts_beside(rows: PersonRows, of: ProtectedTable, other: ProtectedTable) -> Wholes:
    """For each row of a table: how many rows of the other one, of the same person, meet the
    conditions of a question about pairs."""
    pairs, question = RowPairs.read(rows.rows.table), rows.rows
    assert pairs is not None
    (counted,) = question.aggregates
    partners, out = Partners.of(of, other, most=MOST_OTHERS), np.zeros(len(of), np.int64)
    for mine in _parts(partners.times(np.arange(len(of)))):
        at, theirs = partners.pairs(mine, outer=False)
        sides = ((pairs.own_field, of, mine[at]), (pairs.other_field, other, theirs))
        table = _pair_table(str(pairs), sides, used=question.unknown)
        table = derived_table(table, question.derived.values(), whole_groups=False).alone
        meant = np.ones(len(at), bool)
        if question.having is not None:
            codes = {name: table.fields[name].codes for name in question.having.fields()}
            meant &= question.having.marks(table.fields, codes)
        if counted.field:
            held = table.fields[counted.field]
            meant &= held.present[held.codes]
        out[mine] = np.bincount(at[meant], minlength=len(mine))
    return out


def _parts(times: Wholes) -> Iterator[Wholes]:
    """The rows that have others beside them, in parts of few pairs.

    Example:
        >>> [part.tolist() for part in _parts(np.array([2, 0, 3]))]
        [[0, 2]]
    """
    rows = np.flatnonzero(times)
    if len(rows):
        part = (np.cumsum(times[rows]) - 1) // _MOST_PAIRS
        yield from np.split(rows, np.flatnonzero(np.diff(part)) + 1)


def _pair_table(name: str, sides: Sequence[_Side], *, used: Collection[str]) -> ProtectedTable:
    """Pairs of rows as a table, with the fields of both that are `used`."""
    fields: dict[str, HeldField] = {}
    policies: dict[str, Field] = {}
    for called, table, rows in sides:
        for held in table.fields.values():
            own = called(held.name)
            if own in used:
                codes = np.ascontiguousarray(held.codes[rows])
                fields[own] = replace(held, name=own, role=Role.INSENSITIVE, codes=codes)
                declared = table.policy.fields[held.name]
                policies[own] = replace(declared, name=own, role=Role.INSENSITIVE)
    _, table, rows = sides[0]
    return ProtectedTable(
        name=name,
        policy=replace(table.policy, fields=policies, membership=Membership.PROTECTED),
        fields=fields,
        hierarchies={},
        person_of=table.person_of[rows],
        bin_of=np.zeros(len(rows), np.int64),
        bins=np.zeros((1, 0), np.int32),
        secret=table.secret,
    )
