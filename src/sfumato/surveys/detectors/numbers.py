"""Numbers that were given to one person or thing: social security, national, account, licence,
vehicle, device."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..checksums import bsn, digits_of, dni, iban, luhn, nhs, nir, personnummer, ssn, vin
from ..evidence import Evidence, Test
from ..name_words import phrase_in
from ..records import FieldLikeness, LooksLike
from .detector import NameAndValues, values_reason

_DASHED_SSN = re.compile(r"\d{3}-\d{2}-\d{4}")
_MAC = re.compile(r"([0-9A-F]{2}[:-]){5}[0-9A-F]{2}", re.I)
_NINO = re.compile(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", re.I)
_CODICE = re.compile(r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", re.I)
_CODE = re.compile(r"(?=.*\d)[A-Z0-9][A-Z0-9 .\-/]{2,29}", re.I)
ENOUGH = 20
"""A check digit passes by chance one time in ten or eleven: this many values make chance
unlikely."""


def is_card(text: str) -> bool:
    """A payment card: 13 to 19 digits that pass Luhn."""
    digits = digits_of(text)
    return 13 <= len(digits) <= 19 and digits[0] in "23456" and luhn(digits)


def is_account(text: str) -> bool:
    return iban(text) or is_card(text)


def is_sin(text: str) -> bool:
    """A Canadian social insurance number."""
    digits = digits_of(text)
    return len(digits) == 9 and digits[0] not in "08" and luhn(digits)


def is_code(text: str) -> bool:
    """A short token with a digit in it, as numbers of licences, plates and devices are."""
    return _CODE.fullmatch(text) is not None


def is_long_code(text: str) -> bool:
    """A code of five characters or more: shorter ones number answers and classes, such as A61.

    Example:
        >>> is_long_code("A61"), is_long_code("DE-8812"), is_long_code("40 17 22")
        (False, True, True)
    """
    return len(text) >= 5 and is_code(text)


def is_device(text: str) -> bool:
    digits = digits_of(text)
    return _MAC.fullmatch(text) is not None or (len(digits) == 15 and luhn(digits))


# What the scheme is called, whether a value belongs to it, and whether it shows itself without a
# check digit.
SCHEMES: tuple[tuple[str, Test, bool], ...] = (
    ("British national insurance numbers", lambda text: _NINO.fullmatch(text) is not None, True),
    ("Italian tax codes", lambda text: _CODICE.fullmatch(text) is not None, True),
    ("French social security numbers", nir, True),
    ("Spanish identity numbers", dni, True),
    ("NHS numbers", nhs, False),
    ("Dutch service numbers", bsn, False),
    ("Swedish personal numbers", personnummer, False),
    ("Canadian insurance numbers", is_sin, False),
)
NATIONAL_PHRASES = (
    "national id", "national number", "identity number", "nhs", "nhs number", "nino", "bsn", "sofi", "sin", "dni",
    "nie", "nif", "nir", "codice fiscale", "personnummer", "cpr", "pesel", "aadhaar", "passport", "tax id", "steuer id",
    "sozialversicherungsnummer", "numero de securite sociale", "insee", "tin", "itin", "personalausweis",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NationalNumber:
    """Numbers of other countries than the United States, each with the check digit of its
    scheme."""

    looks_like: LooksLike = LooksLike.NATIONAL_NUMBER

    def detect(self, evidence: Evidence) -> FieldLikeness | None:
        phrase = phrase_in(evidence.words, NATIONAL_PHRASES)
        says = (f"its name contains '{phrase}'",) if phrase is not None else ()
        for scheme, test, shows_itself in SCHEMES:
            share = evidence.share(test)
            if share < 0.9:
                continue
            if says or shows_itself or len(evidence.values) >= ENOUGH:
                confidence = 0.98 if says else 0.9 if shows_itself else 0.8
                return FieldLikeness(
                    self.looks_like, confidence, (*says, values_reason(share, f"valid {scheme}"))
                )
        if not says:
            return None
        share = evidence.share(is_code)
        return FieldLikeness(
            self.looks_like, 0.7 if share >= 0.8 or not evidence.values else 0.25, says
        )


SSN = NameAndValues(
    looks_like=LooksLike.SSN,
    phrases=("ssn", "social security", "social security number", "soc sec", "ss number"),
    test=ssn,
    values_are="possible social security numbers",
    both=0.99,
    named=0.8,
    despite=0.6,
)
DASHED_SSN = NameAndValues(
    looks_like=LooksLike.SSN,
    test=lambda text: _DASHED_SSN.fullmatch(text) is not None and ssn(text),
    values_are="written 3-2-4 digits, as social security numbers are",
    needed_alone=0.8,
    alone=0.9,
)
NINE_DIGITS = NameAndValues(
    looks_like=LooksLike.SSN,
    test=lambda text: len(text) == 9 and ssn(text),
    values_are="nine digits that could all be social security numbers",
    needed_alone=0.995,
    alone=0.55,
)
ACCOUNT = NameAndValues(
    looks_like=LooksLike.ACCOUNT,
    phrases=(
        "account", "acct", "account number", "iban", "card number", "credit card", "bank", "konto", "kontonummer",
        "rekening", "cuenta", "routing", "compte",
    ),
    unless=(
        "type", "status", "balance", "bank name", "accounts", "count", "total", "percent", "pct", "share", "ratio",
        "rate", "age", "limit",
    ),
    test=lambda text: is_account(text) or is_long_code(text),
    values_are="numbers such as accounts have",
    both=0.9,
    own=True,
)  # fmt: skip
CHECKED_ACCOUNT = NameAndValues(
    looks_like=LooksLike.ACCOUNT,
    test=is_account,
    values_are="valid card or bank account numbers",
    needed_alone=0.8,
    alone=0.92,
)
LICENCE = NameAndValues(
    looks_like=LooksLike.LICENCE,
    phrases=(
        "license", "licence", "drivers license", "driver license", "dl number", "certificate", "npi", "dea number",
        "permit", "fuhrerschein", "permis", "rijbewijs",
    ),
    unless=("plate", "type", "class"),
    test=is_code,
    values_are="short codes with digits",
    both=0.9,
)  # fmt: skip
VEHICLE = NameAndValues(
    looks_like=LooksLike.VEHICLE,
    phrases=(
        "vin",
        "plate",
        "license plate",
        "licence plate",
        "vehicle id",
        "registration plate",
        "kennzeichen",
        "kenteken",
    ),
    test=is_code,
    values_are="short codes with digits",
    both=0.92,
)
CHECKED_VEHICLE = NameAndValues(
    looks_like=LooksLike.VEHICLE,
    test=vin,
    values_are="valid vehicle identification numbers",
    needed_alone=0.8,
    alone=0.95,
)
DEVICE = NameAndValues(
    looks_like=LooksLike.DEVICE,
    phrases=(
        "device id",
        "device",
        "serial",
        "serial number",
        "imei",
        "mac",
        "mac address",
        "udi",
        "imsi",
        "implant",
    ),
    unless=("type", "model", "name", "device code", "device description"),
    test=lambda text: is_device(text) or is_code(text),
    values_are="codes such as devices have",
    both=0.9,
)
CHECKED_DEVICE = NameAndValues(
    looks_like=LooksLike.DEVICE,
    test=lambda text: _MAC.fullmatch(text) is not None,
    values_are="hardware addresses",
    needed_alone=0.8,
    alone=0.95,
)

NUMBERS = (
    SSN, DASHED_SSN, NINE_DIGITS, NationalNumber(), CHECKED_ACCOUNT, ACCOUNT, CHECKED_VEHICLE, VEHICLE, LICENCE,
    CHECKED_DEVICE, DEVICE,
)  # fmt: skip
