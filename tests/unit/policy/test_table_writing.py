"""A policy of several tables written out is read back as itself, and reads well."""

import json
import tomllib

import policies
import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_policies import hospital, policies_of_tables

from sfumato.errors import TargetError
from sfumato.policy import (
    RowCountPolicy,
    policy_as_table,
    policy_as_toml,
    policy_from_table,
    problems_in,
    read_policy,
    write_policy,
)


@given(policies_of_tables())
def test_a_table_is_read_back_as_the_same_policy(policy):
    assert problems_in(policy) == ()
    assert policy_from_table(json.loads(json.dumps(policy_as_table(policy)))) == policy


@given(policies_of_tables(), st.lists(policies.text), st.data())
def test_a_file_is_read_back_as_the_same_policy_whatever_its_comments(policy, notes, data):
    table = data.draw(st.sampled_from(list(policy.tables)))
    field = data.draw(st.sampled_from(list(policy.tables[table].fields)))
    about = ["require", "recipient", "tables", "order", table, f"{table}.{field}"]
    written = policy_as_toml(policy, comments=dict.fromkeys(about, notes), header=notes)
    assert policy_from_table(tomllib.loads(written)) == policy


def test_a_file_reads_well():
    changes = {
        "diagnoses": None,
        "physicians": None,
        "visits.links.physician_id": None,
        "visits.fields.physician_id": None,
        "visits.row_counts": {"bin_size": 3, "linking": 0.5, "merging": "datafly"},
        "visits.orphans": "remove",
        "patients.fields": {
            "patient_id": {"role": "direct", "replace": "number"},
            "birth": "quasi",
        },
    }
    comments = {"visits": ["25 for each patient"], "visits.admitted": ["4 years"]}
    written = policy_as_toml(policy_from_table(hospital(changes)), comments=comments)
    assert written.startswith('format = 1\nentity = "patients.patient_id"\nnulls = "value"\n')
    start, end = written.index("\n[tables."), written.index("\n[require]")
    assert written[start:end] == (
        "\n[tables.patients]\n"
        'key = "patient_id"\n'
        "\n"
        "[tables.patients.fields.patient_id]\n"
        'role = "direct"\n'
        'replace = "number"\n'
        "\n"
        "[tables.patients.fields.birth]\n"
        'role = "quasi"\n'
        "hierarchy = { suppress = true }\n"
        "\n"
        "# 25 for each patient\n"
        "[tables.visits]\n"
        'key = "visit_id"\n'
        'links = { patient_id = "patients.patient_id" }\n'
        'row_counts = { bin_size = 3, linking = 0.5, merging = "datafly" }\n'
        'orphans = "remove"\n'
        "\n"
        "[tables.visits.fields.visit_id]\n"
        'role = "direct"\n'
        'replace = "number"\n'
        "\n"
        "[tables.visits.fields.patient_id]\n"
        'role = "direct"\n'
        'replace = "number"\n'
        "\n"
        "# 4 years\n"
        "[tables.visits.fields.admitted]\n"
        'role = "insensitive"\n'
        'shift = { days = 30, per = "patients.patient_id", intervals = "keep" }\n'
    )


def test_many_links_get_a_table_of_their_own():
    others = {
        f"other_table_{n}": {"key": "id", "fields": {"id": {"role": "direct", "replace": "number"}}}
        for n in range(5)
    }
    links = {f"other_{n}": f"other_table_{n}.id" for n in range(5)}
    fields = {name: "direct" for name in links}
    changes = {f"visits.links.{name}": target for name, target in links.items()}
    changes |= {f"visits.fields.{name}": role for name, role in fields.items()} | others
    policy = policy_from_table(hospital(changes))
    written = policy_as_toml(policy)
    assert "\n[tables.visits.links]\npatient_id = " in written
    assert policy_from_table(tomllib.loads(written)) == policy


def test_what_a_single_table_says_of_the_number_of_rows_is_written():
    given = policies.table(entity="id", row_counts={"bin_size": 3, "linking": 0.0})
    policy = policy_from_table(given)
    assert policy.row_counts == RowCountPolicy(bin_size=3, linking=0.0)
    assert 'entity = "id"\nrow_counts = { bin_size = 3, linking = 0.0 }\n' in policy_as_toml(policy)
    assert policy_from_table(policy_as_table(policy)) == policy


def test_hierarchy_files_of_every_table_stay_beside_the_policy(tmp_path):
    (tmp_path / "code.csv").write_text("250;diabetes;*\n")
    (tmp_path / "other").mkdir()
    require = {"k": 5, "k_m": {"k": 5, "m": 2, "table": "diagnoses", "field": "code"}}
    changes = {"diagnoses.fields.code": {"role": "sensitive", "hierarchy": "code.csv"}}
    policy = policy_from_table(hospital(changes, require=require), folder=tmp_path, name="p")
    write_policy(policy, tmp_path / "p.toml")
    assert read_policy(tmp_path / "p.toml") == policy
    with pytest.raises(TargetError, match="is not in the folder of the hierarchy files"):
        write_policy(policy, tmp_path / "other" / "p.toml")
