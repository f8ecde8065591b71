"""Declared domains: the groups that a policy allows, shown whether or not anybody is in them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sfumato.engines import FieldKind
from sfumato.errors import NotAdmitted
from sfumato.policy import Domain, Role

from ..decide.derived_table import outcomes, plain_value
from ..decide.field_kinds import ISO
from ..decide.protected_table import HeldField, ProtectedTable
from ..sql.intervals import DeclaredNumbers
from ..sql.predicates import Among, Both, Comparison, Constant, Predicate, as_text
from ..sql.questions import Question
from ..sql.stated_outcomes import stated_outcomes

Wholes = NDArray[np.int64]
MOST_GROUPS: Final = 10_000
"""Groups of declared values in the answer to one question."""
_MOST_RANGED: Final = 400
"""Whole numbers between the bounds of a question that are groups of their own."""
_MOST_DAYS: Final = 20_000
"""Days between the bounds of a question of which expressions are worked out."""
MOST_CASES: Final = 1_000_000
"""Combinations of declared values on which two conditions are compared."""


def domains_of(names: Iterable[str], holding: ProtectedTable) -> dict[str, Domain] | None:
    """The declared domains of some fields; None unless each of them has one."""
    found = {name: holding.policy.fields[name].domain for name in names}
    kept = {name: domain for name, domain in found.items() if domain is not None}
    return kept if len(kept) == len(found) else None


def domains_of_groups(question: Question, holding: ProtectedTable) -> dict[str, Domain] | None:
    """The values that the groups of a question may have: those that the policy declares, or those that
    the question lists or bounds. None unless each field has one or the other; no row is read for
    it."""
    found: dict[str, Domain] = {}
    for name in question.groups:
        domain = holding.policy.fields[name].domain
        for stated in (_listed, _ranged, _dated):
            domain = domain or stated(name, question, holding)
        if domain is None:
            return None
        found[name] = domain
    return found


def undeclared_in(question: Question, holding: ProtectedTable) -> tuple[str, ...]:
    """The fields grouped by of which the policy declares the values: others are in no group."""
    return tuple(
        name
        for name in question.groups
        if holding.policy.fields[name].domain is not None
        and (name not in question.derived or stated_outcomes(question.derived[name].tree) is None)
    )


def conditions_on(names: Iterable[str], question: Question) -> list[Predicate]:
    """The conditions of a question that are about nothing but some fields."""
    given, about = set(names), (question.about, question.having)
    parts = [part for each in about if each is not None for part in _parts(each)]
    return [part for part in parts if part.fields() <= given]


def _parts(condition: Predicate) -> tuple[Predicate, ...]:
    return condition.parts if isinstance(condition, Both) else (condition,)


def _listed(name: str, question: Question, holding: ProtectedTable) -> Domain | None:
    """The values of a field that a condition allows, where it lists them."""
    held = holding.fields[name]
    for part in conditions_on((name,), question):
        match part:
            case Comparison(operator="=", constant=constant):
                constants = {constant}
            case Among(constants=several):
                constants = {*several}
            case _:
                continue
        values = {_value(each, held) for each in constants} - {None}
        if values:
            return Domain(values=tuple(sorted(values, key=str)))
    return None


def _ranged(name: str, question: Question, holding: ProtectedTable) -> Domain | None:
    """The whole numbers that a field may be, where the question bounds it. What is missing is a
    group by itself, unless a condition sets the bounds."""
    whole = {each for each, held in holding.fields.items() if held.kind is FieldKind.INTEGER}
    free = DeclaredNumbers(between={}, whole=whole)
    trees = {each: derived.tree for each, derived in question.derived.items()}
    tree = trees.get(name, exp.column(exp.to_identifier(name, quoted=True)))
    between = free.meeting((question.about, question.having), trees).interval(tree)
    if between is None or not free.is_whole(tree) or between[1] - between[0] > _MOST_RANGED:
        return None
    numbers = range(math.ceil(between[0]), math.floor(between[1]) + 1)
    is_met_by_all = free.interval(tree) is not None
    return Domain(values=(*numbers, None) if is_met_by_all else tuple(numbers))


def _dated(name: str, question: Question, holding: ProtectedTable) -> Domain | None:
    """What a field is on the days between which the question is: a day itself, or an expression of a
    date such as its month."""
    derived = question.derived.get(name)
    fields = derived.fields if derived is not None else (name,)
    held = holding.fields[fields[0]]
    is_date = held.kind is FieldKind.DATE or (derived is not None and held.dates == ISO)
    days = _days(fields[0], question) if is_date and len(fields) == 1 else ()
    if derived is not None and days:
        codes = np.arange(len(days), dtype=np.int32)
        found = outcomes(derived, {fields[0]: replace(held, values=days, codes=codes)})
        days = tuple(plain_value(each, found.kind) for each in found.values)
    return Domain(values=days) if 0 < len(days) <= _MOST_RANGED else None


def _days(name: str, question: Question) -> tuple[str, ...]:
    """The days on which a date may be by the conditions of a question; none where they do not bound
    it, or are too many."""
    first, last = date.min, date.max
    for part in conditions_on((name,), question):
        day = _day(part.constant) if isinstance(part, Comparison) else None
        if not isinstance(part, Comparison) or day is None:
            continue
        if part.operator in (">", ">=", "="):
            first = max(first, day)
        if part.operator in ("<", "<=", "="):
            last = min(last, day)
    if date.min in (first, last) or last == date.max or not 0 <= (last - first).days <= _MOST_DAYS:
        return ()
    count = (last - first).days + 1
    return tuple((first + timedelta(days=each)).isoformat() for each in range(count))


def _day(constant: Constant) -> date | None:
    try:
        return datetime.fromisoformat(as_text(constant)).date()
    except ValueError:
        return None


def _value(constant: Constant, held: HeldField) -> str | int | float | None:
    """A constant as a value of a field; None where it is none."""
    if not held.is_number:
        return as_text(constant)
    try:
        number = float(constant)
    except ValueError:
        return None
    if held.kind is FieldKind.INTEGER:
        return int(number) if number.is_integer() else None
    return number


def labels_of(domains: dict[str, Domain]) -> dict[str, list[Any]]:
    """The labels of all combinations of declared values, by field."""
    sizes = [len(domain) for domain in domains.values()]
    places = np.unravel_index(np.arange(int(np.prod(sizes, dtype=np.int64))), sizes)
    return {
        name: [domain.listed()[code] for code in at.tolist()]
        for (name, domain), at in zip(domains.items(), places, strict=True)
    }


def marks_on(about: Predicate, holding: ProtectedTable) -> NDArray[np.bool_] | None:
    """Marks of the combinations of declared values that meet a condition. None where a field of it
    has no domain, or there are too many.

    It identifies the people of a condition without reading a row.
    """
    domains = domains_of(sorted(about.fields()), holding)
    if domains is None:
        return None
    grid = _Grid.of(domains, most=MOST_CASES, missing=True)
    return (
        None
        if grid is None
        else about.marks(grid.fields, {name: each.codes for name, each in grid.fields.items()})
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Grid:
    """All combinations of declared values, a row each."""

    fields: dict[str, HeldField] = field(repr=False)
    size: int

    @classmethod
    def of(cls, domains: dict[str, Domain], *, most: int, missing: bool = False) -> _Grid | None:
        """None where there are more than `most`. `missing` values may be a value of each field as
        well."""
        sizes = [
            len(domain) + (missing and None not in domain.values) for domain in domains.values()
        ]
        if int(np.prod([float(size) for size in sizes])) > most:
            return None
        size = int(np.prod(sizes, dtype=np.int64))
        places = np.unravel_index(np.arange(size), sizes) if sizes else ()
        fields = {
            name: _declared(name, domain, at, missing=missing)
            for (name, domain), at in zip(domains.items(), places, strict=True)
        }
        return cls(fields=fields, size=size)


def _declared(name: str, domain: Domain, codes: NDArray[Any], *, missing: bool) -> HeldField:
    values = domain.listed()
    whole = all(isinstance(each, int) for each in values if each is not None)
    kind = (
        FieldKind.INTEGER
        if whole
        else FieldKind.TEXT
        if any(isinstance(each, str) for each in values)
        else FieldKind.REAL
    )
    absent = missing and None not in values
    texts = (*(None if each is None else str(each) for each in values), *([None] if absent else []))
    return HeldField(
        name=name, role=Role.QUASI, kind=kind, values=texts, codes=np.asarray(codes, np.int32)
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DeclaredGroups:
    """The groups of declared domains, and the places of the existing groups among them."""

    labels: dict[str, list[Any]] = field(repr=False)
    place_of: Wholes = field(repr=False)
    """Of each group that there is; -1 where a value of it was not declared."""
    count: int

    @classmethod
    def of(
        cls,
        domains: dict[str, Domain],
        conditions: Iterable[Predicate],
        holding: ProtectedTable,
        *,
        codes: dict[str, NDArray[Any]],
    ) -> DeclaredGroups:
        """`codes` has, for each field, the code of each group that there is. Conditions on nothing
        but these fields remove the groups that they exclude."""
        grid = _Grid.of(domains, most=MOST_GROUPS)
        if grid is None:
            raise NotAdmitted(
                "The declared values make too many groups.",
                code="not-noisy",
                found=f"One answer has at most {MOST_GROUPS:,} groups.",
                attempt="fewer fields to group by.",
            )
        kept = np.ones(grid.size, bool)
        for each in conditions:
            kept &= each.marks(
                grid.fields, {name: field.codes for name, field in grid.fields.items()}
            )
        place_of = np.zeros(len(next(iter(codes.values()))), np.int64)
        for name, domain in domains.items():
            at = _matched(holding.fields[name], domain)[codes[name]]
            place_of = np.where((place_of < 0) | (at < 0), -1, place_of * len(domain) + at)
        place_of = np.where(place_of >= 0, np.where(kept, np.cumsum(kept) - 1, -1)[place_of], -1)
        labels = {
            name: [domain.listed()[code] for code in grid.fields[name].codes[kept].tolist()]
            for name, domain in domains.items()
        }
        return cls(labels=labels, place_of=place_of, count=int(kept.sum()))

    @classmethod
    def with_others(
        cls, domains: dict[str, Domain], holding: ProtectedTable, codes: dict[str, NDArray[Any]]
    ) -> DeclaredGroups:
        """The groups of declared values, and beside those of each field one for all others, so that
        everybody is in some group. They have no labels."""
        place_of = np.zeros(len(next(iter(codes.values()))) if codes else 1, np.int64)
        for name, domain in domains.items():
            at = _matched(holding.fields[name], domain)[codes[name]]
            place_of = place_of * (len(domain) + 1) + np.where(at < 0, len(domain), at)
        count = int(np.prod([len(domain) + 1 for domain in domains.values()], dtype=np.int64))
        return cls(labels={}, place_of=place_of, count=count)

    def spread(self, numbers: Wholes) -> Wholes:
        """Numbers of the groups that there are, as numbers of all that may be."""
        out = np.zeros(self.count, np.int64)
        there = self.place_of >= 0
        np.add.at(out, self.place_of[there], numbers[there])
        return out


def _matched(held: HeldField, domain: Domain) -> Wholes:
    """For each value of a field its place in the domain, -1 where it was not declared."""
    listed = domain.listed()
    by_text = {str(value): place for place, value in enumerate(listed) if value is not None}
    by_number = {
        float(value): place
        for place, value in enumerate(listed)
        if value is not None and not isinstance(value, str)
    }
    nowhere = listed.index(None) if None in listed else -1
    numbers = held.numbers().tolist() if held.is_number else [None] * len(held.values)
    return np.array(
        [
            nowhere
            if value is None
            else by_text.get(value, by_number.get(number, -1) if number is not None else -1)
            for value, number in zip(held.values, numbers, strict=True)
        ],
        np.int64,
    )
