"""Fields that determine each other, and keys of people that no name gives away."""

from __future__ import annotations

import random

import pytest

from sfumato.policy.records import Method, Role
from sfumato.surveys import LooksLike, proposed_toml, survey_as_dict
from sfumato.surveys.records import DependenceKind

ROWS = 400


def people() -> dict[str, list[str]]:
    chance = random.Random(5)
    ages = [chance.randrange(18, 90) for _ in range(ROWS)]
    sexes = [chance.choice("fm") for _ in range(ROWS)]
    admitted = [chance.randrange(1, 300) for _ in range(ROWS)]
    stays = [chance.randrange(1, 40) for _ in range(ROWS)]
    return {
        "age": [str(age) for age in ages],
        "age group": ["young" if age < 40 else "old" for age in ages],
        "Prefix": [chance.choice(["Mrs.", "Ms."]) if sex == "f" else "Mr." for sex in sexes],
        "sex": sexes,
        "cd": ["2" if sex == "f" else "1" for sex in sexes],
        "in": [str(day) for day in admitted],
        "out": [str(day + stay) for day, stay in zip(admitted, stays, strict=True)],
        "stay": [str(stay) for stay in stays],
        "copy": [str(stay) for stay in stays],
        "colour": [chance.choice(["red", "blue", "green"]) for _ in range(ROWS)],
        "number": [str(chance.randrange(10**6)) for _ in range(ROWS)],
    }


def pairs(found) -> set[tuple[str, tuple[str, ...]]]:
    return {(item.kind.value, item.fields) for item in found.dependences}


def test_fields_that_determine_each_other_are_told(survey_of):
    found = survey_of(people(), max_combination=1)
    assert pairs(found) >= {
        ("functional", ("age", "age group")),
        ("functional", ("Prefix", "sex")),
        ("one to one", ("sex", "cd")),
        ("equal", ("stay", "copy")),
        ("difference", ("out", "in", "stay")),
    }
    told = {name for _, names in pairs(found) for name in names}
    assert not {"colour", "number"} & told


def test_a_nearly_unique_field_determines_nothing_more_than_a_permuted_one(survey_of):
    chance = random.Random(2)
    columns = {
        "x": [str(n) for n in chance.sample(range(10**6), 300)],
        "y": [chance.choice("abc") for _ in range(300)],
    }
    assert survey_of(columns).dependences == ()


def test_an_exception_in_a_hundred_is_allowed_and_more_is_not(survey_of):
    for wrong, kinds in ((3, {DependenceKind.FUNCTIONAL}), (30, set())):
        towns = [str(n % 40) for n in range(ROWS)]
        regions = [str(n % 40 // 10) if n >= wrong else "9" for n in range(ROWS)]
        found = survey_of({"t": towns, "r": regions})
        assert {item.kind for item in found.dependences} == kinds


def test_a_code_is_answered_by_its_words(survey_of):
    found = survey_of(people(), max_combination=1)
    assert found.field("cd").proposal.role is Role.QUASI
    assert not found.field("cd").proposal.open


def test_twins_are_in_the_dict_and_in_the_policy(survey_of):
    found = survey_of(people(), max_combination=1)
    told = survey_as_dict(found)["twins"]
    assert {
        "kind": "functional",
        "fields": ["Prefix", "sex"],
        "exceptions": 0.0,
        "stays": "sex",
    } in told
    assert "Prefix determines sex: sex could stay alone" in proposed_toml(found)


@pytest.mark.parametrize("name", ["person", "q", "ref"])
def test_a_repeated_field_that_determines_birth_and_sex_is_the_person_key(survey_of, name):
    chance = random.Random(3)
    numbers = [str(chance.randrange(1000, 9999)) for _ in range(60)]
    born = [f"19{chance.randrange(30, 99)}-{chance.randrange(1, 13):02}-11" for _ in range(60)]
    sexes = [chance.choice("fm") for _ in range(60)]
    whose = [n % 60 for n in range(600)]
    found = survey_of(
        {
            name: [numbers[n] for n in whose],
            "dob": [born[n] for n in whose],
            "sex": [sexes[n] for n in whose],
            "rate": [str(chance.randrange(50, 120)) for _ in whose],
        }
    )
    key = found.field(name)
    assert (key.looks_like, key.proposal.role) == (LooksLike.PERSON_KEY, Role.DIRECT)
    assert key.proposal.replace.method is Method.HASH
    assert found.entity == name
    assert found.field("rate").proposal.role is not Role.DIRECT


def test_a_place_is_no_person_key(survey_of):
    chance = random.Random(4)
    where = [chance.randrange(60) for _ in range(600)]
    found = survey_of(
        {
            "q": [str(1000 + n) for n in where],
            "town": [f"T{chr(65 + n % 20)}" for n in where],
            "sex": [chance.choice("fm") for _ in where],
            "dob": [f"19{chance.randrange(30, 99)}-01-11" for _ in where],
        }
    )
    assert found.field("q").proposal.role is Role.QUASI
    assert found.entity is None
