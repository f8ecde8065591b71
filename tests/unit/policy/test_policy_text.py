"""A policy written out is read back as itself."""

import json
import tomllib

import policies
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import Bug, TargetError
from sfumato.policy import (
    BUILT_IN,
    policy_as_table,
    policy_as_toml,
    policy_from_table,
    read_policy,
    write_policy,
)
from sfumato.policy.toml_text import key_text, value_text

POLICY = policy_from_table(
    {
        "entity": "patient id",
        "fields": {
            "patient id": {"role": "direct", "replace": "made-up"},
            "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
            "problem": "sensitive",
        },
        "require": {"k": 5},
    }
)


@given(policies.policies())
def test_a_table_is_read_back_as_the_same_policy(policy):
    assert policy_from_table(policy_as_table(policy)) == policy


@given(policies.policies())
def test_a_table_survives_json(policy):
    assert policy_from_table(json.loads(json.dumps(policy_as_table(policy)))) == policy


@given(
    policies.policies(),
    st.lists(policies.text),
    st.sampled_from(["require", "recipient", "fields", "order"]),
)
def test_a_file_is_read_back_as_the_same_policy_whatever_its_comments(policy, notes, about):
    comments = {about: notes, next(iter(policy.fields)): notes}
    written = policy_as_toml(policy, comments=comments, header=notes)
    assert policy_from_table(tomllib.loads(written)) == policy


def test_a_file_reads_well():
    comments = {
        "zip": ["5 digits, 29,000 distinct"],
        "require": ["5 is the house rule"],
        "order": ["as asked"],
    }
    assert policy_as_toml(POLICY, comments=comments, header=["Proposed for patients.csv"]) == (
        "# Proposed for patients.csv\n"
        "\n"
        "format = 1\n"
        'entity = "patient id"\n'
        'nulls = "value"\n'
        "# as asked\n"
        'order = "scramble"\n'
        'other_fields = "refuse"\n'
        'release_to = "public"\n'
        "\n"
        '[fields."patient id"]\n'
        'role = "direct"\n'
        'replace = "made-up"\n'
        "\n"
        "# 5 digits, 29,000 distinct\n"
        "[fields.zip]\n"
        'role = "quasi"\n'
        "hierarchy = { prefix = [4, 3] }\n"
        "\n"
        "[fields.problem]\n"
        'role = "sensitive"\n'
        "\n"
        "# 5 is the house rule\n"
        "[require]\n"
        "k = 5\n"
        "max_suppression = 0.0\n"
        'reading = "strict"\n'
        "\n"
        "[recipient.public]\n"
        'description = "Anyone. May hold registers with every quasi-identifier and has '
        'signed nothing."\n'
        'access = "public"\n'
        "default_linking = 1.0\n"
        "default_distortion = 1.0\n"
        "\n"
        "[solve]\n"
        'solver = "best"\n'
        'objective = "loss"\n'
        "seed = 0\n"
    )


def test_a_comment_goes_above_a_profile_too():
    assert "# everyone\n[recipient.public]" in policy_as_toml(
        POLICY, comments={"recipient.public": ["everyone"]}
    )


def test_a_hierarchy_too_long_for_a_line_gets_a_table_of_its_own():
    tree = {"Europe": [f"country {n}" for n in range(20)], "Asia": {"East": ["Japan"]}}
    policy = policy_from_table(
        {"fields": {"country": {"role": "quasi", "hierarchy": {"tree": tree}}}, "require": {"k": 5}}
    )
    written = policy_as_toml(policy)
    assert "\n[fields.country.hierarchy.tree]\nEurope = [\n" in written
    assert policy_from_table(tomllib.loads(written)) == policy


def test_only_profiles_that_matter_are_written():
    table = policy_as_table(POLICY)
    assert list(table["recipient"]) == ["public"]
    assert len(POLICY.recipients) == len(BUILT_IN)


def test_a_policy_with_hierarchy_files_is_written_beside_them(tmp_path):
    (tmp_path / "zip.csv").write_text("02138;0213*;*\n")
    fields = {"zip": {"role": "quasi", "hierarchy": "zip.csv"}}
    policy = policy_from_table({"fields": fields, "require": {"k": 2}}, folder=tmp_path, name="p")
    write_policy(policy, tmp_path / "p.toml")
    assert read_policy(tmp_path / "p.toml") == policy


def test_a_policy_with_hierarchy_files_is_not_written_where_they_are_not(tmp_path):
    (tmp_path / "zip.csv").write_text("02138;0213*;*\n")
    (tmp_path / "other").mkdir()
    fields = {"zip": {"role": "quasi", "hierarchy": "zip.csv"}}
    policy = policy_from_table({"fields": fields, "require": {"k": 2}}, folder=tmp_path)
    with pytest.raises(TargetError, match="is not in the folder of the hierarchy files"):
        write_policy(policy, tmp_path / "other" / "p.toml")


def test_a_policy_with_hierarchy_files_named_in_full_is_written_anywhere(tmp_path):
    (tmp_path / "zip.csv").write_text("02138;0213*;*\n")
    (tmp_path / "other").mkdir()
    fields = {"zip": {"role": "quasi", "hierarchy": str(tmp_path / "zip.csv")}}
    policy = policy_from_table({"fields": fields, "require": {"k": 2}})
    write_policy(policy, tmp_path / "other" / "p.toml")
    assert read_policy(tmp_path / "other" / "p.toml").fields == policy.fields


def test_a_file_that_is_there_stays(tmp_path):
    (tmp_path / "p.toml").write_text("edited by hand")
    with pytest.raises(TargetError, match="exists already"):
        write_policy(POLICY, tmp_path / "p.toml")
    assert (tmp_path / "p.toml").read_text() == "edited by hand"


def test_a_file_that_is_there_is_replaced_where_that_is_asked(tmp_path):
    (tmp_path / "p.toml").write_text("old")
    write_policy(POLICY, tmp_path / "p.toml", overwrite=True)
    assert read_policy(tmp_path / "p.toml").require.k == 5
    assert [path.name for path in tmp_path.iterdir()] == ["p.toml"]


def test_a_folder_that_does_not_exist_is_a_target_error(tmp_path):
    with pytest.raises(TargetError, match="cannot be written"):
        write_policy(POLICY, tmp_path / "none" / "p.toml")


def test_text_that_utf8_cannot_write_leaves_nothing_behind(tmp_path):
    with pytest.raises(TargetError, match="UTF-8 cannot write"):
        write_policy(POLICY, tmp_path / "p.toml", header=["\ud800"])
    assert not list(tmp_path.iterdir())


toml_values = st.recursive(
    st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | policies.text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(policies.text, inner, max_size=3),
    max_leaves=8,
)


@given(policies.text, toml_values)
def test_any_value_is_printed_as_toml_reads_it(key, value):
    assert tomllib.loads(f"{key_text(key)} = {value_text(value)}") == {key: value}


def test_a_value_that_toml_has_no_word_for_is_our_mistake():
    with pytest.raises(Bug, match="which TOML cannot write"):
        value_text(None)
