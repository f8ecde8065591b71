"""National numbers of many countries: positive and negative examples, and checks that answer
whatever they are handed.

The numbers are made up, or the examples that the authorities print.
"""

from __future__ import annotations

import random

import pytest

from sfumato.text import Document
from sfumato.text.detectors.national_numbers import NATIONALS, NationalNumbers
from sfumato.text.detectors.shapes import characters_of, shape_of

ARE = [
    ("SSN 123-45-6789", "123-45-6789"),
    ("his 123-45-6789 was", "123-45-6789"),
    ("social security number 123456789", "123456789"),
    ("SSN: XXX-XX-6789", "XXX-XX-6789"),
    ("the last four of SSN: 6789", "6789"),
    ("MBI 1EG4-TE5-MK73", "1EG4-TE5-MK73"),
    ("NHS number 943 476 5919", "943 476 5919"),
    ("AB 12 34 56 C", "AB 12 34 56 C"),
    ("AB123456C", "AB123456C"),
    ("SIN 046 454 286", "046 454 286"),
    ("NIR 2 95 10 99 126 111 93", "2 95 10 99 126 111 93"),
    ("Steuer-ID 36 574 261 809", "36 574 261 809"),
    ("15 070649 C 103", "15 070649 C 103"),
    ("756.9217.0769.85", "756.9217.0769.85"),
    ("12345678Z", "12345678Z"),
    ("NIE X1234567L", "X1234567L"),
    ("RSSMRA85T10A562S", "RSSMRA85T10A562S"),
    ("BSN 111222333", "111222333"),
    ("85.07.30-033.28", "85.07.30-033.28"),
    ("PESEL 44051401359", "44051401359"),
    ("710319/2745", "710319/2745"),
    ("811228-9874", "811228-9874"),
    ("131052-308T", "131052-308T"),
    ("CPR 211062-5629", "211062-5629"),
    ("fødselsnummer 151086 95088", "151086 95088"),
    ("10000000146 kimlik", "10000000146"),
    ("CNP 1630615123457", "1630615123457"),
    ("390.533.447-05", "390.533.447-05"),
    ("20-05536168-2", "20-05536168-2"),
    ("12.531.909-2", "12.531.909-2"),
    ("BOXW310820HNERXN09", "BOXW310820HNERXN09"),
    ("2341 2341 2346", "2341 2341 2346"),
    ("ABCPE1234F", "ABCPE1234F"),
    ("11010519491231002X", "11010519491231002X"),
    ("971013-2019902", "971013-2019902"),
    ("8001015009087", "8001015009087"),
    ("Medicare 2123 45670 1", "2123 45670 1"),
    ("PPS 1234567FA", "1234567FA"),
    ("passport no. C01X00T47", "C01X00T47"),
    ("Personalausweis L01X00T471", "L01X00T471"),
]
ARE_NOT = [
    "123-45-678",
    "943 476 5910",
    "12345678A",
    "AB 12 34 56 E",
    "046 454 287",
    "111222333",
    "99999999999",
    "dose 123456789 mg",
    "RSSMRA85T10A562T",
    "the passport was lost in 2012",
    "04/05/2001",
]


@pytest.mark.parametrize(("text", "number"), ARE)
def test_finds(found, text, number):
    assert number in found(NationalNumbers(), text)


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(NationalNumbers(), text) == []


def test_after_its_name_a_typing_mistake_does_not_matter(found):
    assert found(NationalNumbers(), "the 943 476 5910 of") == []
    assert found(NationalNumbers(), "NHS no. 943 476 5910") == ["943 476 5910"]


def test_agreeing_check_digits_make_it_surer():
    def score(text: str) -> float:
        return max(bid.score for bid in NationalNumbers().bid(Document(text)))

    assert score("NHS no. 943 476 5919") > score("NHS no. 943 476 5910")


@pytest.mark.parametrize("national", NATIONALS, ids=lambda national: national.what)
def test_every_check_answers_for_every_shape_and_sometimes_agrees(national):
    """Numbers of the shape by chance: no check raises, and each agrees with some and, where it
    checks, not with all."""
    chance = random.Random(7)
    answers = set()
    for shape in national.shapes:
        for _ in range(1_500):
            text = "".join(_drawn(chance, character) for character in shape)
            assert shape_of(text) == shape
            answers.add(national.check(characters_of(text)))
    assert answers <= {True, False}
    assert True in answers or national.what in RARE


RARE = {
    "Italian fiscal",
    "Mexican CURP",
    "Chinese identity",
    "French social security",
    "Finnish personal",
}
"""So few numbers of the shape are right that chance hits none; each is among the examples above."""


def _drawn(chance: random.Random, character: str) -> str:
    if character == "9":
        return str(chance.randrange(10))
    return chance.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") if character == "A" else character
