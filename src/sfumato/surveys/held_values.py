"""Fields whose text holds the value of another field: "Boston case 41" beside the city.

Of each text, the first value of the other field that is in it, the longest one there, is a field of
its own. What that field determines is counted as for any pair, so that one value in most rows, or a
word in every text, is no evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from .coded_rows import MISSING, CodedField, Codes

MOST_VALUES = 1_000
"""A field with more values is compared on a sample of its rows alone."""
_SIGNS = re.compile(r"[\W_]+")
SHORTEST = 3
"""A shorter value must be a word of its own."""


class HeldValues:
    """Finds the values of a field in the texts of others."""

    def __init__(self, field: CodedField) -> None:
        plain = tuple(map(plain_text, field.values)) if field.distinct <= MOST_VALUES else ()
        self._values = field.values
        self._place = {each: code for code, each in enumerate(plain) if each}
        alike = np.array([*(self._place.get(each, MISSING) for each in plain), MISSING])
        self._meant = alike[field.codes] if plain else field.codes
        words = sorted(self._place, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_pattern, words)))

    def held_by(self, text: CodedField, glance: Codes, glanced: Sequence[str]) -> CodedField | None:
        """The value that each text holds, by the name of the text; None where the texts of some
        rows, which are given in plain, rule it out."""
        if len(self._place) < 2:
            return None
        found, meant = self._found(glanced), self._meant[glance]
        there = (found != MISSING) & (meant != MISSING)
        if there.sum() < 2 or (found[there] != meant[there]).mean() > 0.1:
            return None
        codes = np.append(self._found([*map(plain_text, text.values)]), MISSING)[text.codes]
        return CodedField(text.name, codes, self._values).only(np.arange(len(codes)))

    def _found(self, texts: Sequence[str]) -> Codes:
        matches = map(self._pattern.search, texts)
        codes = (MISSING if each is None else self._place[each.group()] for each in matches)
        return np.fromiter(codes, np.int64, len(texts))


def _pattern(word: str) -> str:
    return re.escape(word) if len(word) >= SHORTEST else rf"\b{re.escape(word)}\b"


def plain_text(text: str) -> str:
    """A text in small letters and digits, its words apart.

    Example:
        >>> plain_text("St. John's, 41")
        'st john s 41'
    """
    return _SIGNS.sub(" ", text.casefold()).strip()
