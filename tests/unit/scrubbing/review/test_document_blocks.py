"""What a page shows covers the whole document, cuts no finding in two, and stays small."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.scrubbing.review.document_blocks import (
    FOLDED_FROM,
    LONGEST,
    LONGEST_FOLD,
    MOST,
    WEIGHT,
    cut,
    paged,
)

LINE = "She is doing well on her present dose of insulin without any new complaints.\n"


@given(st.text(alphabet="ab \n\r", max_size=3000), st.lists(st.integers(0, 3000), max_size=12))
def test_blocks_cover_the_text_and_cut_no_finding(text, places):
    ends = sorted({place for place in places if place <= len(text)})
    spans = list(zip(ends[::2], ends[1::2], strict=False))
    blocks = cut(text, spans)
    assert "".join(text[block.start : block.end] for block in blocks) == text
    inner = {block.start for block in blocks}
    assert not any(start < place < end for start, end in spans for place in inner)
    assert sum(block.findings for block in blocks) == len(spans)


def test_a_line_without_end_is_cut():
    blocks = cut("x" * 10 * LONGEST, [])
    assert all(block.folded for block in blocks)
    short = cut("x" * (FOLDED_FROM - 1), [])
    assert max(block.end - block.start for block in short) <= LONGEST


def test_long_documents_are_folded_away_from_findings():
    text = LINE * 20_000
    place = len(LINE) * 10_000
    blocks = cut(text, [(place, place + 3)])
    shown = [block for block in blocks if not block.folded]
    assert len(shown) == 3
    assert shown[0].start < place < shown[-1].end
    assert "".join(text[block.start : block.end] for block in blocks) == text
    assert all(block.end - block.start <= LONGEST_FOLD for block in blocks)


def test_pages_hold_everything_once_and_not_too_much():
    long = cut(LINE * 40_000, [(place, place + 3) for place in range(0, len(LINE) * 40_000, 200)])
    documents = [
        (1, cut(LINE, [])),
        (2, long),
        *((number, cut(LINE, [])) for number in range(3, 1000)),
    ]
    pages = paged(documents)
    seen = {number: [] for number, _ in documents}
    for page in pages:
        assert len(page) <= MOST
        assert sum(block.weight for stretch in page for block in stretch.blocks) <= WEIGHT
        for stretch in page:
            seen[stretch.document] += stretch.blocks
    assert all(tuple(seen[number]) == blocks for number, blocks in documents)
    parts = [stretch.part for page in pages for stretch in page if stretch.document == 2]
    assert parts == list(range(1, len(parts) + 1))
    assert len(parts) > 10


def test_an_empty_document_has_its_place():
    [[stretch]] = paged([(1, cut("", []))])
    assert stretch.blocks == ()
    assert stretch.is_whole
