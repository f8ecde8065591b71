"""Finding: bids lie inside the text, winners never overlap, and what is outside them can be put
together again."""

from __future__ import annotations

from itertools import pairwise

from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.text import Bid, Document, ReferenceKind, winners
from sfumato.text.detectors import PATTERNS
from sfumato.text.finder import bids_of, find

PIECES = (
    "617-473-1214", "jane@example.org", "3 May 1999", "05/26/86", "MRN 998877", "SSN 123-45-6789", "10.0.0.77", "1993",
    "4539 1488 0343 6467", "GB82 WEST 1234 5698 7654 32", "10:30 a.m.", "93-year-old", "no. 18403/91", "EUR 5,000",
    "https://example.org/a", "@dot", "AB12 CDE", "51.5074, -0.1278", "500 mg", "120/80", "Dr. Lang", "call", "born in",
    "May", "-", "/", ".", ":", "(", ")", "\n", "\n\n", " ", ", ", "and", "12", "ÅÄ", "٣", "👩‍⚕️", "\u202e", "\x00",
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.text(max_size=200),
    st.text(alphabet="0123456789-/. :@AM(+)", max_size=120),
)
SPANS = st.tuples(
    st.integers(0, 60), st.integers(1, 20), st.floats(0, 1), st.sampled_from((*ReferenceKind, None))
)


@given(TEXTS)
def test_bids_lie_inside_the_text(text):
    for bid in bids_of(Document(text), PATTERNS):
        assert 0 <= bid.start < bid.end <= len(text)
        assert not text[bid.start].isspace()
        assert not text[bid.end - 1].isspace()


@given(TEXTS, st.sampled_from((0.0, 0.3, 0.5, 0.9)))
def test_findings_come_in_order_without_overlap_above_the_threshold(text, threshold):
    found = find(Document(text), PATTERNS, threshold=threshold)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(bid.score >= threshold and bid.kind is not None for bid in found)


@given(TEXTS)
@settings(max_examples=example_count(50))
def test_the_same_text_gives_the_same_findings(text):
    assert find(Document(text), PATTERNS) == find(Document(text), PATTERNS)


@given(TEXTS)
def test_replacing_winners_leaves_the_rest_as_it_was(text):
    """Cut the findings out, put a mark in their place, and take the marks for what was there: the
    text is back."""
    found = find(Document(text), PATTERNS)
    mark = "\ue000"
    kept, place = [], 0
    for bid in found:
        kept.append(text[place : bid.start])
        place = bid.end
    replaced = mark.join([*kept, text[place:]])
    assert len(replaced) == len(text) - sum(map(len, found)) + len(found)
    if mark not in text:
        outside = replaced.split(mark)
        inside = [text[bid.start : bid.end] for bid in found]
        assert "".join(a + b for a, b in zip(outside, [*inside, ""], strict=True)) == text


@given(st.lists(SPANS, max_size=20))
def test_winners_never_overlap_and_no_other_choice_is_worth_more(spans):
    bids = [
        Bid(start, start + length, kind, score, f"d{n}")
        for n, (start, length, score, kind) in enumerate(spans)
    ]
    won = winners(bids)
    assert all(one.end <= other.start for one, other in pairwise(won))
    assert all(any(bid.start == each.start and bid.end == each.end for each in bids) for bid in won)
    best = max((bid.score**2 * len(bid) for bid in bids if bid.kind is not None), default=0.0)
    kept = sum(bid.score**2 * len(bid) for bid in bids if bid.kind is None)
    assert sum(bid.score**2 * len(bid) for bid in won) >= best - kept - 1e-9
