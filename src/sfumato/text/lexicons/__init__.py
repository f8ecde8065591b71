"""A reader's knowledge of the world: names, places, words, medicine; each read from its file when
first asked for.

A word is looked up as `folded` gives it: lower case, without accents, words apart by one space. The
files are built from open data by tools/text/build_lexicons.py; docs/text/lexicons.md names the
sources and their licences."""

from __future__ import annotations

import lzma
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib.resources import files

from .folding import folded

__all__ = [
    "clubs",
    "conditions",
    "countries",
    "demonyms",
    "drugs",
    "eponyms",
    "faiths_and_peoples",
    "first_names",
    "folded",
    "foreign_words",
    "hospitals",
    "last_names",
    "medical_words",
    "name_origins",
    "nicknames",
    "openings",
    "organisations",
    "professions",
    "region_codes",
    "regions",
    "relatives",
    "street_words",
    "town_part_words",
    "towns",
    "words",
    "zip_codes",
]


@cache
def first_names() -> Mapping[str, str]:
    """First name → `f`, `m` or `u` (both), and how common from 1 (somewhere in the world) to 5 (one
    in 200 people).

    Example:
        >>> first_names()["mary"], first_names()["jordan"][0]
        ('f5', 'u')
    """
    return _by_group("first_names")


@cache
def last_names() -> Mapping[str, str]:
    """Last name → how common, from 1 to 5.

    Example:
        >>> last_names()["smith"], last_names().get("the")
        ('5', None)
    """
    return _by_group("last_names")


@cache
def name_origins() -> Mapping[str, str]:
    """First or last name of a country's list → the languages or countries where it is usual, such
    as `de nl`."""
    return _by_group("name_origins")


@cache
def nicknames() -> Mapping[str, str]:
    """Short name → its full names, separated by spaces.

    Example:
        >>> "dorothy" in nicknames()["dot"].split()
        True
    """
    return _by_line("nicknames")


@cache
def towns() -> Mapping[str, str]:
    """Town → its country (in the US with the state) and the number of digits of its people: `US-MA
    6`.

    Of several towns of one name, the largest.

    Example:
        >>> towns()["boston"]
        'US-MA 6'
    """
    return _by_group("towns")


@cache
def town_part_words() -> frozenset[str]:
    """The first words of towns of more than one word."""
    return openings(towns)


@cache
def regions() -> Mapping[str, str]:
    """State, province, county or the like → its country.

    Example:
        >>> regions()["massachusetts"], regions()["bavaria"]
        ('US', 'DE')
    """
    return _by_group("regions")


@cache
def region_codes() -> Mapping[str, str]:
    """Letters for a region as an address has them, in capitals → its country.

    Example:
        >>> region_codes()["MA"]
        'US'
    """
    return {code.upper(): country for code, country in _by_group("region_codes").items()}


@cache
def zip_codes() -> Mapping[str, str]:
    """ZIP code of five digits that is in use → its state."""
    return _by_group("zip_codes")


@cache
def countries() -> Mapping[str, str]:
    """Country → its two letters.

    Example:
        >>> countries()["france"]
        'FR'
    """
    return _by_group("countries")


@cache
def demonyms() -> Mapping[str, str]:
    """Word for a country's people → the country's two letters."""
    return _by_group("demonyms")


@cache
def faiths_and_peoples() -> Mapping[str, str]:
    """Word for the members of a faith or a people → `faith` or `people`."""
    return _by_group("faiths_and_peoples")


@cache
def words() -> Mapping[str, str]:
    """Ordinary English word, names apart → how common: 6 for the first 100, 5 to 1,000, 4 to 3,000,
    3 to 10,000, 2 to 30,000, 1 for the rest.

    Example:
        >>> words()["the"], words().get("john")
        ('6', None)
    """
    return _by_group("words")


@cache
def foreign_words() -> frozenset[str]:
    """Ordinary words of German, French, Spanish, Italian, Dutch and other European languages that
    English lacks.

    Example:
        >>> {"wegen", "schmerzen", "kam"} <= foreign_words(), "keller" in foreign_words()
        (True, False)
    """
    return frozenset(_by_group("foreign_words"))


@cache
def drugs() -> frozenset[str]:
    """Names of drugs, generic and brand.

    Example:
        >>> "metformin" in drugs()
        True
    """
    return frozenset(_by_group("drugs"))


@cache
def medical_words() -> frozenset[str]:
    """Words of diseases, injuries, procedures, body parts and laboratories that ordinary texts
    hardly have."""
    return frozenset(_by_group("medical_words"))


@cache
def eponyms() -> Mapping[str, str]:
    """People's names that medicine uses → the words that may follow, apart by spaces.

    Example:
        >>> "lymphoma" in eponyms()["hodgkin"].split()
        True
    """
    return _by_line("eponyms")


@cache
def conditions() -> frozenset[str]:
    """Diseases and findings of two to four words."""
    return frozenset(_by_group("conditions"))


@cache
def professions() -> Mapping[str, str]:
    """Professions → how identifying each is: `2` by itself, `1` with the words around it."""
    return _by_group("professions")


@cache
def relatives() -> Mapping[str, str]:
    """Words for relatives → `near` (a name may follow) or `far`."""
    return _by_group("relatives")


@cache
def hospitals() -> Mapping[str, str]:
    """Hospitals known by a name of their own → `full`, or `short` where a possessive or preposition
    is needed."""
    return _by_group("hospitals")


@cache
def organisations() -> Mapping[str, str]:
    """Well-known employers and bodies → what they are."""
    return _by_group("organisations")


@cache
def clubs() -> Mapping[str, str]:
    """Teams and clubs known by a name of their own → their sport."""
    return _by_group("clubs")


@cache
def street_words() -> Mapping[str, str]:
    """Words for kinds of street → `after` (Baker Street), `before` (rue Monge) or `joined`
    (Hauptstrasse)."""
    return _by_group("street_words")


@cache
def openings(lexicon: Callable[[], Collection[str]]) -> frozenset[str]:
    """The first words of a lexicon's entries of more than one word: behind another word none of
    them begins.

    Example:
        >>> "new" in openings(towns), "boston" in openings(countries)
        (True, False)
    """
    return frozenset(entry.partition(" ")[0] for entry in lexicon() if " " in entry)


def _by_group(name: str) -> dict[str, str]:
    """A file of lines `value<tab>word|word|…`: made for reading fast."""
    out: dict[str, str] = {}
    for line in _lines(name):
        value, _, entries = line.partition("\t")
        out.update(dict.fromkeys(entries.split("|"), value))
    return out


def _by_line(name: str) -> dict[str, str]:
    """A file of lines `word<tab>value`."""
    return {word: value for word, _, value in (line.partition("\t") for line in _lines(name))}


def _lines(name: str) -> list[str]:
    packed = (files(__package__) / f"{name}.xz").read_bytes()
    return lzma.decompress(packed).decode("utf-8").split("\n")
