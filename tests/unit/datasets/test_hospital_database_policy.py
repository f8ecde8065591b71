"""The policy of the made-up hospital database: it is read without a problem and fits the tables
that it is for."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from itertools import combinations

import pytest

from sfumato.datasets import (
    HOSPITAL_DATABASE_POLICY,
    HOSPITAL_DATABASE_TYPES,
    write_hospital_database,
)
from sfumato.datasets.hospital_database_policy import SMALL, TINY, hospital_database_policy
from sfumato.hierarchies import hierarchy_from_table
from sfumato.policy import read_policy
from sfumato.policy.records import Role
from sfumato.releases import Key, release

POLICY = tomllib.loads(HOSPITAL_DATABASE_POLICY)


def test_it_is_read_and_decides_about_every_field(tmp_path):
    policy = read_policy(write_hospital_database(tmp_path, visits=100) / "hospital.policy.toml")
    assert {name: set(table.fields) for name, table in policy.tables.items()} == {
        name: set(types) for name, types in HOSPITAL_DATABASE_TYPES.items()
    }
    assert policy.entity == "patients.patient_id"
    assert not policy.proposed
    quasi = {
        name for name, field in policy.tables["patients"].fields.items() if field.role is Role.QUASI
    }
    assert quasi == {"birth", "sex", "ethnicity", "zip"}


def test_no_date_leaves_as_it_is():
    """Recoded, shifted, removed, or generalised until any two of a patient's are those of five
    (Sweeney 1997, 3.9)."""
    fields = {
        (table, name): POLICY["tables"][table]["fields"][name]
        for table, types in HOSPITAL_DATABASE_TYPES.items()
        for name, kind in types.items()
        if kind == "DATE"
    }
    sets = {
        (asked["table"], asked["field"]) for asked in POLICY["require"]["k_m"] if asked["m"] >= 2
    }
    assert len(fields) == 4
    for place, decided in fields.items():
        assert (
            decided == "direct" or "shift" in decided or decided["role"] == "quasi" or place in sets
        )


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ("patients", "birth"),
        ("patients", "zip"),
        ("visits", "principal_diagnosis"),
        ("diagnoses", "code"),
    ],
)
def test_hierarchies_cover_every_value(table, field, large):
    values = large[table][field]
    texts = {str(value)[:10] if field == "birth" else value for value in values.tolist()}
    hierarchy = hierarchy_from_table(POLICY["tables"][table]["fields"][field]["hierarchy"]).bind(
        sorted(texts)
    )
    assert len(set(hierarchy.labels[-2])) > 1
    assert set(hierarchy.labels[-1]) == {"*"}


def test_two_diagnoses_tell_a_patient_and_two_groups_of_them_do_not(small):
    """What the policy's k^m-anonymity is for, and that its hierarchy has a level at which it can be
    kept."""
    person = dict(
        zip(
            small["visits"]["visit_id"].tolist(),
            small["visits"]["patient_id"].tolist(),
            strict=True,
        )
    )
    codes = small["diagnoses"]["code"].tolist()
    known = sorted(set(codes))
    hierarchy = hierarchy_from_table(
        POLICY["tables"]["diagnoses"]["fields"]["code"]["hierarchy"]
    ).bind(known)
    smallest = []
    for level in (0, 2):
        label = {
            code: hierarchy.labels[level][hierarchy.up[level][place]]
            for place, code in enumerate(known)
        }
        sets = defaultdict(set)
        for visit, code in zip(small["diagnoses"]["visit_id"].tolist(), codes, strict=True):
            sets[person[visit]].add(label[code])
        pairs = defaultdict(int)
        for values in sets.values():
            for pair in combinations(sorted(values), 2):
                pairs[pair] += 1
        smallest.append(min(pairs.values()))
    assert smallest[0] == 1
    assert smallest[1] >= 5


@pytest.mark.parametrize(
    ("visits", "k", "bin_size", "most"),
    [
        (100, 2, None, 0.0),
        (TINY - 1, 2, None, 0.0),
        (TINY, 5, 2, 0.25),
        (SMALL - 1, 5, 2, 0.25),
        (SMALL, 5, 5, 0.05),
    ],
)
def test_of_few_patients_fewer_must_share(visits, k, bin_size, most):
    policy = tomllib.loads(hospital_database_policy(visits))
    tables = ("visits", "diagnoses", "procedures", "medications")
    assert [policy["tables"][name]["row_counts"].get("bin_size") for name in tables] == [
        bin_size
    ] * 4
    assert {policy["require"]["k"], *(asked["k"] for asked in policy["require"]["k_m"])} == {k}
    assert policy["require"]["max_suppression"] == most


@pytest.mark.long("a release of each size; one stays", every=2)
@pytest.mark.parametrize("visits", [100, TINY])
def test_the_demo_is_released_at_the_smallest_sizes(tmp_path, visits):
    folder = write_hospital_database(tmp_path / "hospital", visits=visits)
    policy = (folder / "hospital.policy.toml").replace(tmp_path / "hospital.policy.toml")
    made = release(folder, policy, to=tmp_path / "out", key=Key.generate())
    assert made.outcome == "pass"
