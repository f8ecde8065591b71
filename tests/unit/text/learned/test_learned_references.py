"""The detector that bids for what the field marks."""

from __future__ import annotations

import time
from threading import Thread

import pytest

from sfumato.text import Document, ReferenceKind
from sfumato.text.detectors import learned_references
from sfumato.text.detectors.learned_references import KIND_OF, LearnedReferences
from sfumato.text.learned.weights import packaged

LEARNED = LearnedReferences()
SENTENCE = (
    "Mr. Patrick Hayes was admitted to Mercy Hospital in Boston on May 3, 1994 and takes insulin. "
)


def found(text: str, *, least: float = 0.5) -> dict[str, ReferenceKind | None]:
    return {
        text[bid.start : bid.end]: bid.kind
        for bid in LEARNED.bid(Document(text))
        if bid.score >= least
    }


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("I saw Mrs. Marjorie Long in clinic today.", "Long", ReferenceKind.NAME),
        ("Dear Dr. Hayes:\n\nThank you.", "Hayes", ReferenceKind.NAME),
        (
            "The patient was admitted to Mercy Hospital on Monday.",
            "Mercy Hospital",
            ReferenceKind.HOSPITAL,
        ),
        ("She was seen on May 3, 1994 for asthma.", "May 3, 1994", ReferenceKind.DATE),
        ("MRN: 4473921", "4473921", ReferenceKind.RECORD_NUMBER),
        ("Please call 617-473-1214 for an appointment.", "617-473-1214", ReferenceKind.PHONE),
    ],
)
def test_finds(text: str, words: str, kind: ReferenceKind) -> None:
    assert any(words in each and kind is of for each, of in found(text).items())


@pytest.mark.parametrize(
    "text",
    [
        "He developed Hodgkin lymphoma and was started on chemotherapy.",
        "Continue metformin 500 mg twice daily.",
        "What is the first-line therapy for rheumatoid arthritis?",
        "The heart has a regular rate and rhythm.",
    ],
)
def test_leaves_alone(text: str) -> None:
    assert found(text) == {}


def test_every_label_has_a_kind() -> None:
    assert set(packaged().labels) == {"O", *KIND_OF}


def test_reasons_hold_nothing_of_the_text() -> None:
    bids = list(LEARNED.bid(Document(SENTENCE)))
    assert bids
    assert not any("Hayes" in bid.reason or "Boston" in bid.reason for bid in bids)


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\0\0", "....", "😀😀", "\ufeff", "אבג Mr. Hayes דהו"]
)
def test_odd_texts(text: str) -> None:
    assert all(0 <= bid.start < bid.end <= len(text) for bid in LEARNED.bid(Document(text)))


def test_blocks_find_what_the_whole_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    text = SENTENCE * 60
    whole = {(bid.start, bid.end) for bid in LEARNED.bid(Document(text)) if bid.score > 0.9}
    monkeypatch.setattr(learned_references, "_BLOCK", 1500)
    blocks = {(bid.start, bid.end) for bid in LEARNED.bid(Document(text)) if bid.score > 0.3}
    assert whole
    assert whole <= blocks


def test_one_line_without_end_is_cut_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_references, "_BLOCK", 1000)
    text = "x" * 5000
    assert [cut for _, cut in learned_references._blocks(text)][-1] == len(text)


def test_many_texts_at_once_are_as_each_alone() -> None:
    texts = [SENTENCE, "", "Dear Dr. Lang:"]
    together = LEARNED.bid_each(texts)
    for text, bids in zip(texts, together, strict=True):
        alone = [
            (bid.start, bid.end, bid.kind) for bid in LEARNED.bid(Document(text)) if bid.score > 0.6
        ]
        assert set(alone) <= {(bid.start, bid.end, bid.kind) for bid in bids}


def test_threads_share_nothing() -> None:
    seen: list[int] = []
    threads = [
        Thread(target=lambda: seen.append(len(list(LEARNED.bid(Document(SENTENCE * 20))))))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == 1
    assert len(seen) == 3


def test_time_is_linear_in_the_length() -> None:
    def taken(times: int) -> float:
        document = Document(SENTENCE * times)
        started = time.process_time()
        list(LEARNED.bid(document))
        return time.process_time() - started

    taken(1000)
    short, long = min(taken(1000) for _ in range(3)), min(taken(4000) for _ in range(3))
    assert long < 4 * short * 3
