"""Vetoes: bids of little certainty give way where a detector of medicine is sure.

A bid for words to keep competes with the others by length and score, and loses to a longer one. A
veto does not compete: it cuts its words out of every bid whose detector gives way. What a label, a
title or check digits vouch for never does: where such a bid is sure, it cuts its words out of the
veto."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from .bids import Bid, TextDetector
from .competition import uncovered
from .documents import Document
from .genres import has_medicine
from .own_patterns import is_own

if TYPE_CHECKING:
    from .detectors.declaration import DetectorDeclaration


def asked_of(document: Document, detectors: Iterable[TextDetector]) -> Sequence[TextDetector]:
    """The detectors that look in the document: those that veto only where there is medicine."""
    every = tuple(detectors)
    declared = _declared()
    quiet = [each for each in every if not (each.name in declared and declared[each.name].vetoes)]
    return quiet if len(quiet) < len(every) and not has_medicine(document) else every


def without_vetoed(bids: Iterable[Bid], document: Document) -> list[Bid]:
    """The bids, without what a detector of medicine is sure of; of a bid that is cut its other
    words stay.

    Example:
        >>> from sfumato.text.kinds import ReferenceKind
        >>> kept = Bid(0, 13, None, 0.95, "instruments")
        >>> guessed = Bid(0, 5, ReferenceKind.NAME, 0.99, "learned references")
        >>> without_vetoed([kept, guessed], Document("Allis forceps"))
        [Bid(start=0, end=13, kind=None, score=0.95, detector='instruments', reason='')]
    """
    from .name_extents import with_names_cut

    declared = _declared()
    every = _without_vouched(list(bids), document, declared)
    vetoes = [
        bid
        for bid in every
        if bid.kind is None and bid.detector in declared and declared[bid.detector].vetoes
    ]
    if not vetoes:
        return every
    taken = bytearray(len(document.text))
    for veto in vetoes:
        taken[veto.start : veto.end] = b"\1" * len(veto)
    out: list[Bid] = []
    for bid in every:
        if (
            bid.kind is None
            or bid.detector not in declared
            or bid.score >= declared[bid.detector].gives_way_below
            or taken.find(1, bid.start, bid.end) < 0
        ):
            out.append(bid)
        else:
            out += with_names_cut(
                document,
                (replace(bid, start=a, end=b) for a, b in uncovered(bid, document.text, taken)),
            )
    return out


def _without_vouched(
    bids: list[Bid], document: Document, declared: Mapping[str, DetectorDeclaration]
) -> list[Bid]:
    """The bids, those of no kind without the words that a label, a title or check digits vouch
    for."""
    vouched = [bid for bid in bids if _is_vouched(bid, declared)]
    keeping = vouched and [bid for bid in bids if bid.kind is None]
    if not keeping:
        return bids
    taken = bytearray(len(document.text))
    for bid in vouched:
        taken[bid.start : bid.end] = b"\1" * len(bid)
    out = [bid for bid in bids if bid.kind is not None]
    for bid in keeping:
        if taken.find(1, bid.start, bid.end) < 0:
            out.append(bid)
        else:
            out += (replace(bid, start=a, end=b) for a, b in uncovered(bid, document.text, taken))
    return out


def _is_vouched(bid: Bid, declared: Mapping[str, DetectorDeclaration]) -> bool:
    """Whether the bid names somebody and stands against any veto: by its label, title or form, or
    because the user asked for it."""
    if bid.kind is None:
        return False
    if bid.detector not in declared:
        return is_own(bid)
    by = declared[bid.detector]
    return bid.score >= max(by.gives_way_below, by.vouches_from)


@cache
def _declared() -> dict[str, DetectorDeclaration]:
    from .detectors.declaration import DETECTORS

    return dict(DETECTORS.all())
