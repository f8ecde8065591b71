"""Classes of what a finding is: they hold in any country, and know no names."""

from __future__ import annotations

import pytest

from sfumato.text.bids import Bid
from sfumato.text.documents import Document
from sfumato.text.kinds import ReferenceKind
from sfumato.text.lexicons import countries, demonyms
from sfumato.text.mask_classifier import facts_of
from sfumato.text.reference_classes import _CLASSES, Sections, classes_of

TEXT = """PROCEDURE

1. The Eldoria Regional Court gave judgment on 3 May 1999.

THE FACTS

2. Another court followed."""


def facts(word, kind=ReferenceKind.ORGANISATION):
    start = TEXT.index(word)
    [found] = facts_of(Document(TEXT), [Bid(start, start + len(word), kind, 0.9, "x")])
    return found.keys()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("eldoria regional court", ("first court", "court")),
        ("supreme court", ("high court", "court")),
        ("ministry of the interior", ("government",)),
        ("eldoria", ("none",)),
    ],
)
def test_classes_of_words(words, wanted):
    assert classes_of(words.split()) == wanted


def test_a_court_of_a_town_that_nobody_has_seen_has_the_facts_of_its_class():
    found = facts("Eldoria Regional Court")
    assert {"is first court", "organisation is first court a name"} <= found
    assert "organisation is court under procedure" in found


def test_the_precision_of_a_date_is_a_fact():
    assert "date of a day" in facts("3 May 1999", ReferenceKind.DATE)


def test_headings_divide_a_decision():
    sections = Sections(TEXT)
    assert [sections.of(TEXT.index(word)) for word in ("Eldoria", "Another")] == [
        "procedure",
        "facts",
    ]
    assert Sections("No heading.").of(3) == "none"


def test_no_class_has_the_name_of_a_country_or_a_people():
    known = {word for _, words in _CLASSES for word in words}
    assert known.isdisjoint(countries())
    assert known.isdisjoint(demonyms()) or known & demonyms().keys() <= {"lords"}
