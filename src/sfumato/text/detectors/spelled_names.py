"""Names letter by letter: "T-O-W-N-S-E-N-D", "K as in kilo, A as in alpha"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import words
from .declaration import Basis, DetectorDeclaration

_HYPHENS = re.compile(r"(?<![\w-])[A-Za-z](?:[-‐‑–][A-Za-z]){3,}(?![\w-])")
_AS_IN = re.compile(
    r"(?<!\w)(?P<found>[A-Z],? (?:as in|like|for) [A-Za-z]+(?:[,;]? (?:and )?[A-Z](?:,? (?:as in|like|for)"
    r" [A-Za-z]+|(?=[,.;]|\Z)))+)"
)
_CUED = re.compile(
    r"(?i:(?<!\w)spell(?:ed|ing|s|t)?(?:[ :,]+(?:is|it|as|that|her|his|the|name|last|first|out)){0,3}"
    r"[ :,]+)(?P<found>[A-Za-z](?:(?:, ?| |\. ?)[A-Za-z]){2,})(?!\w)"
)
_NAMED = re.compile(r"(?i)\b(?:name|surname|spell\w*|called|mr|mrs|ms|dr)\b")
"""A word of every day is a name only where the text says so."""
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


class SpelledNames:
    """Looks for single letters in a row, and for the words of a spelling alphabet."""

    name = "spelled names"

    def bid(self, document: Document) -> Iterable[Bid]:
        text = document.text
        for found in _HYPHENS.finditer(text) if "-" in text or not text.isascii() else ():
            letters = re.sub(r"[\W_]", "", found.group()).lower()
            if letters in _ALPHABET or len(set(letters)) < 3:
                continue
            if letters not in words() or _NAMED.search(
                text, max(0, found.start() - 40), found.start()
            ):
                yield self._bid(found.span(), 0.85, "letters with hyphens between")
        for found in _AS_IN.finditer(text) if " as in " in text or " for " in text else ():
            span = found.span("found")  # No name is cut to its capitals: the words spell it too.
            reason = "letters of a spelling alphabet"
            yield Bid(*span, ReferenceKind.RECORD_NUMBER, 0.85, self.name, reason)
        for found in _CUED.finditer(text) if "pell" in text else ():
            yield self._bid(found.span("found"), 0.85, "letters behind the word for spelling")

    def _bid(self, span: tuple[int, int], score: float, reason: str) -> Bid:
        return Bid(*span, ReferenceKind.NAME, score, self.name, reason)


DECLARATION = DetectorDeclaration(
    key="spelled names",
    doc="names spelled letter by letter",
    kinds=(ReferenceKind.NAME, ReferenceKind.RECORD_NUMBER),
    basis=Basis.FORM,
    make=SpelledNames,
    order=264,
)
