"""Families by their name: "the Abernathys' home", "dinner with the Okonkwos"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..lexicons import clubs, countries, demonyms, faiths_and_peoples, folded, last_names, words
from .declaration import ALWAYS, Basis, DetectorDeclaration

_FAMILY = re.compile(
    r"(?<!\w)[Tt]he (?P<found>[A-Z][a-zà-ÿ]+(?:['’][A-Z][a-z]+)?s)(?P<own>['’](?!\w))?(?! [A-Z])(?!\w)"
)
_HOMES = re.compile(
    r" (?:home|house|family|farm|apartment|flat|residence|place|children|kids|wedding|dog)\b"
)
_DEEDS = re.compile(
    r" (?:came|come|called|visited|visit|were|are|have|had|live|lived|moved|agreed|said|drove|"
    r"invited|adopted|took|brought|stayed|left)\b"
)


class Families:
    """Looks for last names in the plural behind "the"."""

    name = "families"

    def bid(self, document: Document) -> Iterable[Bid]:
        for found in _FAMILY.finditer(document.text):
            score = _score(found)
            if score:
                yield Bid(
                    *found.span("found"),
                    ReferenceKind.NAME,
                    score,
                    self.name,
                    "a last name in the plural",
                )


def _score(found: re.Match[str]) -> float:
    fold = folded(found["found"])
    others = (clubs, countries, demonyms, faiths_and_peoples)
    if any(fold in lexicon() for lexicon in others):
        return 0.0
    singles = [fold[:-1]] + ([fold[:-2]] if fold.endswith("es") else [])
    names = [single for single in singles if single in last_names()]
    behind = found.end()
    lives = bool(found["own"]) and _HOMES.match(found.string, behind) is not None
    if not names:
        return 0.65 if lives and fold not in words() and singles[0] not in words() else 0.0
    acts = _DEEDS.match(found.string, behind) is not None
    is_word = fold in words() or all(name in words() for name in names)
    if is_word:
        return 0.6 if lives else 0.0
    return 0.85 if lives or acts else 0.65


DECLARATION = DetectorDeclaration(
    key="families",
    doc="families by their last name in the plural",
    kinds=(ReferenceKind.NAME,),
    basis=Basis.WORDS,
    make=Families,
    order=258,
    gives_way_below=ALWAYS,
)
