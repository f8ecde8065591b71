"""Initials with which notes are signed: "Dictated by: RB/tlm", "… in 2 weeks. /kpm"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import medical_words, words
from .declaration import Basis, DetectorDeclaration
from .forms import matches_from

_BY = re.compile(
    r"(?i:(?<!\w)(?:(?:dictated|transcribed|typed|entered|signed|charted|documented|initial(?:l)?ed|"
    r"authenticated|written|noted)(?: by)?[ \t]?[:;-]?[ \t]|(?:d|t|dd|dt):[ \t]?))"
    r"(?P<found>[A-Z]{2,4}[/:][A-Za-z]{2,4}|[a-z]{2,4}[/:][a-z]{2,4}|(?:[A-Z]\.){2,4})(?![\w/])"
)
_TYPED = re.compile(
    r"(?i:(?<!\w)(?:transcribed|typed|dictated)(?: by)?[ \t]?[:;-]?[ \t])(?P<found>[a-z]{2,3}|[A-Z]{2,3})"
    r"(?=[ \t]*(?:[.;,]?[ \t]*(?:\d{1,2}[/.-]\d|(?i:typed|transcribed|dictated)\b)|[.;]?[ \t]*(?:\n|\Z)))"
)
_BOTH = re.compile(
    r"(?<!\w)(?:[Dd]ictated|DICTATED)(?: by)?:?[ \t](?P<found>[A-Z]{2,3})[ \t]?[,;/][ \t]?"
    r"(?i:typed|transcribed)(?: by)?:?[ \t][A-Za-z]{2,3}(?!\w)"
)
"""Dictated CT, typed mlw: between both words, also letters that medicine uses are somebody's."""
_AFTER_DATES = re.compile(
    r"(?<!\w)[TD][TD]?:[ \t]?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?[ \t]{1,3}(?P<found>[A-Z]{2,3}[/:][A-Za-z]{2,3})(?![\w/])"
)
"""D: 5/9/24 T: 5/10/24 BQ/slh"""
_BY_OPENS = frozenset(
    "dictated transcribed typed entered signed charted documented initialed initialled "
    "authenticated written noted d t dd dt".split()
)
_ALONE = re.compile(
    r"(?m)^[ \t]*(?P<found>[A-Z]{2,4}[/:][a-z]{2,4})(?=[ \t]*(?:$|\d{1,2}[/.-]\d|[DTJ][DT]?:))"
)
_LAST = re.compile(r"[.!?)][ \t]+[/~-]{1,2}[ \t]?(?P<found>[a-z]{2,4}|[A-Z]{2,4})[ \t]*(?=\n|\Z)")
_RATES = frozenset(
    "hr hrs min mins day days wk wks week weeks mo mos yr yrs sec dl ml kg lb hpf lpf mm cm dose "
    "night meal od os ou bid tid qid prn po iv im sc md rn do np pa phd".split()
)
"""Units behind the slash of a dose, and degrees: nobody's initials."""


class SignOffs:
    """Looks behind words of dictation, and at single lines at the end of a note."""

    name = "sign-offs"

    def bid(self, document: Document) -> Iterable[Bid]:
        for found in matches_from(_BY, document, _BY_OPENS):
            yield from self._bids(found, 0.8)
        for found in matches_from(_TYPED, document, _BY_OPENS):
            yield from self._bids(found, 0.8)
        for found in matches_from(_BOTH, document, _BY_OPENS):
            reason = "initials of who dictated a note"
            yield Bid(*found.span("found"), ReferenceKind.NAME, 0.8, self.name, reason)
        for pattern, score in ((_ALONE, 0.7), (_AFTER_DATES, 0.8), (_LAST, 0.6)):
            for found in pattern.finditer(document.text):
                yield from self._bids(found, score)

    def _bids(self, found: re.Match[str], score: float) -> Iterator[Bid]:
        parts = re.split(r"[/:]", found["found"])
        if any(_is_word(part) for part in parts):
            return
        start, end = found.span("found")
        reason = "initials with which a note is signed"
        yield Bid(start, end, ReferenceKind.NAME, score, self.name, reason)


def _is_word(part: str) -> bool:
    fold = part.lower()
    return fold in _RATES or words().get(fold, "0") >= "3" or fold in medical_words()


DECLARATION = DetectorDeclaration(
    key="sign-offs",
    doc="initials with which notes are signed",
    kinds=(ReferenceKind.NAME,),
    basis=Basis.FORM,
    make=SignOffs,
    order=262,
)
