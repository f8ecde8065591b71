"""Parts of the body with their side to keep: "Left breast", "Right-sided", "R hip", "L4-L5"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..word_reading import LOWER, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import SURE

_SIDES = frozenset("left right bilateral upper lower proximal distal medial lateral r l".split())
_LEVEL = re.compile(r"[CTLS]\d{1,2}(?:[-/](?:[CTLS])?\d{1,2})?(?!\w)")


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
        for place in read.numbers:
            start = read.starts[place]
            if read.text[start] in "CTLS" and (found := _LEVEL.match(read.text, start)):
                yield Bid(*found.span(), None, 0.9, self.name, "a level of the spine")


DECLARATION = DetectorDeclaration(
    key="body sides",
    doc="parts of the body with their side to keep, and levels of the spine",
    kinds=(),
    basis=Basis.WORDS,
    make=BodySides,
    order=378,
    vetoes=True,
)
