"""Who has scrubbed notes looks for what medicine hid: dates beside vital signs, names that medicine
uses, numbers that one letter's finding changed in another's.

A date that stays beside shifted ones reveals the shift, and so every date of the person. A false
blood pressure is worse than a missing one, because nobody sees it."""

from __future__ import annotations

import re
from datetime import date

import pytest

import sfumato
from sfumato.text import Bid, Document, ReferenceKind
from sfumato.text.detectors import detectors
from sfumato.text.scrubber import find_together, scrub
from sfumato.text.vetoes import without_vetoed

SECRET = bytes(range(32))
FULL_DATE = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d\d)\b")


def scrubbed(text):
    (done,) = scrub([text], secret=SECRET).documents
    return done.text


@pytest.mark.parametrize(
    "text",
    [
        "Ms. Ida Renner, seen 3/9/24. Resp 3/11/24: 18. Temp 3/12/24 37.4 C. Home 3/15/24.",
        "Ms. Ida Renner, seen 3/9/24. HR 3/11/24 81, O2 3/12/24: 97%. Home 3/15/24. BP 120/80.",
        "Ms. Ida Renner. R: 3/9/24 T: 3/11/24 P: 3/12/24. Lungs clear. Home 3/15/24.",
        "Ms. Ida Renner. Weight 3/9/24 64 kg. PSA 3/11/24 4.1, K 3/12/24 3.9, IOP 3/15/24 14.",
    ],
)
def test_the_shift_is_not_read_off_a_date_beside_a_vital_sign(text):
    """The attacker takes every pair of dates and asks which one did not move."""
    before = [date(2000 + int(y), int(m), int(d)) for m, d, y in FULL_DATE.findall(text)]
    after = [date(2000 + int(y), int(m), int(d)) for m, d, y in FULL_DATE.findall(scrubbed(text))]
    assert len(after) == len(before) == 4
    assert len({new - old for old, new in zip(before, after, strict=True)}) == 1
    assert not set(before) & set(after)


def test_the_attack_on_the_shift_succeeds_where_a_veto_may_hide_a_date():
    """As it once was: a date that gives way to a vital sign is cut out of the findings."""
    document = Document("Resp 3/11/24: 18. Lungs clear.")
    guess = Bid(5, 12, ReferenceKind.DATE, 0.99, "learned references")
    hiding = Bid(0, 12, None, 0.95, "vital signs")
    assert without_vetoed([hiding, guess], document) == [hiding]
    sure = Bid(5, 12, ReferenceKind.DATE, 0.94, "numeric dates")
    assert sure in without_vetoed([hiding, sure], document)
    assert all(bid.kind or bid.end <= 5 for bid in without_vetoed([hiding, sure], document))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Ferritin 2/8 44, ferritin 5/9 61. Hgb 9.8.", ["2/8", "5/9"]),
        ("Home BP readings 7/2 134/76, 7/9 141/88. HR 70.", ["7/2", "7/9"]),
        (
            "ECG 8/21 sinus rhythm. Infusions due 9/4, 9/18 and 10/2.",
            ["8/21", "9/4", "9/18", "10/2"],
        ),
        ("RTC 5/2 for labs, Hgb 9.8.", ["5/2"]),
        ("Patientin Ute Kranz, geb. 7.9.61, OP am 3.2. ohne Befund.", ["7.9.61", "3.2."]),
    ],
)
def test_days_beside_values_are_found(text, days):
    found = {text[bid.start : bid.end] for bid in find_together([Document(text)]).masked[0]}
    assert set(days) <= found


@pytest.mark.parametrize(
    "text",
    [
        "BP 141/88, 133/79 and 128/70. Strength 4/5, reflexes 2/4, murmur 2/6, pain 3/10.",
        "Resp 18, BP 03/11/2024: 141/88. Prostate biopsy 3/12 cores with tumor.",
        "ABG 7.31/52/68. Vent 16/420/8/50%. Lispro insulin 6/6/8/12. I/O 1900/2250.",
        "Coma after trauma, GCS E3V4M6. Endoscopy: Mayo 2 colitis.",
    ],
)
def test_measured_values_stay(text):
    found = find_together([Document(text)]).masked[0]
    assert {bid.kind for bid in found} <= {ReferenceKind.DATE}
    assert {text[bid.start : bid.end] for bid in found} <= {"03/11/2024"}


def test_a_number_of_one_letter_is_not_searched_for_among_others_values(tmp_path):
    """A blood pressure that one letter's record number equals stays in every other letter."""
    letters = tmp_path / "letters"
    letters.mkdir()
    (letters / "a.txt").write_text("Mr. Olaf Prens, case no. 134/76. Chest clear, BP 120/80.\n")
    (letters / "b.txt").write_text("Ms. Ida Renner. BP 02/03/2024: 134/76. Chest clear.\n")
    (letters / "c.txt").write_text("Ms. Una Holt was seen for cough. BP 134/76, pulse 72.\n")
    sfumato.scrub(letters, to=tmp_path / "out", names="kept")
    assert "BP 134/76, pulse 72" in (tmp_path / "out" / "c.txt").read_text()
    assert ": 134/76. Chest" in (tmp_path / "out" / "b.txt").read_text()
    assert "134/76" not in (tmp_path / "out" / "a.txt").read_text()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Patient Name: Blood, Ernest  MRN: 8812001. Hgb 9.1.", "Blood, Ernest"),
        ("Patient Name: Cold, Ann. Admitted with chest pain.", "Cold, Ann"),
        ("Patient: Wilhelm Dupuytren. Contracture of the hand.", "Wilhelm Dupuytren"),
        ("Pt Barlow, T. has murmur 2/6, BP 120/80.", "Barlow, T"),
        ("Kocher declined surgery; TSH 0.1.", "Kocher"),
        ("Alzheimer lives alone, MMSE 20.", "Alzheimer"),
        ("Biopsy of nevus reviewed by Spitz and Broca.", "Broca"),
        ("Resident Small, Attending Long; PEEP 5.", "Long"),
        ("Ms. Ann Head was seen. Head has chest pain, BP 120/80.", "Head"),
    ],
)
def test_a_name_that_medicine_uses_is_found_where_only_people_are(text, name):
    found = {text[bid.start : bid.end] for bid in find_together([Document(text)]).masked[0]}
    assert name in found


def test_without_the_detector_of_clinical_people_the_names_stay():
    """The broken variant: as it once was."""
    others = [each for each in detectors() if each.name != "clinical people"]
    text = "Patient Name: Cold, Ann. Admitted with chest pain. Alzheimer lives alone."
    (found,) = find_together([Document(text)], detectors=others).masked
    assert not {"Cold, Ann", "Alzheimer"} & {text[bid.start : bid.end] for bid in found}


@pytest.mark.parametrize(
    "text",
    [
        "Patient: Left breast mass. BP 120/80. Pt Alert and oriented x3.",
        "Patient presents with Wernicke encephalopathy; Hodgkin lymphoma was excluded.",
        "Seen by Cardiology; discussed with Radiology. Recipient Kidney function fine.",
    ],
)
def test_medicine_in_the_same_places_stays(text):
    assert not find_together([Document(text)]).masked[0]
