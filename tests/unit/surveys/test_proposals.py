from __future__ import annotations

import pytest

from sfumato.engines import open_source
from sfumato.policy.records import Method, Role
from sfumato.surveys import LooksLike, survey


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("last name", ["Smith", "Jones"], Role.DIRECT),
        ("zip", ["02138", "02139"], Role.QUASI),
        ("diagnosis", ["asthma", "flu"], Role.SENSITIVE),
        (
            "notes",
            ["He came in on a Monday and left.", "She came in on a Friday and left."],
            Role.TEXT,
        ),
        ("batch", ["a", "a"], Role.INSENSITIVE),
        ("qqq", [None, None], Role.INSENSITIVE),
        ("flag", ["yes", "no", "yes", "no"], Role.QUASI),
        ("prefix", ["Mr.", "Mrs.", "Mr.", "Ms."], Role.QUASI),
        ("two_year_recid", ["0", "1", "0", "1"], Role.SENSITIVE),
    ],
)
def test_roles(survey_of, name, values, role):
    proposal = survey_of({name: values, "other": values}).field(name).proposal
    assert proposal.role is role
    assert proposal.reasons


@pytest.mark.parametrize(
    ("name", "value", "method"),
    [
        ("ssn", "219-09-9999", Method.MADE_UP),
        ("nhs number", "943 476 5919", Method.MADE_UP),
        ("mrn", "1234567", Method.HASH),
        ("patient id", "P001", Method.HASH),
        ("surname", "Smith", Method.REMOVE),
        ("e-mail", "a@example.org", Method.REMOVE),
    ],
)
def test_replacements(survey_of, name, value, method):
    found = survey_of({name: [value], "kept": ["x"]}).field(name)
    assert found.proposal.replace.method is method


def test_when_in_doubt_protect(survey_of):
    found = survey_of({"qqq": [f"{chr(97 + n)}{chr(98 + n)}" for n in range(20)]}).field("qqq")
    assert found.looks_like is LooksLike.UNKNOWN
    assert found.proposal.role is Role.QUASI
    assert found.proposal.hierarchy == {"suppress": True}
    assert found.confidence < 0.2


@pytest.mark.parametrize(
    "values", [["aa", "bb"], ["1", "0"], ["yes", "no"], ["1", "2", "3"], ["aa", None]]
)
def test_few_values_never_make_an_unknown_field_insensitive(survey_of, values):
    found = survey_of({"qqq": values * 30})
    assert found.field("qqq").proposal.role is Role.QUASI
    assert found.field("qqq").proposal.open
    assert found.open_questions == ("qqq",)


def test_what_is_known_is_no_open_question(survey_of):
    found = survey_of({"zip": ["02138", "02139"], "sex": ["f", "m"], "batch": ["a", "a"]})
    assert found.open_questions == ()


def test_a_lone_null_stands_out_too(survey_of):
    several = survey_of({"qqq": [*["aa"] * 10, None, None]}).field("qqq")
    lone = survey_of({"qqq": [*["aa"] * 10, None]})
    assert several.looks_like is LooksLike.CATEGORY
    assert lone.field("qqq").looks_like is not LooksLike.CATEGORY
    assert lone.uniqueness.counted[0].unique == 1


def test_a_sensitive_value_that_stands_out_is_told(survey_of):
    found = survey_of({"charges": [str(1000 + 37 * n) for n in range(30)]}).field("charges")
    assert any("the exact value identifies the row" in reason for reason in found.proposal.reasons)


def test_a_key_that_repeats_is_the_person_key(survey_of):
    found = survey_of({"patient_id": ["P1", "P1", "P2", "P3"], "visit_id": ["1", "2", "3", "4"]})
    assert found.entity == "patient_id"
    assert found.warnings[1].startswith(
        "Rows are not people: the values of patient_id repeat, 1.3 rows each"
    )


def test_a_key_made_for_people_comes_before_other_numbers_and_never_leaves_the_rows_apart(
    survey_of,
):
    ids = ["7", "7", "8", "9"]
    both = survey_of({"id": ids, "person id": ["P1", "P1", "P2", "P3"]})
    assert both.entity == "person id"
    alone = survey_of({"id": ids, "colour": ["red", "red", "blue", "blue"]})
    assert alone.entity == "id"
    assert alone.field("id").proposal.replace.method is Method.HASH


def test_a_ticket_that_several_people_share_is_no_person_key(survey_of):
    found = survey_of({"ticket": ["A 1", "A 1", "B 2", "C 3"], "sex": ["f", "m", "f", "m"]})
    assert found.entity is None


def test_a_key_that_does_not_repeat_is_no_person_key(survey_of):
    assert survey_of({"patient_id": ["P1", "P2", "P3", None]}).entity is None


def test_something_always_leaves(survey_of):
    found = survey_of({"first name": ["Ann", "Bob"], "last name": ["Smith", "Jones"]})
    assert [item.proposal.replace.method for item in found.fields] == [Method.HASH, Method.REMOVE]


@pytest.mark.parametrize(
    ("name", "value", "role"),
    [
        ("DT_GERACAO", "02/09/2018", Role.INSENSITIVE),
        ("year", "2018", Role.INSENSITIVE),
        ("birth date", "1965-09-20", Role.QUASI),
    ],
)
def test_a_date_of_the_extract_tells_nobody_apart(survey_of, name, value, role):
    found = survey_of({name: [value] * 30, "sex": ["f", "m"] * 15})
    assert found.field(name).proposal.role is role
    one_missing = survey_of({name: [value] * 29 + [None], "sex": ["f", "m"] * 15})
    assert one_missing.field(name).proposal.role is Role.QUASI


def test_a_key_is_no_drug_because_it_numbers_drugs():
    """`drug_id` differs in every row; it was released as a sensitive value."""
    rows = [{"drug_id": f"D{n}", "drug": ("aspirin", "insulin")[n % 2]} for n in range(40)]
    with open_source(rows, engine="reference") as source:
        found = survey(source)
    assert found.field("drug_id").proposal.role is Role.DIRECT
    assert found.field("drug").proposal.role is Role.SENSITIVE


def test_a_wage_of_somebody_is_an_amount_and_sewage_is_none():
    rows = [{"wagew": 100 + n, "sewage": 7 * n % 40, "age": 20 + n % 30} for n in range(40)]
    with open_source(rows, engine="reference") as source:
        found = survey(source)
    assert found.field("wagew").looks_like is LooksLike.AMOUNT
    assert found.field("sewage").looks_like is not LooksLike.AMOUNT
