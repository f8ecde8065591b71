"""The real values of a collection: no surrogate may repeat one, lest it point to somebody else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from unicodedata import normalize

from ..detectors.name_evidence import DEGREES, PARTICLES, TITLES
from ..kinds import ReferenceKind
from ..lexicons import folded
from ..name_spelling import name_spellings
from .bodies import GENERAL

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_NAMES_TOO = frozenset({"ben", "das", "della", "do", "le", "ma"})
"""Particles and degrees that thousands of people are called; for them an odd surrogate is better
than none."""
_EXEMPT = frozenset(
    {ReferenceKind.DATE}
)  # A shifted date is often another's real one; the shift, not the date, is hidden.


def words_of(text: str) -> list[str]:
    """The words as lexicons spell them, without a possessive ending."""
    return [folded(word).removesuffix("'s") for word in _words(text)]


def _words(text: str) -> list[str]:
    """The words as they are written, a letter and its accent as one."""
    return _WORD.findall(text if text.isascii() else normalize("NFC", text))


def is_name_part(word: str) -> bool:
    """Whether a word of a name is the person's own. It is no title, degree, particle or initial,
    unless it is a usual name too, as in "Ben Hall" and "Anh Le"."""
    if word in _NAMES_TOO:
        return True
    return len(word) > 1 and word not in TITLES and word not in PARTICLES and word not in DEGREES


def has_own_words(kind: ReferenceKind, value: str) -> bool:
    """Whether a value is specific: a title, an initial or "the hospital" alone could be anybody's.

    Example:
        >>> [has_own_words(ReferenceKind.NAME, value) for value in ("Dr.", "Prof. Dr.", "Dr. Lee")]
        [False, False, True]
        >>> has_own_words(ReferenceKind.HOSPITAL, "the General Hospital")
        False
        >>> has_own_words(ReferenceKind.PHONE, "473-1214")
        True
    """
    words = words_of(value)
    if kind is ReferenceKind.NAME:
        return any(map(is_name_part, words))
    if kind in (ReferenceKind.HOSPITAL, ReferenceKind.ORGANISATION):
        return any(word not in GENERAL for word in words)
    return bool(words)


def untitled(name: str) -> str:
    """A name without the titles before it.

    Example:
        >>> untitled("Ms. Virginia Townsend"), untitled("Prof. Dr. Hayes"), untitled("Mr.")
        ('Virginia Townsend', 'Hayes', 'Mr.')
    """
    first = next(
        (found.start() for found in _WORD.finditer(name) if folded(found.group()) not in TITLES), 0
    )
    return name[first:]


class RealValues:
    """Every value found in a collection, however written; of names also each part.

    Example:
        >>> real = RealValues([(ReferenceKind.NAME, "Ann Lee"), (ReferenceKind.PHONE, "473-1214")])
        >>> [real.holds(text) for text in ("Mr. Lee", "call 473 1214", "4731214", "Leeds", "Beth Gray")]
        [True, True, True, False, False]
        >>> real
        RealValues(values=5)
    """

    __slots__ = ("_longest", "_values")

    def __init__(self, values: Iterable[tuple[ReferenceKind, str]] = ()) -> None:
        self._values: set[str] = set()
        self._longest = 1
        self.add(values)

    def add(self, values: Iterable[tuple[ReferenceKind, str]]) -> None:
        for kind, value in values:
            if kind in _EXEMPT or not has_own_words(kind, value):
                continue  # "Dr." as a real value would forbid every surrogate with a title.
            words = words_of(value)
            self._values.add(" ".join(words))
            self._longest = max(self._longest, len(words))
            if kind.is_number:
                self._values.add("".join(words))
            if kind is ReferenceKind.NAME:
                self._values.update(filter(is_name_part, words))
                spelt = {spelling for word in _words(value) for spelling in name_spellings(word)}
                self._values.update(filter(is_name_part, spelt))

    def holds(self, text: str) -> bool:
        """Whether a real value is in the text, as whole words."""
        return self.stand_among(words_of(text))

    def stand_among(self, words: Sequence[str]) -> bool:
        """Whether a real value is made of words that follow each other among these, as lexicons
        spell them."""
        if len(words) == 1 or not self._values:
            return bool(words) and words[0] in self._values
        if "".join(words) in self._values:
            return True
        return any(
            " ".join(words[start:end]) in self._values
            for start in range(len(words))
            for end in range(start + 1, min(start + self._longest, len(words)) + 1)
        )

    def __contains__(self, word: str) -> bool:
        """Whether a single word, as lexicons spell it, is a real value or a part of a real name."""
        return word in self._values

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"RealValues(values={len(self)})"
