"""From numbers to green, amber and red: each rule at its limits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from sfumato.assessment.assessment_verdicts import about_ads0, worst
from sfumato.assessment.attacks import Attacks, Rate, Story
from sfumato.assessment.attacks.attack_run import judged, unsaid
from sfumato.assessment.page import Judgement
from sfumato.assessment.risk import Risks, UniquesEstimate, attribute_disclosure, measure_risks
from sfumato.assessment.risk_verdicts import about_attacks, about_risk
from sfumato.bins import Bins
from sfumato.bins.toy_bins import bins_of_rows
from sfumato.engines import open_source
from sfumato.measures import check_ads0
from sfumato.measures.subject import Subject
from sfumato.policy import policy_from_table

STORY = Story(attacker="a", knows="b", tries="c", guess="d")


def policy(recipient="public", **require):
    return policy_from_table(
        {"fields": {"zip": "quasi"}, "require": require or {"k": 2}, "release_to": recipient},
    )


def one(*outcomes):
    return tuple(
        Judgement(question="?", outcome=outcome, answer="", rule="") for outcome in outcomes
    )


def test_one_red_makes_it_red_and_no_question_is_not_green():
    assert worst(one("pass", "review", "fail")) == "fail"
    assert worst(one("pass", "review")) == "review"
    assert worst(one("pass", "pass")) == "pass"
    assert worst(()) == "review"


def risks(sizes: list[int], tmp_path, **given) -> Risks:
    path = tmp_path / "table.csv"
    rows = [f"{place},{row % 2}" for place, size in enumerate(sizes) for row in range(size)]
    path.write_text("zip,ill\n" + "\n".join(rows) + "\n")
    with open_source(path) as engine:
        return measure_risks(Subject(release=engine, known=("zip",), **given), copula=False)


@pytest.mark.parametrize(
    ("smallest", "recipient", "outcome"),
    [
        (12, "public", "pass"),
        (11, "public", "review"),  # 1 in 11 is 0.0909, a little more than 0.09.
        (5, "public", "review"),
        (5, "contracted-researcher", "pass"),
        (4, "contracted-researcher", "review"),
        (3, "contracted-researcher", "review"),
        (2, "contracted-researcher", "fail"),
        (1, "public", "fail"),
    ],
)
def test_how_easily_a_person_is_found(tmp_path, smallest, recipient, outcome):
    found, *_ = about_risk(risks([smallest, 20], tmp_path), policy(recipient))
    assert found.outcome == outcome
    assert f"1 in {smallest} (" in found.answer


def test_without_a_policy_the_stricter_limit_holds(tmp_path):
    found, *_ = about_risk(risks([5, 20], tmp_path), None)
    assert found.outcome == "review"


@pytest.mark.parametrize(
    ("estimate", "outcome"),
    [
        (
            UniquesEstimate(estimator="Dankar", value=0.001, interval=(0.0, 0.005), chose="Pitman"),
            "pass",
        ),
        (
            UniquesEstimate(
                estimator="Dankar", value=0.009, interval=(0.001, 0.02), chose="Pitman"
            ),
            "review",
        ),
        (
            UniquesEstimate(estimator="Dankar", value=0.04, interval=(0.001, 0.08), chose="Pitman"),
            "fail",
        ),
        (UniquesEstimate(estimator="Dankar", reason="every row is alone"), "review"),
        (UniquesEstimate(estimator="counted", value=0.2), "fail"),
    ],
)
def test_people_alone_in_the_population(tmp_path, estimate, outcome):
    found = risks([20, 20], tmp_path)
    found = replace(found, after=replace(found.after, uniqueness=(estimate,)))
    alone = [
        line for line in about_risk(found, policy()) if "unique in the population" in line.question
    ]
    assert [line.outcome for line in alone] == [outcome]


@dataclass(frozen=True)
class Learned:
    rows: list[tuple[str, str]]
    outcome: str
    words: str = field(default="")


@pytest.mark.parametrize(
    "case",
    [
        Learned(
            [("a", "flu"), ("a", "gout"), ("b", "flu"), ("b", "gout")], "pass", "certain for nobody"
        ),
        Learned([("a", "flu")] * 50 + [("b", "gout")] * 50, "fail", "certain for 100"),
        Learned(
            [("a", "flu")] * 97 + [("b", "flu")] * 2 + [("b", "gout")], "review", "certain for 97"
        ),
    ],
    ids=["nothing", "everything", "something that most have anyway"],
)
def test_learning_without_finding(tmp_path, case):
    bins = bins_of_rows(("zip",), case.rows, sensitive=("ill",))
    found = risks([20, 20], tmp_path)
    found = replace(
        found, after=replace(found.after, attributes=(attribute_disclosure(bins, "ill"),))
    )
    learned = [line for line in about_risk(found, policy()) if "learned" in line.question]
    assert [line.outcome for line in learned] == [case.outcome]
    assert case.words in learned[0].answer.replace("\u00a0", " ")


def attacks(*rates: tuple[int, int], name: str = "attack", has_control: bool = True) -> Attacks:
    runs = tuple(
        judged(
            f"{name}:{place}",
            f"Attack {place}",
            STORY,
            claims=100,
            rate=Rate(successes=right, attempts=1000),
            baseline=Rate(successes=guessed, attempts=1000),
            control=Rate(successes=guessed, attempts=1000) if has_control else None,
        )
        for place, (right, guessed) in enumerate(rates)
    )
    return Attacks(runs=runs, targets=1000, seed=0, seconds=0.0)


def too_few() -> Attacks:
    """One attack that found nothing, and one whose claims about three people are too few to be a
    rate."""
    three = Rate(successes=3, attempts=3)
    few = judged("few", "Few", STORY, claims=3, rate=three, baseline=Rate(successes=0, attempts=3))
    return replace(attacks((50, 50)), runs=(*attacks((50, 50)).runs, few))


@pytest.mark.parametrize(
    ("found", "outcome", "words"),
    [
        (attacks((50, 50), (10, 20)), "pass", "None of 2"),
        (attacks((120, 50), (10, 20)), "review", "1 of 2"),
        (attacks((500, 50), (120, 50)), "fail", "The strongest is “Attack 0”"),
        (attacks((900, 50), name="inference"), "fail", "Attack 0"),
        (
            attacks((900, 50), name="inference", has_control=False),
            "review",
            "true of people in general",
        ),
        (attacks((900, 50), name="linkage", has_control=False), "fail", "Attack 0"),
        (
            Attacks(runs=(unsaid("a", "A", STORY, reason="x"),), targets=0, seed=0, seconds=0.0),
            "review",
            "No attack",
        ),
        (too_few(), "review", "None of 1 does better than its baseline. 1 could not be measured"),
    ],
    ids=[
        "none",
        "one",
        "one that surely adds much",
        "a value",
        "a value, no control",
        "a person",
        "nothing to attack",
        "too few people to judge a claim by",
    ],
)
def test_attacks(found, outcome, words):
    (line,) = about_attacks(found)
    assert line.outcome == outcome
    assert words in line.answer


def test_attacks_that_were_not_run_leave_the_question_open():
    (line,) = about_attacks(None, left_out="they were switched off")
    assert line.outcome == "review"
    assert "switched off" in line.answer


def test_alone_against_a_table_of_everyone_is_judged_by_whose_rows_are_released(tmp_path):
    """Somebody who is alone and whose row was left out is found by nobody."""
    found = risks([20, 20], tmp_path)
    counted = (UniquesEstimate(estimator="counted", value=0.2),)
    for released, outcome in ((0.0, "pass"), (0.02, "review"), (0.06, "fail")):
        after = replace(found.after, uniqueness=counted, alone_in_both=released)
        (line,) = (
            one
            for one in about_risk(replace(found, after=after), policy())
            if "unique in the population" in one.question
        )
        assert line.outcome == outcome


def test_what_was_not_looked_at_is_said(tmp_path):
    bins = bins_of_rows(("zip",), [("a", "flu"), ("a", "gout")], sensitive=("ill",))
    found = risks([20, 20], tmp_path)
    found = replace(
        found, after=replace(found.after, attributes=(attribute_disclosure(bins, "ill"),))
    )
    told = [
        line.answer
        for line in about_risk(found, policy(), unseen=("charges",))
        if "learned" in line.question
    ]
    assert "Not looked at: charges." in told[0]


def test_rows_that_fit_nobody_are_not_green():
    """A population in which nobody fits is another population, or written differently."""
    released = Bins.of(("zip",), {("a",): 2, ("b",): 3})
    elsewhere = check_ads0(released, Bins.of(("zip",), {("c",): 9}), ("zip",), {})
    partly = check_ads0(released, Bins.of(("zip",), {("a",): 9}), ("zip",), {})
    (nobody,), (some,) = (
        about_ads0(elsewhere, by_register=True),
        about_ads0(partly, by_register=True),
    )
    assert (nobody.outcome, some.outcome) == ("review", "review")
    assert "5 of 5 rows fit nobody" in nobody.answer
    assert "3 of 5 rows fit nobody" in some.answer
    assert [line.outcome for line in about_ads0(partly, by_register=False)] == ["pass"]


def test_a_row_that_points_to_one_person_is_amber_by_the_source_and_red_by_a_register():
    released = Bins.of(("zip",), {("a",): 1, ("b",): 3})
    found = check_ads0(released, released, ("zip",), {})
    assert [line.outcome for line in about_ads0(found, by_register=False)] == ["review"]
    assert [line.outcome for line in about_ads0(found, by_register=True)] == ["fail"]
    others = Bins.of(("zip",), {("a",): 2, ("b",): 3})
    assert [
        line.outcome
        for line in about_ads0(check_ads0(released, others, ("zip",), {}), by_register=True)
    ] == ["pass"]
    assert list(about_ads0(None, by_register=True)) == []
