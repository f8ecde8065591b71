"""The baselines of Fig. 24 on the letter of Fig. 21: what search-and-replace finds and misses (Fig.
23)."""

from __future__ import annotations

import pytest

from sfumato.text import Document, ReferenceKind
from sfumato.text.baselines import SearchWithCues, StraightSearch
from sfumato.text.finder import find

LETTER = """Wednesday, February 2, 1994

Marjorie Long, M.D. RE: Virginia Townsend
St. John's Hospital CH#32-841-09787
Huntington 18 DOB 05/26/86
Boston, MA 02151

Dear Dr. Lang:

I feel much better after seeing Virginia this time. As you know, Dot is a 7 and 6/12 year old female. We will contact \
Mrs. Hodgkins in a week at Marina Corp 473-1214 to schedule a follow-up visit.

Patrick Hayes, M.D. 34764
"""
KNOWN = {"name": ("Virginia Townsend", "Patrick Hayes"), "record number": ("32-841-09787", "34764")}


def found_by(detector) -> list[str]:
    document = Document(LETTER, cues=KNOWN)
    return [LETTER[bid.start : bid.end] for bid in find(document, (detector,), spreads=False)]


def test_straight_search_finds_what_the_database_knows():
    assert found_by(StraightSearch()) == [
        "Virginia Townsend",
        "32-841-09787",
        "Virginia",
        "Patrick Hayes",
        "34764",
    ]


@pytest.mark.parametrize(
    "missed", ["Marjorie Long", "Lang", "Dot", "Hodgkins", "Marina Corp", "473-1214", "Boston"]
)
def test_straight_search_misses_what_figure_23_shows(missed):
    assert not any(missed in found for found in found_by(StraightSearch()))


@pytest.mark.parametrize("wanted", ["Marjorie Long", "Lang", "Hodgkins", "Boston", "05/26/86"])
def test_cues_find_the_heading_the_salutation_and_titles(wanted):
    assert any(wanted in found for found in found_by(SearchWithCues()))


@pytest.mark.parametrize("missed", ["Dot is", "Marina Corp", "473-1214"])
def test_cues_still_miss_nicknames_employers_and_phones(missed):
    assert not any(missed in found for found in found_by(SearchWithCues()))


def test_whole_words_whatever_their_capitals():
    document = Document("ann, Annette and LEE", cues={"name": ("Ann Lee",), "shoe size": ("12",)})
    bids = list(StraightSearch().bid(document))
    assert [(bid.start, bid.end, bid.kind) for bid in bids] == [
        (0, 3, ReferenceKind.NAME),
        (17, 20, ReferenceKind.NAME),
    ]


def test_nothing_known_is_nothing_found():
    assert list(StraightSearch().bid(Document(LETTER))) == []
    assert list(StraightSearch().bid(Document(LETTER, cues={"name": ("",)}))) == []


def test_a_text_without_salutation_has_no_heading():
    assert list(SearchWithCues().bid(Document("the patient\nwas well"))) == []
