"""How certain it is that a value is a reference: those below a limit become tags, or stay, as asked.

A score of a name, place or number is the certainty of a detector. For dates, times, ages and
traits, it is how much they single out, so those are never unsure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from .bids import Bid
from .decision import Decision
from .documents import Document
from .hidden import visible
from .kinds import ReferenceKind
from .repeat_mask import SWEEPING
from .surrogates.real_values import untitled, words_of

CERTAIN: Final = 0.6
"""From this score on a value is certain: form and surroundings agree, or two detectors do."""
_JUDGED: Final = frozenset(
    {
        ReferenceKind.NAME,
        ReferenceKind.STREET,
        ReferenceKind.TOWN,
        ReferenceKind.REGION,
        ReferenceKind.COUNTRY,
        ReferenceKind.HOSPITAL,
        ReferenceKind.ORGANISATION,
        ReferenceKind.TEAM,
        ReferenceKind.RECORD_NUMBER,
    }
)
_KEPT = "not certain, and kept as asked"
Value = tuple[ReferenceKind, str]


def uncertain_values(marked: Iterable[tuple[Document, Iterable[Bid]]]) -> frozenset[Value]:
    """The values of one person's documents of which no place is certain, as they are seen.

    A part of a certain name is certain too.

    Example:
        >>> letter = Document("Ann Lee came. Lee. Foley.")
        >>> spans = (0, 7, 0.9), (14, 17, 0.5), (19, 24, 0.5)
        >>> bids = [Bid(start, end, ReferenceKind.NAME, score, "x") for start, end, score in spans]
        >>> sorted(uncertain_values([(letter, bids)]))
        [(<ReferenceKind.NAME: 'name'>, 'Foley')]
    """
    best: dict[Value, float] = {}
    for document, bids in marked:
        for bid in bids:
            if bid.kind in _JUDGED and bid.detector != SWEEPING:
                value = bid.kind, visible(document.text[bid.start : bid.end])
                best[value] = max(best.get(value, 0.0), bid.score)
    sure = {
        word for (_, value), score in best.items() if score >= CERTAIN for word in _words(value)
    }
    return frozenset(
        value
        for value, score in best.items()
        if score < CERTAIN and sure.isdisjoint(_words(value[1]))
    )


def without_uncertain(
    documents: Sequence[Document], decisions: Sequence[Sequence[Decision]]
) -> list[tuple[Decision, ...]]:
    """The decisions about one person's documents, in which uncertain values are kept."""
    masked = [[each.finding for each in of if each.masks] for of in decisions]
    kept = uncertain_values(zip(documents, masked, strict=True))
    return [
        tuple(
            replace(each, masks=False, reason=_KEPT)
            if each.masks and _value(document, each.finding) in kept
            else each
            for each in of
        )
        for document, of in zip(documents, decisions, strict=True)
    ]


def _value(document: Document, bid: Bid) -> tuple[ReferenceKind | None, str]:
    return bid.kind, visible(document.text[bid.start : bid.end])


def _words(value: str) -> list[str]:
    return words_of(untitled(value))
