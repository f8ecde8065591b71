"""Towns: known by name and by the words before them, or by the region and postal code behind
them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import (
    countries,
    demonyms,
    first_names,
    last_names,
    medical_words,
    region_codes,
    regions,
    towns,
    words,
)
from ..word_reading import CAPS, LETTER, LOWER, WordReading, reading
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .name_evidence import MONTHS_AND_DAYS, NEVER, TITLES

_SURE_CUES = frozenset(
    "born lives living lived resides residing resided moved grew raised town city village "
    "municipality".split()
)
_CUES = frozenset("in from near to at around outside of via for".split())
_SIZES = {"1": 0.3, "2": 0.3, "3": 0.35, "4": 0.4, "5": 0.5, "6": 0.65, "7": 0.8, "8": 0.85}
_BEHIND = re.compile(
    r",[ \t]{0,2}\n?[ \t]{0,3}(?P<code>[A-Z]{2,3})(?![\w'’])"
    r"|,[ \t]{0,2}(?P<name>[A-Z][\w'’]{2,20}(?: [A-Z][\w'’]{2,20}){0,2})"
)
_NOT_TOWNS = frozenset(
    "street avenue road drive lane hospital clinic university college school disease "
    "syndrome virus county river "
    "government court convention".split()
)
_DIRECTIONS = frozenset(
    "north south east west new old upper lower great little saint st fort port mount lake "
    "el la los las "
    "san santa".split()
)
_ZIP = re.compile(r"[ \t]{1,3}\d{5}(?!\d)")
_CODES_TOO = frozenset("MD DO PA MA OR IN ME OK HI LA DE AL QC VI".split())
"""Letters of regions that are degrees or words too."""


class Towns:
    """Looks at each capitalised word for a town's name; how large the town is, and what else the
    word is, decide."""

    name = "towns"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        skip = -1
        for place in read.capitals:
            if place <= skip or read.shapes[place] == LETTER:
                continue
            size = read.longest(place, towns, most=4) or _one(read, place)
            behind = self._with_region(read, place, max(size, 1))
            if behind is not None:
                skip = place + max(size, 1) - 1
                yield behind
            elif size and (score := _score(read, place, size)) >= 0.3:
                last = place + size - 1
                skip = last
                end = read.bare(last)[1]
                yield Bid(
                    read.starts[place],
                    end,
                    ReferenceKind.TOWN,
                    round(score, 3),
                    self.name,
                    "the name of a town",
                )
        if read.is_caseless:
            yield from self._without_capitals(read)

    def _with_region(self, read: WordReading, place: int, size: int) -> Bid | None:
        """Boston, MA: also a town that no lexicon has, if a region's letters and not another word
        follow."""
        last = place + size - 1
        end = read.ends[last]
        if read.text[end : end + 1] != "," or (found := _BEHIND.match(read.text, end)) is None:
            return None
        code, name = found.group("code"), found.group("name")
        known = read.longest(place, towns, most=4) == size
        if name is not None:
            after = " ".join(name.lower().split())
            is_place = any(
                part in regions() or part in countries()
                for part in (after, after.partition(" ")[0])
            )
            if not (known and is_place):
                return None
        elif (
            code not in region_codes()
            or _is_no_town(read, place)
            or (code in _CODES_TOO and not known and not _ZIP.match(read.text, found.end()))
        ):
            return None
        first = place if known else _back(read, place)
        return Bid(
            read.starts[first],
            end,
            ReferenceKind.TOWN,
            0.96 if known else 0.88,
            self.name,
            "before a region",
        )

    def _without_capitals(self, read: WordReading) -> Iterator[Bid]:
        """In a text without capitals: a large town that is no ordinary word nor a name, behind a
        cue."""
        for cue in read.places(("in", "from", "near", "at", "to")):
            place = cue + 1
            if (
                place < len(read)
                and read.shapes[place] == LOWER
                and (size := read.longest(place, towns, most=3))
            ):
                phrase = " ".join(read.folds[place : place + size])
                if towns()[phrase][-1] >= "5" and phrase not in words():
                    yield Bid(
                        *read.span(place, place + size - 1),
                        ReferenceKind.TOWN,
                        0.7,
                        self.name,
                        "a town without a capital",
                    )


def _is_no_town(read: WordReading, place: int) -> bool:
    fold = read.folds[place]
    return len(fold) < 3 or fold in NEVER or fold in MONTHS_AND_DAYS


def _one(read: WordReading, place: int) -> int:
    return 1 if read.bares[place] in towns() else 0


def _back(read: WordReading, place: int) -> int:
    """Where an unknown town of several words began: North Zulch, TX."""
    first = place
    while (
        first
        and read.is_capital(first - 1)
        and read.gap(first - 1) in (" ", ". ")
        and place - first < 2
    ):
        if (
            read.folds[first - 1] not in _DIRECTIONS
            and words().get(read.folds[first - 1], "9") > "3"
        ):
            break
        first -= 1
    return first


def _score(read: WordReading, place: int, size: int) -> float:
    last = place + size - 1
    phrase = " ".join([*read.folds[place:last], read.bares[last]])
    if (
        phrase not in towns()
        or not read.is_capital(last)
        or (size == 1 and _is_other(read, place, phrase))
    ):
        return 0.0
    score = _SIZES[towns()[phrase][-1]]
    cue = read.cue(place)
    if cue in _CUES:
        score += 0.25 if cue in ("in", "from", "near") else 0.12
        if place > 1 and read.folds[place - 2] in _SURE_CUES:
            score += 0.15
    elif cue in _SURE_CUES or (len(cue) in (4, 5) and cue.isdigit()):
        score += 0.2
    if size == 1:
        score -= _doubt(phrase, read, place)
    else:
        score += 0.05 if all(word in words() for word in phrase.split()) else 0.2
    if cue in TITLES or (read.is_capital(place - 1) and cue and cue not in words()):
        score -= 0.3
    return min(score, 0.95)


def _is_other(read: WordReading, place: int, fold: str) -> bool:
    if (
        fold in NEVER
        or fold in MONTHS_AND_DAYS
        or fold in countries()
        or fold in demonyms()
        or len(fold) < 3
    ):
        return True
    if read.shapes[place] == CAPS and len(fold) < 5 and not read.shouts(place):
        return True
    following = read.folds[place + 1] if place + 1 < len(read) and read.gap(place) == " " else ""
    told = (
        read.cue(place) in ("in", "from", "near")
        and place > 1
        and read.folds[place - 2] in _SURE_CUES
    )
    return (
        following in _NOT_TOWNS
        or (words().get(fold, "0") >= "5" and not told)
        or fold in medical_words()
    )


def _doubt(fold: str, read: WordReading, place: int) -> float:
    """The loss of score of a town that is also an ordinary word or somebody's name."""
    common = words().get(fold)
    doubt = 0.0 if common is None else 0.08 * int(common) + (0.15 if read.opens(place) else 0.0)
    first, last = first_names().get(fold, "x0")[1], last_names().get(fold, "0")
    doubt += 0.08 * int(first) + 0.03 * int(last)
    return doubt * 0.5 if towns()[fold][-1] >= "7" else doubt


DECLARATION = DetectorDeclaration(
    key="towns",
    doc="towns by name, region and postal code",
    kinds=(ReferenceKind.TOWN,),
    basis=Basis.WORDS,
    make=Towns,
    order=280,
    gives_way_below=ALWAYS,
)
