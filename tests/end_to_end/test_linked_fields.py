"""Fields that follow another are suppressed where it is, whichever solver suppressed it, and
nowhere else."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

import sfumato
from sfumato.policy import policy_from_table

ROWS = [
    ("02138", "f", "Cambridge", "1"),
    ("02138", "f", "Cambridge", "2"),
    ("02138", "f", "", "3"),
    ("02144", "m", "Somerville", "4"),
    ("02155", "m", "Medford", "5"),
]


def released(tmp_path: Path, solver: str, *, engine: str = "duckdb", **changes):
    source = tmp_path / "people.csv"
    with source.open("w", newline="") as file:
        csv.writer(file).writerows([("zip", "sex", "town", "score"), *ROWS])
    fields = {
        "zip": {"role": "quasi"},
        "sex": "quasi",
        "town": {"role": "sensitive", "follows": "zip"},
        "score": {"role": "insensitive", "follows": "zip"},
    }
    table = {"fields": fields | changes, "require": {"k": 2}, "solve": {"solver": solver}}
    made = sfumato.release(
        source, policy_from_table(table, name="people"), to=tmp_path / "out", engine=engine
    )
    with made.table.open(newline="") as file:
        return made, list(csv.DictReader(file))


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_a_local_recoding_takes_the_linked_cell_of_each_suppressed_one(tmp_path, engine):
    made, rows = released(tmp_path, "k_similar", engine=engine)
    expected = [("02138", "f", town, score) for _, _, town, score in ROWS[:3]] + [
        ("*", "m", "*", "*")
    ] * 2
    assert Counter(tuple(row.values()) for row in rows) == Counter(expected)
    assert (
        made.manifest["tables"]["release"]["fields"]["town"]
        == made.manifest["tables"]["release"]["fields"]["score"]
        == "suppressed where zip is"
    )
    assert all(check.outcome != "fail" for check in sfumato.verify(made.folder))


def test_a_global_recoding_takes_the_linked_field_altogether(tmp_path):
    made, rows = released(tmp_path, "datafly2")
    assert [(row["zip"], row["town"], row["score"]) for row in rows] == [("*", "*", "*")] * 5
    assert made.manifest["tables"]["release"]["fields"]["town"] == "suppressed where zip is"


def test_what_follows_a_field_that_stays_stays_as_it_is(tmp_path):
    made, rows = released(tmp_path, "datafly2", score={"role": "insensitive", "follows": "sex"})
    assert sorted(row["score"] for row in rows) == ["1", "2", "3", "4", "5"]
    assert made.manifest["tables"]["release"]["fields"]["score"] == "kept as it is"


def test_a_suppressed_cell_is_not_told_as_a_value_of_the_bin(tmp_path):
    made, _ = released(tmp_path, "datafly2")
    assert not any("same value of town" in line for line in made.manifest["warnings"])


def test_the_top_of_any_hierarchy_that_ends_in_one_value_is_suppression(tmp_path):
    tree = {
        "role": "quasi",
        "hierarchy": {"tree": {"north": ["02144", "02155"], "south": ["02138"]}, "top": "anywhere"},
    }
    _, rows = released(tmp_path, "k_similar", zip=tree, sex="insensitive")
    assert {(row["zip"], row["town"] == "*") for row in rows} >= {("02138", False)}
    assert all((row["town"] == "*") == (row["zip"] == "anywhere") for row in rows)
