"""A join of two tables about the same people, as one protected table: a row for each pair of a
person's rows in both.

Numbers of it are released with noise alone, which covers all rows of a person in all tables,
whatever they are joined to. Membership in one table and not in the other is a fact about a person
too, so nothing but noisy numbers is released. Groups are those of declared domains or pass a noisy
threshold."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Codes, Label
from sfumato.policy import Domain, Membership, Policy, Role
from sfumato.techniques import KeyedRandom

from ..sql.joins import JoinedName, joined_field
from .protected_table import HeldField, ProtectedTable, bin_rows, bounded

Wholes = NDArray[np.int64]


def join_tables(
    name: JoinedName, left: ProtectedTable, right: ProtectedTable, *, most: int
) -> ProtectedTable:
    """The pairs of rows that agree in their person; with `outer`, rows of the left one without any
    are kept, beside nothing. Of a person, `most` rows of each table are taken, once."""
    mine = _taken(left, most)
    at, rows = Partners.of(left, right, most=most).pairs(mine, outer=name.outer)
    policy = _policy(left, right, outer=name.outer)
    fields = {
        **{
            joined_field(left.name, each): _field(left, held, held.codes[mine[at]])
            for each, held in left.fields.items()
        },
        **{
            joined_field(right.name, each): _beside(right, held, rows, outer=name.outer)
            for each, held in right.fields.items()
        },
    }
    known = [each for each, held in fields.items() if held.role is Role.QUASI]
    bin_of, bins = bin_rows(fields, known, rows=len(at))
    _, person_of = np.unique(left.person_of[mine[at]], return_inverse=True)
    return ProtectedTable(
        name=str(name),
        policy=policy,
        fields=fields,
        hierarchies={each: policy.fields[each].bind(fields[each].values) for each in known},
        person_of=person_of.astype(np.int64),
        bin_of=bin_of,
        bins=bins,
        secret=left.secret,
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Partners:
    """The rows of a table beside each row of another one: those of the same person."""

    person_of: Wholes = field(repr=False)
    """The person of each row of the one table."""
    partner: Wholes = field(repr=False)
    """The person of the other table who each person of the one is; -1 for nobody."""
    theirs: Wholes = field(repr=False)
    """Rows of the other table, in the order of their people."""
    first: Wholes = field(repr=False)
    many: Wholes = field(repr=False)

    @classmethod
    def of(cls, left: ProtectedTable, right: ProtectedTable, *, most: int) -> Partners:
        """Beside rows of `left`, at most so many rows of each person of `right`."""
        theirs = _taken(right, most)
        place: dict[Label, int] = {
            key: number for number, key in enumerate(right.person_keys) if key is not None
        }
        many = np.bincount(right.person_of[theirs], minlength=right.people + 1)
        return cls(
            person_of=left.person_of,
            partner=np.array([place.get(key, -1) for key in left.person_keys], np.int64),
            theirs=theirs,
            first=np.cumsum(many) - many,
            many=many,
        )

    def times(self, rows: Wholes) -> Wholes:
        """How many rows are beside each of some rows."""
        partner = self.partner[self.person_of[rows]]
        return np.where(partner >= 0, self.many[partner], 0)

    def pairs(self, mine: Wholes, *, outer: bool) -> tuple[Wholes, Wholes]:
        """The pairs of some rows with those beside them: the place of one among `mine`, and the row
        of the other; with `outer`, -1 where there is none."""
        times = self.times(mine)
        alone = times == 0
        times = np.maximum(times, 1) if outer else times
        at = np.repeat(np.arange(len(mine)), times)
        step = np.arange(len(at)) - np.repeat(np.cumsum(times) - times, times)
        partner = self.partner[self.person_of[mine]]
        found = np.where(alone[at], 0, self.first[partner[at]] + step)
        return at, np.where(alone[at], -1, self.theirs[np.minimum(found, len(self.theirs) - 1)])


def _taken(table: ProtectedTable, most: int) -> Wholes:
    """At most so many rows of each person, in the order of people."""
    chance = KeyedRandom(table.secret + f"rows of {table.name} to join, {most} of each".encode())
    order = chance.permutation(len(table))
    chosen = bounded(table.person_of, np.arange(len(table)), most, order)
    return chosen[np.argsort(table.person_of[chosen], kind="stable")]


def _field(table: ProtectedTable, held: HeldField, codes: Codes) -> HeldField:
    return replace(
        held, name=joined_field(table.name, held.name), codes=np.ascontiguousarray(codes)
    )


def _beside(table: ProtectedTable, held: HeldField, rows: Wholes, *, outer: bool) -> HeldField:
    """A field of the right table; null is always one of its values where people may be missing, so
    that nothing shows whether any are."""
    if not outer:
        return _field(table, held, held.codes[rows])
    values = held.values if None in held.values else (*held.values, None)
    codes = np.where(rows < 0, values.index(None), held.codes[rows]).astype(np.int32)
    return _field(table, replace(held, values=values), codes)


def _policy(left: ProtectedTable, right: ProtectedTable, *, outer: bool) -> Policy:
    fields = {
        joined_field(table.name, name): replace(
            table.policy.fields[name],
            name=joined_field(table.name, name),
            domain=_domain(table.policy.fields[name].domain, missing=outer and table is right),
        )
        for table in (left, right)
        for name in table.fields
    }
    return replace(left.policy, fields=fields, membership=Membership.PROTECTED)


def _domain(declared: Domain | None, *, missing: bool) -> Domain | None:
    """The declared values; people without a row of the right table are a group of their own."""
    return (
        declared if declared is None or not missing else Domain(values=(*declared.listed(), None))
    )
