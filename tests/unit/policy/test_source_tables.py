"""What does not fit between a policy of several tables and a source."""

import pytest
from table_policies import hospital

from sfumato.errors import PolicyError
from sfumato.policy import check_tables_against, policy_from_table

POLICY = policy_from_table(hospital(), name="hospital")
SOURCE = {name: list(table.fields) for name, table in POLICY.tables.items()}


def misfits(policy, tables):
    with pytest.raises(PolicyError) as caught:
        check_tables_against(policy, tables)
    assert str(caught.value).startswith("Policy hospital, compared with the source, has")
    return [str(problem) for problem in caught.value.problems]


def test_a_source_with_the_same_tables_fits_and_other_tables_stay_behind():
    check_tables_against(POLICY, SOURCE)
    check_tables_against(POLICY, SOURCE | {"billing": ["patient_id", "amount"], "empty": []})


def test_a_table_that_the_source_lacks_is_told_with_the_nearest_one():
    tables = {"Visits" if name == "visits" else name: fields for name, fields in SOURCE.items()}
    assert misfits(POLICY, tables) == [
        'tables.visits: The source has no such table. Did you mean "Visits"?'
    ]


def test_a_source_without_tables_is_told_once():
    assert misfits(POLICY, {}) == ["source: It has no tables. Try another source."]


def test_what_does_not_fit_in_each_table_is_told_at_once():
    tables = SOURCE | {
        "visits": ["visit_id", "patient_id", "Admitted", "physician_id"],
        "diagnoses": [],
        "physicians": ["physician_id", "specialty", "specialty"],
    }
    assert misfits(POLICY, tables) == [
        'tables.visits.fields.admitted: The source has no such field. Did you mean "Admitted"?',
        'tables.visits.fields: The source has a field "Admitted" that the policy '
        "does not name. "
        'Try [tables.visits.fields.Admitted] with a role, or other_fields = "remove".',
        "source.diagnoses: It has no fields. Try a table with a line of names.",
        'source.physicians: It has 2 fields called "specialty". Try giving each its own name.',
    ]


def test_other_fields_may_be_removed_from_every_table():
    policy = policy_from_table(hospital(other_fields="remove"), name="hospital")
    check_tables_against(policy, SOURCE | {"visits": [*SOURCE["visits"], "bed"]})
