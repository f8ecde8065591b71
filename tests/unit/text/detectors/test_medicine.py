"""Words to keep: bids of no kind; positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text import Document, winners
from sfumato.text.detectors.medicine import Medicine
from sfumato.text.detectors.person_names import PersonNames
from sfumato.text.detectors.titled_names import TitledNames
from sfumato.text.detectors.towns import Towns

KEPT = [
    ("he developed Hodgkins last year", "Hodgkins"),
    ("with Parkinson's disease", "Parkinson's disease"),
    ("has Bell's palsy", "Bell's palsy"),
    ("on Lily Human Insulin and", "Lily Human Insulin"),
    ("Guillain-Barré syndrome", "Guillain-Barré syndrome"),
    ("a Foley catheter", "Foley catheter"),
    ("positive Babinski sign", "Babinski sign"),
    ("took Lasix 40 mg", "Lasix"),
    ("took Lasix 40 mg", "40 mg"),
    ("BP 120/80 today", "120/80"),
    ("diagnosed with Crohn's.", "Crohn's"),
    ("Rocky Mountain spotted fever", "Rocky Mountain spotted fever"),
    ("Past Medical History: none", "Past Medical History"),
    ("potassium 4.5 mmol/L", "4.5 mmol/L"),
    ("Alzheimer dementia", "Alzheimer dementia"),
    ("Metformin was stopped", "Metformin"),
]
NOT_KEPT = [
    "contact Mrs. Hodgkins in a week",
    "Dr. Bell and Mr. Parkinson came",
    "Hunter and Graves moved to Boston",
    "Virginia lives in Springfield",
    "call 473-1214",
    "room 12 at 5 o'clock",
    "",
]


def _kept(text: str) -> list[str]:
    return [text[bid.start : bid.end] for bid in Medicine().bid(Document(text))]


@pytest.mark.parametrize(("text", "wanted"), KEPT)
def test_keeps(text, wanted):
    assert wanted in _kept(text)


@pytest.mark.parametrize("text", NOT_KEPT)
def test_leaves_alone(text):
    assert _kept(text) == []


def test_its_bids_are_of_no_kind():
    assert {bid.kind for bid in Medicine().bid(Document("Lasix 40 mg for Hodgkin lymphoma"))} == {
        None
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We will contact Mrs. Hodgkins.", ["Hodgkins"]),
        ("He developed Hodgkins in 1990.", []),
        ("Dr. Bell treated Bell's palsy.", ["Bell"]),
        ("James Parkinson had Parkinson's disease.", ["James Parkinson"]),
        ("Foley catheter placed by Dr. Foley", ["Foley"]),
    ],
)
def test_competes_with_names(text, found):
    document = Document(text)
    bids = [
        bid
        for detector in (Medicine(), PersonNames(), TitledNames(), Towns())
        for bid in detector.bid(document)
    ]
    assert [text[bid.start : bid.end] for bid in winners(bids, threshold=0.5)] == found


@pytest.mark.parametrize("snippet", ["Hodgkin-", "12.5 "])
def test_reads_a_megabyte_of_near_matches_in_linear_time(cost, snippet):
    assert cost(Medicine(), snippet) < 40
