"""From the likeness of a field to a proposed decision about it. When in doubt, protect."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.policy import Method, Replacement, Role

from .records import LooksLike


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleRule:
    """The role for one likeness, the reason, and the replacement of a direct identifier.

    With `open`, the likeness does not decide what the field means: a person must.
    """

    role: Role
    reason: str
    replace: Replacement | None = None
    open: bool = False


def _direct(reason: str, method: Method = Method.REMOVE) -> RoleRule:
    return RoleRule(role=Role.DIRECT, reason=reason, replace=Replacement(method=method))


def _quasi(reason: str) -> RoleRule:
    return RoleRule(role=Role.QUASI, reason=reason)


def _open(reason: str) -> RoleRule:
    return RoleRule(role=Role.QUASI, reason=reason, open=True)


def _sensitive(reason: str) -> RoleRule:
    return RoleRule(role=Role.SENSITIVE, reason=reason)


def _insensitive(reason: str) -> RoleRule:
    return RoleRule(role=Role.INSENSITIVE, reason=reason)


_REACHES = "whoever has it reaches the person"
_ISSUED = "it was given to one person, who is found by it"
_KNOWN = "neighbours, colleagues or registers know it"

RULES: dict[LooksLike, RoleRule] = {
    LooksLike.NAME: _direct("it names the person"),
    LooksLike.ADDRESS: _direct("it is where the person lives"),
    LooksLike.PHONE: _direct(_REACHES),
    LooksLike.FAX: _direct(_REACHES),
    LooksLike.EMAIL: _direct(_REACHES),
    LooksLike.URL: _direct("it may lead to the person's own page"),
    LooksLike.IP_ADDRESS: _direct("it leads to the person's connection"),
    LooksLike.SSN: _direct(f"{_ISSUED}; made-up numbers keep its form", Method.MADE_UP),
    LooksLike.NATIONAL_NUMBER: _direct(f"{_ISSUED}; made-up numbers keep its form", Method.MADE_UP),
    LooksLike.MEDICAL_RECORD: _direct(f"{_ISSUED}; a keyed hash keeps rows together", Method.HASH),
    LooksLike.HEALTH_PLAN: _direct(_ISSUED),
    LooksLike.ACCOUNT: _direct(_ISSUED),
    LooksLike.LICENCE: _direct(_ISSUED),
    LooksLike.VEHICLE: _direct("registers say whose vehicle it is"),
    LooksLike.DEVICE: _direct("it belongs to one person's device"),
    LooksLike.PERSON_KEY: _direct(
        "it identifies one person; a keyed hash keeps rows together", Method.HASH
    ),
    LooksLike.FAMILY_KEY: _direct(
        "it links relatives, and one who is found leads to the others; to keep families together, "
        'say replace = "hash" and name it as household'
    ),
    LooksLike.KEY: _direct("it identifies one row in other tables too"),
    LooksLike.PHOTOGRAPH: _direct("a picture shows the person"),
    LooksLike.BIOMETRIC: _direct("it is part of the person's body"),
    LooksLike.GENETIC: _direct(
        "no way is known to remove the person from a sequence (Garfinkel 2016, 4.2)"
    ),
    LooksLike.BIRTH_DATE: _quasi("it is in voter lists and other registers"),
    LooksLike.DATE: _quasi("someone may know when it happened"),
    LooksLike.YEAR: _quasi("someone may know the year"),
    LooksLike.AGE: _quasi(_KNOWN),
    LooksLike.ZIP: _quasi("it is in voter lists and other registers"),
    LooksLike.PLACE: _quasi("it is in voter lists and other registers"),
    LooksLike.COORDINATE: _quasi("a point on a map can be one house"),
    LooksLike.STATE: _quasi(_KNOWN),
    LooksLike.COUNTRY: _quasi(_KNOWN),
    LooksLike.HONORIFIC: _quasi("it reveals the sex, and often the marital status"),
    LooksLike.SEX: _quasi("it is in voter lists and other registers"),
    LooksLike.ETHNICITY: _quasi(_KNOWN),
    LooksLike.STATURE: _quasi("whoever sees the person can estimate it"),
    LooksLike.MARITAL_STATUS: _quasi(_KNOWN),
    LooksLike.FAMILY: _quasi(_KNOWN),
    LooksLike.OCCUPATION: _quasi(_KNOWN),
    LooksLike.EDUCATION: _quasi(_KNOWN),
    LooksLike.LANGUAGE: _quasi(_KNOWN),
    LooksLike.BELIEF: _quasi("some registers hold it, and others may not learn it"),
    LooksLike.DIAGNOSIS: _sensitive("others must not learn it about a person"),
    LooksLike.CONDITION: _sensitive("others must not learn it about a person"),
    LooksLike.PROCEDURE: _sensitive("it is about the person's health"),
    LooksLike.DRUG: _sensitive("it is about the person's health"),
    LooksLike.MEASUREMENT: _sensitive("it is measured on the person and rarely known to others"),
    LooksLike.AMOUNT: _sensitive("money matters are confidential and rarely known to others"),
    LooksLike.CRIME: _sensitive("others must not learn a person's offences and sentences"),
    LooksLike.ASSESSMENT: _sensitive("only the person who assessed and the one assessed know it"),
    LooksLike.OUTCOME: _sensitive(
        "it is an outcome of the person, and others would like to predict it"
    ),
    LooksLike.HABIT: _sensitive(
        "it describes how the person lives, and is rarely known outside the household"
    ),
    LooksLike.OPINION: _sensitive("it is an opinion of the person, given in confidence"),
    LooksLike.FREE_TEXT: RoleRule(
        role=Role.TEXT,
        reason='it may hold anything: it is left out, or, without the line "replace", scrubbed',
        replace=Replacement(method=Method.REMOVE),
    ),
    LooksLike.CONSTANT: _insensitive("it distinguishes no row from another"),
    LooksLike.EMPTY: _insensitive("there is nothing in it"),
    LooksLike.FLAG: _open("it is unknown who knows this yes or no: when in doubt, protect"),
    LooksLike.CATEGORY: _open(
        "it is unknown who knows it, and it has few values: when in doubt, protect"
    ),
    LooksLike.NUMBER: _open("it is unknown whether someone knows it: when in doubt, protect"),
    LooksLike.UNKNOWN: _open("its meaning is unknown: when in doubt, protect"),
}
