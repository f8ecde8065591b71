"""Nationalities, languages, faiths and peoples: facts that do not name a person, but narrow down
who it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import demonyms, faiths_and_peoples, first_names, last_names
from ..word_reading import LETTER, LOWER, WordReading, reading
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .name_evidence import TITLES

_COLOURS = frozenset({"black", "white", "asian", "caucasian", "hispanic", "indian", "african"})
PEOPLE = frozenset(
    "male female man woman boy girl gentleman lady patient person people child infant men "
    "women males females youth "
    "american teenager adult families family community descent origin national nationals "
    "citizen citizens speaking "
    "speaker".split()
)
_KEPT = frozenset(
    "french catheter german measles chinese restaurant swiss cheese dutch oven english "
    "bulldog turkish bath christian "
    "name american cancer heart college journal diabetes medical academy association society".split()
)
_BORN = frozenset(
    "born raised nationality national nationals citizen origin descent ethnicity religion "
    "faith race speaks".split()
)


class Demographics:
    """Looks at each word for a people, a country's people or a faith; colours only before a word
    for a person."""

    name = "demographics"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        skip = -1
        for place in read.capitals:
            if place <= skip or read.shapes[place] == LETTER:
                continue
            size = read.longest(place, demonyms, most=3) or read.longest(
                place, faiths_and_peoples, most=3
            )
            if not size and read.bares[place] in demonyms():
                size = 1
            if size and (score := _score(read, place, size)) >= 0.3:
                skip = place + size - 1
                yield self._bid(read, place, skip, score)
        yield from self._without_capitals(read)

    def _without_capitals(self, read: WordReading) -> Iterator[Bid]:
        """White female, african american man, race: black."""
        for place in read.places(_COLOURS):
            if (
                read.shapes[place] == LOWER
                and place + 1 < len(read)
                and read.gap(place) in (" ", "-")
            ):
                size = (
                    2
                    if f"{read.folds[place]} {read.folds[place + 1]}" in faiths_and_peoples()
                    else 1
                )
                after = place + size
                if (
                    after < len(read)
                    and read.folds[after] in PEOPLE
                    and read.gap(after - 1) in (" ", "-")
                ):
                    yield self._bid(read, place, after - 1, 0.7)
        if read.is_caseless:
            for place in read.places(_without_doubt()):
                if read.shapes[place] == LOWER and name_free(read.folds[place]):
                    yield self._bid(read, place, place, 0.55)

    def _bid(self, read: WordReading, first: int, last: int, score: float) -> Bid:
        reason = "a nationality, faith or people"
        return Bid(
            read.starts[first],
            read.bare(last)[1],
            ReferenceKind.DEMOGRAPHIC,
            round(score, 3),
            self.name,
            reason,
        )


def name_free(fold: str) -> bool:
    """Whether a nation's word is nobody's usual last name, as French is."""
    return last_names().get(fold, "0") < "3"


def _score(read: WordReading, place: int, size: int) -> float:
    fold = read.bares[place]
    after = (
        read.folds[place + size]
        if place + size < len(read) and read.gap(place + size - 1) in (" ", "-")
        else ""
    )
    before = read.folds[place - 1] if place and read.gap(place - 1) in (" ", ": ", "-") else ""
    if size == 1 and (before in TITLES or after in _KEPT):
        return 0.0
    told = after in PEOPLE or before in _BORN
    if size == 1 and fold in (
        "black",
        "white",
        "pagan",
        "karen",
        "roma",
        "indian",
        "pole",
        "scot",
        "kiwi",
        "orthodox",
    ):
        return 0.75 if told else 0.4 if fold in ("roma", "indian") else 0.0
    score = 0.7 + 0.2 * told
    if size == 1 and not told:
        score -= 0.06 * int(first_names().get(fold, "x0")[1]) + 0.04 * int(
            last_names().get(fold, "0")
        )
    return score


@cache
def _without_doubt() -> frozenset[str]:
    """Those that are nobody's first name, for texts without capitals."""
    return frozenset(name for name in demonyms() if len(name) > 4 and name not in first_names())


DECLARATION = DetectorDeclaration(
    key="demographics",
    doc="nationalities, languages, faiths and peoples",
    kinds=(ReferenceKind.DEMOGRAPHIC,),
    basis=Basis.WORDS,
    make=Demographics,
    order=350,
    gives_way_below=ALWAYS,
)
