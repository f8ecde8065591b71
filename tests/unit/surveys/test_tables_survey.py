"""The survey of several tables: keys, links, the person, and what is proposed for every field."""

from __future__ import annotations

import pytest
from table_rows import PEOPLE, VISITS, practice

from sfumato.engines import open_database
from sfumato.errors import SourceError
from sfumato.policy import Method, Role
from sfumato.surveys import RowOwner, TablesSurvey, survey_tables
from sfumato.surveys.tables_roles import DAYS


def looked_over(tables) -> TablesSurvey:
    with open_database(tables, engine="reference") as database:
        return survey_tables(database)


@pytest.fixture(scope="module")
def found() -> TablesSurvey:
    return looked_over(practice())


def links(survey: TablesSurvey) -> dict[str, dict[str, str]]:
    return {item.name: {link.field: link.target for link in item.links} for item in survey.tables}


def field(survey: TablesSurvey, table: str, name: str):
    return survey.table(table).survey.field(name)


def is_removed(survey: TablesSurvey, table: str, name: str) -> bool:
    proposal = field(survey, table, name).proposal
    return (
        proposal.role is Role.DIRECT
        and proposal.replace is not None
        and proposal.replace.method is Method.REMOVE
    )


def test_the_person_is_found_and_every_table_gets_its_place(found):
    assert found.entity == "patients.id"
    assert {item.name: item.standing for item in found.tables} == {
        "patients": RowOwner.PEOPLE,
        "contacts": RowOwner.OF_PEOPLE,
        "visits": RowOwner.OF_PEOPLE,
        "diagnoses": RowOwner.OF_PEOPLE,
        "sites": RowOwner.REFERENCE,
        "log": RowOwner.LEFT_OUT,
    }
    assert any("log" in warning and "Not released" in warning for warning in found.warnings)


def test_links_are_called_after_keys_and_have_their_values(found):
    assert links(found) == {
        "patients": {"site_id": "sites.id"},
        "visits": {"patient_id": "patients.id"},
        "diagnoses": {"visit_id": "visits.id", "patient_id": "patients.id"},
        "contacts": {"patient_id": "patients.id"},
        "sites": {},
        "log": {},
    }
    assert [item.key for item in found.tables if item.key] == ["id", "id", "id"]


def test_keys_and_links_get_the_same_random_number(found):
    for item in found.released:
        for name in (item.key, *(link.field for link in item.links)):
            if name:
                proposal = item.survey.field(name).proposal
                assert (proposal.role, proposal.replace.method) == (Role.DIRECT, Method.NUMBER)


def test_what_names_a_person_without_being_a_link_is_removed(found):
    """A mother, a visit that would close a circle, whoever referred someone, a room of which there
    is no table."""
    assert is_removed(found, "patients", "mother_id")
    assert is_removed(found, "patients", "last_visit_id")
    assert is_removed(found, "contacts", "referred_by_patient_id")
    assert is_removed(found, "visits", "room_id")


def test_rows_that_are_nobodys_are_counted_and_told(found):
    assert found.table("visits").orphans == VISITS // PEOPLE
    assert found.table("diagnoses").orphans == 0  # They hang on the visit, and go with it.
    assert any("rows of visits belong to nobody" in warning for warning in found.warnings)


def test_dates_of_people_move_and_those_of_nobody_are_removed(found):
    assert field(found, "visits", "seen").proposal.shift == DAYS
    assert field(found, "patients", "birth_date").proposal.role is Role.QUASI
    assert is_removed(found, "sites", "opened")


def test_a_number_of_the_line_tells_how_many_there_were(found):
    assert is_removed(found, "diagnoses", "line")
    assert "visit_id" in field(found, "diagnoses", "line").likeness.reasons[0]


def test_codes_are_what_their_table_says_and_sets_get_a_hierarchy(found):
    code = field(found, "diagnoses", "code")
    assert code.looks_like == "diagnosis code"
    assert (code.proposal.role, code.proposal.hierarchy is not None) == (Role.SENSITIVE, True)
    assert found.table("diagnoses").sets == ("code",)


def test_of_two_ways_to_the_person_the_longer_one_is_taken_and_the_other_must_agree():
    tables = practice()
    tables["diagnoses"][0]["patient_id"] = 1_000 + PEOPLE - 1
    tables["diagnoses"][VISITS]["patient_id"] = 1_000 + PEOPLE - 1
    found = looked_over(tables)
    assert links(found)["diagnoses"] == {"visit_id": "visits.id"}
    assert is_removed(found, "diagnoses", "patient_id")
    assert any(
        "diagnoses.patient_id is no link beside visit_id" in warning for warning in found.warnings
    )


def test_a_table_does_not_hang_on_a_link_that_most_rows_lack():
    tables = practice()
    for row in tables["diagnoses"][: len(tables["diagnoses"]) // 2]:
        row["visit_id"] = None
    for row in tables["diagnoses"]:
        row["patient_id"] = row["patient_id"] or 1_000
    assert links(looked_over(tables))["diagnoses"] == {"patient_id": "patients.id"}


def test_a_link_of_which_a_few_values_are_nowhere_leads_to_the_person_all_the_same():
    tables = practice()
    for row in tables["visits"][1:6]:
        row["patient_id"] = 77
    found = looked_over(tables)
    assert links(found)["visits"] == {"patient_id": "patients.id"}
    assert found.table("visits").orphans == VISITS // PEOPLE + 5


def test_a_link_of_which_many_values_are_nowhere_is_none_and_the_table_is_left_out():
    tables = practice()
    for row in tables["visits"][: VISITS // 2]:
        row["patient_id"] = 77
    found = looked_over({name: rows for name, rows in tables.items() if name != "diagnoses"})
    assert found.table("visits").standing is RowOwner.LEFT_OUT
    assert any("the rows of visits would belong to people" in warning for warning in found.warnings)


def test_a_repeated_id_links_to_the_people_who_have_it():
    """Frames are often joined on `id` in both; an id that is unique is the key of its own table."""
    tables = {
        "patients": [{"id": n, "age": 20 + n % 60, "sex": "fm"[n % 2]} for n in range(40)],
        "visits": [{"id": n % 40, "diagnosis": f"J4{n % 6}"} for n in range(120)],
        "stays": [{"id": n, "patient": n % 40} for n in range(80)],
    }
    survey = looked_over(tables)
    assert links(survey)["visits"] == {"id": "patients.id"}
    assert links(survey)["stays"] == {"patient": "patients.id"}


def test_another_table_of_people_is_told():
    tables = practice()
    tables["nurses"] = [
        {"nurse_id": n, "birth": f"197{n % 10}-01-02", "sex": "f"} for n in range(20)
    ]
    for n, row in enumerate(tables["visits"]):
        row["nurse_id"] = n % 20
    found = looked_over(tables)
    assert found.entity == "patients.id"
    assert found.table("nurses").standing is RowOwner.REFERENCE
    assert is_removed(found, "nurses", "birth")
    assert any("nurses looks like a table of people too" in warning for warning in found.warnings)


def test_without_a_table_of_people_nothing_is_proposed():
    with pytest.raises(
        SourceError, match="No table of the rows looks like one with a row for each person"
    ):
        looked_over({"log": practice()["log"], "sites": practice()["sites"]})


def test_people_without_a_key_are_told_of():
    tables = {"patients": practice()["patients"] * 2, "sites": practice()["sites"]}
    with pytest.raises(SourceError, match="patients is about people, but has no key"):
        looked_over(tables)


def test_links_that_are_declared_need_no_names():
    tables = practice()
    for row in tables["visits"]:
        row["whose"] = row.pop("patient_id")
    tables.pop("diagnoses")

    with open_database(tables, engine="reference") as database:
        assert survey_tables(database).table("visits").standing is RowOwner.LEFT_OUT
        type(database).declared_links = lambda self: (
            ("visits", "whose", "patients", "id"),
            ("visits", "no such field", "patients", "id"),
            ("visits", "whose", "no such table", "id"),
        )
        try:
            found = survey_tables(database)
        finally:
            del type(database).declared_links
    assert links(found)["visits"] == {"whose": "patients.id"}
    assert "declares" in found.table("visits").links[0].reasons[0]
