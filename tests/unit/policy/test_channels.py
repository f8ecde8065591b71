"""`[channels]` of a policy: read, written back, and held against the rest of it."""

from __future__ import annotations

import copy
import tomllib

import pytest

from sfumato.errors import PolicyError
from sfumato.policy import policy_as_table, policy_as_toml, policy_from_table

WHOLE = {
    "entity": "name",
    "fields": {
        "name": "direct",
        "phone": {"role": "direct", "replace": "hash"},
        "crp": "quasi",
        "bp": "quasi",
        "ward": "insensitive",
        "diagnosis": "sensitive",
        "pay": "sensitive",
        "notes": "text",
    },
    "channels": {
        "fields": ["crp", "bp"],
        "confidential": "diagnosis",
        "identifiers": ["name"],
        "tolerance": {"flu": 0.25, "cold": 0.5},
        "weights": {"cold": 0.5},
        "bound": 0.6,
        "none": ["healthy"],
        "whole_subjects": False,
        "candidates": "enumerated",
        "max_inputs": 5,
        "count": 100,
        "seconds": 5.0,
        "label": "output",
        "least_not_at_risk": 0.2,
        "compact": True,
        "max_differing": 2,
        "field_weights": {"bp": 2.0},
        "statistics": {"bp": [["L", "N"]], "crp": []},
        "also": [{"field": "pay", "tolerance": {"high": 0.2}, "none": ["low"]}],
        "rules": [
            {"field": "bp", "rule": "no-gaps", "values": ["L", "N", "H"]},
            {"field": "crp", "rule": "alike"},
            {"field": "bp", "rule": "span", "values": ["L", "N", "H"], "most": 1},
        ],
    },
}


def changed(*path, **said):
    table = copy.deepcopy(WHOLE)
    inner = table
    for key in path:
        inner = inner[key]
    inner.update(said)
    return table


def problems(table):
    with pytest.raises(PolicyError) as told:
        policy_from_table(table)
    return {problem.where: problem.found for problem in told.value.problems}


def test_everything_is_read():
    asked = policy_from_table(WHOLE).channels
    assert asked.fields == ("crp", "bp")
    assert (asked.confidential, asked.identifiers, asked.label) == (
        "diagnosis",
        ("name",),
        "output",
    )
    assert asked.tolerance == {"flu": 0.25, "cold": 0.5}
    assert (asked.weights, asked.bound, asked.none) == ({"cold": 0.5}, 0.6, ("healthy",))
    assert (asked.whole_subjects, asked.candidates, asked.max_inputs) == (False, "enumerated", 5)
    assert (asked.count, asked.seconds) == (100, 5.0)
    assert [rule.rule.value for rule in asked.rules] == ["no-gaps", "alike", "span"]


def test_what_is_left_out_has_its_usual_value():
    table = copy.deepcopy(WHOLE)
    table["channels"] = {
        key: WHOLE["channels"][key]
        for key in ("fields", "confidential", "identifiers", "tolerance")
    }
    del table["fields"]["pay"]
    asked = policy_from_table(table).channels
    assert (asked.whole_subjects, asked.candidates, asked.max_inputs) == (True, "priced", None)
    assert (asked.bound, asked.rules, asked.label, asked.count) == (None, (), "channel", 2048)
    assert (asked.least_not_at_risk, asked.compact, asked.also) == (None, False, ())


def test_written_and_read_again_it_is_the_same():
    policy = policy_from_table(WHOLE)
    assert policy_from_table(policy_as_table(policy)) == policy
    assert policy_from_table(tomllib.loads(policy_as_toml(policy))) == policy


def test_the_written_policy_does_not_say_that_names_are_removed():
    fields = policy_as_table(policy_from_table(WHOLE))["fields"]
    assert fields["name"] == {"role": "direct"}
    assert fields["phone"]["replace"] == "hash"


def test_a_policy_without_channels_has_none():
    assert policy_from_table({"fields": {"zip": "quasi"}, "require": {"k": 2}}).channels is None


@pytest.mark.parametrize("key", ["fields", "confidential", "identifiers", "tolerance"])
def test_what_must_be_said(key):
    table = copy.deepcopy(WHOLE)
    del table["channels"][key]
    assert problems(table)[f"channels.{key}"] == "It is missing."


@pytest.mark.parametrize(
    ("table", "where", "found"),
    [
        (changed("channels", fields=["crp", "pb"]), "channels.fields", 'no field "pb"'),
        (changed("channels", fields=["crp", "bp", "crp"]), "channels.fields", "named twice"),
        (changed("channels", identifiers=["phone"]), "fields.phone.replace", "is replaced"),
        (changed("channels", identifiers=["ward"]), "fields.ward", "only direct identifiers"),
        (changed("channels", identifiers=[]), "channels.identifiers", "names no field"),
        (changed("channels", fields=["crp"], rules=[]), "fields.bp", "beside a name"),
        (changed("fields", ward="sensitive"), "fields.ward", "beside a name"),
        (
            changed("fields", diagnosis="insensitive"),
            "fields.diagnosis",
            "confidential field is sensitive",
        ),
        (changed("fields", crp="insensitive"), "fields.crp", "made of quasi fields"),
        (
            changed("fields", crp={"role": "quasi", "hierarchy": {"prefix": [1]}}),
            "fields.crp.hierarchy",
            "has no effect",
        ),
        (changed("channels", label="ward"), "channels.label", "no new name"),
        (
            changed("channels", tolerance={"flu": 1.5, "cold": 0.5}),
            "channels.tolerance.flu",
            "from 0 to 1",
        ),
        (changed("channels", tolerance={}, weights={}), "channels.tolerance", "names no value"),
        (changed("channels", none=["flu"]), "channels.none", "have a tolerance too"),
        (changed("channels", weights={"plague": 1.0}), "channels.weights", "have no tolerance"),
        (changed("channels", bound=-1), "channels.bound", "0 or more"),
        (changed("channels", max_inputs=1), "channels.max_inputs", "2 or more"),
        (changed("channels", candidates="prised"), "channels.candidates", "not one of its words"),
        (
            changed("channels", rules=[{"field": "ward", "rule": "alike"}]),
            "channels.rules[0].field",
            "not among",
        ),
        (
            changed("channels", rules=[{"field": "bp", "rule": "no-gaps"}]),
            "channels.rules[0].values",
            "three values",
        ),
        (
            changed("channels", rules=[{"field": "bp", "rule": "apart", "values": ["L"]}]),
            "channels.rules[0].values",
            "One",
        ),
        (
            changed("channels", rules=[{"field": "bp", "rule": "no gaps"}]),
            "channels.rules[0].rule",
            "not one of",
        ),
        (changed("channels", rules="alike"), "channels.rules", "list of tables"),
        (changed("channels", colour="red"), "channels.colour", "no such key"),
        (changed(require={"k": 5}), "require", "judged by its channels alone"),
        (changed(order="keep"), "order", "ignores it"),
        (changed(nulls="matches-anything"), "nulls", "ignores it"),
        (changed(household="ward"), "household", "ignores it"),
        (changed(solve={"solver": "datafly"}), "solve", "ignores it"),
        (
            changed("fields", ward={"role": "insensitive", "shift": {"days": 9}}),
            "fields.ward.shift",
            "not moved",
        ),
    ],
)
def test_what_does_not_hold_together(table, where, found):
    assert found in problems(table)[where]


def test_weights_without_a_bound():
    table = copy.deepcopy(WHOLE)
    del table["channels"]["bound"]
    assert "no bound" in problems(table)["channels.weights"]


def test_several_tables_take_none():
    one = {
        "key": "name",
        "fields": {"name": {"role": "direct", "replace": "made-up"}, "crp": "quasi"},
    }
    table = {
        "entity": "people.name",
        "tables": {"people": one},
        "require": {"k": 2},
        "channels": WHOLE["channels"],
    }
    assert "takes none" in problems(table)["channels"]


def test_values_are_not_shown():
    asked = policy_from_table(WHOLE).channels
    assert not any(value in repr(asked) for value in ("flu", "cold", "healthy", '"L"', "'L'"))


def test_reading_work_and_what_may_stay_undisclosed():
    given = changed("channels", reading="garfinkel-2007", work=5_000, max_undisclosed=0.1)
    asked = policy_from_table(given).channels
    assert (asked.reading, asked.work, asked.max_undisclosed) == ("garfinkel-2007", 5_000, 0.1)
    assert policy_from_table(policy_as_table(policy_from_table(given))).channels == asked
    usual = policy_from_table(changed()).channels
    assert (usual.reading, usual.work, usual.max_undisclosed) == ("subjects", None, None)
