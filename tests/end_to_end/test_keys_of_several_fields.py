"""Keys, links and person keys that are made of several fields: numbers of patients start anew in
every hospital."""

from __future__ import annotations

import csv

import pytest

import sfumato
from sfumato.errors import SourceError
from sfumato.policy import policy_as_table, policy_from_table
from sfumato.releases import verify

PERSON = {"role": "direct", "replace": "number", "made_of": ["hospital", "patient"]}
MARK = {"role": "insensitive", "may_tell": ["person"]}
"""The key again, in another spelling: the test reads from it whose row it is."""
PARTS = {"hospital": "direct", "patient": "direct"}
TABLES = {
    "patients": {
        "key": "person",
        "fields": {"person": PERSON, **PARTS, "sex": "quasi", "mark": MARK},
    },
    "visits": {
        "key": "visit",
        "links": {"person": "patients.person"},
        "row_counts": {"linking": 0.0},
        "fields": {
            "visit": {"role": "direct", "replace": "number", "made_of": ["hospital", "number"]},
            "person": PERSON,
            **PARTS,
            "number": "direct",
            "mark": MARK,
        },
    },
}
POLICY = {"entity": "patients.person", "tables": TABLES, "require": {"k": 3}}
ENGINES = ("reference", "duckdb")


def source(folder):
    """Two hospitals, six patients each with the same numbers, who came once or twice; visits are
    numbered alike too."""
    patients, visits = [], []
    for hospital in ("north", "south"):
        for patient in range(1, 7):
            mark = f"{hospital} {patient}"
            patients.append((hospital, patient, "fm"[patient % 2], mark))
            visits += [(hospital, patient * 10 + n, patient, mark) for n in range(1 + patient % 2)]
    folder.mkdir()
    for name, head, rows in (
        ("patients", ("hospital", "patient", "sex", "mark"), patients),
        ("visits", ("hospital", "number", "patient", "mark"), visits),
    ):
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([head, *rows])
    return folder


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("engine", ENGINES)
def test_tables_are_joined_over_keys_of_several_fields(tmp_path, engine):
    policy = policy_from_table(POLICY)
    made = sfumato.release(source(tmp_path / "clinic"), policy, to=tmp_path / "out", engine=engine)
    assert made.outcome == "pass"
    patients, visits = read(made.tables["patients"]), read(made.tables["visits"])
    assert set(patients[0]) == {"person", "sex", "mark"}
    assert set(visits[0]) == {"visit", "person", "mark"}
    whose = {row["person"]: row["mark"] for row in patients}
    assert len(whose) == 12
    assert all(whose[row["person"]] == row["mark"] for row in visits)
    assert len({row["visit"] for row in visits}) == len(visits) == 18
    assert not [check for check in verify(made.folder) if check.outcome == "fail"]


@pytest.mark.parametrize("engine", ENGINES)
def test_one_table_counts_people_by_several_fields(tmp_path, engine):
    fields = {"person": PERSON, **PARTS, "number": "direct", "mark": MARK}
    said = {
        "entity": "person",
        "fields": fields,
        "require": {"k": 3},
        "row_counts": {"bin_size": 3},
    }
    path = source(tmp_path / "clinic") / "visits.csv"
    made = sfumato.release(path, policy_from_table(said), to=tmp_path / "out", engine=engine)
    assert made.manifest["people"] == 12
    rows = read(made.folder / "release.csv")
    assert len({row["person"] for row in rows}) == 12
    assert len({(row["person"], row["mark"]) for row in rows}) == 12


def test_a_link_that_leads_to_another_hospital_is_nobodys(tmp_path):
    folder = source(tmp_path / "clinic")
    with (folder / "visits.csv").open("a", newline="") as file:
        file.write("west,99,1,west 1\r\n")
    with pytest.raises(sfumato.errors.PolicyError, match="1 row is nobody's"):
        sfumato.release(folder, policy_from_table(POLICY), to=tmp_path / "out")


def test_a_field_of_the_source_is_not_made_anew(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("hospital,patient,person\nnorth,1,a\n")
    fields = {"person": PERSON, **PARTS}
    with pytest.raises(SourceError, match="has a field called person"):
        sfumato.release(
            path, policy_from_table({"fields": fields, "require": {"k": 2}}), to=tmp_path / "out"
        )


def test_a_policy_with_such_keys_is_written_back():
    assert policy_from_table(policy_as_table(policy_from_table(POLICY))) == policy_from_table(
        POLICY
    )


WRONG = {
    "one field": ({**PERSON, "made_of": ["patient"]}, "two others or more"),
    "no such field": ({**PERSON, "made_of": ["hospital", "patent"]}, 'Did you mean "patient"?'),
    "not direct": (
        {"role": "sensitive", "made_of": ["hospital", "patient"]},
        "has no effect on a field that is",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told(name):
    field, said = WRONG[name]
    with pytest.raises(sfumato.errors.PolicyError) as told:
        policy_from_table(
            {"fields": {"person": field, **PARTS, "sex": "quasi"}, "require": {"k": 2}}
        )
    assert said in str(told.value)


def test_parts_that_are_all_released_are_refused():
    fields = {"person": PERSON, "hospital": "insensitive", "patient": "insensitive"}
    with pytest.raises(sfumato.errors.PolicyError, match="together they are the key"):
        policy_from_table({"fields": fields, "require": {"k": 2}})
