"""Detectors of medicine: what each keeps, and what it leaves to the others."""

from __future__ import annotations

import pytest

from sfumato.text import Document
from sfumato.text.detectors import DETECTORS
from sfumato.text.scrubber import find_together

KEPT = {
    "vital signs": ["BP 128/74", "HR 88", "T 98.6", "SpO2 97% on RA", "BG 188", "Pulse: 72 bpm"],
    "laboratory values": ["Na 138", "K 4.1", "CA 19-9 44", "CA-125", "ER+", "HER2", "ANA 1:160"],
    "tumour stages": ["pT1c", "cT3N1M0", "stage IIB", "FIGO IIIC", "Grade 2/6", "ypN1a"],
    "clinical scores": ["GCS 15 (E4 V5 M6)", "ASA III", "PHQ-9 14", "Lysholm score 78", "EF 55%"],
    "obstetric history": ["G3P2", "G2P1001", "gravida 4 para 2", "38w4d", "cervix 6/80/-1", "Ab 0"],
    "visual acuity": ["VA OD 20/40", "20/25 OS", "IOP 14/16", "MRx OD -2.25 -0.75 x 180"],
    "section heads": ["Meds", "CC", "Assessment and Plan", "Dispo"],
    "body sides": ["Left breast", "Right-sided", "R hip", "L4-L5", "Slight Limited ROM"],
    "instruments": ["Kelly clamp", "3-0 Vicryl", "16 Fr catheter", "15 blade"],
    "clinical eponyms": [
        "Homans' sign",
        "Schatzker type II",
        "Patrick test",
        "Morton neuroma",
        "Garden III",
        "Weber B",
        "Phalen +",
        "Braden 17",
        "Boston prep",
        "Foley",
        "Palmer's point",
        "Sibson's fascia",
        "Tokyo Grade II",
        "Prague C2M4",
        "Milan criteria",
        "Rome IV",
        "Hartmann's",
        "Denham pin",
    ],
    "clinical times": [
        "incision 0815",
        "tourniquet up 09:12",
        "given at 1430",
        "POD #3",
        "0700-1900",
        "34/40",
        "28+3/40",
        "6/52",
    ],
    "clinical brands": ["Mepilex", "Controloc", "Eliquis", "Clopixol Acuphase", "TEGADERM"],
    "medications": ["Zorvanel 20 mg", "Bevespi 2 puffs"],
    "clinical abbreviations": ["BP", "AF", "OR", "ECG", "TIAs"],
    "relation words": ["Mother", "Paternal grandfather", "wife"],
}
LEFT = {
    "vital signs": ["P 617-473-1214", "T 05/26/1994", "HR department"],
    "laboratory values": ["K 1421-77", "CA 02138", "Na 05/06/1999"],
    "tumour stages": ["stage door", "Grade 12345", "T1000"],
    "clinical scores": ["Mr. Harris score 78", "Harris scored 78", "EF 448812"],
    "obstetric history": ["G3 Street", "para 448812"],
    "visual acuity": ["20/25/1994", "OS 448812"],
    "section heads": ["Anna: came", "Whitcombe: came", "Mary: hello"],
    "body sides": ["Johnathon Lower gave", "Right Reverend", "Acme Limited paid"],
    "instruments": ["Mr. Kelly clamp", "Kelly's drain", "Mercy Nails"],
    "clinical eponyms": [
        "Mrs. Bryant test",
        "Anna's test",
        "John Bryant test",
        "Arpin Van Lines",
        "Dr. Weber B",
        "by Garden III",
        "Wright cell 555-0123",
        "Ann Braden 17",
        "Foley called",
        "moved to Vienna in",
        "Tokyo 1600023",
        "(Marcus Gunn, 61)",
    ],
    "clinical times": [
        "given in 1999",
        "up 448812",
        "incision 05/06/1999",
        "since 2005",
        "at 1430 Main Street",
        "1945-1999",
        "6/52 Smith Street",
        "on 3/12/1999",
        "seen 3/12 by",
    ],
    "clinical brands": ["Dr. Eliquis", "Anna Mepilex", "a dog called Clopixol"],
    "medications": ["gave Heather 5 mg", "gave Chih Chiang 5 mg", "Anna 5 mg"],
    "clinical abbreviations": ["Boston, MA", "from PA", "MD 21201", "LA Medical Center"],
    "relation words": ["Bruce Ward", "Sister Mary", "Grace Brothers"],
}


def test_every_detector_of_medicine_has_examples():
    vetoing = {key for key, each in DETECTORS.all().items() if each.vetoes}
    assert vetoing == set(KEPT) == set(LEFT)


@pytest.mark.parametrize(("key", "text"), [(key, each) for key in KEPT for each in KEPT[key]])
def test_keeps(key, text):
    whole = f"{text}: noted" if key == "section heads" else f"{text}, noted"
    bids = DETECTORS[key].make().bid(Document(whole))
    assert any(whole[bid.start : bid.end] == text and bid.kind is None for bid in bids)


@pytest.mark.parametrize(("key", "text"), [(key, each) for key in LEFT for each in LEFT[key]])
def test_leaves(key, text):
    assert not list(DETECTORS[key].make().bid(Document(text)))


@pytest.mark.parametrize(
    "text",
    [
        "Hemoglobin: 11.2 g/dL [Reference: 13.5 - 17.5 g/dL] -> LOW",
        "Hematocrit: 34.1 % [Reference: 38.8 - 50.0 %]",
        "Platelet Count: 280 x10^3/uL [Reference: 150 - 450 x10^3/uL]",
        "Creatinine 1.8 (ref range: 0.7 - 1.3)",
        "G3P1001 in labor, Apgars 8 and 9.\nGen: well, HR 80.",
    ],
)
def test_ranges_of_laboratories_and_scores_are_left_alone(text):
    assert [text[bid.start : bid.end] for bid in find_together([Document(text)]).masked[0]] == []


def test_a_reference_number_is_found():
    text = "Our reference: 445-8812. HR 80, BP 120/80."
    assert "445-8812" in [
        text[bid.start : bid.end] for bid in find_together([Document(text)]).masked[0]
    ]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Checked at 0730, BG 188 mg.", "0730"),
        ("In the chair since 1030, HR 82.", "1030"),
        ("Took 2 tabs of Norco, HR 82.", "Norco"),
        ("BP 120/80, no Addison's, CT head.", "Addison"),
        ("Father with Lynch, BP 120/80.", "Lynch"),
        ("19 Fr Blake to bulb, EBL 25 mL, BP 120/80.", "Blake"),
        ("He had a CABG and an AVR 2011, EF 30%, HR 88.", "AVR"),
        ("OD 20/40, OS 20/200 PH NI, IOP 16, HR 88.", "20/200"),
        ("Seen by Dr. Lee, BP 120/80, wire across 0541, RCA.", "0541"),
        ("QRS 140 ms. Post: gradient 9, BP 120/80.", "Post"),
        ("Oxford M1E0S1T1C0, BP 120/80, Cr 1.4.", "M1E0S1T1C0"),
        ("CT 12/9 0740: HR 88, Lynch? BP 120/80.", "0740"),
        ("CT chest in 3/12, HR 88, BP 120/80.", "3/12"),
        ("Fell 5/7 ago, HR 88, BP 120/80.", "5/7"),
        ("BP 120/80, HR 88. Apgar 9/10/10.", "9/10/10"),
        ("HR 88.\n0845 BG 212 and BP 120/80 for Dr. Lee.", "0845"),
        ("Seen with Mum (Ann Lee). BP 120/80, HR 88.", "Mum"),
        ("Patient: Rosen, Mark  PCP: none. HR 88.", "PCP"),
        ("PT BID, ASA 81 mg, HR 88.", "ASA"),
        ("2% lidocaine with 1:100k epi, HR 88.", "100k"),
    ],
)
def test_medicine_of_many_forms_stays(text, kept):
    (masked,) = find_together([Document(text)]).masked
    start = text.index(kept)
    assert not any(bid.start < start + len(kept) and start < bid.end for bid in masked)
