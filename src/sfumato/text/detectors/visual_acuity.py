"""Measurements of the eye to keep: "VA OD 20/40", "20/25 OS", "IOP 14/16", "-2.25 -0.75 x 180"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..word_reading import WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import DATED, SURE

_EYES = frozenset({"OD", "OS", "OU", "VA", "BCVA", "UCVA", "IOP", "MRx", "VAsc", "VAcc"})
_WORDS_BEFORE = frozenset("vision acuity pinhole iop va od os ou sc cc ph".split())
_LENS = r"[-+]?\d{1,2}\.\d{2}(?: [-+]\d{1,2}\.\d{2})?(?: ?[x×] ?\d{1,3})?"
_ACUITY = r"(?:20/\d{2,3}|6/\d{1,2})(?:[-+]\d)?"
_BEHIND = re.compile(
    rf"(?:[ \t:,]{{1,3}}(?:sc|cc|ph|OD|OS|OU|was|is|of)){{0,2}}[ \t:]{{1,3}}"
    rf"(?:{_ACUITY}|{_LENS}|CF(?: at \d ?ft)?|HM|LP|NLP|\d{{1,2}}/\d{{1,2}}|\d{{1,2}})(?![\w/]|[-.]\d)"
)
_BEFORE = re.compile(
    rf"{_ACUITY}(?: (?:in the )?(?:OD|OS|OU|right eye|left eye|both eyes))?(?![\w/])"
)


class VisualAcuity:
    """Looks beside the letters for eyes, and at fractions of 20 near them."""

    name = "visual acuity"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from self._behind(read)
        yield from self._fractions(read)

    def _behind(self, read: WordReading) -> Iterator[Bid]:
        for place in read.places({label.lower() for label in _EYES}):
            start, end = read.span(place, place)
            if read.text[start:end] not in _EYES:
                continue
            if date := DATED.match(read.text, end):
                start = end = date.end()
            if found := _BEHIND.match(read.text, end):
                yield Bid(start, found.end(), None, SURE, self.name, "a measurement of an eye")

    def _fractions(self, read: WordReading) -> Iterator[Bid]:
        for place in read.places(("20", "6")):
            if not (found := _BEFORE.match(read.text, read.starts[place])):
                continue
            near = read.folds[max(0, place - 4) : place]
            if " " in found[0] or not _WORDS_BEFORE.isdisjoint(near):
                yield Bid(*found.span(), None, SURE, self.name, "how well an eye sees")


DECLARATION = DetectorDeclaration(
    key="visual acuity",
    doc="measurements of the eye to keep: acuity, pressure, lenses",
    kinds=(),
    basis=Basis.WORDS,
    make=VisualAcuity,
    order=376,
    vetoes=True,
)
