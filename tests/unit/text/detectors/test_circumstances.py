"""Circumstances of a case: only in a court's decision, and low."""

from __future__ import annotations

import pytest

from sfumato.text import Document, ReferenceKind
from sfumato.text.detectors.circumstances import SCORE, Circumstances

COURT = (
    "The applicant lodged an application with the Court against the Government under the "
    "Convention. The domestic "
    "proceedings ended with a judgment on appeal. "
)


def found(text: str) -> dict[str, ReferenceKind | None]:
    return {text[bid.start : bid.end]: bid.kind for bid in Circumstances().bid(Document(text))}


@pytest.mark.parametrize(
    ("sentence", "words", "kind"),
    [
        ("She was a widow then.", "widow", ReferenceKind.DEMOGRAPHIC),
        ("He suffered from arthritis.", "arthritis", ReferenceKind.DEMOGRAPHIC),
        ("He was convicted of manslaughter.", "manslaughter", ReferenceKind.OTHER),
        ("It heard thirty-one witnesses.", "thirty-one witnesses", ReferenceKind.QUANTITY),
        ("It heard 31 other witnesses.", "31 other witnesses", ReferenceKind.QUANTITY),
        ("He was to own 40 % of it.", "40 %", ReferenceKind.QUANTITY),
        (
            "They obtained a separation (skilmisse ved bevilling).",
            "skilmisse ved bevilling",
            ReferenceKind.OTHER,
        ),
        ("He called him “a liar and a thief” there.", "a liar and a thief", ReferenceKind.OTHER),
    ],
)
def test_finds(sentence: str, words: str, kind: ReferenceKind) -> None:
    assert found(COURT + sentence).get(words) is kind
    assert words not in found(sentence)  # In another text they are nobody's business.


@pytest.mark.parametrize(
    "sentence", ["He waited ten years.", "It sat in three sections.", "The Widow Act applied."]
)
def test_leaves_alone(sentence: str) -> None:
    assert set(found(COURT + sentence)) == set(found(COURT))


def test_all_bids_are_low() -> None:
    bids = list(Circumstances().bid(Document(COURT + "The girl had two brothers and asthma.")))
    assert bids
    assert {bid.score for bid in bids} == {SCORE}
