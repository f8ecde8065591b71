"""Words for relatives to keep, as family history has them: "Mother", "Paternal grandfather", "MGM"."""

from __future__ import annotations

from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..lexicons import first_names, last_names, relatives
from ..word_reading import WordReading, reading
from .declaration import Basis, DetectorDeclaration
from .medical_labels import SURE
from .name_evidence import TITLES_TOO

_SPOKEN = frozenset("mum mom dad mummy mommy daddy mother father grandma grandpa granny".split())
"""Words that speakers write with a capital: "seen with Mum (Ann)"."""
_SIDES = frozenset("maternal paternal half step great".split())


class RelationWords:
    """Looks for words of relatives that are no title of a name behind them."""

    name = "relation words"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        for place in read.places(relatives()):
            if read.is_capital(place) and _may_be_a_name(read, place):
                continue
            first = place
            if place and read.folds[place - 1] in _SIDES and read.gap(place - 1) in (" ", "-"):
                first -= 1
            span = read.starts[first], read.ends[place]
            yield Bid(*span, None, SURE, self.name, "the word for a relative")


def _may_be_a_name(read: WordReading, place: int) -> bool:
    """Whether a word with a capital is a title or a name: "Sister Mary", "Bruce Ward"."""
    fold = read.folds[place]
    if fold in TITLES_TOO and read.is_capital(place + 1) and read.gap(place) == " ":
        return True
    called = read.is_capital(place + 1) and read.gap(place) in (" ", " - ")
    if fold in _SPOKEN and not called:
        return False
    if not read.opens(place) and not (place and read.folds[place - 1] in _SIDES):
        return True
    return fold in first_names() or last_names().get(fold, "0") > "2"


DECLARATION = DetectorDeclaration(
    key="relation words",
    doc="words for relatives to keep; their names are not",
    kinds=(),
    basis=Basis.WORDS,
    make=RelationWords,
    order=384,
    vetoes=True,
)
