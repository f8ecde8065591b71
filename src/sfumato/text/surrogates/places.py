"""Places to others of like size, or to their region.

Another of like size: a state of the US becomes another state, a town another in that state with as
many digits of people. A postcode becomes one of that state. An address therefore stays consistent.
Elsewhere lexicons have large towns under several names (Wien, Vienna), all with one size. Such a
town becomes one of its country with a digit fewer, and a region one of another country unless
English is spoken there. A street keeps its word for a street and the shape of its number. Towns are
cut to their region where that is asked; then regions and countries stay."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from itertools import chain, islice

from sfumato.keys import KeyedDraws

from ..lexicons import (
    countries,
    folded,
    regions,
    street_words,
    towns,
    zip_codes,
)
from .bodies import with_words
from .made_up_words import made_up_words
from .numbers import reshaped

# The states of the United States with the letters that addresses have for them.

STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado",
    "CT": "Connecticut", "DE": "Delaware", "FL": "Florida", "GA": "Georgia", "HI": "Hawaii", "ID": "Idaho",
    "IL": "Illinois", "IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana", "ME": "Maine",
    "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota", "MS": "Mississippi", "MO": "Missouri",
    "MT": "Montana", "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire", "NJ": "New Jersey", "NM": "New Mexico",
    "NY": "New York", "NC": "North Carolina", "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon",
    "PA": "Pennsylvania", "RI": "Rhode Island", "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee",
    "TX": "Texas", "UT": "Utah", "VT": "Vermont", "VA": "Virginia", "WA": "Washington", "WV": "West Virginia",
    "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip


_ZIP = re.compile(r"(\d{5})(-\d{4})?")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_IN_STREETS = frozenset(
    "the of de la le du des der die das den po p o box suite ste apt apartment flat floor "
    "fl unit room rm no number "
    "north south east west n s e w ne nw se sw rural route rr house postfach apartado "
    "boîte postbus building".split()
)
_DEGREES = re.compile(r"[-+]?\d{1,3}(?=[.,]\d)")
_DECIMALS = re.compile(r"[.,]\d+")
_FROM_LEXICON = 40
_ONE_NAME = frozenset("US GB IE CA AU NZ".split())
"""Countries whose regions have one name each in the lexicon: English is spoken there."""
_TELLING = 4
"""A word of so many letters that two names share may be the name of one place: Frankfurt am Main."""
_KNOWN_ABROAD = 6
"""From so many digits of people on, the lexicon has a town's names in other languages."""


class Atlas:
    """The surrogates of one scope's places. `is_real` has the real places of the collection.

    Example:
        >>> atlas = Atlas(KeyedDraws(bytes(range(32))))
        >>> (state,) = islice(atlas.regions("MA"), 1)
        >>> next(atlas.regions("Massachusetts")) == STATES[state]
        True
        >>> town = folded(next(atlas.towns("Boston")))
        >>> towns()[town] == f"US-{state} 6"
        True
    """

    def __init__(
        self, drawing: KeyedDraws, *, is_real: Callable[[str], bool] = lambda text: False
    ) -> None:
        self._drawing, self._is_real = drawing, is_real

    def regions(self, value: str) -> Iterator[str]:
        """Another region, of the same country where regions have one name each there; written in
        full or in letters as this one is."""
        code = _state(value)
        if code is not None:
            for other in self._states(code):
                yield other if value.upper() in STATES else _capitals(value, STATES[other])
            return
        country = regions().get(folded(value))
        pool = _other_regions(country) if country else ()
        yield from (
            _capitals(value, name)
            for name in self._drawing.ordered(pool, "region")
            if not _may_be_one(name, folded(value))
        )

    def towns(self, value: str) -> Iterator[str]:
        """Another town in the state that the state became; elsewhere one of the country; then a
        made-up one.

        All names of one town have one size in the lexicon, so one of another size is another."""
        where, _, size = towns().get(folded(value), "").partition(" ")
        country, _, code = where.partition("-")
        pools = [_towns_of(country, _other_size(size))] if where else []
        if code in STATES:
            state = next(iter(self._states(code)), code)
            pools.insert(0, _towns_of(f"{country}-{state}", size) if state != code else [])
        drawn = chain.from_iterable(
            (
                pool[number % len(pool)]
                for number in islice(self._drawing.numbers("town", folded(value)), _FROM_LEXICON)
            )
            for pool in pools
            if pool
        )
        others = (
            name
            for name in islice(drawn, 2 * _FROM_LEXICON)
            if not _may_be_one(name, folded(value))
        )
        made_up = made_up_words(self._drawing, "town", folded(value))
        yield from (_capitals(value, name) for name in chain(others, made_up))

    def countries(self, value: str) -> Iterator[str]:
        """Another country, under whichever name."""
        if (code := countries().get(folded(value))) is not None:
            names = [
                name
                for name, other in countries().items()
                if name.isascii() and len(name) > 3 and other != code
            ]
            yield from (
                _capitals(value, name)
                for name in self._drawing.ordered(names, "country", folded(value))
            )

    def postcodes(self, value: str) -> Iterator[str]:
        """A ZIP code of the region that this one's became; the shape alone elsewhere."""
        found = _ZIP.fullmatch(value.strip())
        state = zip_codes().get(found[1]) if found else None
        pool = _zips_of(next(iter(self._states(state)), state)) if state in STATES else ()
        for number in self._drawing.numbers("postcode", value):
            if found and pool:
                yield pool[number % len(pool)] + reshaped(found[2] or "", number)
            elif any(map(str.isalnum, value)):
                yield reshaped(value, number)
            else:
                return

    def streets(self, value: str) -> Iterator[str]:
        """Other names and numbers; words for a kind of street, a box or a floor stay."""
        own = [
            word for word in _WORD.findall(value) if word.isdecimal() or not _is_street_word(word)
        ]
        if not own:
            return
        words = {
            word: made_up_words(self._drawing, "street", folded(word))
            for word in own
            if not word.isdecimal()
        }
        for number in self._drawing.numbers("street", folded(value)):
            drawn = {word: _capitals(word, next(made_up)) for word, made_up in words.items()}
            drawn |= {
                word: reshaped(word, number) for word in own if word.isdecimal() or len(word) == 1
            }
            yield with_words(value, drawn)

    @cached_property
    def _round_trip(self) -> list[str]:
        return self._drawing.ordered(sorted(STATES), "states")

    def _states(self, code: str) -> Iterator[str]:
        """Other states, one after the other in a keyed round, so that no two states become the same
        one."""
        round_trip = self._round_trip
        place = round_trip.index(code)
        for step in range(1, len(round_trip)):
            other = round_trip[(place + step) % len(round_trip)]
            if not self._is_real(other) and not self._is_real(STATES[other]):
                yield other


def region_of(value: str) -> str | None:
    """The region of a town, or of a ZIP code; elsewhere the country; None where neither is known.

    Example:
        >>> region_of("Boston"), region_of("Lyon"), region_of("02151")
        ('Massachusetts', 'France', '021**')
    """
    found = _ZIP.fullmatch(value.strip())
    if found:
        return f"{found[1][:3]}**"
    country, _, code = towns().get(folded(value), "").partition(" ")[0].partition("-")
    if code in STATES:
        return STATES[code]
    name = _names_of_countries().get(country)
    return None if name is None else name.title()


def whole_degrees(value: str) -> str | None:
    """Coordinates cut to whole degrees, some 100 km; None where they are not written in decimals.

    Example:
        >>> whole_degrees("42.3601, -71.0589")
        '42, -71'
    """
    return _DECIMALS.sub("", value) if len(_DEGREES.findall(value)) >= 2 else None


def _state(value: str) -> str | None:
    return value.upper() if value.upper() in STATES else _codes().get(folded(value))


@cache
def _codes() -> dict[str, str]:
    return {folded(name): code for code, name in STATES.items()}


@cache
def _other_regions(country: str) -> tuple[str, ...]:
    """The regions that are surely not one of the country under another name. They are those of the
    same country where each has one, else those of other countries."""
    within = country in _ONE_NAME
    return tuple(sorted(name for name, of in regions().items() if (of == country) == within))


def _other_size(size: str) -> str:
    """The size in which a town of this size has no other name."""
    return str(int(size) - 1) if int(size) >= _KNOWN_ABROAD else size


def _may_be_one(name: str, other: str) -> bool:
    """Whether two names may be of one place: they share a word, or one holds the other."""
    if not {word for word in name.split() if len(word) >= _TELLING}.isdisjoint(other.split()):
        return True
    short, long = sorted((name.replace(" ", ""), other.replace(" ", "")), key=len)
    return len(short) >= _TELLING and short in long


@cache
def _towns_by_place() -> dict[tuple[str, str], list[str]]:
    out: dict[tuple[str, str], list[str]] = {}
    for name, entry in sorted(towns().items()):
        where, _, size = entry.partition(" ")
        out.setdefault((where, size), []).append(name)
        if "-" in where:
            out.setdefault((where.partition("-")[0], size), []).append(name)
    return out


def _towns_of(where: str, size: str) -> list[str]:
    return _towns_by_place().get((where, size), [])


@cache
def _zips_by_state() -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for code, state in sorted(zip_codes().items()):
        out.setdefault(state, []).append(code)
    return out


def _zips_of(state: str | None) -> list[str]:
    return _zips_by_state().get(state or "", [])


@cache
def _names_of_countries() -> dict[str, str]:
    """Two letters → the longest usual name without brackets."""
    out: dict[str, str] = {}
    for name, code in sorted(
        countries().items(), key=lambda pair: (len(pair[0]) < 4, len(pair[0]), pair[0])
    ):
        if name.isascii():
            out.setdefault(code, name)
    return out


def _is_street_word(word: str) -> bool:
    return folded(word) in street_words() or folded(word) in _IN_STREETS


def _capitals(value: str, name: str) -> str:
    """The name in capitals as the value has them; small only where the value is."""
    if value.isupper() and len(value) > 1:
        return name.upper()
    return name.lower() if value.islower() else name.title().replace("'S", "'s")
