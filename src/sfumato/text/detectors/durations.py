"""Durations: "two years and six months", "thirty-day". In a court's decision they go with the
dates; low scores."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import ALWAYS, Basis, DetectorDeclaration
from .spoken_numbers import WORD

SCORE = 0.3
_UNIT = r"(?:years?|months?|weeks?|days?|hours?|minutes?)"
_NAMED = re.compile(
    r"[ymwdh](?<=[- ][ymwdh])(?:(?<=y)ears?|(?<=m)onths?|(?<=m)inutes?|(?<=w)eeks?|(?<=d)ays?"
    r"|(?<=h)ours?)(?!\w)(?![- ](?:old|of age))"
)
_COUNT_BEFORE = re.compile(
    rf"(?<![\w.,/-])(?:(?:\d{{1,3}}|{WORD}|several|a few)[- ]{_UNIT}(?:,| and|, and) "
    rf"){{0,2}}(?:\d{{1,3}}|{WORD}"
    rf"|several|a few)"
    r"(?:-and-a-half| and a half)?[- ]\Z",
    re.IGNORECASE,
)


class Durations:
    """Found from the unit backwards."""

    name = "durations"

    def bid(self, document: Document) -> Iterable[Bid]:
        text = document.text
        for unit in _NAMED.finditer(text):
            count = _COUNT_BEFORE.search(text, max(0, unit.start() - 60), unit.start())
            if count:
                yield Bid(
                    count.start(),
                    unit.end(),
                    ReferenceKind.TIME,
                    SCORE,
                    self.name,
                    "a length of time",
                )


DECLARATION = DetectorDeclaration(
    key="durations",
    doc="durations; they score low",
    kinds=(ReferenceKind.TIME,),
    basis=Basis.FORM,
    make=Durations,
    order=100,
    gives_way_below=ALWAYS,
)
