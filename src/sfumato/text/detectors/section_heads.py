"""Heads of sections to keep: "Meds:", "CC:", "A/P:", "Dispo:" at the start of a line or sentence."""

from __future__ import annotations

from collections.abc import Iterable

from ..bids import Bid
from ..documents import Document
from ..lexicons import first_names, last_names, words
from ..word_reading import CAPS, INITIAL, LETTER, WordReading, reading
from .declaration import Basis, DetectorDeclaration

_LONGEST = 3
"""Words that a head has at most."""
_COMMON_NAME, _COMMON_WORD = "2", "3"
_HEADS = frozenset(
    "head neck back chest lungs heart skin plan labs diet abd ext gen cc pe ros hand foot hip knee "
    "mood hands legs arms eyes ears nose mouth throat breast spine family history".split()
)
"""Heads that are names too."""


class SectionHeads:
    """Looks at words with a colon behind them that open a line or a sentence and name nobody."""

    name = "section heads"

    def bid(self, document: Document) -> Iterable[Bid]:
        read = reading(document)
        if ":" not in read.text:
            return
        for last in read.capitals:
            if not read.gap(last).startswith(":"):
                continue
            first = last
            while first > 0 and last - first < _LONGEST - 1 and not read.opens(first):
                first -= 1
            if not read.opens(first) or not all(
                _is_head(read, place) for place in range(first, last + 1)
            ):
                continue
            start, end = read.span(first, last)
            yield Bid(start, end, None, 0.92, self.name, "the head of a section")


def _is_head(read: WordReading, place: int) -> bool:
    """Whether a word may be one of a head: an ordinary word, or short capitals, and nobody's
    name."""
    fold, shape = read.folds[place], read.shapes[place]
    if fold in first_names() or last_names().get(fold, "0") >= _COMMON_NAME:
        return fold in _HEADS
    ordinary = words().get(fold, "0") >= _COMMON_WORD
    if fold in last_names() and not ordinary and shape != CAPS:
        return False
    return ordinary or (shape in (CAPS, INITIAL, LETTER) and len(fold) <= 8)


DECLARATION = DetectorDeclaration(
    key="section heads",
    doc="heads of sections to keep",
    kinds=(),
    basis=Basis.WORDS,
    make=SectionHeads,
    order=377,
    vetoes=True,
)
