"""Countries, by all their usual names."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import countries, first_names, last_names, words
from ..word_reading import CAPS, INITIAL, LETTER, LOWER, WordReading, reading
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .name_evidence import TITLES

_CUES = frozenset("in from to of against within outside visited visiting".split())
_SHORT = frozenset({"USA", "UK", "UAE", "USSR", "DRC", "PRC", "KSA"})


class Countries:
    """Looks at each capitalised word for a country's name; Georgia, Jordan and Chad may be others'
    names."""

    name = "countries"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        skip = -1
        for place in read.capitals:
            if place <= skip:
                continue
            size = read.longest(place, countries, most=6)
            if not size and read.bares[place] in countries():
                size = 1
            if size and (score := _score(read, place, size)) >= 0.3:
                skip = place + size - 1
                end = read.bare(skip)[1] if read.shapes[skip] != LETTER else read.ends[skip]
                yield Bid(
                    read.starts[place],
                    end,
                    ReferenceKind.COUNTRY,
                    round(score, 3),
                    self.name,
                    "the name of a country",
                )
        if read.is_caseless:
            for place in read.places(_without_doubt()):
                if read.shapes[place] == LOWER and read.folds[place - 1] in _CUES:
                    yield Bid(
                        *read.span(place, place),
                        ReferenceKind.COUNTRY,
                        0.65,
                        self.name,
                        "a country without a capital",
                    )


def _score(read: WordReading, place: int, size: int) -> float:
    if size > 1:
        return 0.92 if any(read.shapes[at] != LETTER for at in range(place, place + size)) else 0.85
    fold = read.bares[place]
    written = read.text[read.starts[place] : read.ends[place]]
    if (
        len(fold) <= 4
        and read.shapes[place] == CAPS
        and fold.upper() == written
        and fold not in ("iran", "iraq", "peru")
    ):
        return 0.85 if written in _SHORT else 0.0
    if read.shapes[place] not in (INITIAL, CAPS):
        return 0.0
    cue = read.cue(place)
    named = (
        place + 1 < len(read)
        and read.gap(place) == " "
        and last_names().get(read.bares[place + 1], "0") >= "3"
    )
    if cue in TITLES or (named and read.is_capital(place + 1) and fold in first_names()):
        return 0.0
    score = 0.85 + 0.08 * (cue in _CUES)
    score -= 0.1 * int(first_names().get(fold, "x0")[1]) * (0.5 if cue in _CUES else 1.0)
    score -= 0.04 * int(last_names().get(fold, "0")) + 0.04 * int(words().get(fold, "0"))
    return score


@cache
def _without_doubt() -> frozenset[str]:
    """Those that are nobody's first name, for texts without capitals."""
    return frozenset(name for name in countries() if len(name) > 4 and name not in first_names())


DECLARATION = DetectorDeclaration(
    key="countries",
    doc="countries by all their usual names",
    kinds=(ReferenceKind.COUNTRY,),
    basis=Basis.WORDS,
    make=Countries,
    order=300,
    gives_way_below=ALWAYS,
)
