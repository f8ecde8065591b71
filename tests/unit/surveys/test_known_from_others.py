"""Fields that are as well known as those beside them."""

from __future__ import annotations

import random
from datetime import date, timedelta

from sfumato.engines import open_source
from sfumato.policy import Method, Role
from sfumato.surveys import Presence, survey
from sfumato.surveys.named_twins import paired_names

ROWS = 200


def visits() -> dict[str, list[str]]:
    chance = random.Random(4)
    came = [date(2020, 1, 1) + timedelta(days=chance.randrange(700)) for _ in range(ROWS)]
    days = [chance.randrange(1, 60) for _ in range(ROWS)]
    left = [start + timedelta(days=stay) for start, stay in zip(came, days, strict=True)]
    return {
        "arrest_date": [str(day) for day in came],
        "release_date": [str(day) for day in left],
        "days_from_arrest": [str(stay) for stay in days],
        "charge": [chance.choice(["theft", "battery"]) for _ in range(ROWS)],
    }


def test_the_days_between_two_known_dates_are_known(survey_of):
    found = survey_of(visits(), max_combination=1)
    days = found.field("days_from_arrest").proposal
    assert (days.role, days.open) == (Role.QUASI, False)
    assert "numbers" in days.hierarchy
    assert "release_date" in days.reasons[0]
    assert found.field("charge").proposal.role is Role.SENSITIVE


def test_days_without_the_dates_stay_what_they_look_like(survey_of):
    columns = visits()
    del columns["release_date"]
    found = survey_of(columns, max_combination=1)
    assert found.field("days_from_arrest").proposal.role is Role.SENSITIVE


def test_a_point_beside_a_street_address_is_removed_with_it(survey_of):
    chance = random.Random(6)
    points = {
        "lat": [f"{chance.uniform(42, 43):.5f}" for _ in range(ROWS)],
        "sex": [chance.choice("fm") for _ in range(ROWS)],
    }
    alone = survey_of(points, max_combination=1)
    assert alone.field("lat").proposal.role is Role.QUASI
    streets = [f"{chance.randrange(1, 999)} Elm Street" for _ in range(ROWS)]
    beside = survey_of({**points, "address": streets}, max_combination=1)
    proposal = beside.field("lat").proposal
    assert (proposal.role, proposal.replace.method) == (Role.DIRECT, Method.REMOVE)


def test_a_code_and_its_words_are_twins_though_nearly_every_value_differs(survey_of):
    columns = {
        "Code de la commune": [f"{place:05}" for place in range(ROWS)],
        "Libellé de la commune": [f"Saint {place}" for place in range(ROWS)],
        "sexe": ["M", "F"] * (ROWS // 2),
    }
    found = survey_of(columns, max_combination=1)
    pair = ("Code de la commune", "Libellé de la commune")
    assert pair in {each.fields for each in found.dependences}
    columns["Libellé de la commune"] = [f"Saint {place % 7}" for place in range(ROWS)]
    columns["Code de la commune"] = [f"{place % 11:05}" for place in range(ROWS)]
    found = survey_of(columns, max_combination=1)
    assert pair not in {each.fields for each in found.dependences}


def test_names_that_are_alike_in_nothing_but_a_code_are_no_pair():
    assert [*paired_names(["code", "name of the ship", "zip code", "age"])] == []


def test_three_unknown_numbers_do_not_answer_each_other():
    """A total and its parts were called understood, because each follows from the others."""
    rows = [
        {
            "age": 20 + n % 40,
            "qx": n * 37 % 83,
            "qy": n * 53 % 97,
            "qz": n * 37 % 83 + n * 53 % 97,
        }
        for n in range(120)
    ]
    with open_source(rows, engine="reference") as source:
        found = survey(source)
    assert {*found.open_questions} == {"qx", "qy", "qz"}
    assert {item.presence for item in found.safe_harbor if item.number == 18} == {
        Presence.CANNOT_TELL
    }
