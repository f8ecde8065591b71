"""Stages and grades to keep: "pT1c pN0", "cT3N1M0", "stage IIB", "FIGO IIIC", "Grade 2/6"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..word_reading import reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import ROMAN, SURE, MedicalLabels, words

_TNM = re.compile(
    r"[cpyra]{0,3}(?:T(?:[0-4]|is|[Xx])[a-d]?(?:\([a-z]{1,3}\))?(?:[ ,]?[cpy]{0,2}N[0-3Xx][a-c]?)?"
    r"(?:[ ,]?[cp]?M[01Xx][a-c]?)?|N[0-3Xx][a-c]?(?:[ ,]?[cp]?M[01Xx][a-c]?)?|M[01Xx][a-c]?)(?!\w)"
)
_TNM_START = frozenset("TNMcpyra")
_VALUE = re.compile(
    rf"[ \t]?(?:stage |grade |class )?(?:{ROMAN}(?!\w)|(?:[0-4][a-dA-D]?|[1-5]/[4-6])(?!\w|[/.-]\d))"
)
_LABELS = MedicalLabels(
    detector="tumour stages",
    reason="a stage or a grade with its value",
    value=_VALUE,
    labels=words("stage staged grade figo ajcc nyha"),
)


class TumourStages:
    """Looks for stages by their letters, and behind the words for stages."""

    name = "tumour stages"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        text = read.text
        for place in read.numbers:
            start = read.starts[place]
            if text[start] in _TNM_START and (found := _TNM.match(text, start)):
                yield Bid(*found.span(), None, SURE, self.name, "a stage by tumour, nodes, spread")
        yield from _LABELS.bids(read)


DECLARATION = DetectorDeclaration(
    key="tumour stages",
    doc="stages and grades to keep",
    kinds=(),
    basis=Basis.WORDS,
    make=TumourStages,
    order=373,
    vetoes=True,
)
