"""Whatever the text is, detectors that know words do not fail, and bid only for what is there."""

from __future__ import annotations

from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.text import Bid, Document, winners
from sfumato.text.detectors import WORDS
from sfumato.text.name_propagation import KnownNames, spread

PIECES = (
    "John Smith", "Dr", "Mrs.", "van der", "J", "K.", ",", ":", "\n", "\n\n", "-", "'s", "Hodgkins",
    "developed", "MA", "02151", "Boston", "St.", "Hospital", "of the", "University", "Corp", "team", "12",
    "Street", "rue de la", "PO Box", "daughter", "is a", "old", "M.D.", "name", "RE", "Long", "long", "is",
    "white", "female", "王先生", "Иван", "é", "💉", "\x00", "mg", "5", "Insulin", "and", "Dear", "Sincerely",
    "works for", "address", "lives at", "U.", "S.", "truck driver", "(", '"',
)  # fmt: skip
texts = st.one_of(
    st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)
)


@settings(max_examples=example_count(150), deadline=None)
@given(texts, st.sampled_from(["", " "]))
def test_bids_are_within_the_text_and_not_empty(text, joint):
    document = Document(text + joint + text)
    bids = [bid for detector in WORDS for bid in detector.bid(document)]
    found = winners(bids, threshold=0.3)
    further = spread(document, found, elsewhere=KnownNames.of(Document(text), winners(bids)))
    for bid in (*bids, *further):
        assert 0 <= bid.start < bid.end <= len(document.text)
        assert 0 < bid.score <= 1
        assert document.text[bid.start : bid.end].strip()


def test_reasons_hold_nothing_of_the_text():
    document = Document(
        "Dr. Zorblat of 12 Qwertz Street, Boston, MA 02151, works for Asdfgh Corp; her "
        "daughter Yxcvb."
    )
    bids: list[Bid] = [bid for detector in WORDS for bid in detector.bid(document)]
    assert bids
    for bid in bids:
        assert not any(word.text in bid.reason for word in document.words if word.text[0].isupper())
