"""Fields that determine each other, and keys of people that no name gives away."""

from __future__ import annotations

import random
from datetime import date, timedelta

import numpy as np
import pytest

from sfumato.engines import open_source
from sfumato.policy.records import Method, Role
from sfumato.releases.treatments import KEPT
from sfumato.releases.weaker_twins import TwinCheck
from sfumato.surveys import LooksLike, proposed_toml, survey, survey_as_dict
from sfumato.surveys.coded_rows import CodedField
from sfumato.surveys.pair_counts import count_pair
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


def test_what_a_code_and_its_words_determine_is_told_once(survey_of):
    """A search finds detail -> status four times, and each code with its words."""
    chance = random.Random(6)
    details = [chance.randrange(6) for _ in range(ROWS)]
    found = survey_of(
        {
            "cd detail": [str(10 + each) for each in details],
            "ds detail": [f"detail {'abcdef'[each]}" for each in details],
            "cd status": [str(each // 3) for each in details],
            "ds status": ["ended" if each // 3 else "running" for each in details],
            "broad": ["x" if each // 3 else "y" for each in details],
        },
        max_combination=1,
    )
    assert len(found.dependences) > 4
    assert [(item.kind.value, item.fields) for item in found.twins] == [
        ("one to one", ("cd detail", "ds detail")),
        ("functional", ("cd detail", "cd status")),
        ("one to one", ("cd status", "ds status")),
        ("one to one", ("cd status", "broad")),
    ]


def test_what_follows_from_two_steps_is_not_told_as_a_third(survey_of):
    days = [f"{1950 + n % 100 // 2}-{1 + n % 2:02}-11" for n in range(ROWS)]
    columns = {
        "dob": days,
        "birth year": [day[:4] for day in days],
        "generation": ["old" if day < "1980" else "young" for day in days],
    }
    found = survey_of(columns, max_combination=1)
    assert ("functional", ("dob", "generation")) in pairs(found)
    assert [item.fields for item in found.twins] == [
        ("dob", "birth year"),
        ("birth year", "generation"),
    ]


def test_a_key_determines_its_row_and_that_is_not_told(survey_of):
    chance = random.Random(8)
    whose = [n % 60 for n in range(600)]
    towns = [chance.choice("abcdefgh") for _ in range(60)]
    sexes = [chance.choice("fm") for _ in range(60)]
    found = survey_of(
        {
            "patient_id": [f"P{1000 + n}" for n in whose],
            "town": [towns[n] for n in whose],
            "sex": [sexes[n] for n in whose],
        },
        max_combination=1,
    )
    assert found.twins == ()


def test_a_dependence_that_few_rows_could_contradict_is_not_told(survey_of):
    """Of 1,000 rows 120 share their number with another one, and 9 of those contradict it: under
    1 % of all, 7 % of those that could."""
    numbers = [str(5_000 + (n // 2 if n < 120 else n)) for n in range(1_000)]
    letters = ["ab"[n // 2 % 2] for n in range(1_000)]
    for place in range(9):
        letters[8 * place] = "ba"[4 * place % 2]
    found = survey_of({"n": numbers, "letter": letters}, max_combination=1)
    assert all(item.contradicted > 0.03 for item in found.dependences)
    assert found.twins == ()


@pytest.mark.parametrize("seed", range(4))
def test_a_release_finds_no_weaker_twin_that_the_survey_did_not_accept(seed):
    """A proposed policy is not refused by its own release, whatever is equal, in proportion, nearly
    unique or a date in another form."""
    chance = random.Random(seed)
    rows = 300
    levels = [chance.randrange(1, 6) for _ in range(rows)]
    born = [chance.randrange(7_000, 20_000) for _ in range(rows)]
    income = [1_000 * level + chance.randrange(900) for level in levels]
    table = [
        {
            "job level": str(levels[n]),
            "level": str(levels[n]),
            "monthly income": str(income[n]),
            "yearly salary": str(12 * income[n]),
            "income in euro": f"{0.9 * income[n]:.2f}",
            "diagnosis date": (date(1970, 1, 1) + timedelta(days=born[n])).strftime("%d/%m/%Y"),
            "birth date": (date(1970, 1, 1) + timedelta(days=born[n])).isoformat(),
            "born": str(born[n]),
            "initials": "ABCDE"[levels[n] - 1],
            "first name": ("Anna", "Bertha", "Clara", "Dora", "Emma")[levels[n] - 1],
            "grade": str(levels[n] // 2),
        }
        for n in range(rows)
    ]
    with open_source(table, engine="reference") as engine:
        policy = survey(engine, max_combination=1).policy
        found = TwinCheck.of(engine, policy)
        found.check(policy, dict.fromkeys(policy.named(Role.QUASI), KEPT))
        for name in policy.named(Role.QUASI):
            others = dict.fromkeys(policy.named(Role.QUASI), KEPT)
            found.check(policy, {**others, name: "generalised in 3 of 300 rows"})


def test_a_flag_of_a_rare_value_is_accepted_in_the_proposal_and_asked_about():
    """Only a release looks for fields that determine one value of another one."""
    chance = random.Random(3)
    cities = [chance.choice("ABCDEFG") for _ in range(400)]
    cities[10:22] = ["Zell"] * 12
    table = [
        {"city": city, "diagnosis": "Q fever" if city == "Zell" else chance.choice(["flu", "cold"])}
        for city in cities
    ]
    with open_source(table, engine="reference") as engine:
        found = survey(engine, max_combination=1)
        decided = found.policy.fields["diagnosis"]
        assert (decided.may_tell, decided.open) == (("city",), True)
        TwinCheck.of(engine, found.policy).check(found.policy, {"city": "generalised"})
    assert found.twins == ()


def test_a_proposal_accepts_what_determines_a_removed_text():
    """Before, a release refused what its own survey had proposed."""
    chance = random.Random(3)
    notes = [
        chance.choice(["Anna Smith called, doing well", "no news", "away"]) for _ in range(400)
    ]
    notes[10:22] = ["moved to Peter Miller's house"] * 12
    table = [
        {
            "notes on diagnosis": note,
            "diagnosis": "Q fever" if "moved" in note else chance.choice(["flu", "cold"]),
            "sex": chance.choice("fm"),
        }
        for note in notes
    ]
    with open_source(table, engine="reference") as engine:
        found = survey(engine, max_combination=1)
        assert found.field("notes on diagnosis").proposal.role is Role.TEXT
        decided = found.policy.fields["diagnosis"]
        assert (decided.may_tell, decided.open) == (("notes on diagnosis",), True)
        assert found.twins == ()
        TwinCheck.of(engine, found.policy).check(found.policy, {"sex": KEPT})


def test_a_text_that_holds_names_or_is_part_of_one_is_a_name(survey_of):
    first = ["Anna", "Bert", "Carla", "Dora", "Emil", "Frida", "Gustav", "Hanna"]
    ends = [f"{a}{b}oski" for a in "BDFGKLMNPRST" for b in "aeiou"]
    whole = [f"{first[n % 8]} {end}" for n, end in enumerate(ends)]
    found = survey_of({"full name": whole, "singer": ends}, max_combination=1)
    assert {item.proposal.role for item in found.fields} == {Role.DIRECT}
    assert not found.field("singer").proposal.open


def test_a_number_that_different_people_share_is_no_person_key(survey_of):
    """Candidates of two offices have the same ballot number. The number that few rows share, of
    people who stood twice, keeps their rows together."""
    chance = random.Random(9)
    rows = 300
    whose = [*range(rows - 4), 0, 1, 2, 3]
    names = [f"{chance.choice(FIRST)} {chance.choice(LAST)} {n}" for n in range(rows)]
    found = survey_of(
        {
            "candidate_id": [str(70_000 + n % 250) for n in range(rows)],
            "case_id": [f"{n:06}" for n in range(rows)],
            "register_id": [str(81_000 + 7 * n) for n in whose],
            "full name": [names[n] for n in whose],
            "sex": ["fm"[n % 2] for n in whose],
        },
        max_combination=1,
    )
    assert found.entity == "register_id"


FIRST = ("Anna", "Bertha", "Clara", "Dora", "Emma", "Peter", "Paul", "John", "James", "Mary")
LAST = ("Smith", "Jones", "Miller", "Brown", "Davis", "Wilson", "Moore", "Taylor", "Garcia")


def test_in_few_rows_nulls_beside_one_value_are_no_evidence():
    """Two rows of nobody have no name; the marks of the others differ, and determine everything."""
    marks = CodedField("mark", np.array([0, 0, *range(1, 17)]), tuple(map(str, range(17))))
    names = CodedField("name", np.array([-1, -1, *range(16)]), tuple(map(str, range(16))))
    assert not count_pair(marks, names).holds
    towns = CodedField("town", np.array([-1, -1, *(n % 3 for n in range(16))]), ("a", "b", "c"))
    codes = CodedField("code", np.array([0, 1, *(n % 3 for n in range(16))]), ("x", "y", "z"))
    assert count_pair(codes, towns).holds
