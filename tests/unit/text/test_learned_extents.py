"""How far learned findings reach in a note's head: columns, labels, ages, times, roles."""

from __future__ import annotations

import pytest

from sfumato.text.bids import Bid
from sfumato.text.documents import Document
from sfumato.text.kinds import ReferenceKind as Kind
from sfumato.text.learned_extents import with_extents_cut

CUT = [
    (Kind.STREET, "MRN 7719043  Tilly MORAN  F 6y", ["7719043", "Tilly MORAN"]),
    (Kind.NAME, "Geoffrey Aldous  NHS", ["Geoffrey Aldous"]),
    (Kind.NAME, "Okafor C. Surgeon", ["Okafor C"]),
    (Kind.NAME, "Rohani bte Ismail, FibroScan", ["Rohani bte Ismail"]),
    (Kind.NAME, "Rohani Ismail, Prof. Butt", ["Rohani Ismail, Prof. Butt"]),
    (Kind.NAME, "Dr. Hiscock", ["Dr. Hiscock"]),
    (Kind.NAME, "Douglas. Defat", ["Douglas", "Defat"]),
    (Kind.NAME, "Endoscopist F. Grewar", ["F. Grewar"]),
    (Kind.DATE, "03 Jul 2022 1745", ["03 Jul 2022"]),
    (Kind.DATE, "03 Jul 2022", ["03 Jul 2022"]),
    (Kind.DATE, "Visit #9 07/24/23", ["07/24/23"]),
    (Kind.DATE, "Thu 14/3/24", ["Thu 14/3/24"]),
    (Kind.DATE, "46/54", []),
    (Kind.DATE, "38 y", []),
    (Kind.DATE, "91 yrs   30/05/2023", ["91 yrs", "30/05/2023"]),
    (Kind.NAME, "Sweet, Hailey, Grover, Wells", ["Sweet", "Hailey", "Grover", "Wells"]),
    (Kind.NAME, "Dr. Hsu STICU. Scribe Colby", ["Dr. Hsu STICU", "Scribe Colby"]),
    (Kind.DATE, "6/18", ["6/18"]),
    (Kind.DATE, "63M", []),
    (Kind.RECORD_NUMBER, "447812   62yrs", ["447812"]),
    (Kind.RECORD_NUMBER, "PHN", []),
    (Kind.RECORD_NUMBER, "QX4471", ["QX4471"]),
    (Kind.HOSPITAL, "DIABETES CLINIC", []),
    (Kind.HOSPITAL, "HOME HEALTH SKILLED NURSING", []),
    (Kind.HOSPITAL, "NEPHROLOGY CLINIC - Avera Sciences Centre", ["Avera Sciences Centre"]),
    (Kind.HOSPITAL, "GENERAL HOSPITAL", ["GENERAL HOSPITAL"]),
    (Kind.HOSPITAL, "Elm St. Clinic", ["Elm St. Clinic"]),
    (Kind.AGE, "62yrs   F", ["62yrs   F"]),
]


@pytest.mark.parametrize(("kind", "text", "wanted"), CUT)
def test_is_cut_to(kind, text, wanted):
    kept, dropped = with_extents_cut(
        [Bid(0, len(text), kind, 0.9, "learned references")], Document(text)
    )
    assert [text[bid.start : bid.end].rstrip(".") for bid in kept] == wanted
    assert bool(dropped) is (not wanted)


def test_a_range_of_a_joint_is_no_postcode_and_one_of_a_town_is():
    for text, wanted in (("AROM 10-100", []), ("Chinatown\n61-951", ["61-951"])):
        start = text.index("10-100" if not wanted else "61-951")
        kept, _ = with_extents_cut(
            [Bid(start, len(text), Kind.POSTCODE, 0.9, "postcodes")], Document(text)
        )
        assert [text[bid.start : bid.end] for bid in kept] == wanted


def test_a_short_label_before_a_number_is_no_hospital():
    text = "NHC 88120-4"
    assert with_extents_cut([Bid(0, 3, Kind.HOSPITAL, 0.9, "transformer")], Document(text))[0] == []


def test_findings_of_rules_by_form_are_as_they_are():
    bid = Bid(0, 20, Kind.RECORD_NUMBER, 0.9, "record numbers")
    assert with_extents_cut([bid], Document("447812   62yrs   XX 1")) == ([bid], [])
