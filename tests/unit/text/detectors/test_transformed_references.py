"""The detector that bids for what the transformer marks."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import socket
import sys
import time

import pytest

pytest.importorskip("onnxruntime")

from sfumato.cli import main
from sfumato.errors import MissingExtra
from sfumato.scrubbing import looking_for
from sfumato.text import Document, ReferenceKind, find
from sfumato.text.detectors import learned_references, sets
from sfumato.text.detectors.learned_references import KIND_OF
from sfumato.text.detectors.sets import Detectors, detectors, usual_set, weights_of
from sfumato.text.detectors.transformed_references import TransformedReferences, needs_transformer
from sfumato.text.learned.transformer import packaged_network

DETECTOR = TransformedReferences()
SENTENCE = (
    "Mr. Patrick Hayes was admitted to Mercy Hospital in Boston on May 3, 1994 and takes insulin. "
)


def found(text: str, *, least: float = 0.5) -> dict[str, ReferenceKind | None]:
    return {
        text[bid.start : bid.end]: bid.kind
        for bid in DETECTOR.bid(Document(text))
        if bid.score >= least
    }


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("I saw Mrs. Marjorie Long in clinic today.", "Marjorie Long", ReferenceKind.NAME),
        ("i saw marjorie long in clinic today", "marjorie long", ReferenceKind.NAME),
        ("PLEASE CALL MR. HAYES.", "HAYES", ReferenceKind.NAME),
        ("Ms Kowalczyk-Öztürk moved with Jürgen Nguyễn.", "Kowalczyk-Öztürk", ReferenceKind.NAME),
        ("Zq\u200b😀🇩🇪 — Dear Dr. Hayes:\n\nThank you.", "Hayes", ReferenceKind.NAME),
        (
            "The patient was admitted to Mercy Hospital on Monday.",
            "Mercy Hospital",
            ReferenceKind.HOSPITAL,
        ),
        ("She lives in Springfield and works at night.", "Springfield", ReferenceKind.TOWN),
        ("She was seen on May 3, 1994 for asthma.", "May 3, 1994", ReferenceKind.DATE),
        ("MRN: 4473921", "4473921", ReferenceKind.RECORD_NUMBER),
        ("Please call 617-473-1214 for an appointment.", "617-473-1214", ReferenceKind.PHONE),
        (
            "The applicant, Mr Petar Ivanov, complained about his detention.",
            "Petar Ivanov",
            ReferenceKind.NAME,
        ),
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
    assert set(packaged_network().labels) == {"O", *KIND_OF}


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\0\0", "....", "😀😀", "\ufeff", "אבג Mr. Hayes דהו", "x" * 5000]
)
def test_odd_texts(text: str) -> None:
    assert all(0 <= bid.start < bid.end <= len(text) for bid in DETECTOR.bid(Document(text)))


def test_reasons_hold_nothing_of_the_text() -> None:
    bids = list(DETECTOR.bid(Document(SENTENCE)))
    assert bids
    assert not any("Hayes" in bid.reason or "Boston" in bid.reason for bid in bids)


def test_a_long_text_is_read_to_its_end() -> None:
    text = "The heart has a regular rate and rhythm. " * 150 + SENTENCE
    assert {"Boston", "Mercy Hospital"} <= found(text).keys()


def test_blocks_find_what_the_whole_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    text = SENTENCE * 40
    whole = {(bid.start, bid.end) for bid in DETECTOR.bid(Document(text)) if bid.score > 0.9}
    monkeypatch.setattr(learned_references, "_BLOCK", 1500)
    blocks = {(bid.start, bid.end) for bid in DETECTOR.bid(Document(text)) if bid.score > 0.3}
    assert whole
    assert whole <= blocks


def test_time_is_linear_in_the_length() -> None:
    def taken(times: int) -> float:
        document = Document(SENTENCE * times)
        started = time.process_time()
        list(DETECTOR.bid(document))
        return time.process_time() - started

    short = min(taken(40) for _ in range(3))
    assert taken(320) < 8 * short * 3


def test_no_network_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a network call"))
    assert found(SENTENCE)


def test_it_bids_beside_the_others() -> None:
    names = {each.name for each in detectors(Detectors.TRANSFORMER)}
    assert names == {each.name for each in detectors(Detectors.CRF)} | {DETECTOR.name}
    assert "minilm.zip" in weights_of(Detectors.TRANSFORMER)
    winners = find(Document(SENTENCE), detectors(Detectors.TRANSFORMER))
    assert any(DETECTOR.name in bid.detector.split("+") for bid in winners)


def test_without_the_extra_it_is_told_before_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sfumato.text.detectors.transformed_references.find_spec",
        lambda name: None if name == "onnxruntime" else importlib.util.find_spec(name),
    )
    sets._made.cache_clear()
    with pytest.raises(MissingExtra, match=r"sfumato\[text\]"):
        needs_transformer()
    with pytest.raises(MissingExtra, match=r"sfumato\[text\]"):
        detectors(Detectors.TRANSFORMER)
    assert usual_set() is Detectors.CRF
    assert looking_for(purpose="direct").detectors is Detectors.CRF


def test_where_nothing_is_named_the_transformer_reads() -> None:
    assert usual_set() is Detectors.TRANSFORMER
    assert looking_for(purpose="direct").detectors is Detectors.TRANSFORMER
    assert looking_for(purpose="direct", detectors="crf").detectors is Detectors.CRF


def test_the_command_says_that_the_transformer_is_missing(tmp_path, capsys, monkeypatch) -> None:
    (tmp_path / "a.txt").write_text("Dear Ann Marsh, thank you.", encoding="utf-8")
    for number, named in enumerate(([], ["--detectors", "crf"])):
        monkeypatch.setattr("sfumato.text.detectors.sets.needs_transformer", _missing)
        main(["scrub", str(tmp_path / "a.txt"), "--to", str(tmp_path / f"out{number}"), *named])
        printed = " ".join("".join(capsys.readouterr()).split())
        assert ("Read without the transformer" in printed) is (not named)


def _missing() -> None:
    raise MissingExtra("reading with the transformer", extra="text")


@pytest.mark.parametrize("hidden", ["not installed", "a folder of that name without weights"])
def test_without_the_weights_it_is_told_before_reading(hidden, tmp_path, monkeypatch) -> None:
    monkeypatch.delitem(sys.modules, "sfumato_text_model", raising=False)
    if hidden == "not installed":
        monkeypatch.setitem(sys.modules, "sfumato_text_model", None)
    else:
        (tmp_path / "sfumato_text_model").mkdir()
        monkeypatch.setattr(sys, "path", [str(tmp_path)])
        monkeypatch.setattr(sys, "meta_path", [importlib.machinery.PathFinder])
    sets._made.cache_clear()
    with pytest.raises(MissingExtra) as raised:
        needs_transformer()
    assert raised.value.attempt == (
        "pip install 'sfumato[text]', or in a clone: pip install ./packages/text-model."
    )
    for asked in (detectors, weights_of):
        with pytest.raises(MissingExtra):
            asked(Detectors.TRANSFORMER)
    assert detectors(Detectors.CRF)
