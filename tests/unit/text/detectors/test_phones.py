"""Phone and fax numbers: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text import Document
from sfumato.text.detectors.phones import Phones

ARE = [
    ("(617) 473-1214", "(617) 473-1214"),
    ("617-473-1214", "617-473-1214"),
    ("617.473.1214 is the clinic", "617.473.1214"),
    ("617 473 1214", "617 473 1214"),
    ("1-800-555-0199", "1-800-555-0199"),
    ("+1 617 473 1214", "+1 617 473 1214"),
    ("617/473-1214", "617/473-1214"),
    ("1-800-FLOWERS", "1-800-FLOWERS"),
    ("(617) 473-1214 ext. 12", "(617) 473-1214 ext. 12"),
    ("617-473-1214 x4521", "617-473-1214 x4521"),
    ("at Marina Corp 473-1214 to schedule", "473-1214"),
    ("Call her on 4731214.", "4731214"),
    ("bleep 0388", "0388"),
    ("pager 31234", "31234"),
    ("ext. 4521", "4521"),
    ("020 7946 0958", "020 7946 0958"),
    ("+44 (0)20 7946 0958", "+44 (0)20 7946 0958"),
    ("07700 900123", "07700 900123"),
    ("01 42 68 53 00", "01 42 68 53 00"),
    ("01.42.68.53.00", "01.42.68.53.00"),
    ("Tel.: 030/1234567", "030/1234567"),
    ("Tel. 0171 1234567-12", "0171 1234567-12"),
    ("(089) 123456", "(089) 123456"),
    ("+49 89 123456-78", "+49 89 123456-78"),
    ("teléfono 912 345 678", "912 345 678"),
    ("tlf. mobil 12 34 56 78", "12 34 56 78"),
    ("telefonu 601 234 567", "601 234 567"),
    ("+48 601 234 567", "+48 601 234 567"),
    ("(11) 91234-5678", "(11) 91234-5678"),
    ("98765 43210", "98765 43210"),
    ("03-1234-5678", "03-1234-5678"),
    ("+81-3-1234-5678", "+81-3-1234-5678"),
    ("(02) 9876 5432", "(02) 9876 5432"),
    ("0412 345 678", "0412 345 678"),
    ("+86 138 0013 8000", "+86 138 0013 8000"),
    ("fax 0031 20 123 4567", "0031 20 123 4567"),
    ("699 956 915 office", "699 956 915"),
    ("Телефон 8 495 123-45-67", "8 495 123-45-67"),
]
ARE_NOT = [
    "take 500-1000 mg daily",
    "WBC range 350-1000",
    "platelets between 150-4000",
    "on 05.10.1999 and 05/26/86",
    "BP 120/80, pulse 72",
    "pages 473-1214",
    "in 1998 2004 was planned",
    "EUR 617 473 121",
    "version 10.20.300",
    "ICD 250-2500",
    "see p. 1643",
    "0.125 0.250 0.500",
    "1234567",
    "192.168.100.200",
    "application no. 18403/91",
    "insulin 300-2000 units",
]


@pytest.mark.parametrize(("text", "number"), ARE)
def test_finds(found, text, number):
    assert found(Phones(), text) == [number]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Phones(), text) == []


def test_a_word_before_makes_it_surer():
    alone, called = Document("so 473-1214 it is"), Document("call 473-1214 please")
    assert max(b.score for b in Phones().bid(alone)) < max(b.score for b in Phones().bid(called))


def test_a_bare_number_is_nothing_and_after_a_cue_something(found):
    assert found(Phones(), "the value 601234567 was entered") == []
    assert found(Phones(), "his mobile 601234567 was called") == ["601234567"]
