"""Names of recipients and groups: those that are one name, and those that only look alike.

Case, accents, scripts, marks, the order of words, legal forms and words such as *of* never
distinguish two names: what they hold is judged as one. Names that look alike otherwise may be one
recipient or two, and somebody declares which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from sfumato.confusables import skeleton

ALIKE: Final = 0.85
"""The share of letters from which two names are taken to look alike."""
_SMALL_WORDS: Final = frozenset(
    "the of and for at in on to de der die das den du des la le les el los van von voor und et".split()
)
_LEGAL_FORMS: Final = frozenset(
    "ltd limited inc incorporated corp corporation co company llc llp lp plc pty pte gmbh mbh ag kg kgaa ug ohg gbr ev "
    "eg bv nv vof cv sa sas sasu sarl sca sl slu srl spa snc oy oyj ab asa aps as kft zrt nyrt doo dd sro spzoo ooo "
    "oao zao kk gk stichting vzw asbl se cic cio".split()
)
"""Words that do not distinguish one organisation from another."""
_DOTTED: Final = re.compile(r"\b\w(?:[./]\s?\w)+\b\.?")
"""Initials with marks between them: B.V., e. V., A/S."""
_NUMBERS: Final = {
    word: str(at)
    for names in (
        "one two three four five six seven eight nine ten",
        "i ii iii iv v vi vii viii ix x",
    )
    for at, word in enumerate(names.split(), 1)
}
_ALIKE_IN_PRINT: Final = (("rn", "m"), ("vv", "w"), ("0", "o"), ("1", "l"), ("i", "l"), ("5", "s"))
"""Letters and digits of ASCII that are easily read as one another."""


def folded(name: str) -> str:
    """A name without case, accents, scripts, blanks and marks, by which spellings are compared."""
    return "".join(each for each in skeleton(name) if each.isalnum()) or name


@lru_cache(maxsize=1 << 12)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a name that distinguish it, in their order, without case and accents."""
    plain = _DOTTED.sub(lambda found: re.sub(r"[\W_]", "", found[0]) + " ", skeleton(name))
    words = "".join(each if each.isalnum() else " " for each in plain).split()
    told = tuple(each for each in words if each not in _SMALL_WORDS | _LEGAL_FORMS)
    return told or tuple(words)


@lru_cache(maxsize=1 << 16)
def recipient_key(name: str) -> str:
    """The spelling by which one recipient is known, whatever the order of its words."""
    return "".join(sorted(name_words(name))) or name


@lru_cache(maxsize=1 << 16)
def look_alike(one: str, other: str) -> bool:
    """Whether two names may be spellings of one recipient, though their words are not the same: the
    same letters but for blanks or print, nearly the same letters, some words of the other, its
    initials, or abbreviations of its words.

    Example:
        >>> look_alike("Inst. for Ageing", "Institute of Ageing, Leiden"), look_alike("Lab 1", "Lab 2")
        (True, False)
    """
    mine, theirs = name_words(one), name_words(other)
    if not mine or not theirs or recipient_key(one) == recipient_key(other):
        return False
    if _in_print("".join(mine)) == _in_print("".join(theirs)) or _abridges(mine, theirs):
        return True
    if _numbered(mine) == _numbered(theirs) or _has_initials(one, other):
        return True
    if _designators(mine) != _designators(theirs):
        return False  # A number or a letter distinguishes one laboratory from the next.
    spelled = (("".join(words), " ".join(sorted(words))) for words in (mine, theirs))
    return any(
        SequenceMatcher(None, first, second).ratio() >= ALIKE
        for first, second in zip(*spelled, strict=True)
    )


def _in_print(text: str) -> str:
    for written, read in _ALIKE_IN_PRINT:
        text = text.replace(written, read)
    return text


def _numbered(words: Sequence[str]) -> list[str]:
    return sorted(
        _NUMBERS.get(word, word.lstrip("0") if word.isdigit() else word) for word in words
    )


def _designators(words: Sequence[str]) -> set[str]:
    return {word for word in _numbered(words) if word.isdigit() or len(word) == 1}


def _has_initials(one: str, other: str) -> bool:
    """Whether a name, or a word of it, is the initials of the other."""
    for name, long in ((one, other), (other, one)):
        words = "".join(each if each.isalnum() else " " for each in skeleton(long)).split()
        short = {folded(name), *(word for word in name_words(name) if len(word) > 2)}
        for letters in (words, [word for word in words if word not in _SMALL_WORDS]):
            if len(letters) > 1 and "".join(word[0] for word in letters) in short:
                return True
    return False


def _abridges(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether each word of the name with fewer words is one of the other's, or abbreviates one, or
    is abbreviated by it."""
    few, many = sorted((mine, theirs), key=len)
    shortest = 3 if len(few) == 1 else 1

    def paired(rest: Sequence[str], left: Sequence[str]) -> bool:
        if not rest:
            return True
        return any(
            paired(rest[1:], (*left[:at], *left[at + 1 :]))
            for at, word in enumerate(left)
            if rest[0] == word
            or _abbreviates(rest[0], word, shortest)
            or _abbreviates(word, rest[0], shortest)
        )

    return len(few) <= 8 and paired(few, many)


def _abbreviates(short: str, long: str, shortest: int) -> bool:
    """Whether a word is the beginning of another, or has its first and last letter and some between
    in their order."""
    if not shortest <= len(short) < len(long) or not short.isalpha() or not long.isalpha():
        return False
    if long.startswith(short):
        return True
    letters = iter(long)
    return (
        len(short) > 2
        and (short[0], short[-1]) == (long[0], long[-1])
        and all(each in letters for each in short)
    )
