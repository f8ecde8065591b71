"""Which table has one row for each person: the one that looks like people, and to which the others
lead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .detectors.keys import PEOPLE
from .name_words import forms
from .records import LooksLike, Survey

SURE = 0.5
OF_A_PERSON = (
    LooksLike.BIRTH_DATE,
    LooksLike.SSN,
    LooksLike.NATIONAL_NUMBER,
    LooksLike.MEDICAL_RECORD,
    LooksLike.HEALTH_PLAN,
    LooksLike.SEX,
    LooksLike.AGE,
    LooksLike.ETHNICITY,
    LooksLike.MARITAL_STATUS,
    LooksLike.BELIEF,
    LooksLike.EDUCATION,
    LooksLike.OCCUPATION,
)
"""Kinds of fields that only people have."""
OF_OTHERS_TOO = (
    LooksLike.NAME,
    LooksLike.ADDRESS,
    LooksLike.ZIP,
    LooksLike.PHONE,
    LooksLike.EMAIL,
    LooksLike.LANGUAGE,
)
"""Kinds of fields that people have, and hospitals too."""


def traits(survey: Survey) -> tuple[LooksLike, ...]:
    """The fields of a table that only people have."""
    found = {item.looks_like for item in survey.fields if item.confidence >= SURE}
    return tuple(trait for trait in OF_A_PERSON if trait in found)


def likeness_to_people(survey: Survey) -> int:
    """The evidence that the rows of a table are people."""
    found = {item.looks_like for item in survey.fields if item.confidence >= SURE}
    return 2 * len(traits(survey)) + len(found & {*OF_OTHERS_TOO})


def leading_to(links: Mapping[str, Iterable[str]], table: str) -> tuple[str, ...]:
    """The tables from which links lead to one, the nearest first. `links` maps each table to those
    it links to.

    Example:
        >>> leading_to({"patients": [], "visits": ["patients"], "diagnoses": ["visits"], "drugs": []}, "patients")
        ('visits', 'diagnoses')
    """
    found = [table]
    for name in found:
        found += [
            other for other, targets in links.items() if name in targets and other not in found
        ]
    return tuple(found[1:])


def choose_person(
    surveys: Mapping[str, Survey], keys: Mapping[str, str], links: Mapping[str, Iterable[str]]
) -> str:
    """The table of people among those that have a key; empty where none looks like one.

    Of several, those with more than one trait of people are first, then those whose key is called
    after people, then those that more tables lead to. A household, too, has an address, and all
    tables lead to it."""
    candidates = [
        name for name in keys if traits(surveys[name]) or _called_after_people(name, surveys, keys)
    ]

    def order(name: str) -> tuple[bool, bool, int, int, int]:
        found = surveys[name]
        several = len(traits(found)) > 1
        leading = len(leading_to(links, name))
        return (
            several,
            _called_after_people(name, surveys, keys),
            leading,
            likeness_to_people(found),
            found.rows,
        )

    return max(candidates, key=order, default="")


def _called_after_people(name: str, surveys: Mapping[str, Survey], keys: Mapping[str, str]) -> bool:
    """By its key, as patient_id, or by its own name, as patients."""
    return surveys[name].field(keys[name]).looks_like is LooksLike.PERSON_KEY or not set(
        forms(name)
    ).isdisjoint(PEOPLE)
