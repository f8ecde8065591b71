"""Numbers dictated digit by digit: "six one seven, five five five, oh one two three".

Behind a label four digits are enough, without one seven; without one, a row that only counts up or
down is no number of anybody's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import Basis, DetectorDeclaration
from .forms import matches_from

_DIGITS = "zero oh one two three four five six seven eight nine".split()
_DIGIT = rf"(?:{'|'.join(_DIGITS)})"
_ROW = re.compile(
    rf"(?i:(?<![\w-])(?:(?:double|triple)[ -])?{_DIGIT}"
    rf"(?:(?:,? (?:(?:dash|hyphen|space|dot|slash|point|area code) )?|-)(?:(?:double|triple)[ -])?{_DIGIT}"
    r"(?:[ -]hundred)?(?!\w))+)"
)
_OPENS = frozenset((*_DIGITS, "double", "triple"))
_WORD = re.compile(r"[a-z]+")
_LABELS = (
    (
        ReferenceKind.PHONE,
        re.compile(r"(?i)\b(?:phone|tel|telephone|cell|mobile|fax|pager|call|number to reach)\b"),
    ),
    (ReferenceKind.NATIONAL_NUMBER, re.compile(r"(?i)\b(?:social|ssn|security|nhs)\b")),
    (
        ReferenceKind.RECORD_NUMBER,
        re.compile(
            r"(?i)\b(?:mrn|record|chart|account|policy|member|id|number|case|file|badge|zip|code|pin|"
            r"license|licence|accession)\b"
        ),
    ),
)
_BEFORE, _FEWEST_LABELLED, _FEWEST = 45, 4, 7


class DictatedNumbers:
    """Looks for words for digits in a row."""

    name = "dictated numbers"

    def bid(self, document: Document) -> Iterable[Bid]:
        for found in matches_from(_ROW, document, _OPENS):
            digits = [word for word in _WORD.findall(found.group().lower()) if word in _DIGITS]
            before = document.text[max(0, found.start() - _BEFORE) : found.start()]
            kind = next((kind for kind, label in _LABELS if label.search(before)), None)
            least = _FEWEST_LABELLED if kind else _FEWEST
            if len(digits) >= least and (kind or not _counts(digits)):
                yield Bid(
                    *found.span(),
                    kind or ReferenceKind.RECORD_NUMBER,
                    0.9 if kind else 0.7,
                    self.name,
                    "digits in words" + (" behind a label" if kind else ""),
                )


def _counts(digits: list[str]) -> bool:
    """Whether the digits go up or down one by one, as in counting."""
    places = [max(0, _DIGITS.index(word) - 1) for word in digits]
    steps = {after - before for before, after in pairwise(places)}
    return steps in ({1}, {-1})


DECLARATION = DetectorDeclaration(
    key="dictated numbers",
    doc="numbers dictated digit by digit",
    kinds=(ReferenceKind.PHONE, ReferenceKind.NATIONAL_NUMBER, ReferenceKind.RECORD_NUMBER),
    basis=Basis.FORM,
    make=DictatedNumbers,
    order=64,
)
