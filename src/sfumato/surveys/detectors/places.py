"""Where someone is: address, ZIP or postal code, place, state, country, coordinates."""

from __future__ import annotations

import re

from ..lexicons import COUNTRIES, COUNTRY_CODES, STATE_CODES, STATES, STREETS
from ..lexicons.places import STREET_ENDINGS
from ..name_words import plain_word
from ..records import LooksLike
from .detector import NameAndValues
from .people import PersonDescription, among

_FIVE = re.compile(r"\d{5}")
_POSTAL = re.compile(
    r"\d{3,6}|\d{5}-?\d{4}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4} ?[A-Z]{2}"
    r"|\d{3}-\d{4}|\d{2}-\d{3}|\d{3} \d{2}|[A-Z]{1,2}-\d{4,5}|\d{2,5}\*{1,3}",
    re.I,
)
_UNMISTAKABLE = re.compile(
    r"\d{5}-\d{4}|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z] \d[A-Z]\d|\d{4} [A-Z]{2}", re.I
)
_HOUSE = re.compile(r"\d{1,5}[a-z]?(/\d+)?", re.I)


def is_postal(text: str) -> bool:
    """
    Example:
        >>> is_postal("02138"), is_postal("SW1A 1AA"), is_postal("1017 AB"), is_postal("K1A 0B1"), is_postal("Boston")
        (True, True, True, True, False)
    """
    return _POSTAL.fullmatch(text) is not None


def is_address(text: str) -> bool:
    """A house number together with a word for a street.

    Example:
        >>> is_address("12 Main St."), is_address("Hauptstraße 5"), is_address("PO Box 12"), is_address("Room 12")
        (True, True, True, False)
    """
    words = [plain_word(word).strip(".,#") for word in text.split()]
    if words[:2] == ["po", "box"]:
        return True
    numbered = any(_HOUSE.fullmatch(word) for word in words)
    named = any(
        word in STREETS or (len(word) > 5 and word.endswith(STREET_ENDINGS)) for word in words
    )
    return len(words) > 1 and numbered and named


def is_coordinate(text: str) -> bool:
    """A number with three decimals or more, from -180 to 180."""
    return re.fullmatch(r"-?\d{1,3}\.\d{3,}", text) is not None and abs(float(text)) <= 180


ADDRESS = NameAndValues(
    looks_like=LooksLike.ADDRESS,
    phrases=(
        "address", "addr", "street", "street address", "home address", "mailing", "strasse",
        "adresse", "anschrift", "direccion", "calle", "indirizzo", "adres", "straat",
        "house number", "address line", "unit number", "apartment number", "flat number", "po box",
    ),
    unless=("email", "e mail", "ip", "mac", "web", "ip address"),
    test=is_address,
    values_are="a house number with a street",
    needed=0.4,
    needed_alone=0.5,
    both=0.98,
    alone=0.88,
    despite=0.65,
    own=True,
)  # fmt: skip
ZIP = NameAndValues(
    looks_like=LooksLike.ZIP,
    phrases=(
        "zip", "zip code", "zip5", "postal code", "postcode", "post code", "postal", "plz",
        "postleitzahl", "code postal", "codigo postal", "postnummer", "zcta", "zip 4",
    ),
    test=is_postal,
    values_are="written like ZIP or postal codes",
    needed=0.7,
    both=0.97,
    despite=0.4,
)  # fmt: skip
UNMISTAKABLE_ZIP = NameAndValues(
    looks_like=LooksLike.ZIP,
    test=lambda text: _UNMISTAKABLE.fullmatch(text) is not None,
    values_are="written as only postal codes are",
    needed_alone=0.8,
    alone=0.9,
)
FIVE_DIGITS = NameAndValues(
    looks_like=LooksLike.ZIP,
    test=lambda text: _FIVE.fullmatch(text) is not None,
    values_are="five digits",
    alone=0.45,
)
STATE = NameAndValues(
    looks_like=LooksLike.STATE,
    phrases=(
        "state",
        "us state",
        "province",
        "bundesland",
        "prov",
        "uf",
        "estado",
        "provincia",
    ),
    unless=("status", "state id", "civil"),
    test=among(STATES | STATE_CODES),
    values_are="states of the United States",
    both=0.97,
    alone=0.8,
    needed_alone=0.9,
    despite=0.35,
    least_alone=3,
)
STATE_ABBREVIATED = NameAndValues(
    looks_like=LooksLike.STATE,
    phrases=("st",),  # A status too: only values that are states make it one.
    unless=("status",),
    test=among(STATES | STATE_CODES),
    values_are="states of the United States",
    both=0.97,
    despite=0.0,
)
COUNTRY = NameAndValues(
    looks_like=LooksLike.COUNTRY,
    phrases=(
        "country", "nation", "nationality", "citizenship", "birthplace", "native country",
        "land", "pays", "pais", "paese", "country of birth", "staatsangehorigkeit",
        "nacionalidade", "nacionalidad", "nazionalita",
    ),
    unless=("county",),
    test=among(COUNTRIES | COUNTRY_CODES),
    values_are="countries",
    needed=0.5,
    both=0.97,
    alone=0.75,
    needed_alone=0.7,
    despite=0.5,
    least_alone=3,
)  # fmt: skip
PLACE = NameAndValues(
    looks_like=LooksLike.PLACE,
    phrases=(
        "city", "town", "county", "place", "place of birth", "municipality", "village",
        "district", "region", "parish", "precinct", "ward", "borough", "suburb", "neighborhood",
        "neighbourhood", "tract", "census tract", "block", "fips", "community", "ort", "stadt",
        "gemeinde", "wohnort", "ville", "commune", "ciudad", "municipio", "comune", "citta",
        "cidade", "bairro", "departement", "canton", "circonscription", "gemeente", "plaats",
        "woonplaats", "kommune", "location", "area", "site", "birth state", "death state",
        "home state", "state of birth", "state of residence", "urban", "rural", "urbrur", "urban rural",
        "enumeration area", "geo", "geography",
    ),
    unless=("area code", "web site", "block size"),
    named=0.8,
)  # fmt: skip
COORDINATE = NameAndValues(
    looks_like=LooksLike.COORDINATE,
    phrases=(
        "lat",
        "latitude",
        "lon",
        "lng",
        "long",
        "longitude",
        "gps",
        "coordinates",
        "geo",
        "x coord",
        "y coord",
    ),
    test=is_coordinate,
    values_are="degrees with three decimals or more",
    needed=0.5,
    both=0.97,
    named=0.5,
    despite=0.3,
)

PLACES = (
    ADDRESS, ZIP, UNMISTAKABLE_ZIP, FIVE_DIGITS,
    PersonDescription(inner=STATE), STATE_ABBREVIATED, PersonDescription(inner=COUNTRY, most_values=300),
    PLACE, COORDINATE,
)  # fmt: skip
