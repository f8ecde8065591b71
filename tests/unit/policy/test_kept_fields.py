"""`keep`, `finest` and `coarsest`: read, checked, written, and handed to solvers as weights."""

from pathlib import Path

import pytest

from sfumato.errors import PolicyError
from sfumato.policy import (
    KEPT_WEIGHT,
    policy_as_table,
    policy_as_toml,
    policy_from_table,
    read_policy,
)

FIELDS = {
    "name": "direct",
    "age": {
        "role": "quasi",
        "hierarchy": {"numbers": {"widths": [5, 10]}},
        "finest": 1,
        "coarsest": "width 10",
    },
    "sex": "quasi",
    "diagnosis": "sensitive",
}


def policy(**top):
    return policy_from_table({"fields": FIELDS, "require": {"k": 2}, **top})


def problems(table):
    with pytest.raises(PolicyError) as refused:
        policy_from_table(table)
    return {(problem.where, problem.found) for problem in refused.value.problems}


def test_they_are_written_and_read_back(tmp_path):
    decided = policy(keep=["age", "diagnosis"])
    assert policy_as_table(decided)["keep"] == ["age", "diagnosis"]
    assert policy_from_table(policy_as_table(decided)) == decided
    path = Path(tmp_path / "policy.toml")
    path.write_text(policy_as_toml(decided), encoding="utf-8")
    read = read_policy(path)
    assert (read.keep, read.fields["age"].finest, read.fields["age"].coarsest) == (
        ("age", "diagnosis"),
        1,
        "width 10",
    )


def test_a_kept_field_weighs_more_unless_weights_name_it():
    usual = policy().weights(["age", "sex"])
    kept = policy(keep=["age", "sex"], solve={"weights": {"sex": 3.0}}).weights(["age", "sex"])
    assert kept == {"age": KEPT_WEIGHT * usual["age"], "sex": 3.0}


def test_what_cannot_be_kept_is_told_at_once():
    found = problems(
        {
            "fields": {**FIELDS, "sex": {"role": "sensitive", "finest": 1, "coarsest": True}},
            "require": {"k": 2},
            "keep": ["aeg", "name", "age", "age"],
        }
    )
    assert {where for where, _ in found} == {"keep", "fields.sex.finest", "fields.sex.coarsest"}
    assert len([where for where, _ in found if where == "keep"]) == 3


def test_fields_of_several_tables_are_kept_by_their_table():
    table = {
        "entity": "people.id",
        "keep": ["age", "visits.ward"],
        "tables": {
            "people": {"key": "id", "fields": {"id": {"role": "direct"}, "age": "quasi"}},
            "visits": {
                "links": {"person": "people.id"},
                "fields": {"person": {"role": "direct"}, "ward": "quasi"},
            },
        },
        "require": {"k": 2},
    }
    decided = policy_from_table(table)
    assert decided.of_table("people").keep == ("age",)
    assert decided.of_table("visits").keep == ("ward",)
    assert {where for where, _ in problems({**table, "keep": ["ward"]})} == {"keep"}
