"""The genre of a text, by its words: a decision of a court, a note or letter from a clinic, the story
of a life."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from .documents import Document
from .learned.cues import CLINIC, COURT
from .lexicons import drugs, eponyms, medical_words, words

CLINIC_LABELS = frozenset(
    "bp hr rr spo2 sao2 fio2 bmi wbc hgb hct plt bun inr tsh psa gcs nihss ecog asa npo prn bid tid "
    "qid qhs po iv mg mcg ml mmhg bpm rn md pt gravida para cervix apgar apgars va od os iop ekg ecg "
    "ct mri icu or pod hpi pmh psh ros heent cc meds tab tabs tablets vicryl suture sutures clamp "
    "forceps incision stage grade tumor tumour fracture biopsy tourniquet intubated "
    "hx dx rx sx tds qds bd nocte nbm bilat anaes appx physio quads postop preop intraop mrsa crp "
    "hb wcc plts obs sats abx tazocin stoma drain drains catheter nausea oedema edema wk rom tug".split()
)
"""Labels, units and words that notes from a clinic have and letters to a bank hardly."""


def reads_like_a_court(document: Document) -> bool:
    """Whether a text has the words of a court's decision: five of them, one word in fifty, and more
    than a clinic's."""
    court = _count(document, COURT)
    return (
        court >= 5 and court >= 0.02 * document.tally.total() and court > _count(document, CLINIC)
    )


def reads_like_a_clinic(document: Document) -> bool:
    """Whether a text has the words of a clinic's notes: one in a hundred."""
    clinic = _count(document, CLINIC)
    return clinic >= 1 and clinic >= 0.01 * document.tally.total()


LIFE = frozenset(
    "born died married divorced wife husband daughter daughters son sons children parents siblings "
    "brother sister father mother family graduated studied educated attended degree university "
    "college school career awarded award awards prize medal elected appointed served published "
    "novel novels book books film films album debut founded retired survived emigrated grew raised "
    "played joined scored champion lives lived".split()
)
"""Words of biographies, obituaries and the like."""


def reads_like_a_life(document: Document) -> bool:
    """Whether a text has the words of somebody's life: four different ones, one word in fifty, and it
    is from no court or clinic.

    Example:
        >>> life = "Born in 1931, she studied law, married twice, and published three novels."
        >>> reads_like_a_life(Document(life)), reads_like_a_life(Document("My son was born today."))
        (True, False)
    """
    different = len(LIFE & document.tally.keys())
    return (
        different >= 4
        and _count(document, LIFE) >= 0.02 * document.tally.total()
        and not reads_like_a_clinic(document)
        and not reads_like_a_court(document)
    )


def has_medicine(document: Document) -> bool:
    """Whether a text has words of medicine, one in fifty, or is a terse note; and is no decision of a
    court.

    Example:
        >>> has_medicine(Document("HR 88, BP 120/80.")), has_medicine(Document("I live at Boston."))
        (True, False)
    """
    known = _medicine()
    tally = document.tally
    count = sum(tally[word] for word in tally if word in known)
    return (
        count >= 1 and count >= 0.02 * tally.total() and not reads_like_a_court(document)
    ) or is_terse_note(document)


_DENSE, _FEWEST = 0.065, 8


def is_dense_in_medicine(document: Document) -> bool:
    """Whether a text is a note in abbreviations: eight words of medicine, one in fifteen, and no
    decision of a court.

    Example:
        >>> note = "T 36.4 HR 71 BP 168/92 RR 16 SpO2 96% RA. Hgb 11, Plt 201, INR 1.2. NPO. OR in AM."
        >>> is_dense_in_medicine(Document(note)), is_dense_in_medicine(Document("BP was fine."))
        (True, False)
    """
    known = _medicine()
    tally = document.tally
    count = sum(tally[word] for word in tally if word in known)
    return count >= _FEWEST and count >= _DENSE * tally.total() and not reads_like_a_court(document)


_TERSE, _FEWEST_IN_TERSE, _SHARE_IN_TERSE = 0.45, 3, 0.03
_SEEN = 20_000
_WORDS: Final = re.compile(r"\w+")


def is_terse_note(document: Document) -> bool:
    """Whether a text is written as wards write: nearly every other word with a capital or a digit, and
    three words of medicine, drugs or eponyms, one in thirty.

    Example:
        >>> is_terse_note(Document("Tinel and Phalen +. Weber B. Flucloxacillin 500 QDS. Rv Mon."))
        True
        >>> is_terse_note(Document("Tinel and Phalen were positive, and he was given flucloxacillin."))
        False
    """
    text = document.text[:_SEEN]
    found = _WORDS.findall(text)
    terse = sum(word[0].isupper() or not word.isalpha() for word in found)
    if not found or terse < _TERSE * len(found) or text.isupper():
        return False
    known, tally = _with_drugs_and_eponyms(), document.tally
    count = sum(tally[word] for word in tally if word in known)
    return count >= max(
        _FEWEST_IN_TERSE, _SHARE_IN_TERSE * tally.total()
    ) and not reads_like_a_court(document)


@cache
def _medicine() -> frozenset[str]:
    return CLINIC | CLINIC_LABELS | medical_words()


@cache
def _with_drugs_and_eponyms() -> frozenset[str]:
    """Words of medicine, and drugs and eponyms that are no ordinary words."""
    wider = (word for word in (*drugs(), *eponyms()) if words().get(word, "0") < _ORDINARY)
    return _medicine().union(wider)


_ORDINARY = "3"


def _count(document: Document, cues: frozenset[str]) -> int:
    tally = document.tally
    return sum(map(tally.__getitem__, cues & tally.keys()))
