"""Words in another script inside a text in Latin letters: "seen with 王小明".

An English text writes in another script hardly anything but names and addresses. The word needs no
lexicon: the script alone distinguishes it. Greek letters of medicine ("α-blocker", "μg") are too
short to count, and a text that is mostly in another script is another language's."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import ALWAYS, Basis, DetectorDeclaration

_LETTERS = (
    "\u0370-\u1cff\u1f00-\u1fff\u2126\u2c80-\u2dff\u3005\u3040-\u30ff\u3400-\ua6ff\ua800-\uab2f\uab70-\ud7ff\uf900-\ufaff"
    "\ufb1d-\ufdff\ufe70-\ufefe"
)
_RUN = re.compile(rf"[{_LETTERS}]{{2,}}(?:[ \u00a0.'’・·-]{{1,2}}[{_LETTERS}]{{2,}}){{0,4}}")
_LATIN = re.compile(r"[A-Za-z]")
_GREEK = re.compile(r"[\u0370-\u03ff]{1,3}\Z")
_LABEL = re.compile(r"\s*[:：]")
_LATIN_SHARE = 1
"""Latin letters for each letter of the other script, at least: else it is no English text."""


class ScriptNames:
    """Looks for runs of letters of other scripts between Latin ones."""

    name = "script names"

    def bid(self, document: Document) -> Iterable[Bid]:
        text = document.text
        if text.isascii():
            return
        runs = list(_RUN.finditer(text))
        others = sum(len(run.group()) for run in runs)
        if not runs or len(_LATIN.findall(text)) < _LATIN_SHARE * others:
            return
        for run in runs:
            if not _GREEK.fullmatch(run.group()) and not _LABEL.match(text, run.end()):
                yield Bid(
                    run.start(),
                    run.end(),
                    ReferenceKind.NAME,
                    0.7,
                    self.name,
                    "words in another script inside a text in Latin letters",
                )


DECLARATION = DetectorDeclaration(
    key="script names",
    doc="words in another script inside a text in Latin letters",
    kinds=(ReferenceKind.NAME,),
    basis=Basis.WORDS,
    make=ScriptNames,
    order=242,
    gives_way_below=ALWAYS,
)
