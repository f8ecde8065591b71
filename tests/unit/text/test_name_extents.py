"""Ordinary words beside a name stay; a title at the end of a line names nobody by itself."""

from __future__ import annotations

import pytest

from sfumato.text.bids import Bid
from sfumato.text.detectors.sets import detectors
from sfumato.text.documents import Document
from sfumato.text.finder import find
from sfumato.text.kinds import ReferenceKind
from sfumato.text.lexicons import first_names, foreign_words, last_names, words
from sfumato.text.name_extents import with_names_cut
from sfumato.text.scrubber import scrub
from sfumato.text.word_reading import LOWER, reading

SECRET = bytes(range(32))
BESIDE = {
    "Peter slept.": "slept",
    "Peter slept well. Keller ate. Anna coughed and Mary wept.": "slept well ate coughed and wept",
    "Herr Müller kam. Mueller ging. Anna schlief.": "kam ging schlief",
    "Jane Fonda came. Then Miller left.": "came left",
    "peter slept badly": "slept badly",
    "Seen with Midwife Anna Keller. Wife Mary Long came.": "Midwife Wife came",
    "Dr. Keller. EDW 71.5 as before.": "EDW as before",
    "Intradepartmental review by Dr. Keller.": "Intradepartmental review by",
    "Dr. Keller operated; Schmidt assisted.": "operated assisted",
}


def test_a_part_behind_a_hyphen_belongs_to_the_name():
    text = "Park Ji-won"
    bid = Bid(0, len(text), ReferenceKind.NAME, 0.9, "x")
    assert list(with_names_cut(Document(text), [bid])) == [bid]


def names_in(text: str) -> list[str]:
    return [
        text[bid.start : bid.end] for bid in find(Document(text)) if bid.kind is ReferenceKind.NAME
    ]


@pytest.mark.parametrize("text", BESIDE)
def test_an_ordinary_word_beside_a_name_stays(text):
    done = scrub([Document(text, person="7")], secret=SECRET).documents[0].text
    kept = done.replace(".", " ").replace(";", " ").split()
    assert [word for word in BESIDE[text].split() if word not in kept] == []


@pytest.mark.parametrize(
    "verb",
    sorted(word for word, how in words().items() if how == "3" and word.endswith("ed"))[::40],
)
def test_no_detector_takes_a_verb_beside_a_name(verb):
    """Whatever the detectors bid, a common word in small letters is no part of a name."""
    text = f"Yesterday Peter {verb}. Keller {verb} too."
    document = Document(text)
    if verb in first_names() or verb in last_names():
        return
    for detector in detectors():
        for bid in with_names_cut(document, detector.bid(document)):
            assert (
                bid.kind is not ReferenceKind.NAME or verb not in text[bid.start : bid.end].split()
            )


def test_names_lose_ordinary_words_and_nothing_else():
    document = Document(
        "Peter slept. Anna van der Berg came with benjamin a seiler and Long, of Keller."
    )
    whole = Bid(0, len(document.text) - 1, ReferenceKind.NAME, 0.6, "x")
    parts = [document.text[bid.start : bid.end] for bid in with_names_cut(document, [whole])]
    assert parts == ["Peter", "Anna van der Berg", "benjamin a seiler", "Long", "Keller"]
    other = Bid(0, 11, ReferenceKind.HOSPITAL, 0.6, "x")
    assert list(with_names_cut(document, [other])) == [other]


@pytest.mark.parametrize(
    "text",
    [
        "Gespräch mit Herr Dr.\nWegen der Schmerzen wurde er untersucht.",
        "Gespräch mit Herr Dr.\nBeurteilung: gut.",
        "Überwiesen von Herr Dr.\nVielen Dank für die Zuweisung.",
        "Überwiesen von Herr Dr.\r\n  Bitte um Rückmeldung.",
        "seen by Dr.\nPatient denies pain.",
    ],
)
def test_a_title_at_the_end_of_a_line_makes_no_name_of_the_next_word(text):
    assert names_in(text) == []


@pytest.mark.parametrize("name", ["Keller", "Oyelaran", "Müller", "Lang", "Anna Huber"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n   "])
def test_a_name_on_the_line_after_its_title_is_found(name, end):
    text = f"Überwiesen von Herrn Dr.{end}{name} wurde informiert."
    found = " ".join(names_in(text)).replace("Herrn Dr.", "").split()
    assert [part for part in name.split() if part not in found] == []


def test_a_title_is_not_what_is_left_of_a_name():
    assert (
        scrub([Document("Herr Müller kam.", person="7")], secret=SECRET)
        .documents[0]
        .text.startswith("Herr ")
    )


def test_foreign_words_are_no_usual_first_names():
    assert [word for word in foreign_words() if first_names().get(word, "u0")[1] >= "3"] == []
    assert "kam" in foreign_words()
    read = reading(Document("kam"))
    assert read.shapes[0] == LOWER
