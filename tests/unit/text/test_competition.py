"""What of a losing bid no winner covers is found too."""

from __future__ import annotations

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from sfumato.text import Bid, ReferenceKind, winners
from sfumato.text.competition import winners_with_rests

TEXT = "Anna Schmidt-Long, of Bonn and Rome, saw Dr. Frank on 3 May."
PLACES = st.integers(0, len(TEXT))
BIDS = st.lists(
    st.builds(
        lambda one, other, kind, score: Bid(min(one, other), max(one, other), kind, score, "x"),
        PLACES,
        PLACES,
        st.sampled_from([ReferenceKind.NAME, ReferenceKind.TOWN, ReferenceKind.DATE, None]),
        st.floats(0.01, 1.0),
    ),
    max_size=10,
)


@given(bids=BIDS)
def test_nothing_overlaps_and_the_winners_are_the_winners(bids: list[Bid]) -> None:
    found = winners_with_rests(bids, TEXT)
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))
    assert set(winners(bids)) <= set(found)


@given(bids=BIDS.filter(lambda bids: all(bid.kind for bid in bids)))
def test_every_whole_word_of_a_bid_is_found(bids: list[Bid]) -> None:
    found = winners_with_rests(bids, TEXT)
    for bid in bids:
        for word in re.finditer(r"\w+", TEXT):
            if bid.start <= word.start() and word.end() <= bid.end and len(word[0]) > 4:
                assert any(other.start < word.end() and word.start() < other.end for other in found)


def test_words_to_keep_stay_and_small_words_are_no_rest() -> None:
    name, longer = (
        Bid(0, 4, ReferenceKind.NAME, 0.95, "sure"),
        Bid(0, 12, ReferenceKind.NAME, 0.3, "less"),
    )
    keep = Bid(5, 12, None, 0.9, "keep")
    assert winners_with_rests([name, longer, keep], TEXT) == (name,)
    town, phrase = (
        Bid(22, 26, ReferenceKind.TOWN, 0.95, "sure"),
        Bid(22, 30, ReferenceKind.TOWN, 0.2, "less"),
    )
    assert winners_with_rests([town, phrase], TEXT) == (town,)
