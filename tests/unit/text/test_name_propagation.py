"""A name once found is found everywhere; what was not found spreads nothing."""

from __future__ import annotations

from time import process_time

import pytest

from sfumato.text import Bid, Document, ReferenceKind
from sfumato.text.name_propagation import KnownNames, spread
from sfumato.text.word_reading import reading


def _spread(
    text: str,
    *names: str,
    elsewhere: KnownNames | None = None,
    kind: ReferenceKind = ReferenceKind.NAME,
    score: float = 0.9,
) -> list[str]:
    document = Document(text)
    findings = [
        Bid(text.index(name), text.index(name) + len(name), kind, score, "test") for name in names
    ]
    bids = spread(document, findings, elsewhere=elsewhere)
    return [text[bid.start : bid.end] for bid in bids if bid.score >= 0.5]


@pytest.mark.parametrize(
    ("text", "name", "wanted"),
    [
        ("Virginia Townsend came. Virginia left.", "Virginia Townsend", ["Virginia"]),
        ("Virginia Townsend came. TOWNSEND's mother", "Virginia Townsend", ["TOWNSEND"]),
        ("Virginia Townsend; later virginia townsend", "Virginia Townsend", ["virginia townsend"]),
        ("Marjorie Long wrote. It was Long who came.", "Marjorie Long", ["Long"]),
        ("Marjorie Long waited for long. Long ago.", "Marjorie Long", []),
        ("Marjorie Long, M.D.\nDear Dr. Lang:", "Marjorie Long", ["Lang"]),
        ("Robert Klein came. Bob is well.", "Robert Klein", ["Bob"]),
        ("Virginia Townsend (V.T.) came.", "Virginia Townsend", ["V.T"]),
        ("Seen: Otto Brauwasser. Brauwaser slept.", "Otto Brauwasser", ["Brauwaser"]),
        ("Mrs. Hodgkins has Hodgkin lymphoma.", "Hodgkins", []),
        ("Grace Hope hopes for grace.", "Grace Hope", []),
    ],
)
def test_in_the_same_document(text, name, wanted):
    assert _spread(text, name) == wanted


def test_other_kinds_word_for_word():
    text = "at Marina Corp. He left marina corp and the marina."
    assert _spread(text, "Marina Corp", kind=ReferenceKind.ORGANISATION) == ["marina corp"]


def test_what_is_unsure_spreads_nothing():
    assert _spread("Hope Solo came. Solo left.", "Hope Solo", score=0.4) == []


def test_in_the_other_documents_of_a_person():
    one = Document("Virginia Townsend was seen.")
    known = KnownNames.of(one, [Bid(0, 17, ReferenceKind.NAME, 0.95, "test")])
    assert _spread("I told Townsend so. Virginia slept.", elsewhere=known) == [
        "Townsend",
        "Virginia",
    ]


def test_cues_of_a_row_are_known():
    document = Document("the Zorblatt boy is well", cues={"name": ("Ann Zorblatt",)})
    assert [(bid.start, bid.end) for bid in spread(document, [])] == [(4, 12)]


def test_what_is_found_already_is_left_out():
    assert _spread("Ann Lee", "Ann Lee") == []


def test_nothing_of_a_text_is_in_its_repr():
    assert "townsend" not in repr(KnownNames(parts=frozenset({"townsend"})))


@pytest.mark.long("a megabyte of each kind; one stays", but=("Long Lang *", "Long Lang"))
@pytest.mark.parametrize("snippet", ["Long Lang ", "V.T. ", "Townsent "])
def test_a_megabyte_of_near_matches_in_linear_time(snippet):
    """Four times the text takes four times as long, not sixteen; the slack is for other work on the
    machine."""

    def taken(size):
        document = Document("Virginia Townsend. " + snippet * (size // len(snippet)))
        reading(document)
        start = process_time()
        spread(document, [Bid(0, 17, ReferenceKind.NAME, 0.9, "test")])
        return process_time() - start

    assert any(taken(1_000_000) < 10 * taken(250_000) + 0.5 for _ in range(3))


def test_many_names_in_linear_time():
    names = [f"Zor{a}{b}{c} Blat{a}{c}" for a in "abcdefgh" for b in "abcdefgh" for c in "abcdefgh"]
    text, findings = "", []
    for name in names * 4:
        findings.append(Bid(len(text), len(text) + len(name), ReferenceKind.NAME, 0.9, "test"))
        text += name + " came. "
    document = Document(text * 3)
    start = process_time()
    reading(document)
    scanned = process_time() - start
    start = process_time()
    spread(document, findings)
    assert process_time() - start < 60 * scanned + 1
