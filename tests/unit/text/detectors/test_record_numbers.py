"""Numbers of records: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.record_numbers import RecordNumbers

ARE = [
    ("St. John's Hospital CH#32-841-09787", "32-841-09787"),
    ("MRN: 998877", "998877"),
    ("MRN 112-45-789", "112-45-789"),
    ("medical record number is 4455667", "4455667"),
    ("Medical Record Number\n123456", "123456"),
    ("application (no. 18403/91)", "18403/91"),
    ("case no. 3:19-cv-01234", "19-cv-01234"),
    ("(nos. 26480/95, 28291/95)", "26480/95"),
    ("Patient ID AB12345", "AB12345"),
    ("accession S19-1234", "S19-1234"),
    ("Aktenzeichen 123/45", "123/45"),
    ("numéro de dossier 778899", "778899"),
    ("historia clínica 334455", "334455"),
    ("1 BvR 357/05", "1 BvR 357/05"),
    ("123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"),
    ("study ID 0042", "0042"),
    ("docket number 99-1234", "99-1234"),
    ("subject 12-345-6789", "12-345-6789"),
]
ARE_NOT = [
    "BP 120/80",
    "Article 6 § 1",
    "Law no. 2577",
    "Protocol No. 11",
    "NCT01234567",
    "COVID-19 and HLA-B27",
    "CYP2D6*4",
    "rs1234567",
    "ICD 250.00",
    "PMID 12345678",
    "500 mg of case",
    "the case was heard in 1999",
    "see paragraphs 22-24",
    "Reports 1996-V",
    "Directive 88/182/EEC",
    "file 3",
    "1996/97",
    "20-year-old",
    "creatinine 2.1",
    "ISBN 9781234567897",
]


@pytest.mark.parametrize(("text", "number"), ARE)
def test_finds(found, text, number):
    assert number in found(RecordNumbers(), text)


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(RecordNumbers(), text) == []


def test_every_number_of_a_list_is_found(found):
    text = "applications nos. 26480/95, 28291/95, 682/02 and 13944/02"
    assert found(RecordNumbers(), text) == ["26480/95", "28291/95", "682/02", "13944/02"]
