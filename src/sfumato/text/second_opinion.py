"""A second opinion: guesses give way in a clinical text where the transformer sees nothing.

The transformer reads whole sentences, so it tells a catheter from the person it is named after better
than lists of names and the conditional random field do. Where it read the words and finds them
next to impossible as a reference of any kind, a guess at them is dropped. Bids by a label, a title or
a form stay, and so do names in other scripts, which the transformer hardly learned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from .bids import Bid
from .detectors.declaration import ALWAYS, DETECTORS, Basis, DetectorDeclaration, Detectors
from .documents import Document, words_in
from .kinds import ReferenceKind
from .lexicons import first_names, folded, last_names, words

GUESSED: Final = frozenset(
    {
        ReferenceKind.NAME,
        ReferenceKind.TOWN,
        ReferenceKind.REGION,
        ReferenceKind.STREET,
        ReferenceKind.POSTCODE,
        ReferenceKind.ORGANISATION,
        ReferenceKind.TEAM,
        ReferenceKind.DEMOGRAPHIC,
        ReferenceKind.RECORD_NUMBER,
        ReferenceKind.PHONE,
        ReferenceKind.PLATE,
    }
)
"""Kinds that words and numbers of medicine are taken for."""
_NUMBERS: Final = frozenset(
    {
        ReferenceKind.RECORD_NUMBER,
        ReferenceKind.PHONE,
        ReferenceKind.PLATE,
    }
)
_IN_TIME: Final = frozenset(
    {ReferenceKind.DATE, ReferenceKind.TIME, ReferenceKind.AGE, ReferenceKind.QUANTITY}
)
"""Kinds that say nothing for a word that was taken for a name or a place."""
_SEEN: Final = 0.25
"""From this score on the transformer sees something."""
_SEEN_IN_A_NAME: Final = 0.05
"""The same for a word that people are called by and that is nothing else."""
_BELOW: Final = {
    **dict.fromkeys(("person names", "record numbers", "plates"), ALWAYS),
    **dict.fromkeys(("towns", "regions"), 0.85),
    "organisations": 0.6,
    "teams": 0.9,
    "demographics": 0.75,
}
"""Rules that know words by lists and shapes, and the score from which the words around support what
they found: "works for IBM", "in Las Cruces"."""


def is_guess(bid: Bid) -> bool:
    """Whether the bid is one that a second opinion may overrule."""
    if bid.kind not in GUESSED:
        return False
    declared = _declared().get(bid.detector)
    return (
        declared is not None
        and bid.score < declared.gives_way_below
        and declared.least_set is not Detectors.TRANSFORMER
        and (declared.basis is Basis.LEARNED or bid.score < _BELOW.get(bid.detector, 0.0))
    )


def without_overruled(
    bids: Iterable[Bid],
    document: Document,
    *,
    by: Sequence[Bid],
    read: Sequence[tuple[int, int]],
) -> tuple[list[Bid], list[Bid]]:
    """The bids that stay, and the guesses within what was `read` where no bid `by` the reader is.

    Example:
        >>> note = Document("Dermabond to skin. Seen by Ann Lee.")
        >>> spans, kind = ((0, 9), (27, 34)), ReferenceKind.NAME
        >>> guesses = [Bid(*span, kind, 0.7, "person names") for span in spans]
        >>> read = [Bid(27, 34, kind, 0.9, "transformer")]
        >>> kept, overruled = without_overruled(guesses, note, by=read, read=[(0, 35)])
        >>> [note.text[bid.start : bid.end] for bid in overruled]
        ['Dermabond']
    """
    unread = bytearray(b"\1") * len(document.text)
    for start, end in read:
        unread[start:end] = bytes(end - start)
    kept: list[Bid] = []
    overruled: list[Bid] = []
    for bid in bids:
        silent = (
            is_guess(bid)
            and unread.find(1, bid.start, bid.end) < 0
            and not any(_supports(opinion, bid, document) for opinion in by)
        )
        (overruled if silent else kept).append(bid)
    return kept, overruled


def _supports(opinion: Bid, guess: Bid, document: Document) -> bool:
    """Whether the reader takes a part of the guess for a reference that it could be a part of."""
    if not opinion.overlaps(guess):
        return False
    if opinion.kind in _IN_TIME:
        return guess.kind in _NUMBERS and opinion.score >= _SEEN
    named = guess.kind not in _NUMBERS and has_a_name(document.text[guess.start : guess.end])
    return opinion.score >= (_SEEN_IN_A_NAME if named else _SEEN)


def has_a_name(text: str) -> bool:
    """Whether a word of it is a name that people bear and no ordinary word."""
    return any(
        fold not in words() and (fold in first_names() or fold in last_names())
        for fold in map(folded, words_in(text))
    )


@cache
def _declared() -> dict[str, DetectorDeclaration]:
    return dict(DETECTORS.all())
