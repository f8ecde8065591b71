"""The kinds of personal references, and whether each points to a person by itself or only with others."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What a reference is about."""

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
        Kind.PHONE,
        Kind.NATIONAL_NUMBER,
        Kind.FINANCIAL_NUMBER,
        Kind.RECORD_NUMBER,
        Kind.LICENCE,
        Kind.PLATE,
        Kind.DEVICE,
        Kind.ACCOUNT,
    }
)
_DIRECT = _NUMBERS | {Kind.NAME, Kind.USER_NAME, Kind.EMAIL, Kind.URL, Kind.IP, Kind.STREET}
