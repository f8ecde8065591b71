"""People called by the last name alone: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.ward_people import KNOWN, LIKELY, WardPeople
from sfumato.text.documents import Document

NOTE = "BP 118/64, HR 88, SpO2 96%. Hb 9.2, CRP 88. {} Abdo soft, CXR clear."
ARE = [
    "Petersen aware.",
    "Petersen to review am.",
    "Bleeped Petersen 0300.",
    "Cons: Petersen",
    "Pt of Petersen.",
    "On Petersen's list tomorrow.",
    "Discussed w/ Petersen (ID).",
    "Per Petersen hold heparin.",
]
ARE_NOT = [
    "Washout with Kerrison.",
    "Bleeped Cardiology 0300.",
    "Per Tanner stage 3.",
    "Petersen hernia repaired.",
    "Saturday to review am.",
    "Under Entonox.",
    "with Petersen retractors",
    "Petersen stable.",
]


@pytest.mark.parametrize("said", ARE)
def test_finds(found, said):
    assert found(WardPeople(), NOTE.format(said)) == ["Petersen"]


@pytest.mark.parametrize("said", ARE_NOT)
def test_leaves_alone(found, said):
    assert found(WardPeople(), NOTE.format(said)) == []


def test_a_word_of_no_list_scores_too_little_to_be_certain():
    scores = [
        next(iter(WardPeople().bid(Document(NOTE.format(f"Bleeped {name}."))))).score
        for name in ("Petersen", "Xqulopasz")
    ]
    assert scores == [KNOWN, LIKELY]


def test_a_text_without_medicine_is_not_read_so(found):
    assert found(WardPeople(), "Petersen to review the contract on Monday.") == []
