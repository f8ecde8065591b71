"""Lone guesses: what is dropped in a dense note, and the company that keeps a guess."""

from __future__ import annotations

import pytest

from sfumato.text.bids import Bid
from sfumato.text.documents import Document
from sfumato.text.kinds import ReferenceKind
from sfumato.text.lone_guesses import without_lone_guesses

NAME, TOWN, BODY = ReferenceKind.NAME, ReferenceKind.TOWN, ReferenceKind.ORGANISATION
HEAD = "Note\n"


def is_lone(text, word, kind=NAME, *others, detector="transformer", score=0.95):
    note = Document(HEAD + text)
    start = note.text.index(word)
    guess = Bid(start, start + len(word), kind, score, detector)
    _, lone = without_lone_guesses([guess, *others], note)
    return lone == [guess]


LONE = [
    ("Plan: Kleihauer, anti-D 1500 iu.", "Kleihauer", NAME),
    ("Visualised with Zyloscope S3.", "Zyloscope", NAME),
    ("Kuhn curettes used.", "Kuhn", NAME),
    ("by Walsh stitch", "Walsh", NAME),
    ("Pus in the pouch of Douglas.", "Douglas", NAME),
    ("LAD lesion, Medina 1,1,0.", "Medina", TOWN),
    ("DCIS, comedo, Van Nuys 3.", "Van Nuys", TOWN),
    ("S/p TKR, PFC Sigma planned.", "PFC Sigma", BODY),
    ("Ulcers in hernia, Cameron erosions nil", "Cameron erosions nil", BODY),
    ("Mongolian blue spot on sacrum.", "Mongolian", ReferenceKind.DEMOGRAPHIC),
    ("NMES Russian 10/50.", "Russian", ReferenceKind.DEMOGRAPHIC),
]
IN_COMPANY = [
    ("Surgeon: Naidoo; reg present", "Naidoo", NAME),
    ("Daughter Zyra will call.", "Zyra", NAME),
    ("Zyra (mum) was told.", "Zyra", NAME),
    ("Wee boy Zyra on the register.", "Zyra", NAME),
    ("Jayden on the register.", "Jayden", NAME),
    ("Zyra Okeke came.", "Zyra Okeke", NAME),
    ("Ada Qelm came.", "Ada Qelm", NAME),
    ("Okeke, RN, present", "Okeke", NAME),
    ("Qelm, 54F, stable", "Qelm", NAME),
    ("Okeke said no.", "Okeke", NAME),
    ("Seen by Okeke today.", "Okeke", NAME),
    ("Lives in Xanten.", "Xanten", TOWN),
    ("Transfer to Canberra.", "Canberra", TOWN),
    ("Xanten, Germany", "Xanten", TOWN),
    ("Works at Qelmtech.", "Qelmtech", BODY),
    ("Plays for the Qelm soccer team.", "Qelm", BODY),
    ("He is a Polish builder.", "Polish", ReferenceKind.DEMOGRAPHIC),
    ("Yoruba, Muslim.", "Yoruba", ReferenceKind.DEMOGRAPHIC),
    ("Говорит Иванов.", "Иванов", NAME),
]


@pytest.mark.parametrize(("text", "word", "kind"), LONE)
def test_a_guess_alone_is_dropped(text, word, kind):
    assert is_lone(text, word, kind)


@pytest.mark.parametrize(("text", "word", "kind"), IN_COMPANY)
def test_a_guess_in_company_stays(text, word, kind):
    assert not is_lone(text, word, kind)


def test_company_elsewhere_keeps_every_mention():
    text = "Kleihauer sent. Kleihauer said no."
    first, second = (
        Bid(len(HEAD) + at, len(HEAD) + at + 9, NAME, 0.9, "transformer") for at in (0, 16)
    )
    kept, lone = without_lone_guesses([first, second], Document(HEAD + text))
    assert (kept, lone) == ([first, second], [])


def test_a_rule_with_a_reason_and_other_kinds_stay():
    assert not is_lone("Medina 1,1,0", "Medina", TOWN, detector="towns", score=0.96)
    assert not is_lone("Plan: Kleihauer, anti-D", "Kleihauer", NAME, detector="labelled names")
    assert not is_lone("Kleihauer 4417", "4417", ReferenceKind.RECORD_NUMBER)


def test_a_town_beside_a_street_stays():
    text = "12 High Street\nQelmton 4 hours"
    street = Bid(len(HEAD), len(HEAD) + 14, ReferenceKind.STREET, 0.9, "addresses")
    assert not is_lone(text, "Qelmton", TOWN, street)


def test_the_line_that_opens_a_note_names_people_without_more():
    note = Document("Groote Schuur, ward 3\nBP 120/80.")
    guess = Bid(0, 13, BODY, 0.9, "transformer")
    assert without_lone_guesses([guess], note) == ([guess], [])
