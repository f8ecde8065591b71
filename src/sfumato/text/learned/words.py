"""The features of a word by itself: its letters, its shape, and its lexicons; as numbers that name
features."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final
from zlib import crc32

from sfumato.text import lexicons

from .cues import CLINIC, COURT, CUES, TITLES

PAD: Final = "\0"
"""The edge before and after every text, which a text's first and last words see."""

_ASCII: Final = str.maketrans(
    ascii_uppercase + ascii_lowercase + digits, "X" * 26 + "x" * 26 + "0" * 10
)
_ALIKE: Final = re.compile(r"([^0])\1\1+")
_DIGITS: Final = re.compile("0{10,}")
_TAGS: Final = {word: tag for tag, words in reversed(CUES.items()) for word in words}


@dataclass(frozen=True, slots=True)
class WordFacts:
    """One word form: keys of the features that use it from a distance, those that use only itself,
    and parts of features that join it with its neighbours."""

    far: tuple[int, ...]
    near: tuple[int, ...]
    own: tuple[int, ...]
    lower: int
    shape: int
    known: int
    flags: int


ALNUM, LOWER, TITLE, COURT_WORD, CLINIC_WORD, CAPITAL = 1, 2, 4, 8, 16, 32


def key(text: str) -> int:
    """The 32 bits that name a feature in the file of weights."""
    return crc32(text.encode("utf-8", "replace"))


def facts(word: str) -> WordFacts:
    """All that is looked at in one word. `far` features are seen from two words away and less,
    `near` from one, `own` only at the word."""
    lower = word.lower()
    shape = shape_of(word)
    known, grades = _known(lower)
    far = [f"w={lower}", f"s={shape}", f"k={known}"]
    near = [*grades, f"v={shape[:2]}{known}"]
    own = [f"W={word}", f"n={len(word) if len(word) < 12 else 12}"]
    if word.isalnum() and not word.isdecimal():
        near.append(f"x3={lower[-3:]}")
        own += [
            f"x2={lower[-2:]}",
            f"x4={lower[-4:]}",
            f"p2={lower[:2]}",
            f"p3={lower[:3]}",
            f"p4={lower[:4]}",
        ]
        own.append(f"xs={lower[-3:]}{shape}")
    elif word.isdecimal():
        near.append(f"d={_number(word)}")
    return WordFacts(
        far=tuple(map(key, far)),
        near=tuple(map(key, near)),
        own=tuple(map(key, own)),
        lower=key(far[0]),
        shape=key(far[1]),
        known=key(far[2]),
        flags=_flags(word, lower),
    )


def shape_of(word: str) -> str:
    """Capitals, small letters and digits as X, x and 0; at most three alike in a row, digits up to
    nine.

    Example:
        >>> shape_of("McDonald"), shape_of("JP456789"), shape_of("1994"), shape_of("é")
        ('XxXxx', 'XX000000', '0000', 'x')
    """
    shape = word[:24].translate(_ASCII) if word.isascii() else "".join(map(_mark, word[:24]))
    return _ALIKE.sub(r"\1\1", _DIGITS.sub("0" * 9, shape)) if len(shape) > 2 else shape


def _mark(letter: str) -> str:
    return (
        "0"
        if letter.isdigit()
        else "X"
        if letter.isupper()
        else "x"
        if letter.isalpha()
        else letter
    )


def _number(word: str) -> str:
    """The possible meaning of a number of digits: a day, a month, a year, an age or more."""
    if len(word) > 4:
        return str(min(len(word), 10))
    value = int(word)
    if len(word) == 4:
        return "year" if 1900 <= value < 2040 else "old" if 1700 <= value < 1900 else "4"
    return (
        "month"
        if 0 < value <= 12
        else "day"
        if value <= 31
        else "age"
        if 31 < value < 90
        else "over" + str(len(word))
    )


def _flags(word: str, lower: str) -> int:
    return (
        ALNUM * word.isalnum()
        | LOWER * word.islower()
        | TITLE * (lower in TITLES)
        | COURT_WORD * (lower in COURT)
        | CLINIC_WORD * (lower in CLINIC)
        | CAPITAL * word[:1].isupper()
    )


def _known(lower: str) -> tuple[str, list[str]]:
    """The evidence of lexicons and cues, in one short code and as single features."""
    if not lower[0].isalpha():
        return ("0" if lower[0].isdigit() else "?" + lower[0]), []
    bare = lexicons.folded(lower)
    grades = list(_grades(bare))
    cue = _TAGS.get(lower)
    if cue is not None:
        grades.append("c=" + cue)
    code = "".join(_coarse(grade) for grade in grades)
    return code or "-", grades


def _coarse(grade: str) -> str:
    """Names and words in two grades, the rest as it is."""
    tag, level = grade[0], grade[1:]
    if tag in "flw":
        return tag + ("1" if level[-1] < "3" else "3")
    return grade


def _grades(bare: str) -> Iterator[str]:
    """The evidence of each lexicon of words: its letter, and a grade where it has some."""
    if first := lexicons.first_names().get(bare):
        yield "f" + first[-1]
    if last := lexicons.last_names().get(bare):
        yield "l" + last
    if town := lexicons.towns().get(bare):
        yield "t" + _size(town)
    yield from (tag + "+" for tag, book in _places() if bare in book)
    if ordinary := lexicons.words().get(bare):
        yield "w" + ordinary
    if bare in lexicons.medical_words() or bare in lexicons.drugs():
        yield "m+"
    if bare in lexicons.professions():
        yield "P+"
    if bare in lexicons.street_words():
        yield "S+"


@cache
def _places() -> tuple[tuple[str, Container[str]], ...]:
    """Lexicons of places and of the people who come from them, each with a letter."""
    return (
        ("q", lexicons.town_part_words()),
        ("r", lexicons.regions()),
        ("R", frozenset(name.lower() for name in lexicons.region_codes())),
        ("C", lexicons.countries()),
        ("D", lexicons.demonyms()),
        ("F", lexicons.faiths_and_peoples()),
    )


def _size(value: str) -> str:
    """A town's size, from its number of digits."""
    return "5" if value[-1] >= "6" or value[-2:].isdigit() else "1"
