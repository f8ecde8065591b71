"""Pseudonyms and moved dates over several tables, on rows written out."""

import csv
from datetime import date

import pytest
from table_plans import planned_tables

from sfumato.engines import open_database
from sfumato.errors import PolicyError
from sfumato.policy import policy_from_table
from sfumato.releases import Key
from sfumato.releases.identifiers import HashReplacer

HASH = {"role": "direct", "replace": "hash"}
MOVED = {"role": "insensitive", "shift": {"days": 9}}


def tables(born="1950-01-01", day="2020-02-29 08:30"):
    people = [{"id": str(n), "born": born} for n in range(3)]
    visits = [{"id": str(n), "person": str(n % 3), "day": day} for n in range(5)]
    return {"people": people, "visits": visits}


def policy(*, person="person", day=MOVED, born=MOVED, replace=HASH):
    said = {
        "people": {"key": "id", "fields": {"id": replace, "born": born}},
        "visits": {
            "key": "id",
            "links": {person: "people.id"},
            "row_counts": {"linking": 0.0},
            "fields": {"id": replace, person: replace, "day": day},
        },
    }
    return policy_from_table({"entity": "people.id", "tables": said})


def written(given, decided, tmp_path, *, key=None):
    """Each table as the reference engine writes it."""
    out = {}
    with open_database(given, engine="reference") as database:
        planned = planned_tables(database, decided, key=key)
        for name, stage in planned.staged.items():
            stage.engine.write(planned.plan(name), tmp_path / f"{name}.csv")
            with (tmp_path / f"{name}.csv").open(newline="") as file:
                out[name] = list(csv.DictReader(file))
    return out


def test_keys_that_are_called_alike_have_pseudonyms_of_their_own(tmp_path):
    rows = written(tables(), policy(), tmp_path, key=Key(bytes(range(32))))
    people, visits = ({row["id"] for row in rows[name]} for name in ("people", "visits"))
    assert {row["person"] for row in rows["visits"]} <= people
    assert not people & visits


def test_a_key_of_its_own_name_has_the_pseudonyms_of_a_table_released_alone(tmp_path):
    """With the holder's key, pseudonyms hang on the name of the field, so that the holder can join
    releases."""
    key = Key(bytes(range(32)))
    fields = {"id": HASH, "born": "insensitive"}
    decided = policy_from_table(
        {"entity": "people.id", "tables": {"people": {"key": "id", "fields": fields}}}
    )
    rows = written({"people": tables()["people"]}, decided, tmp_path, key=key)
    assert sorted(row["id"] for row in rows["people"]) == sorted(
        HashReplacer(key, domain="id").replace(list("012"))
    )


def test_dates_and_times_of_one_person_move_together(tmp_path):
    rows = written(tables(), policy(), tmp_path)
    by = {
        row["id"]: (date.fromisoformat(row["born"]) - date(1950, 1, 1)).days
        for row in rows["people"]
    }
    assert all(0 < abs(days) <= 9 for days in by.values())
    for row in rows["visits"]:
        assert (date.fromisoformat(row["day"][:10]) - date(2020, 2, 29)).days == by[row["person"]]
        assert row["day"][10:] == " 08:30"


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"born": "0001-01-01"}, "people.fields.born"),
        ({"day": "noon"}, "visits.fields.day"),
        ({"day": "9999-12-31"}, "visits.fields.day"),
    ],
)
def test_dates_that_cannot_move_are_told_by_their_place(tmp_path, given, where):
    with pytest.raises(PolicyError) as caught:
        written(tables(**given), policy(), tmp_path)
    assert [problem.where for problem in caught.value.problems] == [f"tables.{where}.shift"]


def test_a_missing_date_stays_missing(tmp_path):
    rows = written(tables(day=None), policy(), tmp_path)
    assert {row["day"] for row in rows["visits"]} == {""}
