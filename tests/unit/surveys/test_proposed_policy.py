from __future__ import annotations

import random
import re
import tomllib
from dataclasses import replace

import pytest

from sfumato.engines import open_source
from sfumato.errors import SourceError
from sfumato.policy import Role, check_against, read_policy
from sfumato.surveys import propose_policy, proposed_toml, survey

TABLE = {
    "patient id": ["P1", "P1", "P2", "P3", "P4", "P5"],
    "Name": ["Ann Smith", "Ann Smith", "Bob Jones", "Carl Brown", "Dora Wood", "Eve Hill"],
    "birth date": ["9/20/1965", "9/20/1965", "2/29/1964", "1/31/1970", None, "12/25/1980"],
    'the "zip"': ["02138", "02138", "02139", "02140", "02141", "02142"],
    "sex": ["f", "f", "m", "m", "f", "f"],
    "größe in cm": ["170", "170", "181", "165", "158", "177"],
    "dx": ["J45.20", "I10", "I10", "E11.9", "K21.9", "I10"],
    "require": ["a", "a", "b", "b", "a", "b"],
    "notes": [f"Seen on day {n} and sent home with good advice." for n in range(6)],
    "empty": [None] * 6,
}  # fmt: skip


@pytest.mark.parametrize(
    "columns",
    [
        TABLE,
        {"zip": ["02138"] * 5},
        {"x.y": [*"abcde"], "solve": [*"12345"], "order": [*"pqrst"]},
        {"name": ["Ann", "Bob", "Carl", "Dora", "Eve"]},
    ],
)
def test_the_text_is_read_back_as_the_same_policy(survey_of, tmp_path, columns):
    found = survey_of(columns)
    path = tmp_path / "proposed.toml"
    path.write_text(proposed_toml(found), encoding="utf-8")
    policy = propose_policy(found, name="proposed", folder=tmp_path)
    assert read_policy(path) == policy
    assert replace(propose_policy(found), name="proposed", folder=tmp_path) == policy
    check_against(policy, list(columns))


def test_what_is_proposed(survey_of):
    policy = propose_policy(survey_of(TABLE))
    assert policy.proposed
    assert policy.entity == "patient id"
    assert (policy.require.k, policy.require.max_suppression) == (5, 0.05)
    assert (policy.recipient, policy.solve.solver) == ("public", "best")
    assert policy.keep == ("birth date", "sex")
    quasi = ("birth date", 'the "zip"', "sex", "größe in cm", "require")
    assert policy.named(Role.QUASI) == quasi
    assert policy.named(Role.SENSITIVE) == ("dx",)
    assert policy.fields["birth date"].hierarchy.describe()["format"] == "%m/%d/%Y"


@pytest.mark.parametrize(
    ("columns", "people"),
    [
        ({"zip": ["02138"]}, "1 person"),
        ({"zip": ["02138"] * 4}, "4 people"),
        ({"patient_id": ["P1", "P2", "P3"] * 9, "zip": ["02138"] * 27}, "3 people"),
    ],
)
def test_no_policy_is_proposed_for_fewer_people_than_k(survey_of, columns, people):
    """With a smaller k, a release of one row would pass."""
    found = survey_of(columns)
    for propose in (propose_policy, proposed_toml):
        with pytest.raises(SourceError) as refused:
            propose(found)
        assert refused.value.found == f"It is about {people}, so no 5 can share anything."


def test_the_comments_say_that_a_person_decides_and_why_each_field(survey_of):
    text = proposed_toml(survey_of(TABLE))
    assert "A survey proposes; a person decides." in text.splitlines()[2]
    assert (
        "# Looks like birth date (97 % sure). Its name contains 'birth date'; 100 % of sampled values"
        in text
    )
    assert "Rows are not people" in text
    assert (
        "For data that anyone may have" not in text
    )  # A field is called "require": its own comment stands there.
    assert "For data that anyone may have" in proposed_toml(survey_of({"zip": ["02138"] * 5}))
    assert max(map(len, text.splitlines())) <= 110
    assert tomllib.loads(text)["fields"]['the "zip"']["hierarchy"] == {"prefix": [4, 3, 2]}


def test_no_quasi_identifier_is_worth_a_second_look(survey_of):
    text = proposed_toml(survey_of({"colour": ["red"] * 20}))
    assert "No field was recognised as a quasi-identifier" in text


def test_an_open_question_is_marked_in_the_text(survey_of):
    text = proposed_toml(survey_of({"colour": ["red", "blue"] * 20}))
    assert "# OPEN: decide what this field is" in text
    assert 'role = "quasi"\nopen = true' in text


def test_no_cell_value_is_in_the_text(survey_of):
    text = proposed_toml(survey_of(TABLE))
    cells = {
        cell for cells in TABLE.values() for cell in cells if cell is not None and len(cell) > 2
    }
    assert not {cell for cell in cells if cell in text}


def test_a_wide_table_is_protected_against_what_a_recipient_can_know(survey_of):
    """k over thirteen fields at once leaves nothing of a table."""
    rows = 40
    wide = {
        "birth date": [f"19{50 + n % 40}-0{1 + n % 9}-1{n % 9}" for n in range(rows)],
        "sex": ["fm"[n % 2] for n in range(rows)],
        "zip": [f"021{n % 9:02}" for n in range(rows)],
        **{f"answer {q}": ["abcd"[(n * q) % 4] for n in range(rows)] for q in range(1, 12)},
    }
    found = survey_of(wide)
    policy = propose_policy(found)
    (asked,) = policy.require.each("bounded_knowledge")
    assert (asked.k, asked.m, asked.confidence) == (5, 2, None)
    assert set(asked.register) == {"birth date", "sex", "zip"}
    assert (policy.require.k, policy.solve.solver) == (None, "best")
    text = proposed_toml(found)
    assert "LOOK: add to register the fields that neighbours" in text
    assert "any 2 others" in " ".join(text.replace("#", " ").split())


def test_a_birth_in_three_fields_is_in_the_register_and_wanted(survey_of):
    rows = 400
    draw = random.Random(2)
    wide = {
        "birthYear": [str(draw.randrange(1950, 1990)) for _ in range(rows)],
        "birthMonth": [str(1 + n % 12) for n in range(rows)],
        "birthDay": [str(1 + n * 7 % 31) for n in range(rows)],
        "debutYear": [str(draw.randrange(1990, 2020)) for _ in range(rows)],
        **{f"answer {q}": [draw.choice("abcd") for _ in range(rows)] for q in range(1, 9)},
    }
    policy = propose_policy(survey_of(wide, max_combination=1))
    (asked,) = policy.require.each("bounded_knowledge")
    assert set(asked.register) == {"birthYear", "birthMonth", "birthDay"}
    assert policy.keep == ("birthYear",)


def test_a_wide_table_of_visits_asks_for_shared_numbers_of_rows_too(survey_of):
    """Without k, nothing else would say how many people must share a number of rows."""
    rows = 60
    wide = {
        "patient id": [f"P{n // 2}" for n in range(rows)],
        "sex": ["fm"[n // 2 % 2] for n in range(rows)],
        **{f"answer {q}": ["abcde"[(n * q + q) % 5] for n in range(rows)] for q in range(1, 20)},
    }
    policy = propose_policy(survey_of(wide))
    assert policy.entity == "patient id"
    assert policy.require.each("bounded_knowledge")
    assert policy.row_counts.bin_size == 5
    assert policy.solve.solver == "greedy"


def test_a_field_that_leaves_as_it_is_and_tells_another_is_accepted_openly(survey_of):
    """A release would refuse the survey's own policy otherwise, and nobody was asked."""
    grades = [place % 6 + 1 for place in range(600)]
    columns = {
        "monthly income": [str(1000 * grade + place % 7) for place, grade in enumerate(grades)],
        "job level": [str(grade) for grade in grades],
        "sex": [("f", "m")[place // 42 % 2] for place in range(600)],
    }
    found = survey_of(columns)
    income = propose_policy(found).fields["monthly income"]
    assert income.role is Role.SENSITIVE
    assert income.may_tell == ("job level",)
    assert income.open
    assert "discloses job level, which may_tell accepts" in " ".join(
        proposed_toml(found).replace("#", "").split()
    )


def test_a_category_of_many_values_is_not_proposed_to_be_kept(survey_of):
    rows = 120
    columns = {
        "age": [str(20 + n % 60) for n in range(rows)],
        "sex": ["fm"[n % 2] for n in range(rows)],
        "occupation": [f"trade {'abcdefgh'[n % 8]}{n % 5}" for n in range(rows)],
        "education": [("school", "college", "none")[n % 3] for n in range(rows)],
    }
    found = survey_of(columns, max_combination=1)
    assert found.field("occupation").distinct == 40
    assert propose_policy(found).keep == ("age", "sex", "education")


def test_of_each_kind_one_field_is_wanted(survey_of):
    rows = 120
    columns = {
        "age": [str(20 + n % 60) for n in range(rows)],
        "CD_SEXO": [str(n % 2) for n in range(rows)],
        "sex": ["fm"[n % 2] for n in range(rows)],
        "job level": [str(n % 3) for n in range(rows)],
        "occupation": [f"job {'abcdefg'[n % 7]}" for n in range(rows)],
        "state": [("MA", "NY", "TX", "CA", "WA")[n % 5] for n in range(rows)],
        "date": [f"20{10 + n % 9}-0{1 + n % 8}-1{n % 10}" for n in range(rows)],
    }
    found = survey_of(columns, max_combination=1)
    assert propose_policy(found).keep == ("age", "sex", "occupation", "state", "date")
    columns["end date"] = [f"20{10 + n % 9}-0{1 + n % 7}-1{n % 10}" for n in range(rows)]
    found = survey_of(columns, max_combination=1)
    assert propose_policy(found).keep == ("age", "sex", "occupation", "state")


def test_a_wide_table_says_of_which_fields_a_confidence_can_hold(tmp_path):
    """A confidence is named where no value has most rows, and refused where one has nearly all."""
    draw = random.Random(1)
    rows = [
        {f"item{n}": draw.choice("abc") for n in range(14)}
        | {
            "diagnosis": draw.choice(("I10", "E11", "J45")),
            "smoker": "no" if draw.random() < 0.95 else "yes",
        }
        for _ in range(120)
    ]
    with open_source(rows, engine="reference") as source:
        text = " ".join(proposed_toml(survey(source)).replace("\n#", "").split())
    assert 'CONSIDER: confidence = 0.8 and fields = ["diagnosis"]' in text
    assert re.search(r"cannot hold of a field .*: smoker \(9\d %\)", text)


def test_a_wide_table_of_many_people_is_proposed_a_confidence(survey_of):
    """Of a score and its class, the class is named: a limit of it limits the score."""
    draw = random.Random(1)
    scores = [draw.randrange(1, 10) for _ in range(2_000)]
    columns = {f"item{n}": [draw.choice("abc") for _ in scores] for n in range(14)} | {
        "risk score": [str(score) for score in scores],
        "risk level": [
            "low" if score < 4 else "medium" if score < 7 else "high" for score in scores
        ],
    }
    found = survey_of(columns, max_combination=1)
    (asked,) = propose_policy(found).require.each("bounded_knowledge")
    assert (asked.confidence, asked.fields) == (0.8, ("risk level",))
    assert "# confidence = 0.8: of those who share" in proposed_toml(found)
