"""Which sentences a costly detector reads, and that it reads no others."""

from __future__ import annotations

import pytest

from sfumato.text.bids import Bid
from sfumato.text.documents import Document
from sfumato.text.finder import LEARNED, bids_of
from sfumato.text.kinds import ReferenceKind
from sfumato.text.unsure_sentences import unsure_sentences

NOTE = "The patient was seen by Dr. Lang. The lungs were clear. The cough is better."


def name(text, word, score):
    return Bid(text.index(word), text.index(word) + len(word), ReferenceKind.NAME, score, "x")


def test_a_sure_bid_settles_its_sentence():
    assert unsure_sentences(Document(NOTE), [name(NOTE, "Dr. Lang", 0.95)]) == []


@pytest.mark.parametrize("score", [0.05, 0.5, 0.89])
def test_a_doubt_opens_its_sentence_alone(score):
    found = unsure_sentences(Document(NOTE), [name(NOTE, "Dr. Lang", score)])
    assert [NOTE[start:end] for start, end in found] == ["The patient was seen by Dr. Lang."]


def test_in_a_terse_note_no_guess_settles_a_sentence():
    note = "BP 120/80. Cameron erosions, Hill III, LA B. CLO +. Tinel neg. TSH 2.1. D/W Dr. Lang."
    start = note.index("Cameron")
    guess = Bid(start, start + 7, ReferenceKind.NAME, 0.97, LEARNED)
    found = unsure_sentences(Document(note), [guess])
    assert any(a <= start < b for a, b in found)


@pytest.mark.parametrize("word", ["Xyzzor", "9876543", "Grace", "山田"])
def test_a_word_that_could_be_somebodys_opens_its_sentence(word):
    text = NOTE.replace("The cough", f"And {word}'s cough" if word.isascii() else f"And {word}")
    found = unsure_sentences(Document(text), [name(text, "Dr. Lang", 0.95)])
    assert len(found) == 1
    assert word in text[found[0][0] : found[0][1]]


@pytest.mark.parametrize("text", [NOTE.lower(), "We met in town. The song was long. It is late."])
def test_a_text_without_capitals_or_from_no_clinic_is_read_whole(text):
    assert unsure_sentences(Document(text), []) == [(0, len(text))]


class Cheap:
    name = LEARNED

    def bid(self, document):
        return [name(document.text, "Dr. Lang", 0.95)]


class Costly:
    name = "costly"

    def __init__(self):
        self.read = []

    def bid(self, document):
        self.read.append("everything")
        return []

    def bid_in(self, document, spans):
        self.read.append([document.text[start:end] for start, end in spans])
        return []


def test_a_costly_detector_reads_what_the_cheap_ones_leave_open():
    text = f"{NOTE} He met Xyzzor."
    together, alone = Costly(), Costly()
    bids_of(Document(text), [Cheap(), together])
    bids_of(Document(text), [alone])
    assert together.read == [["He met Xyzzor."]]
    assert alone.read == ["everything"]
