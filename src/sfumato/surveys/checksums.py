"""Check digits: a column of numbers that all pass one is hardly there by chance."""

from __future__ import annotations

import re

_SSN = re.compile(r"(\d{3})-?(\d{2})-?(\d{4})")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_VIN = re.compile(r"[A-HJ-NPR-Z0-9]{17}")
_DNI = re.compile(r"([XYZ]?)(\d{7,8})([A-Z])")
_NIR = re.compile(r"[12]\d{2}(0[1-9]|1[0-2]|[2-9]\d)(\d{2}|2[AB])\d{6}(\d{2})")
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_VIN_VALUES = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True)
)
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def digits_of(text: str) -> str:
    """The digits of a number that may be written with spaces, dots, dashes or slashes; else
    nothing."""
    bare = re.sub(r"[ .\-/]", "", text)
    return bare if bare.isascii() and bare.isdigit() else ""


def luhn(digits: str) -> bool:
    """Payment cards, IMEI, Canadian SIN, Swedish personal numbers (ISO/IEC 7812-1).

    Example:
        >>> luhn("4539578763621486"), luhn("4539578763621487")
        (True, False)
    """
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return bool(digits) and total % 10 == 0


def ssn(text: str) -> bool:
    """A United States social security number as it could have been issued.

    Example:
        >>> ssn("219-09-9999"), ssn("000-12-3456"), ssn("666-12-3456"), ssn("912-12-3456")
        (True, False, False, False)
    """
    match = _SSN.fullmatch(text)
    if match is None:
        return False
    area, group, serial = match.groups()
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def nhs(text: str) -> bool:
    """A British NHS number: ten digits, the last one modulo 11.

    Example:
        >>> nhs("943 476 5919"), nhs("943 476 5918")
        (True, False)
    """
    digits = digits_of(text)
    if len(digits) != 10 or len(set(digits)) == 1:
        return False
    check = (
        -sum(int(digit) * weight for digit, weight in zip(digits, range(10, 1, -1), strict=False))
        % 11
    )
    return check == int(digits[9])


def bsn(text: str) -> bool:
    """A Dutch burgerservicenummer: the eleven-test.

    Example:
        >>> bsn("111222333"), bsn("111222334")
        (True, False)
    """
    digits = digits_of(text)
    if len(digits) != 9 or digits == "000000000":
        return False
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True)) % 11 == 0


def iban(text: str) -> bool:
    """An international bank account number: modulo 97.

    Example:
        >>> iban("GB82 WEST 1234 5698 7654 32"), iban("GB82 WEST 1234 5698 7654 33")
        (True, False)
    """
    bare = text.replace(" ", "").upper()
    if not _IBAN.fullmatch(bare):
        return False
    return int("".join(str(int(letter, 36)) for letter in bare[4:] + bare[:4])) % 97 == 1


def vin(text: str) -> bool:
    """A vehicle identification number with its check digit (North America).

    Example:
        >>> vin("1M8GDM9AXKP042788"), vin("1M8GDM9A1KP042788")
        (True, False)
    """
    bare = text.upper()
    if not _VIN.fullmatch(bare):
        return False
    values = (int(letter) if letter.isdigit() else _VIN_VALUES[letter] for letter in bare)
    check = sum(value * weight for value, weight in zip(values, _VIN_WEIGHTS, strict=True)) % 11
    return bare[8] == ("X" if check == 10 else str(check))


def dni(text: str) -> bool:
    """A Spanish DNI or NIE: a letter modulo 23.

    Example:
        >>> dni("12345678Z"), dni("12345678A")
        (True, False)
    """
    match = _DNI.fullmatch(text.replace("-", "").upper())
    if match is None or len(match[1] + match[2]) != 8:
        return False
    leading = str("XYZ".index(match[1])) if match[1] else ""
    return _DNI_LETTERS[int(leading + match[2]) % 23] == match[3]


def nir(text: str) -> bool:
    """A French numéro de sécurité sociale: modulo 97, Corsica's letters counted as 19 and 18.

    Example:
        >>> nir("2 55 08 14 168 025 38"), nir("2 55 08 14 168 025 39")
        (True, False)
    """
    bare = text.replace(" ", "").upper()
    if not _NIR.fullmatch(bare):
        return False
    number = bare[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(bare[13:])


def personnummer(text: str) -> bool:
    """A Swedish personal number: a date, three digits, and Luhn over the last ten.

    Example:
        >>> personnummer("811218-9876"), personnummer("19811218-9876"), personnummer("811318-9876")
        (True, True, False)
    """
    match = re.fullmatch(r"(?:19|20)?(\d{2})(\d{2})(\d{2})[-+]?(\d{4})", text)
    if match is None or not 1 <= int(match[2]) <= 12 or not 1 <= int(match[3]) <= 31:
        return False
    return luhn("".join(match.groups()))
