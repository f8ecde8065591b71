"""Parts of numbers that belong to one person: "MRN ends with 778", "last four of her social are 6789".

With a name or a date of birth, four digits are enough to find somebody in a register."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from .declaration import Basis, DetectorDeclaration
from .forms import matches_from

_OF = (
    r"(?:mrn|ssn|social(?: security)?(?: number)?|record(?: number)?|chart(?: number)?|account(?: number)?|"
    r"acct|member id|id(?: number)?|phone(?: number)?|cell|card|policy(?: number)?|licen[cs]e|number|plate)"
)
_LAST = r"(?:last|first|final) (?:two|three|four|five|six|[2-6])(?: digits| numbers)?"
_ENDS = re.compile(
    rf"(?i:(?<!\w){_OF} (?:that )?(?:ends?|ending|starts?|starting|begins?|beginning)(?: in| with)?[ :]{{1,2}})"
    r"(?P<found>\d{2,6})(?!\w|[.,]\d)"
)
_LAST_OF = re.compile(
    rf"(?i:(?<!\w){_LAST} of (?:(?:the|his|her|their|my|your|patient's) )?{_OF}"
    r"(?: are| is|:| being)? )(?P<found>\d{2,6})(?!\w|[.,]\d)"
)
_OF_LAST = re.compile(
    rf"(?i:(?<!\w){_OF}[ ,(:]{{1,2}}{_LAST}(?: are| is|:)? )(?P<found>\d{{2,6}})(?!\w|[.,]\d)"
)

_OF_OPENS = frozenset(
    "mrn ssn social record chart account acct member id phone cell card policy licence license "
    "number plate".split()
)
_ENDS_WORDS = frozenset("end ends ending start starts starting begin begins beginning".split())
_LAST_OPENS = frozenset(("last", "first", "final"))
_COUNTS = frozenset("two three four five six 2 3 4 5 6".split())


class NumberParts:
    """Looks behind "ends in", and behind "last four" with what they are the last four of."""

    name = "number parts"

    def bid(self, document: Document) -> Iterable[Bid]:
        for pattern, opening, needed in (
            (_ENDS, _OF_OPENS, _ENDS_WORDS),
            (_LAST_OF, _LAST_OPENS, _COUNTS),
            (_OF_LAST, _OF_OPENS, _LAST_OPENS),
        ):
            for found in matches_from(pattern, document, opening) if document.has(needed) else ():
                yield Bid(
                    *found.span("found"),
                    ReferenceKind.RECORD_NUMBER,
                    0.85,
                    self.name,
                    "a part of a number that belongs to one person",
                )


DECLARATION = DetectorDeclaration(
    key="number parts",
    doc="parts of numbers that belong to one person",
    kinds=(ReferenceKind.RECORD_NUMBER,),
    basis=Basis.FORM,
    make=NumberParts,
    order=62,
)
