"""A second opinion: which guesses give way where a transformer sees nothing, and which stay."""

from __future__ import annotations

import pytest

from sfumato.text.bids import Bid
from sfumato.text.documents import Document
from sfumato.text.finder import LEARNED, DocumentBids
from sfumato.text.kinds import ReferenceKind
from sfumato.text.second_opinion import is_guess, without_overruled

NOTE = "BP 120/80. Dermabond to skin, seen by Okafor."


def bid(word, kind=ReferenceKind.NAME, score=0.7, detector=LEARNED):
    start = NOTE.index(word)
    return Bid(start, start + len(word), kind, score, detector)


def overruled(guess, opinions=(), read=((0, 45),)):
    _, gone = without_overruled([guess], Document(NOTE), by=opinions, read=read)
    return gone == [guess]


@pytest.mark.parametrize("detector", [LEARNED, "person names", "towns", "organisations"])
def test_a_guess_gives_way_where_nothing_is_seen(detector):
    assert overruled(bid("Dermabond", detector=detector, score=0.55))


@pytest.mark.parametrize(
    "guess",
    [
        bid("Okafor", detector="titled names", score=0.97),
        bid("Okafor", detector="relatives"),
        bid("Okafor", ReferenceKind.ORGANISATION, detector="organisations", score=0.72),
        bid("Okafor", ReferenceKind.TOWN, detector="towns", score=0.9),
        bid("Okafor", detector="script names"),
        bid("Okafor", detector="transformer"),
        bid("120/80", ReferenceKind.DATE),
        bid("Okafor", ReferenceKind.HOSPITAL),
        bid("Okafor", ReferenceKind.PROFESSION),
    ],
)
def test_a_form_a_title_and_other_kinds_stay(guess):
    assert not is_guess(guess)
    assert not overruled(guess)


@pytest.mark.parametrize(
    ("detector", "kind", "score"),
    [
        ("towns", ReferenceKind.TOWN, 0.8),
        ("teams", ReferenceKind.TEAM, 0.88),
        ("demographics", ReferenceKind.DEMOGRAPHIC, 0.7),
        (LEARNED, ReferenceKind.POSTCODE, 0.92),
    ],
)
def test_scales_and_brands_that_look_like_places_and_bodies_give_way(detector, kind, score):
    assert overruled(bid("Dermabond", kind, score, detector))


def test_what_was_not_read_stays():
    assert not overruled(bid("Okafor"), read=[(0, 20)])


@pytest.mark.parametrize(
    ("word", "score", "gone"),
    [("Dermabond", 0.2, True), ("Dermabond", 0.3, False), ("Okafor", 0.06, False)],
)
def test_a_doubt_is_enough_for_a_name_that_people_bear(word, score, gone):
    assert overruled(bid(word), [bid(word, score=score, detector="transformer")]) is gone


def test_a_date_supports_no_name():
    date = bid("Dermabond", ReferenceKind.DATE, 0.9, "transformer")
    assert overruled(bid("Dermabond"), [date])
    number = bid("120/80", ReferenceKind.RECORD_NUMBER)
    assert not overruled(number, [bid("120/80", ReferenceKind.DATE, 0.9, "transformer")])


class Cheap:
    name = LEARNED

    def bid(self, document):
        return [bid("Dermabond", score=0.97), bid("Okafor", score=0.97)]


class Costly:
    name = "transformer"

    def bid_in(self, document, spans):
        return [bid("Okafor", detector="transformer", score=0.9)]


def test_what_gave_way_is_shown_as_nearly_replaced():
    search = DocumentBids(Document(NOTE), [Cheap(), Costly()])
    assert [NOTE[each.start : each.end] for each in search.vetoed] == ["Dermabond"]
    assert [NOTE[each.start : each.end] for each in search.findings()] == ["Okafor"]
