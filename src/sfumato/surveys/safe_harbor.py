"""The 18 identifiers of HIPAA's Safe Harbor method, 45 CFR 164.514(b)(2)(i) (Garfinkel 2016,
section 3.7.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.engines import FieldKind
from sfumato.policy import Role

from .records import ChecklistItem, FieldSurvey, LooksLike, Presence

ALMOST_ALL = 0.9


@dataclass(frozen=True, slots=True)
class Identifier:
    """One entry of the rule: its name, the likenesses of fields that hold it, and a note."""

    title: str
    looks_like: tuple[LooksLike, ...]
    note: str = ""
    in_text: bool = True


IDENTIFIERS = (
    Identifier("Names", (LooksLike.NAME,)),
    Identifier(
        "Places smaller than a state",
        (LooksLike.ADDRESS, LooksLike.ZIP, LooksLike.PLACE, LooksLike.COORDINATE),
        "the first three digits of a ZIP may stay where more than 20,000 people live in them",
    ),
    Identifier(
        "Dates but for the year, ages over 89",
        (LooksLike.BIRTH_DATE, LooksLike.DATE, LooksLike.AGE),
        "years may stay; ages of 90 and over must be one group",
    ),
    Identifier("Telephone numbers", (LooksLike.PHONE,)),
    Identifier("Fax numbers", (LooksLike.FAX,)),
    Identifier("E-mail addresses", (LooksLike.EMAIL,)),
    Identifier("Social security numbers", (LooksLike.SSN,)),
    Identifier("Medical record numbers", (LooksLike.MEDICAL_RECORD,)),
    Identifier("Health plan beneficiary numbers", (LooksLike.HEALTH_PLAN,)),
    Identifier("Account numbers", (LooksLike.ACCOUNT,)),
    Identifier("Certificate and licence numbers", (LooksLike.LICENCE,)),
    Identifier("Vehicle identifiers and plates", (LooksLike.VEHICLE,)),
    Identifier("Device identifiers and serial numbers", (LooksLike.DEVICE,)),
    Identifier("Web addresses (URLs)", (LooksLike.URL,)),
    Identifier("IP addresses", (LooksLike.IP_ADDRESS,)),
    Identifier(
        "Biometric identifiers",
        (LooksLike.BIOMETRIC,),
        "a table of text does not show what a file beside it holds",
        in_text=False,
    ),
    Identifier(
        "Full-face photographs",
        (LooksLike.PHOTOGRAPH,),
        "a table of text does not show what a file beside it holds",
        in_text=False,
    ),
    Identifier(
        "Any other unique number, characteristic or code",
        (
            LooksLike.PERSON_KEY,
            LooksLike.FAMILY_KEY,
            LooksLike.KEY,
            LooksLike.NATIONAL_NUMBER,
            LooksLike.GENETIC,
        ),
        "only someone who knows the data can say what else is unique to a person",
    ),
)
LAST = len(IDENTIFIERS)
_LISTED = {
    LooksLike.FREE_TEXT,
    *(likeness for identifier in IDENTIFIERS for likeness in identifier.looks_like),
}


def checklist(fields: Sequence[FieldSurvey]) -> tuple[ChecklistItem, ...]:
    """Each of the 18 as found, not found, or not decidable by the survey."""
    return tuple(
        _item(number, identifier, fields) for number, identifier in enumerate(IDENTIFIERS, start=1)
    )


def _item(number: int, identifier: Identifier, fields: Sequence[FieldSurvey]) -> ChecklistItem:
    found = tuple(item.name for item in fields if item.looks_like in identifier.looks_like)
    if found:
        return ChecklistItem(
            number=number,
            identifier=identifier.title,
            presence=Presence.FOUND,
            fields=found,
            note=identifier.note,
        )
    doubts = _doubts(number, identifier, fields)
    if doubts or not identifier.in_text:
        names = tuple(dict.fromkeys(name for _, name in doubts))
        note = "; ".join(dict.fromkeys(why for why, _ in doubts)) or identifier.note
        return ChecklistItem(
            number=number,
            identifier=identifier.title,
            presence=Presence.CANNOT_TELL,
            fields=names,
            note=note,
        )
    return ChecklistItem(number=number, identifier=identifier.title, presence=Presence.NOT_FOUND)


def _doubts(
    number: int, identifier: Identifier, fields: Sequence[FieldSurvey]
) -> list[tuple[str, str]]:
    """Why it may be there all the same: pairs of a reason and the field that gives it."""
    out: list[tuple[str, str]] = []
    for item in fields:
        if item.proposal.role is Role.TEXT and identifier.in_text:
            out.append(("text may hold it", item.name))
        if any(other.looks_like in identifier.looks_like for other in item.others):
            out.append(("a field could also be this", item.name))
        if item.kind is FieldKind.OTHER:
            out.append(("a field holds something else than text, numbers and dates", item.name))
        if item.proposal.open:
            out.append(("a field is not recognised", item.name))
        elif number == LAST and item.unique_share >= ALMOST_ALL and item.looks_like not in _LISTED:
            out.append(("a field is unique in nearly every row", item.name))
    return out
