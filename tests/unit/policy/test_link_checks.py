"""The person key, the keys and the links of several tables: every way in which they do not hold
together."""

import pytest
from policies import problems
from table_policies import NUMBER, hospital, told

from sfumato.policy import policy_from_table


@pytest.mark.parametrize(
    ("entity", "said"),
    [
        (
            "patient.patient_id",
            'There is no table "patient". Did you mean "patients"? Try "patients.patient_id".',
        ),
        ("patients.patientid", 'patients has no field "patientid". Did you mean "patient_id"?'),
        (
            "patient_id",
            'With several tables, "patient_id" does not name the table of the person key. '
            'Try "patients.patient_id".',
        ),
        (
            "nobody",
            'With several tables, "nobody" does not name the table of the person key. Try '
            '"TABLE.nobody".',
        ),
        (
            "patients.birth",
            "The person key patients.birth is quasi, so it would be released as it is.",
        ),
        (
            "patients.name",
            "name is not the key of patients, and the person's table has one row for each "
            "person. Try",
        ),
    ],
)
def test_the_person_key_is_the_key_of_a_table(entity, said):
    assert told(hospital(entity=entity)).startswith(f"entity: {said}")


def test_several_tables_need_a_person_key():
    given = hospital()
    del given["entity"]
    assert told(given) == (
        "entity: No field identifies the person of a row, and people are to be counted. Try "
        'entity = "TABLE.FIELD": the person key, in the table with one row for each person.'
    )


def test_the_key_of_the_persons_table_is_named():
    given = hospital(
        {"patients.key": None, "visits.links.patient_id": None, "diagnoses.links": None}
    )
    del given["tables"]["visits"], given["tables"]["diagnoses"]
    assert told(given).endswith('Try key = "patient_id" under [tables.patients].')


def test_a_name_that_could_be_two_things_is_refused():
    given = {
        "entity": "a.b.c",
        "tables": {
            "a": {"key": "b.c", "fields": {"b.c": NUMBER}},
            "a.b": {"key": "c", "fields": {"c": NUMBER}},
            "x": {"links": {"y": "a.b.c"}, "fields": {"y": NUMBER}},
        },
    }
    found = problems(given)
    assert found["entity"].startswith(
        'entity: It could be "b.c" of "a" and "c" of "a.b". Try names without dots'
    )
    assert found["tables.x.links.y"].startswith(
        'tables.x.links.y: It could be "b.c" of "a" and "c" of "a.b".'
    )


def test_a_key_is_a_field_that_does_not_leave_as_it_is():
    said = told(hospital({"diagnoses.key": "cod"}))
    assert said.startswith('tables.diagnoses.key: There is no field "cod". Did you mean "code"?')
    said = told(hospital({"diagnoses.key": "code"}))
    assert said.startswith(
        "tables.diagnoses.key: The key code is insensitive, so it would be released as it is."
    )


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("physicans.physician_id", 'There is no table "physicans". Did you mean "physicians"?'),
        (
            "physicians.specialty",
            '"specialty" is not the key of physicians. Try "physicians.physician_id".',
        ),
        ("physicians.id", '"id" is not the key of physicians. Try "physicians.physician_id".'),
        ("physicians", 'It does not say which field. Try "physicians.physician_id".'),
    ],
)
def test_a_link_leads_to_the_key_of_a_table(target, said):
    said = f"tables.visits.links.physician_id: {said}"
    assert told(hospital({"visits.links.physician_id": target})).startswith(said)


def test_a_link_to_a_table_without_a_key_says_which_line_to_add():
    given = hospital({"physicians.key": None})
    assert told(given) == (
        "tables.visits.links.physician_id: physicians has no key to link to. "
        'Try key = "physician_id" under [tables.physicians].'
    )


def test_a_link_starts_at_a_field():
    given = hospital(
        {"visits.links.phys_id": "physicians.physician_id", "visits.links.physician_id": None}
    )
    assert told(given).startswith(
        'tables.visits.links.phys_id: visits has no field "phys_id". Did you mean "physician_id"?'
    )


def test_links_do_not_go_round_in_a_circle():
    changes = {
        "physicians.links": {"first": "diagnoses.diagnosis_id"},
        "physicians.fields.first": NUMBER,
        "diagnoses.key": "diagnosis_id",
        "diagnoses.fields.diagnosis_id": NUMBER,
    }
    said = told(hospital(changes))
    assert said.startswith(
        "tables.visits.links.physician_id: The links of visits, physicians, diagnoses go "
        "round in a circle. "
        'Try leaving this link out, with role = "direct" for physician_id.'
    )


def test_a_table_does_not_link_to_itself():
    changes = {
        "patients.links": {"mother": "patients.patient_id"},
        "patients.fields.mother": NUMBER,
    }
    assert told(hospital(changes)).startswith(
        "tables.patients.links.mother: patients links to itself."
    )


@pytest.mark.parametrize("role", ["quasi", "sensitive", "insensitive", "text"])
def test_a_link_is_as_direct_as_the_key(role):
    found = problems(hospital({"visits.fields.physician_id": role}))
    assert found["tables.visits.fields.physician_id.role"] == (
        "tables.visits.fields.physician_id.role: physician_id links to "
        "physicians.physician_id, which is direct; "
        f'as {role} it would be released as it is. Try role = "direct" with replace = "number", as '
        "physicians.physician_id has, or without, which removes it."
    )


def test_a_link_may_be_removed():
    assert policy_from_table(hospital({"visits.fields.physician_id": "direct"}))


def test_a_key_is_not_removed_under_links_that_stay():
    assert told(hospital({"physicians.fields.physician_id": "direct"})) == (
        "tables.visits.fields.physician_id.replace: physician_id links to "
        "physicians.physician_id, which is removed, "
        'so that the link would lead nowhere. Try replace = "number" for '
        "physicians.physician_id too, "
        "or removing both."
    )
    changes = {"physicians.fields.physician_id": "direct", "visits.fields.physician_id": "direct"}
    assert policy_from_table(hospital(changes))


@pytest.mark.parametrize(
    "other", ["hash", "mask", "lookup", {"method": "surrogate", "kind": "name"}]
)
def test_a_link_is_replaced_as_the_key_is(other):
    assert told(hospital({"visits.fields.physician_id": {"role": "direct", "replace": other}})) == (
        "tables.visits.fields.physician_id.replace: physician_id links to "
        "physicians.physician_id, which is replaced "
        'in another way, so that the link would break. Try replace = "number", as '
        "physicians.physician_id has, "
        "or removing physician_id."
    )


def test_surrogates_of_two_kinds_are_replaced_in_two_ways():
    name, city = (
        {"role": "direct", "replace": {"method": "surrogate", "kind": kind}}
        for kind in ("name", "city")
    )
    changes = {"visits.fields.physician_id": name, "physicians.fields.physician_id": city}
    assert 'Try replace = { method = "surrogate", kind = "city" }, as' in told(hospital(changes))
    changes["visits.fields.physician_id"] = city
    assert policy_from_table(hospital(changes))


@pytest.mark.parametrize("constant", ["mask", "null"])
def test_a_constant_is_no_link(constant):
    mask = {"role": "direct", "replace": constant}
    changes = {"visits.fields.physician_id": mask, "physicians.fields.physician_id": mask}
    assert told(hospital(changes)).startswith(
        "tables.visits.fields.physician_id.replace: A "
        + constant
        + " is the same for every value, so "
        "that physician_id would "
        "link to every row of physicians."
    )
    changes["visits.fields.physician_id"] = "direct"
    assert policy_from_table(hospital(changes))


def test_two_ways_to_the_person_are_allowed():
    changes = {
        "diagnoses.links.patient_id": "patients.patient_id",
        "diagnoses.fields.patient_id": NUMBER,
    }
    assert policy_from_table(hospital(changes))


def test_the_persons_table_may_link_to_a_reference_table():
    changes = {
        "patients.links": {"doctor": "physicians.physician_id"},
        "patients.fields.doctor": NUMBER,
    }
    assert policy_from_table(hospital(changes))


def test_numbers_that_nobody_knows_are_not_known_together():
    changes = {"visits.row_counts": {"linking": 0, "together": True}}
    assert told(hospital(changes)).startswith(
        "tables.visits.row_counts.together: With linking = 0 nobody knows the number of rows"
    )


def test_one_table_has_no_other_number_to_be_known_together():
    table = {
        "entity": "id",
        "fields": {"id": NUMBER, "age": "quasi"},
        "require": {"k": 5},
        "row_counts": {"together": True},
    }
    assert told(table).startswith("row_counts.together: There is one table")


def test_nothing_is_said_that_only_follows_from_a_link_that_leads_nowhere():
    changes = {
        "visits.links.patient_id": "patient.patient_id",
        "visits.fields.ward": "quasi",
        "visits.row_counts": {"bin_size": 5},
        "diagnoses.fields.when": {"role": "insensitive", "shift": {"days": 30}},
    }
    assert told(hospital(changes)).startswith(
        'tables.visits.links.patient_id: There is no table "patient".'
    )
