"""Days of a month that nobody names: "discharged the 25th", "readmitted on the 3rd"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import ALWAYS, Basis, DetectorDeclaration

_DAY = re.compile(
    r"(?i:(?<!\w)(?:admitted|readmitted|discharged|transferred|seen|scheduled|returned|returns?|due|"
    r"died|delivered|born|operated|surgery|appointment|visit|again|back|on|until|till|by|since|"
    r"before|after|through|work|home|lmp|from|starting|monday|tuesday|wednesday|thursday|friday|"
    r"saturday|sunday)(?: for| on| by| until| till| again| since)? )"
    r"(?P<found>[Tt]he (?:[12]?\d|3[01])(?:st|nd|rd|th))(?!\w)(?P<behind>(?: (?!of )\w+)?)(?! of \w)(?!-)"
)
_ORDINALS = frozenset(f"{day}{end}" for day in range(1, 32) for end in ("st", "nd", "rd", "th"))
_AFTER = frozenset(
    "and or at for with in to when because due by after before she he they we but then as again via "
    "from without on if".split()
)
"""Words that may follow a day. A noun may not: "the 5th metatarsal", "the 90th percentile"."""


class DaysOfMonth:
    """Looks for ordinal numbers behind what is done on a day."""

    name = "days of month"

    def bid(self, document: Document) -> Iterable[Bid]:
        for found in _DAY.finditer(document.text) if document.has(_ORDINALS) else ():
            if not found["behind"] or found["behind"].strip().lower() in _AFTER:
                yield Bid(
                    *found.span("found"),
                    ReferenceKind.DATE,
                    0.6,
                    self.name,
                    "a day of a month that is not named",
                )


DECLARATION = DetectorDeclaration(
    key="days of month",
    doc="days of a month that is not named",
    kinds=(ReferenceKind.DATE,),
    basis=Basis.WORDS,
    make=DaysOfMonth,
    order=68,
    gives_way_below=ALWAYS,
)
