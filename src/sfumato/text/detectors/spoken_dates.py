"""Dates in words: "May third nineteen sixty two", "the fifth of June two thousand one"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import Basis, DetectorDeclaration
from .spoken_numbers import WORD

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_ONES = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_DAY = (
    rf"(?:(?:twenty|thirty)[- ](?:{_ONES})|twentieth|thirtieth|{_ONES}|tenth|eleventh|twelfth|"
    r"(?:thir|four|fif|six|seven|eigh|nine)teenth)"
)
_YEAR = rf"(?:(?:nineteen|eighteen|twenty)(?: hundred(?: and)?| oh)? {WORD}|two thousand(?: and)?(?: {WORD})?)"
_DATE = re.compile(
    rf"(?i:(?<!\w)(?:{_MONTH} (?:the )?{_DAY}(?!\w)(?:,? (?:of )?{_YEAR})?"
    rf"|(?:the )?{_DAY} (?:day )?of {_MONTH}(?!\w)(?:,? {_YEAR})?|{_MONTH},? (?:of )?{_YEAR}))"
)


class SpokenDates:
    """Looks for months with days or years in words."""

    name = "spoken dates"

    def bid(self, document: Document) -> Iterable[Bid]:
        for found in _DATE.finditer(document.text):
            yield Bid(*found.span(), ReferenceKind.DATE, 0.9, self.name, "a date in words")


DECLARATION = DetectorDeclaration(
    key="spoken dates",
    doc="dates in words",
    kinds=(ReferenceKind.DATE,),
    basis=Basis.FORM,
    make=SpokenDates,
    order=66,
)
