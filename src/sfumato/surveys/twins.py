"""Consequences of dependences: proposals that agree, the field that stays, and sentences about
both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from sfumato.engines import Engine
from sfumato.errors import SourceError
from sfumato.hierarchies import Hierarchy, hierarchy_from_table
from sfumato.policy import Method, Replacement, Role

from .coded_rows import MISSING, CodedField, coded_rows
from .date_formats import format_of
from .dependences import DependenceSearch
from .evidence import percent
from .pair_counts import count_pair, fewest_exceptions, may_determine
from .records import (
    SUPPRESS,
    Dependence,
    DependenceKind,
    FieldLikeness,
    FieldSurvey,
    LooksLike,
    Proposal,
)
from .told_twins import SAME
from .value_twins import value_share

SURE = 0.5
OWN = 0.98
"""The least share of rows with a unique value at which a field may be a key."""
Binder = Callable[[Sequence[str]], Hierarchy]
"""Makes the hierarchy of a field over some values."""
NOT_COUNTED = (
    "Fields that determine each other were not looked for: the table is too large to be held."
)


def read_coded_rows(
    engine: Engine,
    fields: Sequence[FieldSurvey],
    *,
    rows: int,
    held: Mapping[str, CodedField] | None = None,
) -> Mapping[str, CodedField] | None:
    """The rows of the fields that could determine another one, or of texts that could be
    determined, of those that are `held` already; None where they cannot be read."""
    names = [item.name for item in fields if item.distinct > 1 or 0 < item.missing < item.rows]
    if held is not None:
        return {name: held[name] for name in names}
    try:
        return coded_rows(engine, names, rows=rows, shorten=True)
    except SourceError:  # A source that lets nothing be kept beside it is only counted.
        return None


def find_twins(
    coded: Mapping[str, CodedField], fields: Sequence[FieldSurvey], *, person: str = ""
) -> tuple[Dependence, ...]:
    """The dependences among the fields, each with the field that is proposed to stay; of each value
    of `person` one row counts."""
    by_name = {item.name: item for item in fields}
    every = one_row_each(coded, person)
    texts = {name for name in every if by_name[name].proposal.role is Role.TEXT}
    rows = {name: each for name, each in every.items() if name not in texts}
    formats = {
        name: str(form)
        for name, each in rows.items()
        if (form := (by_name[name].proposal.hierarchy or {}).get("format", format_of(each.values)))
    }
    search = DependenceSearch(rows, formats)
    found = [*search.find()]
    agreed = agree(fields, found)
    found += [*_disclosed_apart(search, agreed, found)]
    found += _disclosed_texts(every, agreed, texts)
    if every is not coded:
        found = [each for each in found if holds_in_all(each, coded)]
    coarser = {
        item.name: hierarchy_from_table(item.proposal.hierarchy).bind
        for item in fields
        if item.proposal.hierarchy is not None and item.name in rows
    }
    removed = [name for name in every if by_name[name].proposal.role in (Role.DIRECT, Role.TEXT)]
    found += _coarse_dependences(every, coarser, removed)
    return tuple(replace(each, stays=_stays(each, by_name)) for each in found)


def _disclosed_apart(
    search: DependenceSearch, fields: Sequence[FieldSurvey], found: Sequence[Dependence]
) -> Iterator[Dependence]:
    """The dependences that a release would refuse beside those `found`, if it did what is proposed:
    a field in clear determines one value of a treated one, or holds it in a text."""
    clear: dict[Role, list[str]] = {}
    for item in fields:
        if item.proposal.shift is None:
            clear.setdefault(item.proposal.role, []).append(item.name)
    kept = [*clear.get(Role.SENSITIVE, ()), *clear.get(Role.INSENSITIVE, ())]
    quasi = clear.get(Role.QUASI, [])
    removed = [item.name for item in fields if item.proposal.role is Role.DIRECT]
    yield from search.told_apart(found, kept, [*quasi, *removed])
    yield from search.told_apart(found, quasi, removed)


def _disclosed_texts(
    rows: Mapping[str, CodedField], fields: Sequence[FieldSurvey], texts: Collection[str]
) -> tuple[Dependence, ...]:
    """The dependences by which a field that may be in clear determines a text, which is removed."""
    clear = {
        item.name
        for item in fields
        if item.proposal.role in (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)
        and item.proposal.shift is None
    }
    if not texts or not clear:
        return ()
    asked = {name: each for name, each in rows.items() if name in clear or name in texts}
    told = frozenset(texts)
    return DependenceSearch(asked, telling=frozenset(clear), told=told, twins=told).find()


def holds_in_all(found: Dependence, coded: Mapping[str, CodedField]) -> bool:
    """Whether a dependence in one row of each person holds in all rows too: a first visit may
    determine what later ones do not."""
    if found.kind not in (
        DependenceKind.EQUAL,
        DependenceKind.ONE_TO_ONE,
        DependenceKind.FUNCTIONAL,
    ):
        return True
    one, other = (coded[name] for name in found.fields)
    if found.is_of_value:
        return value_share(one, other) is not None
    return fewest_exceptions(one, other) is not None


def find_dependences(
    engine: Engine,
    *,
    telling: Sequence[str],
    told: Sequence[str],
    twins: Collection[str] | None = None,
    person: str = "",
    coarser: Mapping[str, Binder] | None = None,
    removed: Sequence[str] = (),
) -> tuple[Dependence, ...]:
    """The dependences by which one of the fields `telling` may determine one of `told`, or one of
    `twins` among these. With `coarser`, also those by which a field may determine one of `removed`
    at a level of its hierarchy.

    Of each value of `person` one row counts: the fields of a person determine each other in all of
    that person's rows. A source whose rows cannot be read raises SourceError: what nobody judged is
    not released."""
    names = [*dict.fromkeys((*telling, *told, *([person] if person else [])))]
    coded = coded_rows(engine, names, rows=engine.count_rows(), shorten=True)
    rows = one_row_each(coded, person)
    formats = {name: form for name, each in rows.items() if (form := format_of(each.values))}
    search = DependenceSearch(
        rows,
        formats,
        telling=frozenset(telling),
        told=frozenset(told),
        twins=None if twins is None else frozenset(twins),
    )
    found = [each for each in search.find() if rows is coded or holds_in_all(each, coded)]
    return (*found, *_coarse_dependences(rows, coarser or {}, removed))


def _coarse_dependences(
    rows: Mapping[str, CodedField], coarser: Mapping[str, Binder], removed: Sequence[str]
) -> Iterator[Dependence]:
    """The coarsest level at which each field still determines another. A field of which most rows
    have a value of their own is determined by no group of values."""
    for twin in (rows[name] for name in removed):
        if not 1 < twin.distinct <= len(twin.codes) / 2:
            continue
        for name in (name for name in coarser if name != twin.name):
            own = rows[name]
            if not may_determine(own, twin):
                continue
            hierarchy = coarser[name](own.values)
            place = {label: code for code, label in enumerate(hierarchy.labels[0])}
            if not all(value in place for value in own.values):
                continue  # Its values are refused where bins are counted.
            codes = np.array([place[value] for value in own.values], np.int64)
            for level in range(hierarchy.height, 0, -1):
                up = np.append(hierarchy.up[level][codes], MISSING)[own.codes]
                labels = tuple(map(str, hierarchy.labels[level]))
                counted = count_pair(CodedField(name, up.astype(np.int64), labels), twin)
                if counted.holds:
                    yield Dependence(
                        kind=DependenceKind.FUNCTIONAL,
                        fields=(name, twin.name),
                        exceptions=counted.exceptions / counted.rows,
                        level=level,
                    )
                    break


def one_row_each(coded: Mapping[str, CodedField], person: str) -> Mapping[str, CodedField]:
    """Of each person the row with most values; all rows where no field identifies a person, or
    nobody has two.

    Rows without a person stay."""
    if person not in coded:
        return coded
    codes = coded[person].codes
    codes = np.where(codes == MISSING, -np.arange(len(codes)) - 2, codes)
    empty = np.zeros(len(codes), np.int64)
    for each in coded.values():
        empty += each.codes == MISSING
    order = np.argsort(empty, kind="stable")
    chosen = order[np.unique(codes[order], return_index=True)[1]]
    if len(chosen) == len(codes):
        return coded
    chosen.sort()
    return {name: each.only(chosen) for name, each in coded.items()}


def telling_fields(found: Dependence) -> Iterator[tuple[tuple[str, ...], str]]:
    """The fields that together determine another one, and that one, in each direction of a
    dependence.

    Numbers in one order determine each other as far as they have as many values.

    Example:
        >>> [*telling_fields(Dependence(kind=DependenceKind.FUNCTIONAL, fields=("zip", "county")))]
        [(('zip',), 'county')]
        >>> [*telling_fields(Dependence(kind=DependenceKind.EQUAL, fields=("a", "b")))]
        [(('a',), 'b'), (('b',), 'a')]
    """
    if found.kind in (DependenceKind.FUNCTIONAL, DependenceKind.PART):
        yield found.fields[:1], found.fields[1]
    elif found.kind is DependenceKind.DIFFERENCE:
        for twin in found.fields:
            yield tuple(name for name in found.fields if name != twin), twin
    else:
        one, other = found.fields
        yield (one,), other
        yield (other,), one


def with_copies(found: Sequence[Dependence]) -> tuple[Dependence, ...]:
    """The dependences, and those that equal copies of their fields have: a search counts one of
    equal fields only.

    Example:
        >>> equal = Dependence(kind=DependenceKind.EQUAL, fields=("a", "b"))
        >>> found = [equal, Dependence(kind=DependenceKind.FUNCTIONAL, fields=("a", "c"))]
        >>> [each.fields for each in with_copies(found)]
        [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    copies: dict[str, list[str]] = {}
    for each in found:
        if each.kind is DependenceKind.EQUAL:
            copies.setdefault(each.fields[0], [each.fields[0]]).append(each.fields[1])
    out = dict.fromkeys(found)
    for each in found:
        for names in product(*(copies.get(name, [name]) for name in each.fields)):
            if len({*names}) == len(names):
                out.setdefault(replace(each, fields=names))
    return tuple(out)


def _stays(found: Dependence, fields: Mapping[str, FieldSurvey]) -> str:
    """Of equivalent fields, the one that is understood, in words; else the one that discloses least
    about a person."""
    kept = [fields[name] for name in found.fields if fields[name].proposal.role is not Role.DIRECT]
    if not kept or found.kind is DependenceKind.DIFFERENCE:
        return ""
    if found.kind in SAME:
        return min(kept, key=lambda item: (item.proposal.open, item.kind.value != "text")).name
    return min(kept, key=lambda item: item.distinct).name


def agree(fields: Sequence[FieldSurvey], twins: Sequence[Dependence]) -> tuple[FieldSurvey, ...]:
    """The fields, none of them treated more weakly than what it determines.

    A field with the same values that is understood answers an open question.
    """
    out = {item.name: item for item in fields}
    for found in twins:
        if found.kind in SAME:
            one, other = found.fields
            out[one] = _answered(out[one], out[other])
            out[other] = _answered(out[other], out[one])
        elif found.kind is DependenceKind.FUNCTIONAL:
            one, other = found.fields
            out[one] = _protected(out[one], out[other])
        elif found.kind is DependenceKind.PART:
            one, other = found.fields
            out[one] = _named_with(out[one], out[other])
            out[other] = _named_with(out[other], out[one])
    return tuple(out.values())


def _named_with(item: FieldSurvey, name: FieldSurvey) -> FieldSurvey:
    """A text that nothing explains and that holds a person's name, or is part of one, is a name."""
    is_name = name.looks_like is LooksLike.NAME and name.proposal.role is Role.DIRECT
    if not is_name or name.confidence < SURE or not item.proposal.open:
        return item
    why = f"it holds {name.name}, a name of a person, or is part of it"
    method = Replacement(method=Method.REMOVE)
    return replace(
        item,
        likeness=FieldLikeness(LooksLike.NAME, SURE, (why,)),
        others=(item.likeness, *item.others),
        proposal=Proposal(role=Role.DIRECT, reasons=(why,), replace=method),
    )


def _answered(item: FieldSurvey, twin: FieldSurvey) -> FieldSurvey:
    if item.proposal.open and twin.proposal.role is Role.DIRECT and item.unique_share >= OWN:
        reasons = (f"its values are all different and follow {twin.name}, which is removed",)
        method = Replacement(method=Method.REMOVE)
        return replace(item, proposal=Proposal(role=Role.DIRECT, reasons=reasons, replace=method))
    known = (
        not twin.proposal.open
        and twin.confidence >= SURE
        and twin.proposal.role in (Role.QUASI, Role.SENSITIVE)
    )
    if not item.proposal.open or item.proposal.role is not Role.QUASI or not known:
        return item
    reasons = (f"it has the information of {twin.name}, which looks like {twin.looks_like.value}",)
    if twin.proposal.role is Role.SENSITIVE:
        return replace(item, proposal=Proposal(role=Role.SENSITIVE, reasons=reasons))
    return replace(item, proposal=replace(item.proposal, reasons=reasons, open=False))


def _protected(item: FieldSurvey, told: FieldSurvey) -> FieldSurvey:
    if item.proposal.role is not Role.INSENSITIVE or item.proposal.shift is not None:
        return item
    if told.proposal.role not in (Role.QUASI, Role.SENSITIVE):
        return item
    hierarchy = SUPPRESS if told.proposal.role is Role.QUASI else None
    reasons = (f"its values determine {told.name}, and it is treated alike",)
    return replace(
        item, proposal=Proposal(role=told.proposal.role, reasons=reasons, hierarchy=hierarchy)
    )


def twin_sentence(found: Dependence, *, stays: bool = True) -> str:
    """A dependence in words; with `stays`, also which field could stay alone.

    Example:
        >>> twin_sentence(Dependence(kind=DependenceKind.FUNCTIONAL, fields=("birth", "age"), stays="age"))
        'birth determines age: age could stay alone'
    """
    names = found.fields
    coarse = f", up to level {found.level}," if found.level else ""
    told = f"one value of {names[1]}" if found.is_of_value else names[1]
    words = {
        DependenceKind.EQUAL: f"{names[0]} and {names[1]} are equal",
        DependenceKind.ONE_TO_ONE: f"{names[0]} and {names[1]} determine each other",
        DependenceKind.FUNCTIONAL: f"{names[0]}{coarse} determines {told}",
        DependenceKind.MONOTONE: f"{names[0]} and {names[1]} are in the same order",
        DependenceKind.DIFFERENCE: f"{names[0]} less {names[1]} is {names[-1]}",
        DependenceKind.PART: f"{names[0]} holds {names[1]}",
    }
    but = f", with {percent(found.exceptions)} exceptions" if found.exceptions else ""
    alone = f": {found.stays} could stay alone" if found.stays and stays else ""
    return f"{words[found.kind]}{but}{alone}"
