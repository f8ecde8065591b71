"""Places to others of like size, or to their region.

Another of like size: a region becomes another of the same country, a town another in that other
region with as many digits of people, a postcode one of that region. So an address still hangs
together. A street keeps its word for a street and the shape of its number. Towns are cut to their
region where that is asked; then regions and countries stay."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from itertools import chain, islice

from sfumato.keys import KeyedDraws

from ..lexicons import (
    countries,
    country_names,
    folded,
    region_codes,
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


class Atlas:
    """Where one scope's places go. `is_real` says which places are real ones of the collection.

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
        """Another region of the same country, written in full or in letters as this one is."""
        code = _state(value)
        if code is not None:
            for other in self._states(code):
                yield other if value.upper() in STATES else _capitals(value, STATES[other])
            return
        country = regions().get(folded(value)) or region_codes().get(value.upper())
        pool = _regions_of(country or "")
        pool = (
            [name for name in pool if name != folded(value)] if folded(value) in regions() else []
        )
        yield from (_capitals(value, name) for name in self._drawing.ordered(pool, "region"))

    def towns(self, value: str) -> Iterator[str]:
        """Another town of like size in the region that the region became; then in the country; then
        a made-up one."""
        where, _, size = towns().get(folded(value), "").partition(" ")
        country, _, code = where.partition("-")
        state = next(iter(self._states(code)), code) if code in STATES else code
        pools = (
            [_towns_of(f"{country}-{state}" if code else country, size), _towns_of(country, size)]
            if where
            else []
        )
        drawn = chain.from_iterable(
            (
                pool[number % len(pool)]
                for number in islice(self._drawing.numbers("town", folded(value)), _FROM_LEXICON)
            )
            for pool in pools
            if pool
        )
        made_up = made_up_words(self._drawing, "town", folded(value))
        yield from (_capitals(value, name) for name in chain(islice(drawn, _FROM_LEXICON), made_up))

    def countries(self, value: str) -> Iterator[str]:
        if folded(value) in countries():
            names = [
                name
                for name in country_names()
                if name.isascii() and len(name) > 3 and name != folded(value)
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
def _regions_of(country: str) -> list[str]:
    return sorted(name for name, of in regions().items() if of == country)


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
