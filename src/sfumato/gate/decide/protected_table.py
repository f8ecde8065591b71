"""A protected table: one state of one private table, as the gate holds it. Every answer and every
test is made from it.

A table is a multiset, so its bins over all fields are its rows: each field is one array of codes
into its values. The gate never hands a query to a database. It evaluates conditions on the few
different values of a field and looks up codes. No expression can raise an error, or take longer,
because of one person."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.bins import group
from sfumato.engines import Engine, FieldKind
from sfumato.errors import PolicyError, Problem
from sfumato.hierarchies import Codes, Hierarchy, Label
from sfumato.policy import Field, Policy, Role
from sfumato.techniques import KeyedRandom

from .exposed_fields import qualified
from .field_kinds import KnownFrom, as_number, as_whole, dates_in, kind_in, kind_of
from .held_rows import HeldRows, recoded
from .projections import Projection, kept

Wholes = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class HeldField:
    """One field: its role, its kind, its different values as canonical text, and each row's code
    into them."""

    name: str
    role: Role
    kind: FieldKind
    values: tuple[Label, ...] = field(repr=False)
    codes: Codes = field(repr=False)
    dates: str = ""
    """How a text field writes dates, where the policy says so."""

    @property
    def is_number(self) -> bool:
        return self.kind in (FieldKind.INTEGER, FieldKind.REAL)

    def numbers(self) -> NDArray[np.float64]:
        """The values as numbers, not a number where there is none."""
        return self._numbers

    @cached_property
    def _numbers(self) -> NDArray[np.float64]:
        return np.array(
            [np.nan if value is None else _number(value) for value in self.values], np.float64
        )

    @cached_property
    def texts(self) -> NDArray[np.object_]:
        """The values as text, empty where there is none."""
        return np.array(["" if value is None else value for value in self.values], dtype=object)

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Where there is a value: everywhere but at null."""
        return np.array([value is not None for value in self.values], bool)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LinkedBins:
    """The link of a table's bins to other tables about the same people: its bins are the joint ones
    of all of them (`linked_tables.py`).

    `own` is the table's own bin of each joint one, -1 where people are not in the table. Each pair
    of `unit` and `person` means that a person is in a joint bin."""

    account: str
    fields: tuple[str, ...]
    """The fields of all tables, by their table."""
    everyone: int
    own: Wholes = field(repr=False)
    unit: Wholes = field(repr=False)
    person: Wholes = field(repr=False)
    joint_person: Wholes = field(repr=False)
    """The number of each of the table's people among everyone."""

    @property
    def present(self) -> NDArray[np.bool_]:
        """The joint bins of people who are in the table."""
        return np.asarray(self.own >= 0)

    @property
    def each_once(self) -> bool:
        """Whether everybody is in one joint bin, so that people may be summed over bins."""
        return len(self.person) == self.everyone


@dataclass(frozen=True, eq=False, kw_only=True)
class ProtectedTable:
    """The rows of a table, and its *bins*: the different tuples of all fields that others may know
    (EK, Chiang et al. 2001).

    `bin_of[row]` is the row's bin, `bins[c, f]` the code of its f-th known field. Every decision
    about who may be distinguished is about bins."""

    name: str
    policy: Policy
    fields: Mapping[str, HeldField]
    hierarchies: Mapping[str, Hierarchy]
    person_of: Wholes = field(repr=False)
    bin_of: Wholes = field(repr=False)
    bins: Codes = field(repr=False)
    coarsest: Mapping[str, int] = field(default_factory=dict)
    """The level above which a field is not worth showing; by default, the top of its hierarchy."""
    secret: bytes = field(default=b"", repr=False)
    """By which rows are chosen where people have several."""
    person_keys: tuple[Label, ...] = field(default=(), repr=False)
    """The key of each person; none where every row is a person."""
    links: LinkedBins | None = field(default=None, repr=False)
    unlinked: ProtectedTable | None = field(default=None, repr=False)
    """The table by itself, where it is judged together with others."""
    cohort_of: Wholes | None = field(default=None, repr=False)
    """The cohort of each row, where people joined at several times; bins are those of one
    cohort."""
    chosen: NDArray[np.bool_] | None = field(default=None, repr=False)
    """The rows that represent their person, where that was decided before."""

    def __len__(self) -> int:
        return len(self.bin_of)

    def __repr__(self) -> str:
        counts = f"rows={len(self):,}, people={self.people:,}, bins={len(self.bins):,}"
        return f"ProtectedTable({self.name!r}, {counts})"

    @cached_property
    def known(self) -> tuple[str, ...]:
        """The fields that others may know, in the order of `bins`."""
        return tuple(name for name, held in self.fields.items() if held.role is Role.QUASI)

    @property
    def account(self) -> str:
        """The account that answers about it are charged to: that of its own people, or of all
        tables that it is judged with."""
        return self.name if self.links is None else self.links.account

    @property
    def alone(self) -> ProtectedTable:
        """The table by itself, as noisy numbers are worked out from it."""
        return self if self.unlinked is None else self.unlinked

    @property
    def exposed_fields(self) -> tuple[str, ...]:
        """The fields that an exposure of its account distinguishes."""
        return tuple(self.fields) if self.links is None else self.links.fields

    def exposed(self, names: Iterable[str]) -> tuple[str, ...]:
        """Fields of this table as an exposure names them."""
        return tuple(names if self.links is None else (qualified(self.name, n) for n in names))

    @cached_property
    def people(self) -> int:
        return int(self.person_of.max(initial=-1)) + 1

    @property
    def people_elsewhere(self) -> int:
        """How many people are in tables that it is judged with, and not in it."""
        return 0 if self.links is None else self.links.everyone - self.people

    @cached_property
    def one_row_each(self) -> bool:
        """Whether nobody has several rows: as seen from the rows, so that no noise may depend on
        it."""
        return self.people == len(self)

    @property
    def has_person_key(self) -> bool:
        """Whether somebody may have several rows under the policy."""
        return bool(self.policy.entity)

    @cached_property
    def has_rows_of_nobody(self) -> bool:
        """Whether some rows have no person key; they count as those of one person."""
        return None in self.person_keys

    @cached_property
    def stands(self) -> NDArray[np.bool_]:
        """The rows that represent their person where protected values are shown: one of each, at
        random, once.

        A person with many rows would be recognised among others with few, because all of these rows
        move the same numbers."""
        if self.one_row_each:
            return np.ones(len(self), bool)
        if self.chosen is not None:
            return self.chosen
        order = KeyedRandom(self.secret + f"one row of each in {self.name}".encode()).permutation(
            len(self)
        )
        out = np.zeros(len(self), bool)
        out[bounded(self.person_of, np.arange(len(self)), 1, order)] = True
        return out

    def top(self, name: str) -> int:
        """The coarsest level at which a field is shown."""
        height = self.hierarchies[name].height
        return min(height, self.coarsest.get(name, height))

    @cached_property
    def rows_of(self) -> Wholes:
        """How many rows each bin has."""
        return np.bincount(self.bin_of, minlength=len(self.bins)).astype(np.int64)

    @cached_property
    def standing_of(self) -> Wholes:
        """How many rows of each bin represent their person."""
        if self.one_row_each:
            return self.rows_of
        return np.bincount(self.bin_of[self.stands], minlength=len(self.bins)).astype(np.int64)

    def told_of(self, shows: Collection[str]) -> Wholes:
        """How many rows of each bin are shown together with some fields that are to be
        protected."""
        return self.standing_of if shows else self.rows_of

    @cached_property
    def projection(self) -> Callable[[tuple[str, ...]], Projection]:
        """The bins seen by some of the known fields alone; recent projections are kept in
        memory."""
        columns = {name: column for column, name in enumerate(self.known)}

        def made(names: tuple[str, ...]) -> Projection:
            if names == self.known and self.links is None and self.cohort_of is None:
                return Projection.whole(self.bins, names)
            sizes = [len(self.fields[name].values) for name in names]
            chosen = {name: columns[name] for name in names}
            present = None if self.links is None else self.links.present
            return Projection.of(self.bins, chosen, sizes, present=present)

        return lru_cache(maxsize=kept(len(self.bins)))(made)

    def under(self, policy: Policy) -> ProtectedTable:
        """The same rows under a policy with the same fields in the same order, known or not as
        before."""
        fields = {
            name: replace(
                held, role=policy.fields[name].role, dates=_dates(policy.fields[name], held.kind)
            )
            for name, held in self.fields.items()
        }
        hierarchies = {name: _hierarchy(policy, name, fields[name].values) for name in self.known}
        alone = None if self.unlinked is None else self.unlinked.under(policy)
        return replace(self, policy=policy, fields=fields, hierarchies=hierarchies, unlinked=alone)

    @classmethod
    def of(
        cls,
        engine: Engine,
        policy: Policy,
        *,
        name: str,
        coarsest: Mapping[str, int] | None = None,
        kinds: KnownFrom = KnownFrom.VALUES,
    ) -> ProtectedTable:
        """Read a table under its policy; fields that are direct identifiers or free text are not
        read.

        `kinds` is the origin of the kinds of fields.
        """
        rows = HeldRows.read(engine, policy)
        return cls.of_rows(rows, policy, name=name, coarsest=coarsest, kinds=kinds)

    @classmethod
    def of_rows(
        cls,
        rows: HeldRows,
        policy: Policy,
        *,
        name: str,
        coarsest: Mapping[str, int] | None = None,
        kinds: KnownFrom = KnownFrom.VALUES,
        secret: bytes = b"",
    ) -> ProtectedTable:
        """The table of some rows under its policy. Rows that were held before keep the kinds that
        their fields had."""
        fields = {
            n: _held(policy.fields[n], rows.read_as[n], *_fitting(rows, n))
            if n in rows.read_as
            else _read(policy.fields[n], rows.kinds[n], rows.values[n], rows.codes[n], kinds=kinds)
            for n in rows.fields
            if n in policy.fields and policy.fields[n].role not in (Role.DIRECT, Role.TEXT)
        }
        known = [n for n in fields if fields[n].role is Role.QUASI]
        person = rows.person
        people = rows.codes[person].astype(np.int64) if person else np.arange(len(rows))
        cohort_of = rows.cohort.astype(np.int64) if rows.cohort.any() else None
        bin_of, bins = bin_rows(fields, known, rows=len(rows), cohort_of=cohort_of)
        different, person_of = np.unique(people, return_inverse=True)
        keys = rows.values[person] if person else ()
        return cls(
            name=name,
            policy=policy,
            fields=fields,
            hierarchies={n: _hierarchy(policy, n, fields[n].values) for n in known},
            person_of=person_of.astype(np.int64),
            person_keys=tuple(keys[code] for code in different.tolist()) if person else (),
            bin_of=bin_of,
            bins=bins,
            coarsest=dict(coarsest or {}),
            secret=secret,
            cohort_of=cohort_of,
            chosen=rows.stands,
        )


def _held(policy: Field, kind: FieldKind, values: tuple[Label, ...], codes: Codes) -> HeldField:
    """A field; where it is a number, 1 and 1.0 are one value: they are shown alike, and must not
    count as two."""
    if kind is FieldKind.REAL:
        numbers = {value: None if value is None else _number(value) for value in values}
        first = {number: value for value, number in reversed(numbers.items())}
        kept = tuple(value for value, number in numbers.items() if first[number] == value)
        place = {value: code for code, value in enumerate(kept)}
        codes = np.array([place[first[numbers[value]]] for value in values], np.int32)[codes]
        values = kept
    return HeldField(
        name=policy.name,
        role=policy.role,
        kind=kind,
        values=values,
        codes=np.ascontiguousarray(codes),
        dates=_dates(policy, kind),
    )


def _dates(policy: Field, kind: FieldKind) -> str:
    return dates_in(policy) if kind is FieldKind.TEXT else ""


def _read(
    policy: Field, kind: FieldKind, values: tuple[Label, ...], codes: Codes, *, kinds: KnownFrom
) -> HeldField:
    """A field of the kind that its schema, its values or the policy state; in a field of numbers,
    any other value is missing."""
    if kinds is KnownFrom.SCHEMA:
        return _held(policy, kind, values, codes)
    if kinds is KnownFrom.VALUES:
        return _held(policy, kind_of(kind, values), values, codes)
    kind = kind_in(policy)
    if kind is FieldKind.REAL:
        values, codes = recoded([as_number(value) for value in values], codes)
    return _held(policy, kind, values, codes)


def _fitting(rows: HeldRows, name: str) -> tuple[tuple[Label, ...], Codes]:
    """The values of a field whose kind is known; a cell of another kind is missing."""
    kind, values, codes = rows.read_as[name], rows.values[name], rows.codes[name]
    if kind is FieldKind.REAL:
        return recoded([as_number(value) for value in values], codes)
    if kind is FieldKind.INTEGER:
        return recoded([as_whole(value) for value in values], codes)
    return values, codes


def bin_rows(
    fields: Mapping[str, HeldField],
    known: list[str],
    *,
    rows: int,
    cohort_of: Wholes | None = None,
) -> tuple[Wholes, Codes]:
    """The bin of each row, and the codes of each bin; people of several cohorts share none."""
    if not known and cohort_of is None:
        return np.zeros(rows, np.int64), np.zeros((1, 0), np.int32)
    columns = [fields[n].codes for n in known]
    sizes = [len(fields[n].values) for n in known]
    if cohort_of is not None:
        columns.append(cohort_of.astype(np.int32))
        sizes.append(int(cohort_of.max(initial=0)) + 1)
    codes = np.stack(columns, axis=1)
    bin_of, first = group(codes, sizes)
    return bin_of, np.ascontiguousarray(codes[first][:, : len(known)])


def _hierarchy(policy: Policy, name: str, values: tuple[Label, ...]) -> Hierarchy:
    bound = policy.fields[name].bind(values)
    if not bound.is_nested:
        problem = Problem(
            where=f"fields.{name}.hierarchy",
            found="Its levels do not nest, and the gate takes coarser bins for sums of finer ones.",
            attempt="levels that nest.",
        )
        raise PolicyError([problem], name=f"Policy {policy.name}")
    return bound


def bounded(person_of: Wholes, places: Wholes, most: int, order: Wholes) -> Wholes:
    """Of the rows at `places`, at most `most` of each person's, the first ones in `order`.

    Example:
        >>> bounded(np.array([0, 0, 0, 1]), np.arange(4), 2, np.array([2, 0, 1, 3])).tolist()
        [0, 2, 3]
    """
    taken = places[order]
    people = person_of[taken]
    by_person = np.argsort(people, kind="stable")
    starts = (
        np.flatnonzero(np.r_[True, np.diff(people[by_person]) != 0])
        if len(people)
        else np.zeros(0, np.int64)
    )
    rank = np.arange(len(people)) - np.repeat(starts, np.diff(np.r_[starts, len(people)]))
    return np.sort(taken[by_person[rank < most]])
