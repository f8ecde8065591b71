"""Finding takes time and memory in proportion to the text, whatever the text is; long texts lose
nothing at borders.

No clock decides: the processor time of a text is compared with that of one four times as long.
"""

from __future__ import annotations

import socket
import time
import tracemalloc
from itertools import pairwise

import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.text import Bid, Document, ReferenceKind, competition, documents, find
from sfumato.text.competition import winners
from sfumato.text.decision import FLOOR, masked
from sfumato.text.detectors.sets import detectors
from sfumato.text.documents import blocks
from sfumato.text.finder import bids_of, read_ahead
from sfumato.text.name_propagation import spread
from sfumato.text.packed_bids import PackedBids
from sfumato.text.repeat_mask import RepeatValues
from sfumato.text.scrubber import scrub

FOLD = 4
SLACK = 2.5
GRAIN = 0.05
TRIES = 3  # On a busy machine one of two measurements may come out twice too long.
"""Quadratic time would take four times as long again; caches, parts of long texts and the clock's
grain take some."""
ODD = {
    "digits": "1234567890",
    "capitals": "ABCDEFGHIJ",
    "small letters": "abcdefghij",
    "at signs": "@",
    "blanks": " ",
    "one name": "Mary Smith ",
    "initials": "A. ",
    "possessives": "Ann's ",
    "months": "May ",
    "titles": "Mr. ",
    "almost phones": "617-473-121 ",
    "almost e-mails": "a@b.",
    "last names": "Smith, ",
    "marks": "a\u0301\u0301",
    "faces": "\U0001f600",
    "titles in Chinese": "王小明先生",
}
LETTER = "Dear Dr. Lang:\n\nVirginia Townsend, MRN 4471829, lives in Boston. Call 617-473-1214.\n\n"


def seconds(text: str) -> float:
    started = time.process_time()
    document = Document(text)
    masked(document, find(document, detectors(), threshold=FLOOR))
    return time.process_time() - started


@pytest.fixture(scope="module", autouse=True)
def _read_lexicons():
    find(Document(LETTER), detectors())


@pytest.mark.parametrize("piece", ODD.values(), ids=ODD.keys())
def test_time_is_in_proportion_on_odd_texts(piece):
    short = piece * (8_000 // len(piece))
    assert any(seconds(short * FOLD) <= FOLD * SLACK * seconds(short) + GRAIN for _ in range(TRIES))


def test_a_text_of_one_line_without_blanks_is_read(monkeypatch):
    monkeypatch.setattr(documents, "_LONG", 5_000)
    text = "x" * 30_000 + "617-473-1214"
    assert find(Document(text), detectors()) is not None


def test_many_names_are_spread_in_proportion():
    """Names that begin alike, and parts that are all one slip apart."""

    def work(count: int) -> float:
        names = [
            f"Anna {chr(65 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}berg"
            for n in range(count)
        ]
        text = ". ".join(names)
        found, start = [], 0
        for name in names:
            found.append(Bid(start, start + len(name), ReferenceKind.NAME, 0.9, "x"))
            start += len(name) + 2
        document = Document(text)
        started = time.process_time()
        spread(document, found)
        list(RepeatValues((ReferenceKind.NAME, name) for name in names).places(document))
        return time.process_time() - started

    took, more = (min(work(count) for _ in range(3)) for count in (500, 500 * FOLD))
    assert more <= FOLD * SLACK * took + GRAIN


def test_a_run_of_letters_is_not_tried_in_all_its_misspellings():
    """The square of a megabyte would never end."""
    document = Document("A" * 100_000 + " Lang")
    assert spread(document, [Bid(0, 100_000, ReferenceKind.NAME, 0.9, "x")]) == ()


def test_memory_hardly_grows_with_the_text(monkeypatch):
    monkeypatch.setattr(documents, "_LONG", 5_000)
    monkeypatch.setattr(documents, "_OVERLAP", 100)

    def peak(times: int) -> int:
        document = Document("She slept well and took her tablets. " * times)
        tracemalloc.start()
        find(document, detectors(), threshold=FLOOR)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(300)
    assert peak(1_200) < 1.5 * peak(300)


def test_what_stands_at_a_border_is_found(monkeypatch):
    """Wherever a part of a long text ends, what is found there is what is found in the whole."""
    text = LETTER * 12
    whole = find(Document(text), detectors())
    for size in (211, 300, 401, 640):
        monkeypatch.setattr(documents, "_LONG", size)
        monkeypatch.setattr(documents, "_OVERLAP", 150)
        parted = find(Document(text), detectors())
        assert {(bid.start, bid.end, bid.kind) for bid in parted} >= {
            (bid.start, bid.end, bid.kind) for bid in whole if bid.score >= 0.8
        }


def test_a_name_is_spread_over_all_parts(monkeypatch):
    monkeypatch.setattr(documents, "_LONG", 400)
    text = (
        "RE: Virginia Townsend\n\n"
        + "She slept well and took her tablets.\n\n" * 40
        + "Townsend was ill."
    )
    found = find(Document(text), detectors())
    assert [text[bid.start : bid.end] for bid in found if bid.kind is ReferenceKind.NAME] == [
        "Virginia Townsend",
        "Townsend",
    ]


@given(st.text(alphabet="ab .\n", max_size=300), st.integers(4, 60))
def test_blocks_cover_the_text(text, size):
    spans = list(blocks(text, size=size))
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(0 < end - start <= size for start, end in spans)


_BIDS = st.builds(
    lambda start, size, kind, score: Bid(start, start + size, kind, score, "x"),
    st.integers(0, 400),
    st.integers(1, 9),
    st.sampled_from([ReferenceKind.NAME, ReferenceKind.DATE, None]),
    st.sampled_from([0.3, 0.6, 0.9]),
)


@settings(max_examples=example_count(40))
@given(st.lists(_BIDS, max_size=60))
def test_bids_can_be_sorted_packed_and_decided_in_groups(bids):
    ordered = sorted(bids)
    assert list(PackedBids(ordered)) == ordered
    chosen = winners(ordered)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(competition, "_TOGETHER", 3)
        in_order = winners(iter(ordered), in_order=True)
    assert sum(bid.score**2 * len(bid) for bid in in_order) == pytest.approx(
        sum(bid.score**2 * len(bid) for bid in chosen)
    )
    assert all(one.end <= other.start for one, other in pairwise(in_order))


@given(
    st.lists(st.sampled_from(["32-841", "see", "Ann Lee", "Ann Leeds", "MRN 32-8411"]), max_size=12)
)
def test_wanted_values_are_found_wherever_they_stand(pieces):
    text = " ; ".join(pieces)
    places = list(
        RepeatValues(
            [(ReferenceKind.RECORD_NUMBER, "32-841"), (ReferenceKind.NAME, "Ann Lee")]
        ).places(Document(text))
    )
    assert len(places) == pieces.count("32-841") + pieces.count("Ann Lee")
    assert {text[start:end] for start, end, _ in places} <= {"32-841", "Ann Lee"}


@given(st.text(max_size=60))
def test_words_have_their_places_whatever_the_text(text):
    document = Document(text)
    assert all(text[word.start : word.end] == word.text for word in document.words)
    assert list(document.each_word()) == list(zip(document.texts, document.starts, strict=True))
    assert document.tally.total() == len(document.words)


def test_marks_belong_to_their_word():
    assert Document("नरेन्द्र मोदी กรุงเทพมหานคร Jose\u0301 است").texts == [
        "नरेन्द्र",
        "मोदी",
        "กรุงเทพมหานคร",
        "Jose\u0301",
        "است",
    ]


def test_reading_ahead_finds_the_same():
    """Also where a text has lines: a field that is asked about many texts must see where each of
    them ends."""
    lines = "Name: Vera\nDate: 3 May 2001\nSeen by: Lang\n\nSincerely,\nA. Long"
    texts = [
        LETTER,
        "He is ill.",
        lines,
        "Mrs. Hodgkins came on 3 May 2001.",
        "",
        "No. 36110/97",
        lines + "\n",
        LETTER,
    ]
    alone = [bids_of(Document(text), detectors()) for text in texts]
    ahead = [
        bids_of(document, detectors()) for document in read_ahead(map(Document, texts), detectors())
    ]
    for one, other in zip(alone, ahead, strict=True):
        assert [(bid.start, bid.end, bid.kind) for bid in one] == [
            (bid.start, bid.end, bid.kind) for bid in other
        ]
        assert [bid.score for bid in one] == pytest.approx([bid.score for bid in other], abs=0.02)


def test_no_network_call_is_made(monkeypatch):
    def refused(*_, **__):
        raise AssertionError("A network call was made.")

    monkeypatch.setattr(socket, "socket", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr(socket, "create_connection", refused)
    assert (
        "Townsend"
        not in scrub([LETTER], secret=bytes(range(32)), detectors=detectors()).documents[0].text
    )
