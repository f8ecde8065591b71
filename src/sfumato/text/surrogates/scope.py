"""All surrogates of one scope, usually one person's documents, planned together.

Values are taken in the order of the alphabet, not in that of the text. The same values therefore
have the same surrogates whichever document is first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from unicodedata import normalize

from sfumato.keys import KeyedDraws

from ..kinds import ReferenceKind
from .ages_and_times import age_surrogate, time_surrogates
from .bodies import body_surrogates
from .contacts import email_surrogates, ip_surrogates, url_surrogates, user_name_surrogates
from .names import Cast
from .numbers import identity, number_surrogates, quantity_surrogates
from .places import Atlas, region_of, whole_degrees
from .real_values import RealValues, words_of
from .styles import PlaceStyle, Style
from .surrogate_choice import SurrogateChoice

_STAY = frozenset({ReferenceKind.REGION, ReferenceKind.COUNTRY})
"""Kinds that stay where places are cut to their region."""
_BODIES = frozenset({ReferenceKind.HOSPITAL, ReferenceKind.ORGANISATION})
LONGEST = 500
"""No reference that can be replaced has more characters; a longer one is suppressed."""
_SPELLED = re.compile(
    r"(?i)\b[a-z],? (?:as in|like|for) [a-z]+,? (?:and )?[a-z],? (?:as in|like|for) "
)
_BROKEN = re.compile("[A-Za-z][\u0591-\u1aff]|[\u0591-\u1aff][A-Za-z]")
Candidates = Callable[[str], Iterator[str]]


class Scope:
    """The surrogate of each value of a scope. Dates are not included: they move with the person's
    days.

    `avoid` has values that no surrogate may repeat, besides the scope's own. `known` has the
    surrogates that whole names and numbers were given elsewhere, as in a table. They are taken as
    they are, a number however it is written.

    Example:
        >>> values = [(ReferenceKind.NAME, "Virginia Townsend"), (ReferenceKind.PHONE, "473-1214"),
        ...           (ReferenceKind.TEAM, "Junior Gymnastics")]
        >>> scope = Scope(values, KeyedDraws(bytes(range(32))), style=Style())
        >>> [scope.surrogate(*value) is not None for value in values]
        [True, True, False]
    """

    def __init__(
        self,
        values: Iterable[tuple[ReferenceKind, str]],
        drawing: KeyedDraws,
        *,
        style: Style,
        avoid: Sequence[RealValues] = (),
        known: Mapping[str, str] | None = None,
        genders: Mapping[str, str] | None = None,
    ) -> None:
        every = sorted(set(values))
        self._style = style
        self._choosing = SurrogateChoice(RealValues(every), *avoid)
        names = [
            value for kind, value in every if kind is ReferenceKind.NAME and len(value) <= LONGEST
        ]
        given = known or {}
        self._numbers = {identity(old): new for old, new in given.items() if _has_digit(old)}
        called = {old: new for old, new in given.items() if not _has_digit(old)}
        self._cast = Cast(
            names,
            drawing,
            choosing=self._choosing,
            keep=style.keep,
            known=called,
            genders=genders,
        )
        self._atlas = Atlas(drawing, is_real=self._choosing.is_real)
        self._families = self._by_kind(drawing)
        self._planned = {(kind, value): self._plan(kind, value) for kind, value in every}

    def surrogate(self, kind: ReferenceKind, value: str) -> str | None:
        """The replacement of the value; the value itself where it stays; None where it is
        suppressed."""
        return self._planned[kind, value]

    def is_real(self, text: str) -> bool:
        return self._choosing.is_real(text)

    def _plan(self, kind: ReferenceKind, value: str) -> str | None:
        if len(value) > LONGEST:
            return None
        if _SPELLED.search(value):
            return None  # "K as in kilo": the words of the alphabet would stay.
        if kind is ReferenceKind.NAME:
            new = self._cast.surrogate(value)
            return None if new is None or _is_broken(new) else new
        if kind.is_number and identity(value) in self._numbers:
            return self._numbers[identity(value)]
        if self._style.places is PlaceStyle.REGION and kind in _STAY:
            return value
        general = self._general(kind, value)
        if general is not None:
            return None if self._choosing.is_real(general) else general
        candidates = self._families.get(kind)
        if candidates is None:
            return None
        who = identity(value) if kind.is_number else " ".join(words_of(value))
        family = (
            "body" if kind in _BODIES else kind
        )  # A clinic is the same, taken for a hospital or for a company.
        return self._choosing.choose(f"{family} {who}", value, candidates(value))

    def _general(self, kind: ReferenceKind, value: str) -> str | None:
        """A coarser value, which many may share."""
        if kind is ReferenceKind.AGE:
            return age_surrogate(value)
        if kind is ReferenceKind.COORDINATES:
            return whole_degrees(value)
        if (
            kind in (ReferenceKind.TOWN, ReferenceKind.POSTCODE)
            and self._style.places is PlaceStyle.REGION
        ):
            return region_of(value)
        return None

    def _by_kind(self, drawing: KeyedDraws) -> dict[ReferenceKind, Candidates]:
        """How a value is replaced by another of its kind. Kinds that are missing here have no such
        candidates."""
        places: dict[ReferenceKind, Candidates] = {
            ReferenceKind.TOWN: self._atlas.towns,
            ReferenceKind.REGION: self._atlas.regions,
            ReferenceKind.COUNTRY: self._atlas.countries,
            ReferenceKind.POSTCODE: self._atlas.postcodes,
        }
        return {
            **(places if self._style.places is PlaceStyle.LIKE else {}),
            **{kind: _numbered(drawing, kind) for kind in ReferenceKind if kind.is_number},
            ReferenceKind.STREET: self._atlas.streets,
            ReferenceKind.HOSPITAL: lambda value: body_surrogates(value, drawing),
            ReferenceKind.ORGANISATION: lambda value: body_surrogates(value, drawing),
            ReferenceKind.EMAIL: lambda value: email_surrogates(
                value, drawing, part=self._cast.part
            ),
            ReferenceKind.USER_NAME: lambda value: user_name_surrogates(
                value, drawing, part=self._cast.part
            ),
            ReferenceKind.URL: lambda value: url_surrogates(value, drawing),
            ReferenceKind.IP: lambda value: ip_surrogates(value, drawing),
            ReferenceKind.TIME: lambda value: time_surrogates(value, drawing),
            ReferenceKind.QUANTITY: lambda value: quantity_surrogates(value, drawing),
        }


def _is_broken(name: str) -> bool:
    """Whether signs of another script were left on Latin letters: no list has names of that
    script."""
    return _BROKEN.search(normalize("NFC", name)) is not None


def _numbered(drawing: KeyedDraws, kind: ReferenceKind) -> Candidates:
    return lambda value: number_surrogates(value, drawing, kind=kind)


def _has_digit(value: str) -> bool:
    return any(map(str.isdecimal, value))
