"""The gender of a name in a text: by a title, a word for a relative, or a pronoun.

It counts for names that the lexicons do not have, or have for both. A name with different genders
in two places of a person's documents has none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .real_values import untitled, words_of

_FEMALE: Final = (
    "mrs|ms|miss|madam|mme|frau|señora|sra|wife|mother|mom|mum|mommy|daughters?|sisters?|aunts?|"
    "grandmother|grandma|granddaughters?|nieces?|girlfriend|bride|widow|stepmother|stepdaughter|"
    "mother-in-law|daughter-in-law|sister-in-law"
)
_MALE: Final = (
    "mr|sir|herr|monsieur|señor|husband|father|dad|daddy|sons?|brothers?|uncles?|grandfather|"
    "grandpa|grandsons?|nephews?|boyfriend|groom|widower|stepfather|stepson|father-in-law|son-in-law|"
    "brother-in-law"
)
_BEFORE = re.compile(
    rf"(?i:(?<![\w-])(?:(?P<f>{_FEMALE})|(?P<m>{_MALE}))(?: (?:named|called|is|was))?[.,:(]? ?[(]?)\Z"
)
_JOINED = re.compile(r"(?:, | and |, and | & )\Z")
_PRONOUN = re.compile(r"(?i)\b(?:(?P<f>she|her|hers|herself)|(?P<m>he|him|his|himself))\b")
_SENTENCE = re.compile(r"[.!?](?:\s|\Z)|\n")
_REACH: Final = 60
Genders = Mapping[str, str]


def told_genders(marked: Iterable[tuple[Document, Iterable[Bid]]]) -> dict[str, str]:
    """First word of each name, as lexicons spell it → `f` or `m`.

    Example:
        >>> text = "Lives with wife Kim and sons Teo and Bram. Ash said that he is well."
        >>> places = [text.index(name) for name in ("Kim", "Teo", "Bram", "Ash")]
        >>> bids = [Bid(at, at + len(n), ReferenceKind.NAME, 0.9, "x")
        ...         for at, n in zip(places, ("Kim", "Teo", "Bram", "Ash"))]
        >>> told_genders([(Document(text), bids)])
        {'kim': 'f', 'teo': 'm', 'bram': 'm', 'ash': 'm'}
    """
    told: dict[str, set[str]] = {}
    for document, bids in marked:
        names = sorted(bid for bid in bids if bid.kind is ReferenceKind.NAME)
        last: tuple[int, str] = (-1, "")
        for place, bid in enumerate(names):
            follows = names[place + 1].start if place + 1 < len(names) else len(document.text)
            gender = _before(document.text, bid, last)
            last = (bid.end, gender)
            gender = gender or _behind(document.text, bid.end, min(follows, bid.end + _REACH))
            parts = words_of(untitled(document.text[bid.start : bid.end]))
            if gender and parts:
                told.setdefault(parts[0], set()).add(gender)
    return {part: genders.pop() for part, genders in told.items() if len(genders) == 1}


def _before(text: str, bid: Bid, last: tuple[int, str]) -> str:
    """By a title or a relative's word before, or by the gender of the name before it in a list."""
    name = untitled(text[bid.start : bid.end])
    start = bid.end - len(name)
    found = _BEFORE.search(text, max(0, start - 30), start)
    if found:
        return "f" if found["f"] else "m"
    end, gender = last
    return gender if 0 <= end < start and _JOINED.fullmatch(text, end, start) else ""


def _behind(text: str, start: int, end: int) -> str:
    """By the first pronoun behind the name in its sentence, before another name."""
    stop = _SENTENCE.search(text, start, end)
    found = _PRONOUN.search(text, start, stop.start() if stop else end)
    return "" if found is None else "f" if found["f"] else "m"
