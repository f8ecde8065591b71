"""Several tables in a policy: what may be said of each, and every mistake in it."""

import pytest
from policies import problems, table
from table_policies import NUMBER, hospital, told

from sfumato.policy import (
    DateShift,
    Link,
    Method,
    Orphans,
    Policy,
    Role,
    RowCountMerging,
    RowCountPolicy,
    policy_from_table,
    problems_in,
)


def test_what_is_not_said_of_a_table_has_its_default():
    policy = policy_from_table(hospital())
    assert (policy.fields, tuple(policy.tables)) == (
        {},
        ("patients", "visits", "diagnoses", "physicians"),
    )
    assert policy.entity == "patients.patient_id"
    found = policy.tables["diagnoses"]
    assert (found.name, found.key, found.row_counts, found.orphans) == (
        "diagnoses",
        "",
        RowCountPolicy(),
        Orphans.REFUSE,
    )


def test_what_is_said_of_a_table_is_read():
    counts = {"bin_size": 5, "linking": 1, "merging": "datafly"}
    found = policy_from_table(
        hospital({"visits.row_counts": counts, "visits.orphans": "remove"})
    ).tables["visits"]
    assert found.key == "visit_id"
    assert found.links == (
        Link(field="patient_id", table="patients", key="patient_id"),
        Link(field="physician_id", table="physicians", key="physician_id"),
    )
    assert found.row_counts == RowCountPolicy(
        bin_size=5, linking=1.0, merging=RowCountMerging.DATAFLY
    )
    assert found.orphans is Orphans.REMOVE
    assert found.fields["visit_id"].replace.method is Method.NUMBER
    assert found.fields["admitted"].shift == DateShift(days=30, per="patients.patient_id")


def test_the_view_of_a_table_is_a_policy_of_its_own():
    recipient = {
        "me": {
            "linking": {"birth": 0.2, "visits.admitted": 0.4},
            "distortion": {"patients.name": 0.6},
        }
    }
    k_m = {"k": 2, "m": 1, "table": "diagnoses", "field": "code"}
    code = {"role": "sensitive", "hierarchy": {"prefix": [3]}}
    changes = {
        "diagnoses.fields.code": code,
        "visits.row_counts": {"bin_size": 3},
        "visits.fields.birth": "sensitive",
    }
    policy = policy_from_table(
        hospital(changes, recipient=recipient, release_to="me", require={"k": 2, "k_m": k_m})
    )
    patients, visits, diagnoses = (
        policy.of_table(name) for name in ("patients", "visits", "diagnoses")
    )
    assert patients.named(Role.QUASI) == ("birth",)
    assert (patients.profile.linking, patients.profile.distortion) == (
        {"birth": 0.2},
        {"name": 0.6},
    )
    # The birth that the recipient knows is the patient's, and not another field of that name.
    assert visits.profile.linking == {"admitted": 0.4}
    assert (visits.row_counts.bin_size, visits.require.each("k_m")) == (3, ())
    assert [(asked.table, asked.field) for asked in diagnoses.require.each("k_m")] == [("", "code")]


def test_names_may_have_dots_and_spaces():
    given = {
        "entity": "hospital.patients.patient id",
        "tables": {
            "hospital.patients": {"key": "patient id", "fields": {"patient id": NUMBER}},
            "hospital.visits": {
                "links": {"patient.id": "hospital.patients.patient id"},
                "fields": {"patient.id": NUMBER},
            },
        },
        "require": {"k": 2},
    }
    link = policy_from_table(given).tables["hospital.visits"].links[0]
    assert (link.table, link.key) == ("hospital.patients", "patient id")
    given["tables"]["hospital.visits"]["fields"]["patient.id"] = {
        "role": "direct",
        "replace": "hash",
    }
    assert told(given).startswith('tables."hospital.visits".fields."patient.id".replace: ')


def test_there_are_fields_or_tables_and_not_both():
    said = told(hospital(fields={"zip": "quasi"}))
    assert said.startswith(
        "tables: There are [fields] and [tables], and a policy is about one table or about several."
    )


@pytest.mark.parametrize("given", [{}, {"tables": {}}, {"fields": {}}])
def test_there_are_fields_or_tables(given):
    assert told(given) == (
        "fields: The policy names no field. "
        "Try [fields.NAME] with a role, or [tables.NAME.fields] for each of several tables."
    )
    assert problems_in(Policy(fields={}))[0].where == "fields"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"visits.orfans": "remove"},
            'tables.visits.orfans: There is no such key here. Did you mean "orphans"?',
        ),
        ({"visits.orphans": "drop"}, "tables.visits.orphans: "),
        ({"visits.key": 3}, "tables.visits.key: It must be a text, and is a whole number."),
        (
            {"visits.links": ["patient_id"]},
            "tables.visits.links: It must be a table, and is a list.",
        ),
        (
            {"visits.links.patient_id": 3},
            "tables.visits.links.patient_id: It must be a text, and is a whole number.",
        ),
        (
            {"visits.links.patient_id": ""},
            "tables.visits.links.patient_id: A link leads to the key of a table.",
        ),
        (
            {"visits.row_counts": 5},
            "tables.visits.row_counts: It must be a table, and is a whole number.",
        ),
        (
            {"visits.row_counts": {"bin_size": 1}},
            "tables.visits.row_counts.bin_size: It is 1, and must be 2 or more.",
        ),
        (
            {"visits.row_counts": {"linking": 1.5}},
            "tables.visits.row_counts.linking: It is 1.5, and must be from 0",
        ),
        ({"visits.row_counts": {"merging": "dataflie"}}, "tables.visits.row_counts.merging: "),
        (
            {"visits.row_counts": {"size": 3}},
            "tables.visits.row_counts.size: There is no such key here.",
        ),
        ({"visits.fields": "quasi"}, "tables.visits.fields: It must be a table, and is a text."),
        ({"visits.fields": None}, "tables.visits.fields: The table names no field."),
        ({"visits": "quasi"}, "tables.visits: It must be a table, and is a text."),
        (
            {"visits.fields.ward": "quazi"},
            'tables.visits.fields.ward.role: There is no role "quazi".',
        ),
        ({"visits.fields.patient_id": "diret"}, "tables.visits.fields.patient_id.role: "),
        ({"patients.fields.patient_id": "diret"}, "tables.patients.fields.patient_id.role: "),
        (
            {"visits.fields.admitted": {"role": "insensitive", "shift": {}}},
            "tables.visits.fields.admitted.shift.days",
        ),
        (
            {
                "patients.fields.since": {
                    "role": "insensitive",
                    "shift": {"days": "x"},
                },  # and 30 is not wrong
            },
            "tables.patients.fields.since.shift.days: It must be a whole number",
        ),
        (
            {"visits.fields.ward": {"role": "direct", "replace": "numbr"}},
            "tables.visits.fields.ward.replace: ",
        ),
    ],
)
def test_what_cannot_be_read_is_told_once_with_its_place(changes, said):
    if changes == {"visits.fields": None}:  # its key and its links are fields that are not there
        assert problems(hospital(changes))["tables.visits.fields"].startswith(said)
    else:
        assert told(hospital(changes)).startswith(said)


def test_tables_are_a_table():
    assert told(hospital() | {"tables": "patients"}) == "tables: It must be a table, and is a text."


@pytest.mark.parametrize(
    ("field", "said"),
    [
        (
            {"role": "sensitive", "rank": 2},
            "tables.visits.fields.x.rank: A rank has no effect on a field that is",
        ),
        (
            {"role": "insensitive", "follows": "birth"},
            'tables.visits.fields.x.follows: There is no field "birth".',
        ),
        (
            {"role": "sensitive", "hierarchy": {"prefix": [3]}},
            "tables.visits.fields.x.hierarchy: A hierarchy has no effect on a field that is sensitive. "
            'Try role = "quasi", or a k_m that names x.',
        ),
        (
            {"role": "direct", "hierarchy": {"prefix": [3]}},
            "tables.visits.fields.x.hierarchy: A hierarchy has no effect on a field that is direct. "
            'Try role = "quasi".',
        ),
    ],
)
def test_the_rules_about_fields_hold_in_every_table(field, said):
    assert told(hospital({"visits.fields.x": field})).startswith(said)


def test_something_of_every_table_must_leave():
    changes = {"diagnoses.fields": {"visit_id": "direct"}}
    assert told(hospital(changes)).startswith("tables.diagnoses.fields: Every field is removed")


def test_a_table_that_leads_to_nobody_has_no_quasi_fields():
    assert told(hospital({"physicians.fields.town": "quasi"})) == (
        "tables.physicians.fields.town.role: No link leads from physicians to a person, so "
        "its rows belong to nobody, and quasi fields are about people. Try a link towards "
        'the person, role = "sensitive" or "insensitive", or "direct" to remove it.'
    )


def test_a_table_that_nothing_links_to_is_a_reference_table():
    wards = {"fields": {"ward": "insensitive", "beds": "sensitive"}}
    assert policy_from_table(hospital({"wards": wards}))
    wards["fields"]["beds"] = "quasi"
    assert told(hospital({"wards": wards})).startswith(
        "tables.wards.fields.beds.role: No link leads from wards"
    )


def test_dates_of_nobody_are_not_moved():
    since = {"role": "insensitive", "shift": {"days": 30}}
    assert told(hospital({"physicians.fields.since": since})).startswith(
        "tables.physicians.fields.since.shift: No link leads from physicians to a person, so "
        "its rows belong to nobody, and dates are moved person by person."
    )


@pytest.mark.parametrize(
    ("name", "per"),
    [
        ("patients", "patient_id"),
        ("visits", "patient_id"),
        ("visits", "patients.patient_id"),
        ("diagnoses", "patient_id"),  # it has no such field of its own
    ],
)
def test_dates_are_moved_by_the_person_key_which_may_be_named(name, per):
    shifted = {"role": "insensitive", "shift": {"days": 30, "per": per}}
    assert (
        policy_from_table(hospital({f"{name}.fields.x": shifted}))
        .tables[name]
        .fields["x"]
        .shift.per
        == per
    )


def test_dates_are_moved_by_the_link_to_the_person_whatever_it_is_called():
    changes = {
        "visits.links": {"who": "patients.patient_id"},
        "visits.fields": {
            "visit_id": NUMBER,
            "who": NUMBER,
            "x": {"role": "insensitive", "shift": {"days": 9, "per": "who"}},
        },
    }
    assert policy_from_table(hospital(changes))
    changes["visits.fields"]["patient_id"] = "direct"  # of that name, and not the link
    changes["visits.fields"]["x"]["shift"]["per"] = "patient_id"
    assert told(hospital(changes)).startswith(
        'tables.visits.fields.x.shift.per: "patient_id" is not the person key.'
    )


def test_dates_of_one_person_move_together_over_all_tables():
    shifted = {"role": "insensitive", "shift": {"days": 60}}
    assert told(hospital({"diagnoses.fields.since": shifted})) == (
        "tables.diagnoses.fields.since.shift.days: It is 60, and 30 for visits.admitted: "
        "the dates of one person move "
        "together. Try days = 30 for all of them."
    )


@pytest.mark.parametrize("per", ["visit_id", "physician_id", "nobody"])
def test_dates_are_moved_by_nothing_else(per):
    shifted = {"role": "insensitive", "shift": {"days": 30, "per": per}}
    said = told(hospital({"visits.fields.admitted": shifted}))
    assert said.startswith(
        f'tables.visits.fields.admitted.shift.per: "{per}" is not the person key.'
    )
    assert said.endswith("Try leaving it out: it is patients.patient_id.")


def test_intervals_are_not_perturbed_over_several_tables():
    shifted = {"role": "insensitive", "shift": {"days": 30, "intervals": "perturb"}}
    assert told(hospital({"visits.fields.admitted": shifted})) == (
        "tables.visits.fields.admitted.shift.intervals: With several tables, the days "
        "between a person's dates are "
        'not perturbed yet. Try intervals = "keep".'
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "patients",
            "patients has one row for each person, so that their number discloses nothing.",
        ),
        (
            "physicians",
            "No link leads from physicians to a person, so nobody has a number of rows in it.",
        ),
    ],
)
def test_a_number_of_rows_is_protected_where_a_person_can_have_several(name, said):
    assert told(hospital({f"{name}.row_counts": {"bin_size": 5}})).startswith(
        f"tables.{name}.row_counts: {said}"
    )


def test_a_table_without_links_has_no_orphans():
    said = told(hospital({"physicians.orphans": "remove"}))
    assert said.startswith(
        "tables.physicians.orphans: physicians has no links, so that none can lead nowhere."
    )


def test_what_is_said_of_a_single_table_is_not_said_of_several():
    found = problems(hospital(household="patient_id", row_counts={"bin_size": 3}))
    assert set(found) == {"household", "row_counts"}
    assert "not kept together over several tables yet" in found["household"]
    assert "Try row_counts under [tables.NAME]." in found["row_counts"]


def test_a_number_of_rows_in_a_single_table_needs_a_person_key():
    said = told(table(row_counts={"bin_size": 3}))
    assert said.startswith(
        "row_counts: No field identifies the person of a row, so rows per person cannot be counted."
    )
    assert told(table(entity="id", row_counts={"bin_size": 1})).startswith("row_counts.bin_size: ")


def test_problems_of_all_tables_are_told_at_once():
    changes = {
        "visits.links.physician_id": "physicans.physician_id",
        "physicians.fields.town": "quasi",
        "diagnoses.fields.code": {"role": "sensitive", "rank": 3},
        "patients.row_counts": {"bin_size": 5},
    }
    assert list(problems(hospital(changes, nulls="x"))) == [
        "nulls",
        "tables.visits.links.physician_id",
        "tables.diagnoses.fields.code.rank",
        "tables.physicians.fields.town.role",
        "tables.patients.row_counts",
    ]
