"""References that a conditional random field learned to find, of all kinds, from the words around
them.

The field (`learned/crf.py`) gives every token a probability of being part of a reference, by kind.
Tokens that follow each other with the same likeliest kind make one bid. Its score is their mean
probability of being part of any reference. Rules are surer where a form is fixed. The field finds
references that no rule foresaw, so it makes low bids too; `decision` decides about those.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..bids import Bid
from ..documents import Document
from ..kinds import ReferenceKind
from ..learned.crf import Crf, LabelledStream
from ..learned.stream import LINE, PARAGRAPH
from ..learned.weights import Weights, packaged
from .declaration import ALWAYS, Basis, DetectorDeclaration, Detectors
from .name_evidence import is_title

KIND_OF: Final[dict[str, ReferenceKind]] = {
    "NAME": ReferenceKind.NAME,
    "STREET": ReferenceKind.STREET,
    "TOWN": ReferenceKind.TOWN,
    "REGION": ReferenceKind.REGION,
    "COUNTRY": ReferenceKind.COUNTRY,
    "POSTCODE": ReferenceKind.POSTCODE,
    "DATE": ReferenceKind.DATE,
    "TIME": ReferenceKind.TIME,
    "AGE": ReferenceKind.AGE,
    "PHONE": ReferenceKind.PHONE,
    "NUMBER": ReferenceKind.RECORD_NUMBER,
    "EMAIL": ReferenceKind.EMAIL,
    "URL": ReferenceKind.URL,
    "HOSPITAL": ReferenceKind.HOSPITAL,
    "ORGANISATION": ReferenceKind.ORGANISATION,
    "TEAM": ReferenceKind.TEAM,
    "PROFESSION": ReferenceKind.PROFESSION,
    "DEMOGRAPHIC": ReferenceKind.DEMOGRAPHIC,
    "QUANTITY": ReferenceKind.QUANTITY,
    "OTHER": ReferenceKind.OTHER,
}
"""Label of the field → kind."""

_BLOCK: Final = 500_000
"""Characters that are looked at together; a longer text is cut where a line or a word ends."""
_OVERLAP: Final = 1_000
_LONG_LINES: Final = frozenset({"OTHER", "QUANTITY"})


class LearnedReferences:
    """Bids for all that is at least as likely as `least` to be part of a reference, by these
    weights."""

    name = "learned references"

    def __init__(self, *, least: float = 0.03, weights: Weights | None = None) -> None:
        self.least = least
        self._weights = weights
        self._own = threading.local()

    def bid(self, document: Document) -> Iterable[Bid]:
        ahead = self._ahead().pop(document, None)
        if ahead is not None:
            yield from ahead
            return
        for start, reach in _blocks(document.text):
            (found,) = self.bid_each([document.text[max(0, start - _OVERLAP) : reach + _OVERLAP]])
            shift = max(0, start - _OVERLAP)
            for bid in found:
                if start <= bid.start + shift < reach:  # what begins earlier is the block's before
                    yield bid.moved(shift) if shift else bid

    def read_ahead(self, documents: Sequence[Document]) -> None:
        """Bid for short documents together; each one's bids are kept until it is asked for or
        forgotten."""
        texts = list(dict.fromkeys(document.text for document in documents))
        found = dict(zip(texts, self.bid_each(texts), strict=True))
        self._ahead().update((document, found[document.text]) for document in documents)

    def _ahead(self) -> WeakKeyDictionary[Document, list[Bid]]:
        ahead: WeakKeyDictionary[Document, list[Bid]] | None = getattr(self._own, "ahead", None)
        if ahead is None:
            ahead = self._own.ahead = WeakKeyDictionary()
        return ahead

    def bid_each(self, texts: Sequence[str]) -> list[list[Bid]]:
        """The bids for each of many short texts, such as the cells of a column, all looked at
        together."""
        out: list[list[Bid]] = [[] for _ in texts]
        crf = self._crf()
        for number, bid in bids_for(crf.mark(texts), crf.weights.labels, texts, by=self):
            out[number].append(bid)
        return out

    def _crf(self) -> Crf:
        """The field of this thread: it remembers word forms, which two threads must not do at
        once."""
        crf: Crf | None = getattr(self._own, "crf", None)
        if crf is None:
            crf = self._own.crf = Crf(self._weights or packaged())
        return crf


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while len(text) - start > _BLOCK:
        cut = text.rfind("\n", start + _BLOCK // 2, start + _BLOCK)
        if cut < 0:
            cut = text.rfind(" ", start + _BLOCK // 2, start + _BLOCK)
        cut = cut + 1 if cut >= 0 else start + _BLOCK
        yield start, cut
        start = cut
    if start < len(text):
        yield start, len(text)


def bids_for(
    marked: LabelledStream, labels: Sequence[str], texts: Sequence[str], *, by: LearnedReferences
) -> Iterator[tuple[int, Bid]]:
    """Bids for the marked tokens, each with the number of its text."""
    stream, sure = marked.stream, 1 - marked.marginals[:, 0]
    likeliest = marked.marginals[:, 1:].argmax(axis=1) + 1
    ends = stream.origins + np.array([len(text) for text in texts], np.int64)
    inside = (stream.starts >= stream.origins[stream.text_of]) & (
        stream.ends <= ends[stream.text_of]
    )
    hits = np.flatnonzero((sure >= by.least) & inside)
    if not len(hits):
        return
    breaks = (
        (np.diff(hits) > 1)
        | (np.diff(likeliest[hits]) != 0)
        | _splits(stream.gaps[hits[1:]], likeliest[hits[1:]], labels)
    )
    begins = np.flatnonzero(np.concatenate(([True], breaks)))
    sizes = np.diff(np.append(begins, len(hits)))
    first, last = hits[begins], hits[begins + sizes - 1]
    scores = np.add.reduceat(sure[hits], begins) / sizes
    numbers = stream.text_of[first]
    found = (
        numbers,
        stream.starts[first] - stream.origins[numbers],
        stream.ends[last] - stream.origins[numbers],
        likeliest[first],
    )
    for number, start, end, label, score in zip(
        *(part.tolist() for part in (*found, scores)), strict=True
    ):
        kind, text = KIND_OF[labels[label]], texts[number][start:end]
        if any(map(str.isalnum, text)) and not (kind is ReferenceKind.NAME and is_title(text)):
            yield (
                number,
                Bid(
                    start,
                    end,
                    kind,
                    round(score, 4),
                    by.name,
                    "learned from how such references occur in texts",
                ),
            )


def _splits(
    gaps: NDArray[np.uint8], labels: NDArray[np.intp], names: Sequence[str]
) -> NDArray[np.bool_]:
    """Where a reference ends although the next token is of its kind: at an empty line; for most
    kinds at any new line."""
    long = np.isin(labels, [place for place, name in enumerate(names) if name in _LONG_LINES])
    return (gaps >= PARAGRAPH) | ((gaps >= LINE) & ~long)


DECLARATION = DetectorDeclaration(
    key="learned references",
    doc="references that a conditional random field learned to find",
    kinds=(
        ReferenceKind.AGE,
        ReferenceKind.COUNTRY,
        ReferenceKind.DATE,
        ReferenceKind.DEMOGRAPHIC,
        ReferenceKind.EMAIL,
        ReferenceKind.HOSPITAL,
        ReferenceKind.NAME,
        ReferenceKind.ORGANISATION,
        ReferenceKind.OTHER,
        ReferenceKind.PHONE,
        ReferenceKind.POSTCODE,
        ReferenceKind.PROFESSION,
        ReferenceKind.QUANTITY,
        ReferenceKind.RECORD_NUMBER,
        ReferenceKind.REGION,
        ReferenceKind.STREET,
        ReferenceKind.TEAM,
        ReferenceKind.TIME,
        ReferenceKind.TOWN,
        ReferenceKind.URL,
    ),
    basis=Basis.LEARNED,
    make=LearnedReferences,
    order=2000,
    gives_way_below=ALWAYS,
    least_set=Detectors.CRF,
)
