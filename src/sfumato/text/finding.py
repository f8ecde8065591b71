"""Finding: every detector bids, names that were found are looked for again, and the bids compete. Nothing is changed.

`find` is the whole of it for one document. For a person's documents together, hand what one told (`Known.of`) to the
finding in the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .bids import Bid, Detector
from .competing import winners
from .documents import Document

if TYPE_CHECKING:
    from .spreading import Known

THRESHOLD = 0.5
"""From here on a bid's form alone says so; below are quasi-identifiers that say little by themselves."""


def bids_of(document: Document, detectors: Iterable[Detector] | None = None) -> tuple[Bid, ...]:
    """What every detector bids, in no order. Where none are named, those that work by rules."""
    if detectors is None:
        from .detectors import RULES  # Not at the top: names and places are read from files when first used.

        detectors = RULES
    return tuple(bid for detector in detectors for bid in detector.bid(document))


def find(
    document: Document,
    detectors: Iterable[Detector] | None = None,
    *,
    threshold: float = THRESHOLD,
    elsewhere: Known | None = None,
    spreads: bool = True,
) -> tuple[Bid, ...]:
    """The references in a document, in the order of the text; none overlaps another.

    What wins is looked for again, in other places and misspelt, with the document's cues and what is known from
    `elsewhere`; then everything competes once more. `spreads=False` leaves that out, for baselines and measurements.

    Example:
        >>> found = find(Document("Call 617-473-1214 on 3 May 2001."))
        >>> [(bid.start, bid.end, bid.kind.value) for bid in found]
        [(5, 17, 'phone'), (21, 31, 'date')]
    """
    bids = bids_of(document, detectors)
    if not spreads:
        return winners(bids, threshold=threshold)
    from .spreading import spread

    further = spread(document, winners(bids, threshold=threshold), elsewhere=elsewhere)
    return winners((*bids, *further), threshold=threshold)
