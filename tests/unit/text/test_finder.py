"""Finding: bids of all detectors, spread, compete."""

from __future__ import annotations

from sfumato.text import Bid, Document, ReferenceKind
from sfumato.text.detectors.sets import detectors
from sfumato.text.finder import THRESHOLD, bids_of, find


class Fixed:
    """A detector that bids what it was given."""

    def __init__(self, *bids: Bid) -> None:
        self.name = "fixed"
        self.bids = bids

    def bid(self, document: Document) -> tuple[Bid, ...]:
        return self.bids


def test_no_detectors_named_means_the_usual():
    document = Document("Call 617-473-1214.")
    assert sorted(bids_of(document)) == sorted(bids_of(document, detectors()))


def test_bids_below_the_threshold_lose():
    low, high = (
        Bid(0, 4, ReferenceKind.DATE, THRESHOLD - 0.1, "fixed"),
        Bid(5, 9, ReferenceKind.DATE, THRESHOLD, "fixed"),
    )
    assert find(Document("1993 1994"), (Fixed(low, high),)) == (high,)
    assert len(find(Document("1993 1994"), (Fixed(low, high),), threshold=0.1)) == 2


def test_a_name_once_found_is_found_again_unless_told_not_to():
    text = "Virginia Townsend came. Then Townsend left."
    detector = Fixed(Bid(0, 17, ReferenceKind.NAME, 0.95, "fixed"))
    again = [text[bid.start : bid.end] for bid in find(Document(text), (detector,))]
    assert again == ["Virginia Townsend", "Townsend"]
    assert len(find(Document(text), (detector,), spreads=False)) == 1


def test_words_to_keep_win_over_a_weaker_bid():
    keep, take = Bid(0, 8, None, 0.95, "keep"), Bid(0, 8, ReferenceKind.NAME, 0.6, "take")
    assert find(Document("Hodgkins"), (Fixed(keep, take),), spreads=False) == ()
