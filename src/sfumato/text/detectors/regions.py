"""States, provinces, counties and other regions, by name, and by their letters in an address."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import first_names, last_names, region_codes, regions, towns, words
from ..word_reading import CAPS, LETTER, WordReading, reading
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .name_evidence import NEVER, TITLES

_ZIP = re.compile(r"[ \t,.]{1,3}\d{5}(?!\d)")
_COUNTY = frozenset(
    "county province prefecture oblast voivodeship parish canton district governorate krai region".split()
)
_CUES = frozenset("in from near to across of throughout state province region county".split())
_DEGREES = frozenset({"MD", "DO", "PA", "MA"})
_WORDS_TOO = frozenset(
    "IN OR ME HI OK OH MA PA AL DE LA ID MD MS VI ON AB PE SA ACT VIC CO MT AS QC".split()
)


class Regions:
    """Looks at each capitalised word for a region's name, for letters behind a town, and for "…
    County"."""

    name = "regions"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        skip = -1
        for place in read.capitals:
            if place <= skip or read.shapes[place] == LETTER:
                continue
            if (size := read.longest(place, regions, most=5) or _one(read, place)) and (
                score := _score(read, place, size)
            ) >= 0.3:
                skip = place + size - 1
                end = read.bare(skip)[1]
                yield Bid(
                    read.starts[place],
                    end,
                    ReferenceKind.REGION,
                    round(score, 3),
                    self.name,
                    "the name of a region",
                )
            elif read.shapes[place] == CAPS and (score := _letters(read, place)):
                yield Bid(
                    read.starts[place],
                    read.ends[place],
                    ReferenceKind.REGION,
                    score,
                    self.name,
                    "a region's letters",
                )
        yield from self._counties(read)

    def _counties(self, read: WordReading) -> Iterator[Bid]:
        """Worcester County, Rostov Oblast: any capitalised word before such a word with a
        capital."""
        for place in read.places(_COUNTY):
            name = place - 1
            if (
                name >= 0
                and read.is_capital(place)
                and read.is_capital(name)
                and read.gap(name) == " "
            ):
                if read.folds[name] in NEVER or words().get(read.folds[name], "0") >= "3":
                    continue
                first = (
                    name - 1
                    if name and read.is_capital(name - 1) and read.gap(name - 1) in (" ", "-")
                    else name
                )
                if read.folds[first] in NEVER or (
                    first != name and words().get(read.folds[first], "0") >= "5"
                ):
                    first = name
                yield Bid(
                    *read.span(first, place),
                    ReferenceKind.REGION,
                    0.85,
                    self.name,
                    "before the word for a region",
                )


def _one(read: WordReading, place: int) -> int:
    return 1 if read.bares[place] in regions() else 0


def _score(read: WordReading, place: int, size: int) -> float:
    last = place + size - 1
    phrase = " ".join([*read.folds[place:last], read.bares[last]])
    behind_town = (
        place > 0 and read.before(place) in (", ", " (", ",") and _is_town(read, place - 1)
    )
    if size > 1:
        return 0.9
    if read.shapes[place] == CAPS and len(phrase) < 5 and not read.shouts(place):
        return 0.0
    cue = read.cue(place)
    if phrase in NEVER or cue in TITLES:
        return 0.0
    score = 0.75 + 0.1 * (cue in _CUES) + 0.2 * behind_town
    if not behind_town:
        score -= 0.08 * int(first_names().get(phrase, "x0")[1]) + 0.06 * int(
            words().get(phrase, "0")
        )
        score -= 0.04 * int(last_names().get(phrase, "0"))
        if (
            place + 1 < len(read)
            and read.gap(place) == " "
            and read.is_capital(place + 1)
            and first_names().get(phrase)
        ):
            score -= 0.2
    return min(score, 0.95)


def _is_town(read: WordReading, place: int) -> bool:
    return read.is_capital(place) and (
        read.folds[place] in towns()
        or (place > 0 and f"{read.folds[place - 1]} {read.folds[place]}" in towns())
    )


def _letters(read: WordReading, place: int) -> float:
    """Letters such as MA count behind a town and a comma, or before a ZIP code."""
    code = read.text[read.starts[place] : read.ends[place]]
    if code not in region_codes():
        return 0.0
    zip_follows = _ZIP.match(read.text, read.ends[place]) is not None
    comma = (
        place > 0 and read.before(place) in (", ", ",", ",\n", ",  ") and read.is_capital(place - 1)
    )
    if (
        comma
        and not zip_follows
        and code in _DEGREES
        and read.is_capital(place - 2)
        and read.gap(place - 2) in (" ", "-")
    ):
        return 0.0  # Ann Lee, MD; Ann Lee-Moss, MD
    if comma and _is_town(read, place - 1):
        return 0.97 if zip_follows else 0.9
    if zip_follows and (comma or code not in _WORDS_TOO):
        return 0.9
    cue = read.folds[place - 1] if place and read.gap(place - 1) == " " else ""
    return (
        0.6
        if cue in ("in", "from") and code not in _WORDS_TOO
        else 0.5
        if comma and code not in _WORDS_TOO
        else 0.0
    )


DECLARATION = DetectorDeclaration(
    key="regions",
    doc="states, provinces, counties and other regions",
    kinds=(ReferenceKind.REGION,),
    basis=Basis.WORDS,
    make=Regions,
    order=290,
    gives_way_below=ALWAYS,
)
