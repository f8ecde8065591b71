"""What sort of text it is, by its words: a decision of a court, a note or letter from a clinic."""

from __future__ import annotations

from .documents import Document
from .learned.cues import CLINIC, COURT


def reads_like_a_court(document: Document) -> bool:
    """Whether a text has the words of a court's decision: five of them, one word in fifty, and more
    than a clinic's."""
    court = _count(document, COURT)
    return (
        court >= 5 and court >= 0.02 * document.tally.total() and court > _count(document, CLINIC)
    )


def reads_like_a_clinic(document: Document) -> bool:
    """Whether a text has the words of a clinic's notes: one in a hundred."""
    clinic = _count(document, CLINIC)
    return clinic >= 1 and clinic >= 0.01 * document.tally.total()


def _count(document: Document, cues: frozenset[str]) -> int:
    tally = document.tally
    return sum(map(tally.__getitem__, cues & tally.keys()))
