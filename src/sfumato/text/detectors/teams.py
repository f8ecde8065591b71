"""Teams and clubs: "the U. S. Junior Gymnastics team", "Boston Red Sox", "a member of the Rotary Club"."""

from __future__ import annotations

from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..kinds import Kind
from ..lexicons import clubs, towns, words
from ..reading import LETTER, reading
from .named_bodies import first_word

_HEADS = frozenset(
    "team club squad league orchestra choir band troupe troop lodge fc afc sc united rovers athletic rangers".split()
)
_CLUB_WORDS = frozenset("fc afc sc united rovers athletic rangers".split())
_MEDICAL = frozenset(
    "surgical medical trauma care code icu response stroke transplant cardiology oncology neurology psychiatry "
    "hospice palliative nursing primary rapid emergency consult pain orthopedic neurosurgery treatment management "
    "social infectious radiology anesthesia critical".split()
)


class Teams:
    """Looks at each word for a team for the capitalised words before it, and for teams known by name."""

    name = "teams"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        for place in read.places(_HEADS):
            first = first_word(read, place)
            own = [at for at in range(first, place) if read.is_capital(at)]
            if not own or any(read.folds[at] in _MEDICAL for at in own):
                continue
            if read.folds[place] in _CLUB_WORDS and not (read.is_capital(place) and read.folds[place - 1] in towns()):
                continue
            if len(own) == 1 and read.opens(own[0]) and words().get(read.folds[own[0]], "0") >= "4":
                continue
            yield Bid(read.starts[first], read.ends[place], Kind.TEAM, 0.88, self.name, "the words before a team")
        for place in read.capitals:
            if read.shapes[place] != LETTER and (size := read.longest(place, clubs, most=4)):
                ordinary = size == 1 and read.folds[place] in words()
                score = 0.35 if ordinary else 0.85
                last = place + size - 1
                yield Bid(read.starts[place], read.ends[last], Kind.TEAM, score, self.name, "a team known by name")
