"""Obstetric history to keep: "G3P2", "gravida 4 para 2", "38w4d", "cervix 6/80/-1"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..word_reading import WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import SURE, MedicalLabels, words

_PREGNANCIES = re.compile(
    r"G\d{1,2}[ ,]{0,2}(?:T\d[ ,]?)?P\d{1,4}(?:[ ,]{0,2}(?:A|Ab|L|LC)[ ]?\d{1,2}){0,3}(?!\w)"
)
_WEEKS = re.compile(r"\d{1,2}w\d?d?(?!\w)|\d{2}[+ ]\d/7(?: weeks)?(?![\w/])")
_VALUE = re.compile(
    r"[ \t]?[:=]?[ \t]?\d{1,4}(?:[ ,-]{1,2}\d(?![\w/])){0,4}(?![\w/])"
    r"(?:,? (?:para|Para|PARA|P|Ab|ab|AB|A|SAB|TAB|L|living):? ?\d{1,4}(?![\w/-])){0,4}"
)
_EXAM = re.compile(
    r"[ \t]?:?[ \t]?\d{1,2}(?:\.\d)?(?: ?cm)?/\d{1,3}%?/[-+]?\d(?![\w/])|[ \t]?:?[ \t]?\d{3}s?(?!\w)"
)
_HISTORY = MedicalLabels(
    detector="obstetric history",
    reason="pregnancies and births by number",
    value=_VALUE,
    labels=words("gravida para primigravida multipara"),
    exact=words("Ab SAB TAB EAB"),
)
_EXAMINED = MedicalLabels(
    detector="obstetric history",
    reason="an examination in labour",
    value=_EXAM,
    labels=words("cervix sve fht fhr fhts ega"),
)


class ObstetricHistory:
    """Looks for pregnancies, births, weeks, and examinations in labour."""

    name = "obstetric history"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        yield from _HISTORY.bids(read)
        yield from _EXAMINED.bids(read)
        yield from self._coded(read)

    def _coded(self, read: WordReading) -> Iterator[Bid]:
        for place in read.numbers:
            start = read.starts[place]
            first = read.text[start]
            form = _PREGNANCIES if first == "G" else _WEEKS if first.isdecimal() else None
            if form and (found := form.match(read.text, start)):
                yield Bid(*found.span(), None, SURE, self.name, "pregnancies, births or weeks")


DECLARATION = DetectorDeclaration(
    key="obstetric history",
    doc="obstetric history to keep: pregnancies, births, weeks",
    kinds=(),
    basis=Basis.WORDS,
    make=ObstetricHistory,
    order=375,
    vetoes=True,
)
