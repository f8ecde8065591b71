"""The kind of a string of a FHIR resource, by its place: a family name, a city, an identifier, a
code.

FHIR defines the type of every element, but not in the file. A type is recognised here by the key
and by the keys beside it (https://hl7.org/fhir/datatypes.html). A string that is none of these is
text like any other."""

from __future__ import annotations

import re

from ..kinds import ReferenceKind
from .json_trees import Leaf, Object

_CODED = frozenset(
    "resourceType code status use unit comparator gender language contentType type intent "
    "priority criticality mode "
    "method linkId versionId version valueCode verificationStatus severity category kind "
    "rank patternCode operator "
    "implicitRules _format".split()
)
_ADDRESSES = frozenset(
    {"system", "url", "profile", "instantiatesCanonical", "valueUri", "valueCanonical", "source"}
)
_PUBLIC = re.compile(
    r"(?:https?://(?:[a-z0-9-]+\.)*(?:hl7\.org|loinc\.org|snomed\.info|unitsofmeasure\.org|nih\.gov|cdc\.gov|who\.int|"
    r"ama-assn\.org|w3\.org|ihe\.net|dicom\.nema\.org|whocc\.no)(?:[/?#].*)?|urn:(?:ietf|iso|hl7ii|uuid):?.*)",
    re.IGNORECASE,
)
_OID = re.compile(r"urn:oid:2\.16\.840\.1\.113883\.(?:4\.1|6\.\d+|5\.\d+|18\.\d+)")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}.{0,24})?")
_PARTIAL_DATE = re.compile(r"\d{4}(?:-\d{2})?")
_DATED = re.compile(
    r"(?:date|datetime|start|end|issued|recorded|on|time|instant|updated|created|sent|received)$",
    re.I,
)
_NAME_KEYS = frozenset(
    {"use", "text", "family", "given", "prefix", "suffix", "period", "extension", "id"}
)
_CONTACT = {
    "phone": ReferenceKind.PHONE,
    "fax": ReferenceKind.PHONE,
    "pager": ReferenceKind.PHONE,
    "sms": ReferenceKind.PHONE,
    "email": ReferenceKind.EMAIL,
    "url": ReferenceKind.URL,
    "other": ReferenceKind.OTHER,
    "": ReferenceKind.PHONE,
}
_ADDRESS = {
    "line": ReferenceKind.STREET,
    "city": ReferenceKind.TOWN,
    "district": ReferenceKind.REGION,
    "state": ReferenceKind.REGION,
    "postalCode": ReferenceKind.POSTCODE,
    "country": ReferenceKind.COUNTRY,
    "text": ReferenceKind.STREET,
}
_NAMED = {
    "Organization": ReferenceKind.ORGANISATION,
    "Location": ReferenceKind.HOSPITAL,
    "HealthcareService": ReferenceKind.ORGANISATION,
    "Patient": ReferenceKind.NAME,
    "Practitioner": ReferenceKind.NAME,
    "RelatedPerson": ReferenceKind.NAME,
    "Person": ReferenceKind.NAME,
    "PractitionerRole": ReferenceKind.NAME,
    "CareTeam": ReferenceKind.TEAM,
}
_NATIONAL = ("us-ssn", "2.16.840.1.113883.4.1", "nhs-number", "/nir", "bsn", "insee")


def is_code(key: str, text: str) -> bool:
    """Whether it is one of FHIR's or a terminology's words, which identify nobody.

    Example:
        >>> is_code("status", "final"), is_code("system", "http://loinc.org"), is_code("system", "https://clinic.example")
        (True, True, False)
    """
    if key in _ADDRESSES:
        return bool(
            _PUBLIC.fullmatch(text) or _OID.match(text) or (key == "system" and text in _CONTACT)
        )
    return key in _CODED and not re.search(r"\s", text)


def dated(key: str, text: str) -> tuple[str, str] | None:
    """The day and the time of a date, dateTime or instant.

    Example:
        >>> dated("issued", "2020-02-03T04:05:06Z"), dated("birthDate", "1950"), dated("valueString", "1950")
        (('2020-02-03', 'T04:05:06Z'), ('1950', ''), None)
    """
    if found := _DATE.fullmatch(text):
        return found.group(1), found.group(2) or ""
    return (text, "") if _PARTIAL_DATE.fullmatch(text) and _DATED.search(key) else None


def kind_of(
    key: str, leaf: Leaf, *, holder: Object, held_by: str, resource: str
) -> ReferenceKind | None:
    """The kind of the whole string under a key, known for certain, or None: it is text.

    `holder` is its object, `held_by` the key of that object, `resource` the type of the
    resource."""
    if leaf.kind == "number":
        return ReferenceKind.COORDINATES if key in ("latitude", "longitude") else None
    if key in ("family", "given", "authorString") or (
        key == "text" and is_human_name(holder, held_by)
    ):
        return ReferenceKind.NAME
    if held_by.lower().endswith("address") and key in _ADDRESS:
        return _ADDRESS[key]
    if key == "value" and is_contact(holder, held_by):
        return _CONTACT.get(holder.string("system"), ReferenceKind.OTHER)
    if key == "value" and held_by.lower().endswith("identifier"):
        system = holder.string("system").lower()
        return (
            ReferenceKind.NATIONAL_NUMBER
            if any(mark in system for mark in _NATIONAL)
            else ReferenceKind.RECORD_NUMBER
        )
    if key == "display" and (named := _referred(holder, held_by)):
        return named
    if key in ("name", "alias") and not held_by and resource in _NAMED:
        return _NAMED[resource]
    if key in ("serialNumber", "deviceIdentifier", "udiCarrier", "carrierHRF", "lotNumber"):
        return ReferenceKind.DEVICE
    if key in _ADDRESSES or key in ("fullUrl", "implicitRules"):
        return (
            ReferenceKind.URL if re.match(r"https?://", leaf.text) else ReferenceKind.RECORD_NUMBER
        )
    return None


def is_human_name(holder: Object, held_by: str) -> bool:
    keys = {member.key.lstrip("_") for member in holder.members}
    return held_by in ("name", "valueHumanName") and keys <= _NAME_KEYS


def is_contact(holder: Object, held_by: str) -> bool:
    return held_by in ("telecom", "valueContactPoint") or (
        held_by == "contact" and bool(holder.string("system"))
    )


def _referred(holder: Object, held_by: str) -> ReferenceKind | None:
    """The kind of a reference's words, from the resource that it refers to."""
    reference = holder.string("reference")
    if not reference and held_by not in (
        "subject",
        "patient",
        "author",
        "performer",
        "assigner",
        "recorder",
        "asserter",
    ):
        return None
    parts = reference.split("/")
    kind = holder.string("type") or (parts[-2] if len(parts) > 1 else "")
    if not kind:
        return ReferenceKind.ORGANISATION if held_by == "assigner" else ReferenceKind.NAME
    return _NAMED.get(kind)
