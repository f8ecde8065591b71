"""Parts of the body with their side to keep, and how well they move: "Left breast", "L4-L5", "Limited ROM"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..word_reading import LOWER, WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import SURE

_SIDES = frozenset("left right bilateral upper lower proximal distal medial lateral r l".split())
_LEVEL = re.compile(r"[CTLS]\d{1,2}(?:[-/](?:[CTLS])?\d{1,2})?(?!\w)")

_GRADES = frozenset(
    "slight slightly mild mildly moderate moderately severe severely marked markedly full limited "
    "decreased reduced increased normal good fair poor painful painless restricted diminished "
    "intact".split()
)
_MOVED = frozenset(
    "rom prom arom range motion mobility movement movements flexion extension strength sensation "
    "gait reflexes swelling tenderness effusion edema erythema abduction adduction rotation".split()
)


class BodySides:
    """Looks at words for sides with a capital and the word behind them, and at levels of the
    spine."""

    name = "body sides"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        for place in read.places(_SIDES):
            following = place + 1
            if (
                following < len(read)
                and read.is_capital(place)
                and (read.opens(place) or not read.is_capital(place - 1))
                and read.gap(place) in (" ", "-")
                and read.shapes[following] == LOWER
            ):
                reason = "a side and a part of the body"
                yield Bid(*read.span(place, following), None, SURE, self.name, reason)
        yield from self._moved(read)
        for place in read.numbers:
            start = read.starts[place]
            if read.text[start] in "CTLS" and (found := _LEVEL.match(read.text, start)):
                yield Bid(*found.span(), None, 0.9, self.name, "a level of the spine")

    def _moved(self, read: WordReading) -> Iterator[Bid]:
        """Slight Limited ROM: "Limited" ends a company elsewhere."""
        for place in read.places(_MOVED):
            first = place
            while first and read.folds[first - 1] in _GRADES and read.gap(first - 1) == " ":
                first -= 1
            if first < place:
                reason = "how well a part of the body moves"
                yield Bid(*read.span(first, place), None, SURE, self.name, reason)


DECLARATION = DetectorDeclaration(
    key="body sides",
    doc="parts of the body to keep, with their side or how they move, and levels of the spine",
    kinds=(),
    basis=Basis.WORDS,
    make=BodySides,
    order=378,
    vetoes=True,
)
