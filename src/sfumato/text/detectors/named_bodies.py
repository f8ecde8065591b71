"""How far the name of a hospital, a firm or a court reaches from the word for its kind."""

from __future__ import annotations

from collections.abc import Container

from ..lexicons import words
from ..word_reading import LETTER, WordReading
from .name_evidence import DEGREES, MONTHS_AND_DAYS, TITLES

_LINKS = frozenset(
    "of the for and & de la le del della des du di da der van von in al y et und".split()
)
_LINKS_BEFORE = _LINKS - frozenset({"of", "the", "for", "in"})
"""To the left, "of" leads too far: "a judge of the Supreme Court", "Rules of Court"."""
_GAPS = frozenset({" ", "-", " & ", ". ", "\u00a0", "’ ", "' ", ".", "., "})
_NO_PART = frozenset(
    "the a an this that these those his her their my our your he she it we they at in on "
    "by for from to of with and "
    "or but as is was were when while after before during since until dear re cc i if per "
    "via see saw discharged "
    "admitted transferred contact call visit seen each every any some no all both another "
    "such same other yesterday "
    "today tomorrow later earlier however then also".split()
)
_STOP_AFTER = frozenset({". ", "."})
_SHORT = frozenset("st mt ft dr u s med gen mem univ hosp reg natl comm meth bapt presb".split())


def first_word(
    read: WordReading, head: int, *, most: int = 6, stops: Container[str] = frozenset()
) -> int:
    """Where a name that ends with the head begins: capitalised words to its left, with small words
    between two of them.

    Example:
        >>> from sfumato.text import Document
        >>> from sfumato.text.word_reading import reading
        >>> read = reading(Document("seen at the Hospital for Sick Children and at St. John's Hospital"))
        >>> first_word(read, 11)
        9
    """
    first, at, linked = head, head, 0
    while at > 0 and head - at < most:
        gap = read.gap(at - 1)
        if gap not in _GAPS or (gap in _STOP_AFTER and not _is_abbreviation(read, at - 1)):
            break
        at -= 1
        fold = read.folds[at]
        if fold in _LINKS_BEFORE and not read.is_capital(at):
            linked += 1
            if linked > 2:
                break
            continue
        if (
            not read.is_capital(at)
            or fold in _NO_PART
            or fold in TITLES
            or fold in MONTHS_AND_DAYS
            or fold in stops
        ):
            break
        first, linked = at, 0
    return _without_opening(read, first, head)


def _without_opening(read: WordReading, first: int, head: int) -> int:
    """Without an ordinary word that has its capital only from opening the sentence: "Worked for
    Marina Corp"."""
    common = words().get(read.folds[first], "0")
    if first < head and read.opens(first) and common >= "3" and not _is_abbreviation(read, first):
        following = next((at for at in range(first + 1, head + 1) if read.is_capital(at)), head)
        if (following > first + 1 and read.folds[first + 1] != "of") or (
            common >= "5" and following < head
        ):
            return following
    return first


def last_word(read: WordReading, head: int, *, most: int = 6, needs_link: bool = False) -> int:
    """Where a name that begins with the head ends: "University of North Carolina".

    With `needs_link` nothing is added but behind "of", "for" or the like: in "St. John's Hospital
    CH#32" nothing is."""
    last, at, linked = head, head, 0
    if needs_link and (
        head + 1 >= len(read) or read.folds[head + 1] not in _LINKS or read.is_capital(head + 1)
    ):
        return head
    while at + 1 < len(read) and at - head < most:
        if read.gap(at) not in (" ", "-", " & ", "’ ", "' ") and not (
            read.gap(at) == ". " and read.shapes[at] == LETTER
        ):
            break
        at += 1
        fold = read.folds[at]
        if fold in _LINKS and not read.is_capital(at):
            linked += 1
            if linked > 2 or fold in ("and", "in", "al"):
                break
            continue
        if not read.is_capital(at) or fold in TITLES or fold in DEGREES or fold in MONTHS_AND_DAYS:
            break
        last, linked = at, 0
    return last


def _is_abbreviation(read: WordReading, place: int) -> bool:
    return read.shapes[place] == LETTER or read.folds[place] in _SHORT
