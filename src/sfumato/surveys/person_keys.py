"""Keys of people that no name reveals: a repeated field that determines traits from birth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sfumato.engines import FieldKind
from sfumato.policy import Method, Replacement, Role

from .coded_rows import MISSING, CodedField
from .pair_counts import EXCEPTIONS, GLANCE, count_exceptions, count_pair
from .records import FieldLikeness, FieldSurvey, LooksLike, Proposal

TRAITS: dict[LooksLike, str] = {
    LooksLike.BIRTH_DATE: "birth",
    LooksLike.NAME: "name",
    LooksLike.SEX: "sex",
    LooksLike.ETHNICITY: "ethnicity",
    LooksLike.ZIP: "place",
    LooksLike.PLACE: "place",
    LooksLike.ADDRESS: "place",
}
OF_ONE_PERSON = ("birth", "name")
"""Traits that the people of a class, ward or ticket do not share: one of these is enough
evidence."""
MAY_BE_KEYS = (
    LooksLike.UNKNOWN,
    LooksLike.NUMBER,
    LooksLike.CATEGORY,
    LooksLike.KEY,
    LooksLike.PERSON_KEY,
)
KEYS = (LooksLike.KEY,)  # A name that says a person is believed.
FEWEST, MOST_ROWS_EACH, SURE, MOSTLY = 20, 200, 0.5, 0.5


def mark_person_keys(
    fields: Sequence[FieldSurvey], coded: Mapping[str, CodedField]
) -> tuple[FieldSurvey, ...]:
    """The fields, those that identify a person marked as keys of people, whatever their names."""
    traits = {
        item.name: TRAITS[item.looks_like]
        for item in fields
        if item.looks_like in TRAITS and item.confidence >= SURE and item.name in coded
    }
    return tuple(
        _marked(item, traits, coded) if _may_be_key(item, coded) else item for item in fields
    )


def shared_keys(fields: Sequence[FieldSurvey], coded: Mapping[str, CodedField]) -> frozenset[str]:
    """The keys of which several people have one value: rows with the same value mostly have
    different names or births. A ballot number or a case is no key of people."""
    own = [
        coded[item.name]
        for item in fields
        if TRAITS.get(item.looks_like) in OF_ONE_PERSON
        and item.confidence >= SURE
        and item.name in coded
    ]
    keys = [item.name for item in fields if item.looks_like in KEYS and item.name in coded]
    return frozenset(
        name
        for name in keys
        if any(_is_shared(coded[name], trait) for trait in own if trait.name != name)
    )


def _is_shared(key: CodedField, trait: CodedField) -> bool:
    """Whether most rows that share a value of the key differ in the trait."""
    there = (key.codes != MISSING) & (trait.codes != MISSING)
    codes, values = key.codes[there], trait.codes[there]
    again = np.bincount(codes, minlength=1)[codes] > 1
    most = int(again.sum()) - len(np.unique(codes[again]))
    return bool(most) and count_exceptions(codes[again], values[again]) > MOSTLY * most


def _may_be_key(item: FieldSurvey, coded: Mapping[str, CodedField]) -> bool:
    present = item.rows - item.missing
    if item.name not in coded or item.looks_like not in MAY_BE_KEYS or item.kind is FieldKind.REAL:
        return False
    return (
        item.distinct >= FEWEST
        and 1.02 * item.distinct <= present <= MOST_ROWS_EACH * item.distinct
    )


def _marked(
    item: FieldSurvey, traits: Mapping[str, str], coded: Mapping[str, CodedField]
) -> FieldSurvey:
    """The field as a key where it determines a person's traits and none of them determines it."""
    own = coded[item.name]
    told = [
        name
        for name in traits
        if _determines(own, coded[name]) and not _determines(coded[name], own)
    ]
    kinds = {traits[name] for name in told if name == _most_varied(traits, coded, traits[name])}
    every = set(traits.values())
    if not kinds or not (kinds == every or (kinds & {*OF_ONE_PERSON} and len(kinds) > 1)):
        return item
    if item.looks_like is LooksLike.PERSON_KEY:
        return item
    reasons = (f"its values repeat, and each has one {' and one '.join(told)}",)
    why = "it identifies one person; a keyed hash keeps rows together"
    proposal = Proposal(role=Role.DIRECT, reasons=(why,), replace=Replacement(method=Method.HASH))
    likeness = FieldLikeness(LooksLike.PERSON_KEY, 0.9, reasons)
    return replace(item, likeness=likeness, others=(), proposal=proposal)


def _most_varied(traits: Mapping[str, str], coded: Mapping[str, CodedField], kind: str) -> str:
    """Of the fields of one kind, the one with most values: a visit has the name of a patient and
    that of one of few doctors, and only the first identifies the person of the row."""
    return max((name for name in traits if traits[name] == kind), key=lambda n: coded[n].distinct)


def _determines(one: CodedField, other: CodedField) -> bool:
    """With at most 1 % of exceptions among the rows whose value repeats, and clearly fewer than by
    chance."""
    sizes = np.bincount(one.codes[one.codes != MISSING], minlength=one.distinct)
    again = (one.codes != MISSING) & (other.codes != MISSING)
    again[again] = sizes[one.codes[again]] > 1
    rows = np.flatnonzero(again)
    if len(rows) < FEWEST:
        return False
    glance = rows[:GLANCE]  # Some of the rows have no more exceptions than all of them.
    if count_exceptions(one.codes[glance], other.codes[glance]) > EXCEPTIONS * len(rows):
        return False
    found = count_pair(
        CodedField(one.name, one.codes[again], one.values),
        CodedField(other.name, other.codes[again], other.values),
    )
    return (
        found.exceptions <= EXCEPTIONS * found.rows
        and found.exceptions <= 0.2 * found.by_chance
        and found.by_chance >= 5
    )
