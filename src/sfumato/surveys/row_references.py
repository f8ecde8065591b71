"""Fields that hold the keys of other rows: who infected a person, who refers to whom, a manager."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from sfumato.policy import Method, Replacement, Role

from .coded_rows import MISSING, CodedField, number_of, spelling_of
from .detectors.keys import KEY_WORDS
from .name_words import phrase_in, words_of
from .records import FieldLikeness, FieldSurvey, LooksLike, Proposal

FEWEST_KEYS, FEWEST, GLANCE = 20, 5, 60
MOSTLY, NEARLY_ALL = 0.5, 0.98
CHANCE = 0.1
"""Of the numbers between the least and the greatest key, the most that may be keys where a field is
recognised by its values alone."""


def row_references(
    fields: Sequence[FieldSurvey], coded: Mapping[str, CodedField], *, by_name: bool = True
) -> dict[str, str]:
    """The fields of which most values are keys of other rows of the table, each with the key's
    field.

    Keys that count from 1 are met by chance: then nearly all values have to be keys, and the name
    of a field that is no identifier yet has to say number or key. `by_name` allows that. A field
    that mostly names its own row, such as the first visit of a person, joins rows and refers to
    none."""
    keys = {item.name: item for item in fields if _is_key(item, coded)}
    values_of = {name: frozenset(coded[name].spelt) for name in keys}
    sparse = {name for name in keys if _are_sparse(coded[name].values)}
    found: dict[str, str] = {}
    for item in fields:
        if not _may_refer(item, coded):
            continue
        own = coded[item.name]
        for name, values in values_of.items():
            read = len(values) / keys[name].distinct  # Of a large table, only some rows were read.
            least = _least_share(item, read, sparse=name in sparse, by_name=by_name)
            if least is None or _share(own.values[:GLANCE], values) < least / 2:
                continue
            if _share(own.values, values) >= least and not _joins_rows(own, coded[name]):
                found[item.name] = name
                break
    return found


def remove_references(
    fields: Sequence[FieldSurvey], references: Mapping[str, str]
) -> tuple[FieldSurvey, ...]:
    """The fields, references removed: the key identifies a person, and so does a field that holds
    it."""
    return tuple(
        _removed(item, references[item.name])
        if item.name in references and item.proposal.role is not Role.DIRECT
        else item
        for item in fields
    )


def _removed(item: FieldSurvey, key: str) -> FieldSurvey:
    reason = f"most of its values are values of {key}, the key of a row"
    return replace(
        item,
        likeness=FieldLikeness(LooksLike.KEY, 0.85, (reason,)),
        others=(),
        proposal=Proposal(
            role=Role.DIRECT,
            reasons=("it identifies another person of the table",),
            replace=Replacement(method=Method.REMOVE),
        ),
    )


def _is_key(item: FieldSurvey, coded: Mapping[str, CodedField]) -> bool:
    return (
        item.name in coded
        and item.proposal.role is Role.DIRECT
        and (item.unique == item.rows or item.looks_like is LooksLike.PERSON_KEY)
        and item.distinct >= FEWEST_KEYS
    )


def _may_refer(item: FieldSurvey, coded: Mapping[str, CodedField]) -> bool:
    return (
        item.name in coded
        and item.proposal.role is not Role.TEXT
        and item.distinct >= FEWEST
        and item.unique < item.rows
    )


def _least_share(item: FieldSurvey, read: float, *, sparse: bool, by_name: bool) -> float | None:
    """The least share of values that have to be keys; None where chance explains any share."""
    if sparse:
        return MOSTLY * read
    named = by_name and phrase_in(words_of(item.name), KEY_WORDS) is not None
    if named and read == 1 and item.proposal.role is not Role.DIRECT:
        return NEARLY_ALL
    return None


def _share(values: Sequence[str], keys: Collection[str]) -> float:
    return sum(spelling_of(value) in keys for value in values) / len(values)


def _joins_rows(own: CodedField, key: CodedField) -> bool:
    """Whether half of the values, or more, are in the row of which they are the key."""
    pairs = zip(own.codes.tolist(), key.codes.tolist(), strict=True)
    both = [(one, other) for one, other in pairs if one != MISSING and other != MISSING]
    itself = sum(own.spelt[one] == key.spelt[other] for one, other in both)
    return bool(itself >= MOSTLY * own.distinct)


def _are_sparse(keys: Collection[str]) -> bool:
    """Whether a value is hardly a key by chance: a text, or a number of which few are keys."""
    try:
        numbers = [number_of(key) for key in keys]
    except ValueError:
        return True
    return len(numbers) <= CHANCE * (max(numbers) - min(numbers) + 1)
