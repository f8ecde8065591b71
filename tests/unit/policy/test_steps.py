"""Steps of a policy: read, written back, and every problem told."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policies import only_problem, problems

from sfumato.policy import (
    TECHNIQUES,
    encrypted_fields,
    is_released,
    policy_as_table,
    policy_as_toml,
    policy_from_table,
)

FIELDS = {
    "id": "direct",
    "name": {"role": "direct", "replace": "hash"},
    "age": "insensitive",
    "zip": {"role": "quasi", "hierarchy": {"prefix": [3]}},
    "job": {"role": "sensitive"},
    "note": {"role": "text", "replace": "remove"},
}


def table(*steps, **more):
    return {"fields": FIELDS, "steps": list(steps), "require": {"k": 2}, **more}


def step(technique, *fields, **settings):
    return {"technique": technique, **({"fields": list(fields)} if fields else {}), **settings}


USUAL = {
    "suppress": step("suppress", "job", "age", values=["ä", "b"], rarer_than=3),
    "encrypt": step("encrypt", "job", method="format-preserving"),
    "swap": step("swap", "age", window=0.2, share=0.5, within=["job"]),
    "substitute": step("substitute", "zip", level=2, share=0.5),
    "pram": step("pram", "job", keep=0.5, invariant=False, within=["zip"]),
    "blank_and_impute": step("blank_and_impute", "age", share=0.2, rarer_than=4, like=["job"]),
    "merge_small": step("merge_small", "job", least=7, label="övrig"),
    "sample": step("sample", share=0.5, within=["zip"], weight=["age"]),
    "add_rows": step("add_rows", share=0.5, k=12),
}


@pytest.mark.parametrize("technique", USUAL)
def test_a_step_is_read_and_written_as_it_was_said(technique):
    policy = policy_from_table(table(USUAL[technique]))
    assert policy_as_table(policy)["steps"] == [USUAL[technique]]
    again = policy_from_table(tomllib.loads(policy_as_toml(policy)))
    assert again.steps == policy.steps
    assert policy.steps[0].declaration is TECHNIQUES[technique]


@pytest.mark.parametrize("technique", USUAL)
def test_every_parameter_is_shown_above_or_left_at_its_default(technique):
    names = {parameter.name for parameter in TECHNIQUES[technique].parameters}
    assert set(USUAL[technique]) - {"technique", "fields"} <= names
    assert set(policy_from_table(table(USUAL[technique])).steps[0].parameters) == names


@given(st.lists(st.sampled_from(sorted(USUAL)), max_size=5))
def test_steps_keep_their_order(names):
    policy = policy_from_table(table(*(USUAL[name] for name in names)))
    assert [one.technique for one in policy.steps] == names
    assert policy_from_table(policy_as_table(policy)) == policy


WRONG = {
    "suppress without what": (step("suppress", "job"), "steps[0]"),
    "encrypt what is replaced": (step("encrypt", "name"), "steps[0].fields"),
    "encrypt with a hierarchy": (step("encrypt", "zip"), "steps[0].fields"),
    "swap without a window": (step("swap", "age", window=0), "steps[0].window"),
    "swap of nobody": (step("swap", "age", share=0), "steps[0].share"),
    "window of a unit": (step("swap", "age", method="unit", window=0.5), "steps[0].window"),
    "swap within itself": (step("swap", "age", within=["age"]), "steps[0].within"),
    "swap nothing": (step("swap"), "steps[0].fields"),
    "method unheard of": (step("swap", "age", method="rand"), "steps[0].method"),
    "substitute without classes": (step("substitute", "job"), "steps[0].fields"),
    "substitute two": (step("substitute", "zip", "zip2"), "steps[0].fields"),
    "substitute at level 0": (step("substitute", "zip", level=0), "steps[0].level"),
    "pram that keeps": (step("pram", "job", keep=1), "steps[0].keep"),
    "pram with a text": (step("pram", "job", invariant="no"), "steps[0].invariant"),
    "blank nothing": (step("blank_and_impute", "age", share=0), "steps[0]"),
    "like itself": (step("blank_and_impute", "age", like=["age"]), "steps[0].like"),
    "merge under nothing": (step("merge_small", "job", label=""), "steps[0].label"),
    "merge at one": (step("merge_small", "job", least=1), "steps[0].least"),
    "sample of a field": (step("sample", "age", share=0.5), "steps[0].fields"),
    "sample of nothing": (step("sample", share=0), "steps[0].share"),
    "sample without a share": (step("sample"), "steps[0].share"),
    "weights that are known": (step("sample", share=0.5, weight=["zip"]), "steps[0].weight"),
    "no rows added": (step("add_rows", share=0), "steps[0].share"),
    "too many rows added": (step("add_rows", share=101), "steps[0].share"),
    "rows like three": (step("add_rows", share=1, k=2), "steps[0].k"),
    "text is not released": (step("pram", "note"), "steps[0].fields"),
    "removed is not released": (step("pram", "id"), "steps[0].fields"),
    "a field that is not there": (step("pram", "jbo"), "steps[0].fields"),
    "a parameter that is not there": (step("pram", "job", kepe=0.5), "steps[0].kepe"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_where_it_is(name):
    wrong, where = WRONG[name]
    assert where in problems(table(wrong))


def test_a_problem_is_told_at_its_place_also_after_a_step_that_cannot_be_read():
    found = problems(table(step("swapp", "age"), step("pram", "job", keep=1)))
    assert set(found) == {"steps[0].technique", "steps[1].keep"}
    assert 'Did you mean "swap"?' in found["steps[0].technique"]


def test_steps_must_be_a_list_of_tables():
    assert "It must be a list of tables." in only_problem(
        table() | {"steps": {"technique": "pram"}}
    )
    assert "It must be a list of tables." in only_problem(table() | {"steps": ["pram"]})


NUMBER = {"role": "direct", "replace": "number"}
CLINIC = {
    "people": {"key": "id", "fields": {"id": NUMBER, "zip": "quasi"}},
    "visits": {
        "links": {"person": "people.id"},
        "fields": {"person": NUMBER, "cost": "insensitive", "ward": NUMBER},
    },
    "wards": {"key": "ward", "fields": {"ward": NUMBER, "beds": "insensitive"}},
}


def clinic(*steps):
    tables = CLINIC | {
        "visits": CLINIC["visits"] | {"links": {"person": "people.id", "ward": "wards.ward"}}
    }
    return {"entity": "people.id", "tables": tables, "steps": [*steps], "require": {"k": 2}}


IN_TABLES = {
    "no table": (step("pram", "zip"), "steps[0].table", "there are several tables"),
    "a table that is not there": (
        step("pram", "zip", table="peopel"),
        "steps[0].table",
        'Did you mean "people"?',
    ),
    "a field of another table": (
        step("round", "cost", table="people"),
        "steps[0].fields",
        "no field",
    ),
    "a key": (
        step("pram", "id", table="people"),
        "steps[0].fields",
        "joins rows of several tables",
    ),
    "a key is not encrypted": (
        step("encrypt", "id", table="people"),
        "steps[0].fields",
        "joins rows of several tables",
    ),
    "a link": (
        step("swap", "person", table="visits"),
        "steps[0].fields",
        "joins rows of several tables",
    ),
    "made-up rows": (
        step("add_rows", share=1, table="people"),
        "steps[0].technique",
        "no key and no link",
    ),
    "a sample of nobody": (
        step("sample", share=0.5, table="wards"),
        "steps[0].table",
        "belong to nobody",
    ),
}


@pytest.mark.parametrize("name", IN_TABLES)
def test_a_step_in_one_of_several_tables_is_refused_with_its_reason(name):
    wrong, where, said = IN_TABLES[name]
    assert said in problems(clinic(wrong))[where]


def test_a_step_names_its_table_and_is_written_back():
    given = clinic(
        step("round", "cost", table="visits", base=10), step("sample", share=0.5, table="people")
    )
    policy = policy_from_table(given)
    assert [one.table for one in policy.steps] == ["visits", "people"]
    assert [one.technique for one in policy.of_table("visits").steps] == ["round"]
    assert policy_as_table(policy)["steps"] == given["steps"]


def test_the_only_table_is_not_named():
    assert "for one table" in problems(table(step("pram", "job", table="people")))["steps[0].table"]


def test_made_up_rows_are_not_left_at_the_end():
    assert "reveals them" in problems(table(step("add_rows", share=1), order="keep"))["order"]


def test_what_says_which_rows_go_together_stays_but_may_be_encrypted():
    fields = FIELDS | {"id": {"role": "direct", "replace": "hash"}}
    given = table(step("suppress", "id", rarer_than=2), entity="id") | {"fields": fields}
    assert "groups the rows" in problems(given)["steps[0].fields"]
    policy = policy_from_table(table(step("encrypt", "id"), entity="id"))
    assert is_released(policy, "id")
    assert encrypted_fields(policy) == {"id"}


def test_what_is_released():
    policy = policy_from_table(table())
    assert [name for name in FIELDS if is_released(policy, name)] == ["name", "age", "zip", "job"]
    assert not is_released(policy, "nothing")


def test_safe_harbor_takes_no_code_that_is_made_from_an_identifier():
    fields = FIELDS | {"name": "direct"}
    given = table(step("encrypt", "id")) | {
        "fields": fields,
        "require": {"safe_harbor": True, "k": 2},
    }
    assert "Safe Harbor does not allow" in problems(given)["require.safe_harbor"]


def test_a_hierarchy_of_a_sensitive_field_is_for_substitution():
    fields = FIELDS | {"job": {"role": "sensitive", "hierarchy": {"prefix": [1]}}}
    assert (
        "A hierarchy has no effect"
        in problems(table() | {"fields": fields})["fields.job.hierarchy"]
    )
    policy = policy_from_table(table(step("substitute", "job")) | {"fields": fields})
    assert policy_from_table(policy_as_table(policy)) == policy


def test_a_field_that_follows_another_does_not_stay_as_it_is_beside_it():
    fields = FIELDS | {"town": {"role": "insensitive", "follows": "zip"}}
    for technique, settings in (
        ("encrypt", {}),
        ("suppress", {"rarer_than": 3}),
        ("swap", {"method": "unit"}),
    ):
        bare = fields | {"zip": "quasi"}
        said = problems(table(step(technique, "zip", **settings)) | {"fields": bare})[
            "steps[0].fields"
        ]
        assert "town follows zip" in said
        policy_from_table(table(step(technique, "zip", "town", **settings)) | {"fields": bare})


def test_a_field_that_is_not_there_is_told_where_it_is_named():
    assert set(problems(table(step("swap", "age", within=["nobody"])))) == {"steps[0].within"}
    assert set(problems(table(step("sample", share=0.5, weight=["nobody"])))) == {"steps[0].weight"}


def test_the_text_of_a_step_is_the_one_that_chance_was_always_bound_to():
    """Under a key, other text would draw other amounts for the same release."""
    policy = policy_from_table(table(step("round", "age", base=10)))
    settings = "{'base': 10.0, 'method': 'plain', 'within': ()}"
    assert (
        repr(policy.steps[0])
        == f"Step(technique='round', fields=('age',), settings={settings}, place=0)"
    )


@pytest.mark.parametrize("share", [0, -1, 2])
def test_a_range_without_its_end_is_told_as_it_is(share):
    assert f"It is {share}, and must be above 0 to 1." in only_problem(
        table(step("swap", "age", share=share))
    )
