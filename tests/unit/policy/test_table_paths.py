"""Which links lead to the person, and which table comes before which."""

import pytest
from hypothesis import given
from table_policies import NUMBER, hospital, policies_of_tables

from sfumato.errors import Bug
from sfumato.policy import (
    Link,
    Policy,
    all_paths_to_person,
    ancestors,
    is_linkable,
    order_of_tables,
    path_to_person,
    person_field,
    person_table,
    policy_from_table,
    reference_tables,
)

PLAIN = policy_from_table(hospital())
# Diagnoses lead to the person in two ways, and a patient to a doctor.
TANGLED = policy_from_table(
    hospital(
        {
            "diagnoses.links.patient_id": "patients.patient_id",
            "diagnoses.fields.patient_id": NUMBER,
            "patients.links": {"doctor": "physicians.physician_id"},
            "patients.fields.doctor": NUMBER,
            "wards": {"fields": {"ward": "insensitive"}},
        }
    )
)


def fields(chain):
    return tuple(link.field for link in chain)


def test_the_person_key():
    assert (person_table(PLAIN), person_field(PLAIN)) == ("patients", "patient_id")


@pytest.mark.parametrize("policy", [Policy(fields={}), Policy(fields={}, entity="patient_id")])
def test_a_policy_of_one_table_has_no_person_table(policy):
    with pytest.raises(Bug):
        person_table(policy)


def test_the_shortest_way_to_the_person():
    assert path_to_person(PLAIN, "patients") == ()
    assert path_to_person(PLAIN, "visits") == (
        Link(field="patient_id", table="patients", key="patient_id"),
    )
    assert fields(path_to_person(PLAIN, "diagnoses")) == ("visit_id", "patient_id")
    assert path_to_person(PLAIN, "physicians") is None
    assert fields(path_to_person(TANGLED, "diagnoses")) == ("patient_id",)


def test_every_way_to_the_person():
    assert all_paths_to_person(PLAIN, "patients") == ((),)
    assert all_paths_to_person(PLAIN, "physicians") == ()
    assert [fields(chain) for chain in all_paths_to_person(TANGLED, "diagnoses")] == [
        ("patient_id",),
        ("visit_id", "patient_id"),
    ]


def test_two_links_of_one_table_to_the_person_are_two_ways():
    changes = {"visits.links.payer": "patients.patient_id", "visits.fields.payer": NUMBER}
    policy = policy_from_table(hospital(changes))
    assert [fields(chain) for chain in all_paths_to_person(policy, "visits")] == [
        ("patient_id",),
        ("payer",),
    ]
    assert fields(path_to_person(policy, "visits")) == ("patient_id",)


def test_what_is_above_a_table():
    assert ancestors(PLAIN, "diagnoses") == ("visits", "patients", "physicians")
    assert ancestors(PLAIN, "patients") == ()
    assert ancestors(TANGLED, "patients") == ("physicians",)


def test_rows_are_linkable_by_any_chain_that_leaves():
    assert [name for name in PLAIN.tables if is_linkable(PLAIN, name)] == ["patients", "visits"]
    # The short way is removed, and the long one stays.
    changes = {
        "diagnoses.links.patient_id": "patients.patient_id",
        "diagnoses.fields.patient_id": "direct",
        "diagnoses.fields.visit_id": NUMBER,
    }
    policy = policy_from_table(hospital(changes))
    assert fields(path_to_person(policy, "diagnoses")) == ("patient_id",)
    assert is_linkable(policy, "diagnoses")
    policy = policy_from_table(hospital(changes | {"visits.fields.patient_id": "direct"}))
    assert not is_linkable(policy, "diagnoses")
    changes = {"patients.fields.patient_id": "direct", "visits.fields.patient_id": "direct"}
    assert not is_linkable(policy_from_table(hospital(changes)), "patients")


def test_tables_of_nobody():
    assert reference_tables(PLAIN) == ("physicians",)
    assert reference_tables(TANGLED) == ("physicians", "wards")


def test_tables_come_after_what_they_link_to_and_the_person_early():
    assert order_of_tables(PLAIN) == ("patients", "physicians", "visits", "diagnoses")
    assert order_of_tables(TANGLED) == ("physicians", "patients", "visits", "diagnoses", "wards")


def test_an_order_that_cannot_be_is_our_mistake():
    with pytest.raises(Bug):
        order_of_tables(Policy(fields={}, tables=TANGLED.tables, entity="nobody.id"))


@given(policies_of_tables())
def test_order_and_ways_agree_in_every_policy(policy):
    order, person = order_of_tables(policy), person_table(policy)
    assert sorted(order) == sorted(policy.tables)
    for name, table in policy.tables.items():
        assert all(order.index(link.table) < order.index(name) for link in table.links)
        shortest, chains = path_to_person(policy, name), all_paths_to_person(policy, name)
        assert (shortest is None) == (name in reference_tables(policy)) == (not chains)
        assert chains == () or shortest == chains[0]
        for chain in chains:
            here = name
            for link in chain:
                assert link in policy.tables[here].links
                here = link.table
            assert here == person
    before = order[: order.index(person)]
    assert set(before) <= set(ancestors(policy, person))
