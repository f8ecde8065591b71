"""Keys: numbers by which an organisation knows a person, a record or a visit."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from sfumato.engines import FieldKind

from ..evidence import Evidence, percent
from ..name_words import phrase_in
from ..records import FieldLikeness, LooksLike
from .detector import NameAndValues

_UUID = re.compile(
    r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}", re.I
)
_TOKEN = re.compile(r"(?=.*\d)[A-Za-z]{0,6}[-_./#]?[A-Za-z0-9][A-Za-z0-9\-_./]{0,39}")
_HEX = re.compile(r"(?=.*\d.*[a-f])(?=.*[a-f].*\d)[0-9a-f]{8,}", re.I)
_WHOLE = re.compile(r"\d{1,15}(\.0+)?")
KEY_WORDS = (
    "id",
    "identifier",
    "key",
    "uuid",
    "guid",
    "nr",
    "no",
    "num",
    "number",
    "nummer",
    "numero",
    "index",
    "rowid",
    "ticket",
    "docket",
    "dossier",
    "folio",
    "invoice",
    "receipt",
    "booking",
    "reference",
    "protocol",
    "protocolo",
    "processo",
    "matricula",
    "matricule",
    "aktenzeichen",
    "barcode",
    "token",
    "hash",
)
ISSUED = ("ticket", "docket", "dossier", "folio", "invoice", "receipt", "booking", "reference")
"""Numbers that several people may share: none of them identifies the person of a row."""
MANY = 20
_NO_KEYS = (FieldKind.DATE, FieldKind.TIMESTAMP, FieldKind.BOOLEAN)


def is_token(text: str) -> bool:
    """One word with a digit in it, such as P-00123.

    Example:
        >>> is_token("P-00123"), is_token("8812"), is_token("Anna"), is_token("12 Main St")
        (True, True, False, False)
    """
    return _TOKEN.fullmatch(text) is not None


def is_spaced_token(text: str) -> bool:
    """A token, or a few short ones of which one is a number, such as a ticket has.

    Example:
        >>> is_spaced_token("STON/O2. 3101282"), is_spaced_token("LINE"), is_spaced_token("12 Main Street 4")
        (True, False, False)
    """
    return len(text) <= 30 and len(text.split()) <= 3 and is_token("".join(text.split()))


def shape(text: str) -> str:
    """A value's outline: letters as A, digits as 9.

    Example:
        >>> shape("AB-012")
        'AA-999'
    """
    return "".join("9" if c.isdigit() else "A" if c.isalpha() else c for c in text)


MEDICAL_RECORD = NameAndValues(
    looks_like=LooksLike.MEDICAL_RECORD,
    phrases=(
        "mrn", "medical record", "medical record number", "chart number", "hospital number", "record number", "emr id",
        "ehr id", "fallnummer", "ipp", "case number", "accession",
    ),
    test=is_token,
    values_are="one word with digits",
    both=0.93,
    despite=0.4,
)  # fmt: skip
HEALTH_PLAN = NameAndValues(
    looks_like=LooksLike.HEALTH_PLAN,
    phrases=(
        "beneficiary", "beneficiary id", "member id", "member number", "policy number", "insurance id",
        "insurance number", "hicn", "mbi", "subscriber", "medicaid id", "medicare id", "medicare number",
        "versichertennummer", "krankenkassennummer",
    ),
    test=is_token,
    values_are="one word with digits",
    both=0.9,
)  # fmt: skip
PEOPLE = (
    "patient", "person", "subject", "participant", "client", "customer", "user", "employee", "student", "voter",
    "respondent", "applicant", "resident", "household", "member", "pupil", "citizen", "donor", "individual", "case",
)  # fmt: skip
PERSON_KEY = NameAndValues(
    looks_like=LooksLike.PERSON_KEY,
    phrases=(
        *(f"{who} {what}" for who in PEOPLE for what in ("id", "key", "number", "no", "nr", "num", "code")),
        *(f"id {who}" for who in PEOPLE), "patient", "subject", "participant", "pid", "patid", "ptid", "uid",
        "patientennummer", "pseudonym", "enrollee", "username",
        "login", "handle",
    ),
    unless=("type", "age", "sex", "gender", "name", "status", "date", "birth", "address", "count", "zip", "state"),
    test=is_token,
    values_are="one word with digits",
    both=0.92,
    despite=0.3,
    own=True,
)  # fmt: skip
FAMILY = (
    "family", "household", "mother", "father", "parent", "sibling", "twin", "spouse", "pedigree", "mum", "dad", "dam",
    "familie", "haushalt", "mutter", "vater",
)  # fmt: skip
FAMILY_KEY = NameAndValues(
    looks_like=LooksLike.FAMILY_KEY,
    phrases=(
        *(f"{who} {what}" for who in FAMILY for what in ("id", "key", "number", "no", "nr", "num", "code")),
        *(f"id {who}" for who in FAMILY), "fid", "famid", "hid", "hhid",
    ),
    unless=("size", "income", "type", "age", "count", "date", "name", "status", "history"),
    test=is_token,
    values_are="one word with digits",
    both=0.94,
    despite=0.3,
)  # fmt: skip
UUID = NameAndValues(
    looks_like=LooksLike.KEY,
    test=lambda text: _UUID.fullmatch(text) is not None or _HEX.fullmatch(text) is not None,
    values_are="long random identifiers",
    needed_alone=0.8,
    alone=0.9,
)


def _are_whole(evidence: Evidence) -> bool:
    """Whether all values are whole numbers. A tool that knows no missing whole number writes 135 as
    135.0."""
    return evidence.all_integers or (
        evidence.all_numbers
        and evidence.share(lambda text: _WHOLE.fullmatch(text) is not None) == 1
    )


def _repeats_by_chance(evidence: Evidence) -> bool:
    """Whether measures or counts in the same range would repeat, all but surely: numbers that were
    issued do not."""
    values = [int(float(value)) for value in evidence.values]
    span = max(values) - min(values) + 1
    return evidence.present**2 / (2 * span) > 10


@dataclass(frozen=True, slots=True)
class RecordKey:
    """A number that a row has to itself, or nearly: by its name, or because all values have one
    outline."""

    looks_like: LooksLike = LooksLike.KEY

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        if (
            evidence.distinct_share < 0.5
            or evidence.kind in _NO_KEYS
            or evidence.share(is_spaced_token) < 0.9
        ):
            return None
        differ = (
            f"{percent(evidence.distinct_share)} as many different values as rows that have one"
        )
        phrase = phrase_in(evidence.words, KEY_WORDS)
        if phrase is not None:
            sure = 0.8 if phrase not in ISSUED else 0.75
            return FieldLikeness(self.looks_like, sure, (f"its name contains '{phrase}'", differ))
        if (
            evidence.unique_share < 0.98
            or len(evidence.values) < MANY
            or evidence.share(is_token) < 0.9
        ):
            return None
        whole = _are_whole(evidence)
        if whole and all(
            0 <= int(float(value)) <= 1.01 * evidence.present + 1 for value in evidence.values
        ):
            return FieldLikeness(
                self.looks_like, 0.7, (differ, "they count from one to the number of rows")
            )
        if whole and evidence.unique_share == 1 and _repeats_by_chance(evidence):
            return FieldLikeness(
                self.looks_like, 0.65, (differ, "random numbers in so narrow a range would repeat")
            )
        shapes = Counter(map(shape, evidence.values))
        commonest = shapes.most_common(1)[0][1] / len(evidence.values)
        if commonest < 0.95 or any(c in next(iter(shapes)) for c in "./"):
            return None
        return FieldLikeness(
            self.looks_like,
            0.5,
            (differ, f"{percent(commonest)} of sampled values have one outline"),
        )


KEYS = (MEDICAL_RECORD, HEALTH_PLAN, FAMILY_KEY, PERSON_KEY, UUID, RecordKey())
