"""Finding: detectors bid, names lose ordinary words and are looked for again, bids compete. Nothing
is changed.

`find` is the whole of it for one document. For a person's documents together, hand the names of one
(`KnownNames.of`) to the finding in the others. A `DocumentBids` keeps the bids, so that only the
search for known values is repeated. Many short documents are faster behind `read_ahead`. A long one
is read in parts, so that memory does not grow with it."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from heapq import merge
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from .bids import Bid, TextDetector
from .competition import winners, winners_with_rests
from .documents import Document
from .packed_bids import PackedBids
from .second_opinion import without_overruled
from .unsure_sentences import unsure_sentences
from .vetoes import after_vetoes, asked_of, learned_vetoes

if TYPE_CHECKING:
    from .name_propagation import KnownNames

THRESHOLD = 0.5
"""From here on a bid's form alone is enough; below are quasi-identifiers that disclose little by
themselves."""
LEARNED = "learned references"
"""The cheap detector whose doubts say what a costly one reads; without it, everything is read."""
_TOGETHER = 100_000
"""Characters of short documents that are read together."""


@runtime_checkable
class ReadsAhead(Protocol):
    """A detector that is faster on many documents at once: it bids for them beforehand and keeps
    the bids."""

    def read_ahead(self, documents: Sequence[Document]) -> None: ...


@runtime_checkable
class ReadsWhereUnsure(Protocol):
    """A costly detector, the last to be asked: it reads only what the others leave open."""

    def bid_in(self, document: Document, spans: Sequence[tuple[int, int]]) -> Iterable[Bid]: ...


def usual_detectors() -> tuple[TextDetector, ...]:
    """By rules and learned; not at the top, since names and places are read from files when first
    used."""
    from .detectors.sets import detectors

    return detectors()


def bids_of(document: Document, detectors: Iterable[TextDetector] | None = None) -> tuple[Bid, ...]:
    """The bids of every detector, in no order. Where none are named, the usual ones."""
    return tuple(bid for bids in _bids_by_part(document, detectors) for bid in bids)


def _bids_by_part(
    document: Document,
    detectors: Iterable[TextDetector] | None,
    *,
    vetoed: list[Bid] | None = None,
) -> Iterator[list[Bid]]:
    from .name_extents import with_names_cut

    asked = asked_of(document, usual_detectors() if detectors is None else detectors)
    vetoing = learned_vetoes(document, asked)
    costly = (
        {each.name: each for each in asked if hasattr(each, "bid_in")}
        if any(each.name == LEARNED for each in asked)
        else {}
    )
    if not document.text:
        yield []
    for part in document.parts():
        every: list[Bid] = []
        overruled: list[Bid] = []
        for detector in asked:
            if detector.name not in costly:
                every += with_names_cut(part.document, detector.bid(part.document))
                continue
            read = unsure_sentences(part.document, every)
            found = list(costly[detector.name].bid_in(part.document, read))
            if vetoing:
                every, without = without_overruled(every, part.document, by=found, read=read)
                overruled += without
            every += with_names_cut(part.document, found)
        judged = after_vetoes(every, part.document, learned_vetoes=vetoing)
        if vetoed is not None:
            gave_way = (*overruled, *judged.vetoed)
            vetoed += (bid.moved(part.start) for bid in gave_way if part.owns(bid.start))
        if not document.is_long:
            yield judged.kept
            return
        yield sorted(
            (bid.moved(part.start) for bid in judged.kept if part.owns(bid.start)),
            key=attrgetter("start"),
        )


class DocumentBids:
    """The bids for one document. `findings` may be asked again when more is known from elsewhere.

    Example:
        >>> search = DocumentBids(Document("Call 617-473-1214 on 3 May 2001."))
        >>> [(bid.start, bid.end, bid.kind.value) for bid in search.findings()]
        [(5, 17, 'phone'), (21, 31, 'date')]
    """

    def __init__(
        self,
        document: Document,
        detectors: Iterable[TextDetector] | None = None,
        *,
        threshold: float = THRESHOLD,
    ) -> None:
        self.document, self.threshold = document, threshold
        with _undisturbed():
            self.vetoed: list[Bid] = []
            """Bids that gave way to medicine, or to the silence of learned detectors."""
            parts = _bids_by_part(document, detectors, vetoed=self.vetoed)
            self.bids = PackedBids(chain.from_iterable(parts)) if document.is_long else next(parts)
            first = winners(self.bids, threshold=threshold, in_order=document.is_long)
            self.first = PackedBids(first) if document.is_long else first

    def findings(self, *, elsewhere: KnownNames | None = None) -> tuple[Bid, ...]:
        """The winners after everything that is known has been looked for again."""
        from .name_propagation import spread

        long = self.document.is_long
        with _undisturbed():
            further = spread(self.document, self.first, elsewhere=elsewhere)
            bids = (
                merge(self.bids, further, key=attrgetter("start"))
                if long
                else (*self.bids, *further)
            )
            return winners_with_rests(
                bids, self.document.text, threshold=self.threshold, in_order=long
            )


def find(
    document: Document,
    detectors: Iterable[TextDetector] | None = None,
    *,
    threshold: float = THRESHOLD,
    elsewhere: KnownNames | None = None,
    spreads: bool = True,
) -> tuple[Bid, ...]:
    """The references in a document, in the order of the text; none overlaps another.

    Winners are looked for again, in other places and misspelt, with the document's cues and values
    from `elsewhere`; then everything competes once more. `spreads=False` omits that, for baselines
    and measurements.

    Example:
        >>> found = find(Document("Call 617-473-1214 on 3 May 2001."))
        >>> [(bid.start, bid.end, bid.kind.value) for bid in found]
        [(5, 17, 'phone'), (21, 31, 'date')]
    """
    search = DocumentBids(document, detectors, threshold=threshold)
    return search.findings(elsewhere=elsewhere) if spreads else tuple(search.first)


def read_ahead(
    documents: Iterable[Document], detectors: Iterable[TextDetector] | None = None
) -> Iterator[Document]:
    """The documents in their order, some at a time shown beforehand to those detectors that are
    faster so.

    Example:
        >>> [len(find(document)) for document in read_ahead([Document("Call 617-473-1214"), Document("He is ill.")])]
        [1, 0]
    """
    readers = [each for each in detectors or usual_detectors() if isinstance(each, ReadsAhead)]
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document)
        if size >= _TOGETHER:
            yield from _shown(batch, readers)
            batch, size = [], 0
    yield from _shown(batch, readers)


def _shown(batch: Sequence[Document], readers: Iterable[ReadsAhead]) -> Sequence[Document]:
    short = [document for document in batch if not document.is_long]
    for reader in readers if len(short) > 1 else ():
        reader.read_ahead(short)
    return batch


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without the search for cycles of objects: a document makes many small objects, none of them
    in a cycle."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
