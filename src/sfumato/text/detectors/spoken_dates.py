"""Dates in words: "May third nineteen sixty two", "the fifth of June two thousand one"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import Basis, DetectorDeclaration
from .forms import matches_from
from .spoken_numbers import WORD

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_MONTH = f"(?:{_MONTHS})"
_ONES = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_TEENS = "tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth"
_DAY = rf"(?:(?:twenty|thirty)[- ](?:{_ONES})|twentieth|thirtieth|{_ONES}|{_TEENS})"
_YEAR = rf"(?:(?:nineteen|eighteen|twenty)(?: hundred(?: and)?| oh)? {WORD}|two thousand(?: and)?(?: {WORD})?)"
_DATE = re.compile(
    rf"(?i:(?<!\w)(?:{_MONTH} (?:the )?{_DAY}(?!\w)(?:,? (?:of )?{_YEAR})?"
    rf"|(?:the )?{_DAY} (?:day )?of {_MONTH}(?!\w)(?:,? {_YEAR})?|{_MONTH},? (?:of )?{_YEAR}))"
)

_MONTH_WORDS = frozenset(_MONTHS.split("|"))
_OPENS = _MONTH_WORDS.union(
    _ONES.split("|"), _TEENS.split("|"), ("the", "twenty", "thirty", "twentieth", "thirtieth")
)


class SpokenDates:
    """Looks for months with days or years in words."""

    name = "spoken dates"

    def bid(self, document: Document) -> Iterable[Bid]:
        for found in matches_from(_DATE, document, _OPENS) if document.has(_MONTH_WORDS) else ():
            yield Bid(*found.span(), ReferenceKind.DATE, 0.9, self.name, "a date in words")


DECLARATION = DetectorDeclaration(
    key="spoken dates",
    doc="dates in words",
    kinds=(ReferenceKind.DATE,),
    basis=Basis.FORM,
    make=SpokenDates,
    order=66,
)
