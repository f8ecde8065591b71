"""The kinds of personal references, and whether each points to a person by itself or only with
others."""

from __future__ import annotations

from enum import StrEnum


class ReferenceKind(StrEnum):
    """The kind of a reference."""

    NAME = "name"
    RELATIVE = "relative"
    USER_NAME = "user name"
    STREET = "street"
    TOWN = "town"
    REGION = "region"
    POSTCODE = "postcode"
    COUNTRY = "country"
    COORDINATES = "coordinates"
    PHONE = "phone"
    EMAIL = "e-mail"
    URL = "url"
    IP = "ip"
    DATE = "date"
    TIME = "time"
    AGE = "age"
    NATIONAL_NUMBER = "national number"
    FINANCIAL_NUMBER = "financial number"
    RECORD_NUMBER = "record number"
    LICENCE = "licence"
    PLATE = "plate"
    DEVICE = "device"
    ACCOUNT = "account"
    HOSPITAL = "hospital"
    ORGANISATION = "organisation"
    TEAM = "team"
    PROFESSION = "profession"
    DEMOGRAPHIC = "demographic"
    QUANTITY = "quantity"
    OTHER = "other"

    @property
    def is_direct(self) -> bool:
        """Whether it names somebody, or is a number that only one person has."""
        return self in _DIRECT

    @property
    def is_number(self) -> bool:
        """Whether its surrogate keeps the shape of digits and letters."""
        return self in _NUMBERS


_NUMBERS = frozenset(
    {
        ReferenceKind.PHONE,
        ReferenceKind.NATIONAL_NUMBER,
        ReferenceKind.FINANCIAL_NUMBER,
        ReferenceKind.RECORD_NUMBER,
        ReferenceKind.LICENCE,
        ReferenceKind.PLATE,
        ReferenceKind.DEVICE,
        ReferenceKind.ACCOUNT,
    }
)
_DIRECT = _NUMBERS | {
    ReferenceKind.NAME,
    ReferenceKind.USER_NAME,
    ReferenceKind.EMAIL,
    ReferenceKind.URL,
    ReferenceKind.IP,
    ReferenceKind.STREET,
}
