"""What is masked for which purpose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.text import Bid, Document, ReferenceKind
from sfumato.text.decision import (
    MaskRule,
    Purpose,
    decide,
    facts_of,
    masked,
    reads_like_a_clinic,
    reads_like_a_court,
)
from sfumato.text.mask_classifier import PLAIN, TRANSFORMED, rule

NOTE = Document(
    "Mr. Hayes, a 92-year-old Turkish patient seen at Mercy in June 1993, takes insulin."
)
COURT = Document(
    "The applicant, Mr Galip Yalman, lodged an application with the Court. The Government "
    "appealed against the "
    "judgment of 3 May 1994. The Court gave its judgment on the merits of the complaint by "
    "the applicant under the "
    "Convention."
)


def bid(document: Document, words: str, kind: ReferenceKind | None, score: float = 0.9) -> Bid:
    start = document.text.index(words)
    return Bid(start, start + len(words), kind, score, "x")


NAME, AGE = bid(NOTE, "Mr. Hayes", ReferenceKind.NAME), bid(NOTE, "92-year-old", ReferenceKind.AGE)
NATION, HOSPITAL = (
    bid(NOTE, "Turkish", ReferenceKind.DEMOGRAPHIC),
    bid(NOTE, "Mercy", ReferenceKind.HOSPITAL),
)


@pytest.mark.parametrize(
    ("purpose", "expected"),
    [
        (Purpose.EVERYTHING, [NAME, AGE, NATION, HOSPITAL]),
        (Purpose.DIRECT, [NAME]),
        (Purpose.SINGLING_OUT, [NAME, AGE, NATION, HOSPITAL]),
    ],
)
def test_purposes(purpose: Purpose, expected: list[Bid]) -> None:
    assert list(masked(NOTE, [NAME, AGE, NATION, HOSPITAL], purpose=purpose)) == expected


KINDS, SCORES = st.sampled_from([*ReferenceKind, None]), st.floats(0.0, 1.0)


@given(
    document=st.sampled_from(
        [NOTE, COURT, Document("The Turkish baker, aged 57, of Via Roma 5 has closed in 1993.")]
    ),
    drawn=st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20), KINDS, SCORES), max_size=12),
    thresholds=st.dictionaries(st.sampled_from(list(ReferenceKind)), SCORES, max_size=3),
)
def test_everything_is_at_least_what_singles_out(
    document: Document,
    drawn: list[tuple[int, int, ReferenceKind | None, float]],
    thresholds: dict[ReferenceKind, float],
) -> None:
    found = [Bid(start, start + size, kind, score, "x") for start, size, kind, score in drawn]
    few, all_of_them = (
        decide(document, found, purpose=purpose, thresholds=thresholds)
        for purpose in (Purpose.SINGLING_OUT, Purpose.EVERYTHING)
    )
    assert [one.finding for one in all_of_them] == found
    assert all(other.masks for one, other in zip(few, all_of_them, strict=True) if one.masks)
    assert all(
        one.masks
        for one in all_of_them
        if one.finding.kind and one.finding.score >= 0.5 and not thresholds
    )


def test_an_age_under_90_stays_in_a_note() -> None:
    young = Document("A 57-year-old patient on insulin.")
    assert masked(young, [bid(young, "57-year-old", ReferenceKind.AGE)]) == ()


def test_nationality_stays_in_a_note_about_nobody() -> None:
    assert masked(NOTE, [NATION]) == ()


def test_a_large_group_of_people_singles_nobody_out() -> None:
    note = Document("Mr. Hayes is a black patient on insulin.")
    name, group = (
        bid(note, "Mr. Hayes", ReferenceKind.NAME),
        bid(note, "black", ReferenceKind.DEMOGRAPHIC),
    )
    assert masked(note, [name, group]) == (name,)
    assert masked(note, [name, group], purpose=Purpose.EVERYTHING) == (name, group)


def test_nationality_goes_outside_a_clinic() -> None:
    letter = Document("The Turkish baker of our street has closed.")
    found = bid(letter, "Turkish", ReferenceKind.DEMOGRAPHIC)
    assert masked(letter, [found]) == (found,)


def test_words_to_keep_are_never_masked() -> None:
    for purpose in Purpose:
        assert masked(NOTE, [bid(NOTE, "insulin", None)], purpose=purpose) == ()
    assert masked(COURT, [bid(COURT, "judgment", None)]) == ()


def test_thresholds_of_the_policy_win() -> None:
    low = bid(NOTE, "Mercy", ReferenceKind.HOSPITAL, 0.2)
    assert masked(NOTE, [low]) == ()
    (decision,) = decide(NOTE, [low], thresholds={ReferenceKind.HOSPITAL: 0.1})
    assert decision.masks
    assert decision.reason == "sure enough for its kind"


def test_kinds_of_text() -> None:
    assert reads_like_a_court(COURT)
    assert not reads_like_a_court(NOTE)
    assert reads_like_a_clinic(NOTE)
    assert not reads_like_a_clinic(COURT)
    assert not reads_like_a_clinic(Document(""))


def test_in_a_court_the_applicant_goes_and_the_government_stays() -> None:
    name, body = (
        bid(COURT, "Mr Galip Yalman", ReferenceKind.NAME, 0.99),
        bid(COURT, "Government", ReferenceKind.ORGANISATION, 0.3),
    )
    date = bid(COURT, "3 May 1994", ReferenceKind.DATE, 0.95)
    assert masked(COURT, [name, body, date]) == (name, date)


def test_mentions_of_the_same_words_are_decided_alike() -> None:
    text = "The Court heard the applicant before the Court in Ankara. " * 4
    document = Document(text)
    places = [place for place in range(len(text)) if text.startswith("Ankara", place)]
    found = [
        Bid(place, place + 6, ReferenceKind.TOWN, score, "x")
        for place, score in zip(places, (0.99, 0.1, 0.5, 0.9), strict=True)
    ]
    assert len({decision.masks for decision in decide(document, found)}) == 1


def test_facts_hold_kind_and_odds() -> None:
    (facts,) = facts_of(COURT, [bid(COURT, "3 May 1994", ReferenceKind.DATE, 0.5)])
    assert facts["kind date"] == 1.0
    assert facts["odds"] == pytest.approx(0.0)


def test_a_rule_is_a_logistic_regression() -> None:
    assert MaskRule(0.0, 0.5, {"a": 2.0}).likelihood({"a": 1.0, "b": 5.0}) == pytest.approx(
        0.8808, abs=1e-4
    )
    assert MaskRule(1e9, 0.5, {}).likelihood({}) == pytest.approx(1.0)


def test_the_rule_in_the_package_holds_no_name_of_a_person() -> None:
    """Words that it weighs stand in several decisions; a name that is in only one of them is not
    among them."""
    for name in (PLAIN, TRANSFORMED):
        assert not any("yalman" in fact or "galip" in fact for fact in rule(name).weights)
        assert len(rule(name).weights) > 100


def test_prizes_and_numbers_go_in_the_story_of_a_life_and_stay_elsewhere() -> None:
    found = [
        Bid(LIFE.text.index(words), LIFE.text.index(words) + len(words), kind, 0.9, "x")
        for words, kind in (
            ("the Orr Medal", ReferenceKind.OTHER),
            ("40 novels", ReferenceKind.QUANTITY),
        )
    ]
    assert masked(LIFE, found) == tuple(found)
    elsewhere = Document(LIFE.text.replace("born", "seen").replace("married", "left"))
    assert masked(elsewhere, found) == ()


LIFE = Document(
    "She was born in May, married at 20, wrote 40 novels and was awarded the Orr Medal."
)


@pytest.mark.parametrize(
    ("before", "masks"),
    [
        ("She has not seen a ", False),
        ("The x-rays were read by a ", False),
        ("She is employed as a ", True),
        ("Her father was a ", True),
    ],
)
def test_who_cares_for_patients_stays_and_a_patients_own_work_goes(before, masks) -> None:
    text = f"Anna Long is a patient with diabetes on insulin, BP 120/80. {before}nurse."
    at = text.index("nurse")
    name = Bid(0, 9, ReferenceKind.NAME, 0.95, "x")
    work = Bid(at, at + 5, ReferenceKind.PROFESSION, 0.8, "x")
    assert decide(Document(text), [name, work])[1].masks is masks


def test_an_age_stays_where_somebody_presents_with_an_illness() -> None:
    text = "This 23-year-old white female presents with allergies and used Claritin and Zyrtec."
    age = Bid(5, 16, ReferenceKind.AGE, 1.0, "x")
    assert not decide(Document(text), [age])[0].masks


@pytest.mark.parametrize(("whom", "masks"), [("a", False), ("Anna Long, a", True)])
def test_an_age_in_a_question_about_medicine_stays_where_nobody_is_named(whom, masks) -> None:
    text = f"Should esomeprazole be given to {whom} 65-year-old with gastritis of the antrum?"
    at = text.index("65")
    found = [Bid(at, at + 11, ReferenceKind.AGE, 1.0, "x")]
    if masks:
        found.append(Bid(text.index("Anna"), text.index(","), ReferenceKind.NAME, 0.95, "x"))
    assert decide(Document(text), found)[0].masks is masks


@pytest.mark.parametrize("kind", [ReferenceKind.TIME, ReferenceKind.DATE])
@pytest.mark.parametrize(
    ("clock", "masks"), [("10:02", False), ("4:15 PM", False), ("7am", False), ("10.02.2021", True)]
)
def test_a_time_of_day_stays_in_a_note_and_a_date_goes(kind, clock, masks) -> None:
    text = f"Anna Long is a patient with diabetes on insulin, BP 120/80. Seen at {clock}."
    at = text.index(clock)
    found = [Bid(0, 9, ReferenceKind.NAME, 0.95, "x"), Bid(at, at + len(clock), kind, 0.9, "x")]
    masked_too = masks and kind is ReferenceKind.DATE
    assert decide(Document(text), found)[1].masks is masked_too
    everything = decide(Document(text), found, purpose=Purpose.EVERYTHING)
    assert everything[1].masks
