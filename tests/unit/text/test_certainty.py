"""What is not certain: a tag, a surrogate or as it was, the same for one value throughout."""

from __future__ import annotations

import pytest

from sfumato.text import Bid, Decision, Document, How, ReferenceKind, replace_findings
from sfumato.text.certainty import uncertain_values, without_uncertain
from sfumato.text.surrogates import Style, UnsureStyle

TEXT = Document("Foley came to Aircast in 1999. Dr. Foley.", person="7")
SPANS = (
    (0, 5, ReferenceKind.NAME, 0.5),
    (14, 21, ReferenceKind.TOWN, 0.5),
    (25, 29, ReferenceKind.DATE, 0.4),
)
BIDS = [Bid(*span, "x") for span in SPANS]
SWEPT = Bid(35, 40, ReferenceKind.NAME, 1.0, "sweeping")


def _replaced(unsure, bids):
    style = Style(unsure=unsure)
    (done,) = replace_findings(
        [TEXT], [bids], secret=bytes(range(32)), style=style, days=lambda _: 9
    )
    return done


def test_names_and_places_that_are_not_certain_become_tags():
    done = _replaced(UnsureStyle.TAG, [*BIDS, SWEPT])
    assert done.text.startswith("[NAME?] came to [TOWN?] in ")
    assert done.text.endswith("Dr. [NAME?].")
    assert [each.how for each in done.replacements[:2]] == [How.TAG, How.TAG]
    assert done.replacements[2].how is not How.TAG, "a date's score is no certainty"


def test_surrogates_where_asked_for():
    assert "?" not in _replaced(UnsureStyle.SURROGATE, BIDS).text


def test_a_certain_place_makes_a_value_certain():
    certain = Bid(35, 40, ReferenceKind.NAME, 0.9, "titled names")
    assert "[NAME?]" not in _replaced(UnsureStyle.TAG, [*BIDS, certain]).text


@pytest.mark.parametrize("score", [0.6, 1.0])
def test_what_is_certain_is_not_listed(score):
    bid = Bid(0, 5, ReferenceKind.NAME, score, "x")
    assert not uncertain_values([(TEXT, [bid])])


def test_what_is_kept_says_so_with_its_repeats():
    decided = [
        Decision(finding=bid, masks=True, reason="sure enough for its kind")
        for bid in (*BIDS, SWEPT)
    ]
    (kept,) = without_uncertain([TEXT], [decided])
    assert [each.masks for each in kept] == [False, False, True, False]
    assert kept[0].reason == "not certain, and kept as asked"
