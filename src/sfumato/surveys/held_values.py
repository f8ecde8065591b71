"""Fields whose text holds the value of another field: "Boston case 41" beside the city.

Of each text, one value of the other field that is in it is a field of its own: the first value of
the text, or the second number, or the last, whichever is the other field's own in most rows. What that
field determines is counted as for any pair, so that one value in most rows, or a word in every
text, is no evidence.

Numbers are found as whole numbers of a text, dates also where the text writes them in another
way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date

import numpy as np

from .coded_rows import MISSING, CodedField, Codes, Numbers, number_of

MOST_VALUES = 1_000
"""A field with more values is compared on a sample of its rows alone."""
_SIGNS = re.compile(r"[\W_]+")
_TOKENS = re.compile(r"\d+|[^\W\d_]+")
SHORTEST = 3
"""A shorter value must be a word of its own."""
_PLACES = (0, 1, 2, -1, -2, -3)
"""Which of the values in a text may be the one that it holds."""
_DATE_FORMS = (
    "%Y-%m-%d",
    "%Y%m%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d %Y",
    "%B %d %Y",
)
_PADDING = re.compile(r"(?<!\d)0(?=\d(?!\d))")


class HeldValues:
    """Finds the values of a field in the texts of others. `numbers` has the field's rows as
    numbers or days, where it holds these."""

    def __init__(self, field: CodedField, numbers: Numbers | None = None) -> None:
        known = field.values if field.distinct <= MOST_VALUES else ()
        plain = tuple(map(plain_text if numbers is None else _spaced, known))
        self._values = field.values
        self._place = {each: code for code, each in enumerate(plain) if each}
        alike = np.array([*(self._place.get(each, MISSING) for each in plain), MISSING])
        self._meant = alike[field.codes] if plain else field.codes
        self._many = len(self._place)
        self._find: Callable[[str], Iterator[int]]
        if numbers is None:
            words = sorted(self._place, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(_pattern, words)))
            self._find = self._words_in
        else:
            other = ways_of_writing(field, numbers) if known else {}
            for code in alike[: len(known)].tolist():
                for way in other.get(code, ()):
                    self._place.setdefault(_spaced(way), code)
            self._longest = max((each.count(" ") + 1 for each in self._place), default=0)
            self._find = self._numbers_in

    def held_by(self, text: CodedField, glance: Codes, glanced: Sequence[str]) -> CodedField | None:
        """The value that each text holds, by the name of the text; None where the texts of some
        rows, which are given in plain, rule it out."""
        if self._many < 2:
            return None
        meant = self._meant[glance]
        held = [[*self._find(each)] for each in glanced]
        right, place, among_all = max(
            (_rows_right(_at(held, place, among_all=among_all), meant), place, among_all)
            for place in _PLACES
            for among_all in (False, True)
        )
        if right < 2:
            return None
        found = [[*self._find(plain_text(each))] for each in text.values]
        every = _at(found, place, among_all=among_all)
        codes = np.append(every, MISSING)[text.codes]
        return CodedField(text.name, codes, self._values).only(np.arange(len(codes)))

    def _words_in(self, text: str) -> Iterator[int]:
        for found in self._pattern.finditer(text):
            yield self._place[found.group()]

    def _numbers_in(self, text: str) -> Iterator[int]:
        """Numbers and dates, the longest one at each place; MISSING for a number that is no
        value."""
        tokens, at = _TOKENS.findall(text), 0
        while at < len(tokens):
            width = min(self._longest, len(tokens) - at)
            while width and " ".join(tokens[at : at + width]) not in self._place:
                width -= 1
            if width:
                yield self._place[" ".join(tokens[at : at + width])]
            elif tokens[at].isdecimal():
                yield MISSING
            at += max(1, width)


def _at(held: Sequence[Sequence[int]], place: int, *, among_all: bool) -> Codes:
    """The value at one place of each text, among its values or among all of its numbers; MISSING
    where there are fewer."""
    least = place + 1 if place >= 0 else -place
    if not among_all:
        held = [[code for code in each if code != MISSING] for each in held]
    codes = (each[place] if len(each) >= least else MISSING for each in held)
    return np.fromiter(codes, np.int64, len(held))


def _rows_right(found: Codes, meant: Codes) -> int:
    """In how many rows a text holds the other field's own value; none if it often holds another."""
    there = (found != MISSING) & (meant != MISSING)
    right = int((found[there] == meant[there]).sum())
    return right if right >= 0.9 * there.sum() else 0


def _pattern(word: str) -> str:
    return re.escape(word) if len(word) >= SHORTEST else rf"\b{re.escape(word)}\b"


def plain_text(text: str) -> str:
    """A text in small letters and digits, its words apart.

    Example:
        >>> plain_text("St. John's, 41")
        'st john s 41'
    """
    return _SIGNS.sub(" ", text.casefold()).strip()


def _spaced(text: str) -> str:
    """A text as its numbers and words.

    Example:
        >>> _spaced("ZIP02160-14")
        'zip 02160 14'
    """
    return " ".join(_TOKENS.findall(text.casefold()))


def ways_of_writing(field: CodedField, numbers: Numbers) -> dict[int, tuple[str, ...]]:
    """Other ways of writing the numbers or dates of a field, by the code of the value.

    Example:
        >>> born = CodedField("born", np.array([0]), ("1997-03-04",))
        >>> ways_of_writing(born, born.numbers())[0][2:5]
        ('19970304', '04.03.1997', '4.3.1997')
        >>> zips = CodedField("zip", np.array([0]), ("02160",))
        >>> ways_of_writing(zips, zips.numbers())
        {0: ('2160',)}
    """
    codes, rows = np.unique(field.codes, return_index=True)
    out: dict[int, tuple[str, ...]] = {}
    for code, number in zip(codes.tolist(), numbers[rows].tolist(), strict=True):
        if code == MISSING or not np.isfinite(number):
            continue
        if _is_number(field.values[code], number):
            out[code] = (str(int(number)) if number.is_integer() else repr(number),)
        else:
            written = map(date.fromordinal(int(number)).strftime, _DATE_FORMS)
            out[code] = tuple(
                dict.fromkeys(way for each in written for way in (each, _PADDING.sub("", each)))
            )
    return out


def _is_number(text: str, number: float) -> bool:
    """Whether a number is what a text writes, and not the day that it means."""
    try:
        return number_of(text) == number
    except ValueError:
        return False
