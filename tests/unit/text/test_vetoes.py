"""Vetoes: what gives way to medicine, and what never does."""

from __future__ import annotations

import pytest

from sfumato.text import Bid, Document, ReferenceKind, find
from sfumato.text.certainty import CERTAIN
from sfumato.text.decision import THRESHOLDS
from sfumato.text.detectors import DETECTORS
from sfumato.text.scrubber import find_together
from sfumato.text.vetoes import CONTESTED, after_vetoes, asked_of, without_vetoed

KEPT = Bid(0, 14, None, 0.95, "instruments")
TEXT = Document("Richardson rod was placed by her")


@pytest.mark.parametrize("detector", ["learned references", "towns", "person names"])
def test_a_guess_gives_way(detector):
    guess = Bid(0, 10, ReferenceKind.NAME, 0.99, detector)
    assert without_vetoed([KEPT, guess], TEXT) == [KEPT]


@pytest.mark.parametrize(
    "detector",
    ["titled names", "labelled names", "relatives", "emails", "urls", "own:staff", "somebody's"],
)
def test_what_is_vouched_for_stays(detector):
    vouched = Bid(0, 10, ReferenceKind.NAME, 0.7, detector)
    assert vouched in without_vetoed([KEPT, vouched], TEXT)


@pytest.mark.parametrize(
    "key", ["record numbers", "phones", "national numbers", "financial numbers", "accounts"]
)
def test_a_labelled_or_checked_number_stays(key):
    number = Bid(0, 10, ReferenceKind.RECORD_NUMBER, 0.9, key)
    assert number in without_vetoed([KEPT, number], TEXT)


def test_the_rest_of_a_guess_stays():
    guess = Bid(0, 32, ReferenceKind.TOWN, 0.99, "learned references")
    (_, rest) = without_vetoed([KEPT, guess], TEXT)
    assert (rest.start, rest.end) == (15, 32)


def test_a_detector_that_says_nothing_does_not_give_way():
    silent = {key for key, each in DETECTORS.all().items() if each.gives_way_below == 0}
    assert {"emails", "titled names", "labelled names", "relatives", "ip addresses"} <= silent
    for each in DETECTORS.all().values():
        assert not (each.vetoes and each.kinds), "a detector that vetoes finds nothing"


def test_medicine_is_looked_for_only_where_there_is_some():
    every = [each.make() for each in DETECTORS.all().values() if each.vetoes]
    assert len(asked_of(Document("HR 88, BP 120/80 after surgery."), every)) == len(every)
    assert not asked_of(Document("Please send the parcel to my neighbour."), every)


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Kelly clamp test pending, BP 120/80.",
        "MRN: 448812 HR 88 BP 120/80",
        "Call 617-473-1214, BP 120/80",
        "Dr. Grade 2 murmur; mail to jane.pt@example.org, HR 88",
    ],
)
def test_identities_beside_medicine_are_found(text):
    assert find(Document(text))


MEDICAL = Document("HR 88. Epiduo was not covered, and Kastner came. BP 120/80 after surgery.")


def test_the_silence_of_learned_detectors_is_a_veto_against_guesses():
    guess = Bid(7, 13, ReferenceKind.NAME, 0.47, "person names")
    done = after_vetoes([guess], MEDICAL, learned_vetoes=True)
    assert (done.kept, done.vetoed) == ([], (guess,))


@pytest.mark.parametrize(
    "bid",
    [
        Bid(7, 13, ReferenceKind.NAME, 0.7, "person names"),  # sure enough
        Bid(7, 13, ReferenceKind.NAME, 0.4, "labelled names"),  # a label vouches for it
        Bid(7, 13, ReferenceKind.RECORD_NUMBER, 0.4, "record numbers"),  # a number
        Bid(7, 13, ReferenceKind.NAME, 0.4, "own:staff"),  # the holder's own list
        Bid(35, 42, ReferenceKind.NAME, 0.44, "person names"),  # people bear it
    ],
    ids=lambda bid: bid.detector,
)
def test_silence_is_no_veto_against_more(bid):
    assert after_vetoes([bid], MEDICAL, learned_vetoes=True).kept == [bid]


def test_a_word_of_a_learned_detector_ends_the_silence():
    guess = Bid(7, 13, ReferenceKind.NAME, 0.47, "person names")
    heard = Bid(7, 13, ReferenceKind.ORGANISATION, 0.05, "learned references")
    assert guess in after_vetoes([guess, heard], MEDICAL, learned_vetoes=True).kept


def test_medicine_and_identity_that_both_bid_high_make_a_tag():
    rule = Bid(0, 10, ReferenceKind.NAME, 0.93, "person names")
    learned = Bid(0, 10, ReferenceKind.NAME, 0.99, "learned references")
    kept = after_vetoes([KEPT, rule, learned], TEXT).kept
    (contested,) = (bid for bid in kept if bid.kind is not None)
    assert (contested.start, contested.end, contested.detector) == (0, 10, CONTESTED)
    assert THRESHOLDS[ReferenceKind.NAME] <= contested.score < CERTAIN
    assert all(bid.start >= contested.end for bid in kept if bid.kind is None)


def test_what_gave_way_is_told_to_the_person_who_checks():
    note = Document("The Allis forceps was used. BP 120/80, HR 88.")
    found = find_together([note])
    nearly = [each for each in found.decisions[0] if each.reason.startswith("nearly replaced")]
    assert all(not each.masks for each in nearly)
    assert {note.text[each.finding.start : each.finding.end] for each in nearly} == {"Allis", "BP"}


@pytest.mark.parametrize(
    ("text", "word", "score", "goes"),
    [
        ("BP 120/80. Triage nurse reported pain.", "Triage", 0.55, True),
        ("BP 120/80. Triage nurse reported pain.", "Triage", 0.7, False),
        ("BP 120/80, seen at Triage today, in pain.", "Triage", 0.55, False),
        ("BP 120/80. Walgreens filled it, pain.", "Walgreens", 0.55, False),
    ],
)
def test_a_faint_guess_at_a_body_gives_way_to_the_word_that_opens_a_sentence(
    text, word, score, goes
):
    at = text.index(word)
    bid = Bid(at, at + len(word), ReferenceKind.ORGANISATION, score, "transformer")
    judged = after_vetoes([bid], Document(text), learned_vetoes=True)
    assert (judged.kept == []) is goes


def test_a_number_of_a_rule_is_hidden_by_no_learned_quantity():
    note = Document("He paid with card ending 4418.")
    number = Bid(25, 29, ReferenceKind.RECORD_NUMBER, 0.85, "number parts")
    quantity = Bid(25, 29, ReferenceKind.QUANTITY, 0.99, "transformer")
    assert after_vetoes([number, quantity], note).kept == [number]
    assert after_vetoes([quantity], note).kept == [quantity]
