"""The policy that a survey of several tables proposes, and how the survey is shown."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console
from table_rows import CODES, PEOPLE, practice

from sfumato.engines import open_database
from sfumato.errors import SourceError
from sfumato.policy import Orphans, Role, check_tables_against, read_policy
from sfumato.surveys import (
    TablesSurvey,
    print_tables_survey,
    propose_tables,
    propose_tables_policy,
    proposed_tables_toml,
    survey_tables,
    tables_survey_as_dict,
)
from sfumato.surveys.tables_policy import FEW_PEOPLE, MANY_PEOPLE


@pytest.fixture(scope="module")
def found() -> TablesSurvey:
    with open_database(practice(), engine="reference") as database:
        return survey_tables(database)


def printed(found: TablesSurvey, *, width: int) -> str:
    out = io.StringIO()
    print_tables_survey(found, Console(file=out, width=width, color_system=None))
    return out.getvalue()


def with_people(found: TablesSurvey, rows: int) -> TablesSurvey:
    """The same survey of another number of people."""
    person, *others = found.tables
    return replace(
        found, tables=(replace(person, survey=replace(person.survey, rows=rows)), *others)
    )


def test_the_text_is_read_back_as_the_same_policy(found, tmp_path):
    path = tmp_path / "practice.policy.toml"
    path.write_text(proposed_tables_toml(found), encoding="utf-8")
    policy = propose_tables_policy(found, name="practice.policy", folder=tmp_path)
    assert read_policy(path) == policy
    check_tables_against(policy, {name: list(rows[0]) for name, rows in practice().items()})


def test_survey_and_proposal_are_one_call_too(found):
    with open_database(practice(), engine="reference") as database:
        assert propose_tables(database) == proposed_tables_toml(found)


def test_what_is_proposed(found):
    policy = propose_tables_policy(found)
    assert policy.proposed
    assert policy.entity == "patients.id"
    assert list(policy.tables) == ["patients", "contacts", "visits", "diagnoses", "sites"]
    assert policy.tables["visits"].orphans is Orphans.REMOVE
    assert policy.tables["diagnoses"].orphans is Orphans.REFUSE
    assert policy.tables["visits"].fields["seen"].shift is not None
    assert [(asked.table, asked.field) for asked in policy.require.each("k_m")] == [
        ("diagnoses", "code")
    ]
    quasi = [
        name for name, item in policy.tables["patients"].fields.items() if item.role is Role.QUASI
    ]
    assert quasi == ["birth_date", "sex", "zip"]


@pytest.mark.parametrize(
    ("people", "k", "k_of_sets", "m"), [(MANY_PEOPLE, 5, 5, 2), (PEOPLE, 5, 5, 1), (5, 5, 5, 1)]
)
def test_numbers_fit_the_number_of_people(found, people, k, k_of_sets, m):
    policy = propose_tables_policy(with_people(found, people))
    assert policy.require.k == k
    assert [(asked.k, asked.m) for asked in policy.require.each("k_m")] == [(k_of_sets, m)]


def test_few_people_are_told_of(found):
    assert "a hierarchy with fewer groups keeps more" in proposed_tables_toml(
        with_people(found, FEW_PEOPLE - 1)
    )
    assert "a hierarchy with fewer groups keeps more" not in proposed_tables_toml(
        with_people(found, FEW_PEOPLE)
    )
    with pytest.raises(SourceError, match="It is about 3 people"):
        proposed_tables_toml(with_people(found, 3))


def test_reasons_stand_beside_what_they_are_for(found):
    lines = proposed_tables_toml(found).splitlines()
    place = lines.index("[tables.diagnoses]")
    assert "Diagnoses → visits → patients, by visit_id." in "\n".join(lines[place - 5 : place])
    place = lines.index("[tables.contacts.fields.referred_by_patient_id]")
    assert "its values are those of patients.id" in "\n".join(lines[place - 5 : place]).lower()


def test_everything_is_shown_but_the_cells(found):
    text = printed(found, width=160)
    for word in (
        "patients",
        "one row for each person",
        "patient_id → patients",
        "left out",
        "Safe Harbor",
        "contacts.phone",
    ):
        assert word in text
    shown = "".join(
        (text, repr(found), json.dumps(tables_survey_as_dict(found)), proposed_tables_toml(found))
    )
    for cell in (*CODES, "617-555-0101", "House 1", "login", "1952-03-12"):
        assert cell not in shown


@pytest.mark.parametrize("width", [60, 100])
def test_a_narrow_console_keeps_the_reasons(found, width):
    words = " ".join(printed(found, width=width).split())
    assert "patients" in words
    assert "distinct" not in words


def test_the_dictionary_is_json_and_complete(found):
    read = json.loads(json.dumps(tables_survey_as_dict(found)))
    assert (read["entity"], read["people"]) == ("patients.id", PEOPLE)
    assert [item["name"] for item in read["tables"]] == [item.name for item in found.tables]
    visits = next(item for item in read["tables"] if item["name"] == "visits")
    assert visits["links"][0]["table"] == "patients"
    assert visits["fields"][2]["proposal"]["shift"] == 180
