"""Sweeney 2000, Fig. 21 to 23: the letter's names, places and bodies all found, its medicine kept;
the Hodgkins pair.

Numbers, dates and the telephone are the pattern detectors'; here are those that know words.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.text import Bid, Document, ReferenceKind, winners
from sfumato.text.detectors import WORDS
from sfumato.text.misspelling import is_misspelt
from sfumato.text.name_propagation import spread

LETTER = (Path(__file__).parent / "golden" / "scrub_fig21_letter.txt").read_text(encoding="utf-8")
WANTED = [
    ("Marjorie Long", ReferenceKind.NAME),
    ("Virginia Townsend", ReferenceKind.NAME),
    ("St. John's Hospital", ReferenceKind.HOSPITAL),
    ("Huntington 18", ReferenceKind.STREET),
    ("Boston", ReferenceKind.TOWN),
    ("MA", ReferenceKind.REGION),
    ("02151", ReferenceKind.POSTCODE),
    ("Lang", ReferenceKind.NAME),
    ("Virginia", ReferenceKind.NAME),
    ("Dot", ReferenceKind.NAME),
    ("Frank", ReferenceKind.NAME),
    ("Brigham's", ReferenceKind.HOSPITAL),
    ("U. S. Junior Gymnastics team", ReferenceKind.TEAM),
    ("Hodgkins", ReferenceKind.NAME),
    ("Marina Corp", ReferenceKind.ORGANISATION),
    ("Patrick Hayes", ReferenceKind.NAME),
]


def _found(text: str) -> list[Bid]:
    document = Document(text)
    bids = [bid for detector in WORDS for bid in detector.bid(document)]
    return list(winners([*bids, *spread(document, winners(bids, threshold=0.5))], threshold=0.5))


def test_fig_21_every_reference_that_is_a_word_is_found_and_nothing_else():
    assert [(LETTER[bid.start : bid.end], bid.kind) for bid in _found(LETTER)] == WANTED


@pytest.mark.parametrize(
    "kept",
    ["Lily Human Insulin", "diabetes mellitus", "June of 1993", "female", "7 and 6/12 year old"],
)
def test_fig_22_the_medicine_stays(kept):
    start = LETTER.index(kept)
    assert not any(bid.start < start + len(kept) and start < bid.end for bid in _found(LETTER))


def test_the_salutation_is_the_physician_misspelt():
    assert is_misspelt("lang", "long")
    document = Document(LETTER)
    start = LETTER.index("Marjorie Long")
    bids = spread(
        document, [Bid(start, start + len("Marjorie Long"), ReferenceKind.NAME, 0.95, "test")]
    )
    assert [LETTER[bid.start : bid.end] for bid in bids] == ["Lang"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We will contact Mrs. Hodgkins in a week.", ["Hodgkins"]),
        ("In 1990 he developed Hodgkins.", []),
        ("Mrs. Hodgkins called. Her son developed Hodgkins.", ["Hodgkins"]),
    ],
)
def test_hodgkins_the_person_and_hodgkins_the_disease(text, names):
    assert [text[bid.start : bid.end] for bid in _found(text)] == names


def test_fig_23_what_search_and_replace_misses_is_found():
    """The nickname, the misspelt salutation, the mother, her employer, the team, the other doctor
    and hospital."""
    missed = {
        "Dot",
        "Lang",
        "Hodgkins",
        "Marina Corp",
        "U. S. Junior Gymnastics team",
        "Frank",
        "Brigham's",
    }
    assert missed <= {LETTER[bid.start : bid.end] for bid in _found(LETTER)}
