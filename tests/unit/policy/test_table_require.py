"""What is required of several tables, and what a recipient knows of them."""

import pytest
from policies import problems, table
from table_policies import NUMBER, hospital, told

from sfumato.parts import Shape
from sfumato.policy import SOLVERS, policy_from_table
from sfumato.policy.declared_solvers import solvers_of
from sfumato.protection import MODELS, KMRequirement

CODE = {"role": "sensitive", "hierarchy": {"icd": "9"}}
ASKED = {"k": 5, "m": 2, "table": "diagnoses", "field": "code"}


def asking(k_m, changes=None, **require):
    return hospital(
        {"diagnoses.fields.code": CODE} | (changes or {}), require={"k": 5, "k_m": k_m} | require
    )


def test_sets_of_values_are_read():
    found = policy_from_table(asking(ASKED | {"within_bins": True})).require.each("k_m")
    assert found == (KMRequirement(k=5, m=2, table="diagnoses", field="code", within_bins=True),)
    found = policy_from_table(asking([ASKED, ASKED | {"k": 2, "m": 3}])).require.each("k_m")
    assert [(asked.k, asked.m, asked.within_bins) for asked in found] == [
        (5, 2, False),
        (2, 3, False),
    ]


def test_sets_of_values_in_a_single_table_are_made_by_the_person_key():
    given = table(
        entity="id",
        fields={"problem": CODE},
        require={"k": 2, "k_m": {"k": 5, "m": 2, "field": "problem"}},
    )
    assert policy_from_table(given).require.each("k_m") == (
        KMRequirement(k=5, m=2, field="problem"),
    )
    del given["entity"]
    assert told(given).startswith(
        "require.k_m: The set of a person is made of their rows, and no field identifies the "
        "person of a row."
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"table": "visits"},
            "require.k_m.table: The policy has one table, and so nothing to choose from.",
        ),
        (
            {"field": "problm"},
            'require.k_m.field: There is no field "problm". Did you mean "problem"?',
        ),
        (
            {"field": "zip"},
            "require.k_m.field: zip is quasi, and only a sensitive or insensitive field "
            "can be asked",
        ),
    ],
)
def test_sets_of_values_fit_a_single_table(change, said):
    asked = {"k": 5, "m": 2, "field": "problem"} | change
    fields = {"problem": "sensitive"} if change.get("field") else {"problem": CODE}
    assert told(table(entity="id", fields=fields, require={"k": 2, "k_m": asked})).startswith(said)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"k": 1}, "require.k_m.k: It is 1, and must be 2 or more."),
        ({"m": 0}, "require.k_m.m: It is 0, and must be from 1 to 4."),
        ({"m": 5}, "require.k_m.m: It is 5, and must be from 1 to 4."),
        ({"within_bins": 1}, "require.k_m.within_bins: It must be true or false"),
        ({"feild": "code"}, 'require.k_m.feild: There is no such key here. Did you mean "field"?'),
        (
            {"table": "diagnosis"},
            'require.k_m.table: There is no table "diagnosis". Did you mean "diagnoses"?',
        ),
        (
            {"table": ""},
            "require.k_m.table: It does not say which table has the field. Try one of "
            "patients, visits,",
        ),
    ],
)
def test_what_is_asked_of_sets_is_told_where_it_is_wrong(change, said):
    given = asking(ASKED | change)
    if "table" in change:  # and then nothing asks for the hierarchy of code
        given["tables"]["diagnoses"]["fields"]["code"] = "sensitive"
    assert told(given).startswith(said)


@pytest.mark.parametrize("key", ["k", "m", "field"])
def test_what_is_asked_of_sets_is_complete(key):
    given = asking({name: value for name, value in ASKED.items() if name != key})
    if key == "field":
        given["tables"]["diagnoses"]["fields"]["code"] = "sensitive"
    assert told(given).startswith(f"require.k_m.{key}: It is missing.")


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("sensitive", "code has no hierarchy along which its values could be generalised."),
        (
            "direct",
            "code is direct, and only a sensitive or insensitive field can be asked for here.",
        ),
        (CODE | {"shift": {"days": 30}}, "The dates of code are moved"),
    ],
)
def test_the_values_of_a_set_are_generalised_and_nothing_else(field, said):
    assert told(asking(ASKED, {"diagnoses.fields.code": field})).startswith(
        f"require.k_m.field: {said}"
    )


def test_the_values_of_a_set_follow_nothing():
    changes = {
        "diagnoses.fields.code": CODE | {"follows": "ward"},
        "diagnoses.fields.ward": "quasi",
    }
    assert told(asking(ASKED, changes)).startswith(
        "require.k_m.field: code is suppressed where ward is"
    )


def test_a_hierarchy_that_cannot_be_read_is_not_missing_too():
    broken = {"role": "sensitive", "hierarchy": {"icd": "99"}}
    assert told(asking(ASKED, {"diagnoses.fields.code": broken})).startswith(
        "tables.diagnoses.fields.code.hierarchy: "
    )


def test_a_set_is_somebodys():
    skills = {"role": "sensitive", "hierarchy": {"prefix": [2]}}
    given = asking(
        ASKED | {"table": "physicians", "field": "skill"}, {"physicians.fields.skill": skills}
    )
    given["tables"]["diagnoses"]["fields"]["code"] = "sensitive"
    assert told(given).startswith(
        "require.k_m.table: No link leads from physicians to a person, so no person has a "
        "set of its values."
    )


def test_only_the_field_that_is_asked_for_has_a_hierarchy():
    said = told(asking(ASKED, {"visits.fields.code": CODE}))
    assert said.startswith(
        "tables.visits.fields.code.hierarchy: A hierarchy has no effect on a field that is sensitive."
    )


def test_what_sets_generalise_is_not_counted_inside_bins():
    asked = {"k": 2, "k_m": {"k": 5, "m": 2, "field": "problem"}, "l_diversity": {"l": 2}}
    said = told(table(entity="id", fields={"problem": CODE}, require=asked))
    assert said.startswith(
        "require.l_diversity: k_m generalises problem, so that its values are no longer there"
    )


def test_quasi_fields_of_the_person_leave_every_solver_and_requirement():
    require = {
        "bin_sizes": {"birth": 3},
        "l_diversity": {"l": 2, "fields": ["blood"]},
        "reading": "wildcard",
    }
    assert policy_from_table(
        hospital(require=require | {"k": 5}, solve={"solver": "local"}, nulls="matches-anything")
    )
    assert policy_from_table(
        hospital(require={"anonymity": {"level": 0.7}}, solve={"solver": "datafly"})
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_people_over_several_tables_are_counted_by_solvers_that_declare_it(solver):
    require = {"combinations": {"k": 5, "sizes": [1]}} if solver == "mu_argus" else {}
    given = hospital(
        {"visits.fields.ward": "quasi"}, require={"k": 5} | require, solve={"solver": solver}
    )
    if Shape.ACROSS_TABLES in SOLVERS[solver].abilities.shapes:
        assert policy_from_table(given).solve.solver == solver
    else:
        assert told(given) == (
            f"solve.solver: Outside the person's table: visits.ward. {solver} counts rows where people must be "
            f"counted. Try one of {solvers_of(Shape.ACROSS_TABLES)}."
        )


@pytest.mark.parametrize(
    "require",
    [
        {"quasi_identifiers": [["birth", "visits.ward"]]},
        {"k_map": {"k": 2, "population": "p.csv"}},
        {"bin_sizes": {"birth": 2, "visits.ward": 3}},
        {"combinations": {"k": 2, "sizes": [1]}},
        {"key_combinations": {"k": 2, "fields": ["birth", "visits.ward"]}},
        {"anonymity": {"level": 0.7}},
        {"non_uniqueness": {"fields": ["blood"]}},
        {"l_diversity": {"l": 2, "fields": ["patients.blood"]}},
        {"t_closeness": {"t": 0.2, "fields": ["blood"]}},
        {"p_sensitive": {"p": 2, "k": 2, "fields": ["blood"]}},
        {"alpha_k": {"alpha": 0.5, "k": 2, "fields": ["blood"]}},
        {"delta_disclosure": {"delta": 1, "fields": ["blood"]}},
        {"beta_likeness": {"beta": 1, "fields": ["blood"]}},
        {"confidence_gain": {"gain": 0.1, "fields": ["blood"]}},
        {"delta_presence": {"population": "p.csv"}},
        {"average_risk": 0.1},
        {"maximum_risk": 0.2},
        {"population_uniqueness": {"threshold": 0.1, "sampling_fraction": 0.1}},
    ],
    ids=lambda require: next(iter(require)),
)
def test_with_quasi_fields_elsewhere_models_count_people(require):
    assert policy_from_table(hospital({"visits.fields.ward": "quasi"}, require={"k": 5} | require))


@pytest.mark.parametrize(
    "key", [key for key in MODELS if Shape.ACROSS_TABLES not in MODELS[key].shapes]
)
def test_with_quasi_fields_elsewhere_a_model_without_a_meaning_is_refused(key):
    asked = {"width": 5} if key == "value_spread" else True
    found = problems(hospital({"visits.fields.ward": "quasi"}, require={"k": 5, key: asked}))
    assert found[f"require.{key}"].startswith(
        f"require.{key}: Outside the person's table: visits.ward."
    )


@pytest.mark.parametrize(
    ("require", "said"),
    [
        ({"bin_sizes": {"brith": 2}}, 'There is no field "brith".'),
        ({"bin_sizes": {"visits.wrad": 2}}, 'There is no field "visits.wrad".'),
        ({"l_diversity": {"l": 2, "fields": ["visits.ward"]}}, "visits.ward is quasi"),
    ],
)
def test_with_quasi_fields_elsewhere_a_wrong_name_is_not_passed_over(require, said):
    assert said in told(hospital({"visits.fields.ward": "quasi"}, require={"k": 5} | require))


def test_values_of_tables_that_no_bins_count_are_refused():
    """Over links, a recipient reaches the diagnoses of the people in a bin of visits, and nobody
    counts them there."""
    changes = {"visits.fields.ward": "quasi", "diagnoses.fields.code": "sensitive"}
    said = told(hospital(changes, require={"k": 5, "l_diversity": {"l": 2}}))
    assert said.startswith(
        "require.l_diversity: diagnoses.code is reached over links from tables in whose bins"
    )
    assert policy_from_table(
        hospital(changes, require={"k": 5, "l_diversity": {"l": 2, "fields": ["blood"]}})
    )


def test_with_quasi_fields_elsewhere_cells_match_only_themselves():
    given = hospital(
        {"visits.fields.ward": "quasi"},
        nulls="matches-anything",
        require={"k": 5, "reading": "wildcard"},
    )
    found = problems(given)
    assert set(found) == {"require.reading", "nulls"}
    assert found["nulls"].endswith(
        'A missing value is then a value of its own. Try nulls = "value".'
    )


def test_quasi_fields_elsewhere_ask_for_a_k():
    said = told(hospital({"visits.fields.ward": "quasi"}, require={}))
    assert said.startswith("require.k: visits.ward could identify a person, and no k is required.")


def test_quasi_fields_of_the_person_ask_for_a_requirement():
    assert told(hospital(require={})).startswith("require: No requirement protects birth")


def test_something_says_how_many_people_share_a_number_of_rows():
    assert told(hospital(require={"bin_sizes": {"birth": 5}})) == (
        "require.k: The number of a person's rows in visits may identify the person, "
        "and no rule says how many people must share it. "
        "Try k = 5 under [require], or row_counts = { bin_size = 5 } or { linking = 0 } "
        "for each table."
    )
    changes = {"visits.row_counts": {"bin_size": 5}, "diagnoses.fields.visit_id": NUMBER}
    said = told(hospital(changes, require={"bin_sizes": {"birth": 5}}))
    assert said.startswith(
        "require.k: The number of a person's rows in diagnoses may identify the person"
    )
    changes["diagnoses.row_counts"] = {"linking": 0}
    assert policy_from_table(hospital(changes, require={"bin_sizes": {"birth": 5}}))


def test_a_number_of_rows_that_nobody_sees_need_not_be_shared():
    changes = {"visits.fields.patient_id": "direct", "diagnoses.fields.visit_id": NUMBER}
    assert policy_from_table(hospital(changes, require={"bin_sizes": {"birth": 5}}))


def test_nothing_is_said_about_a_k_that_could_not_be_read():
    assert told(hospital({"visits.fields.ward": "quasi"}, require={"k": "five"})).startswith(
        "require.k: It must be"
    )


@pytest.mark.parametrize(
    ("require", "where"),
    [
        ({"bin_sizes": {"visits.admitted": 2}}, 'bin_sizes."visits.admitted"'),
        ({"quasi_identifiers": [["birth", "visits.admitted"]]}, "quasi_identifiers"),
        ({"key_combinations": {"k": 2, "fields": ["visits.admitted"]}}, "key_combinations.fields"),
        ({"l_diversity": {"l": 2, "fields": ["visits.admitted"]}}, "l_diversity.fields"),
        ({"k_map": {"k": 2, "population": "p", "fields": ["visits.admitted"]}}, "k_map.fields"),
        ({"k_map": {"k": 2, "weight": "visits.admitted"}}, "k_map.weight"),
        (
            {"delta_presence": {"population": "p", "fields": ["visits.admitted"]}},
            "delta_presence.fields",
        ),
    ],
)
def test_requirements_are_about_fields_of_the_persons_table(require, where):
    assert told(hospital(require={"k": 5} | require)) == (
        f"require.{where}: visits.admitted is written as TABLE.FIELD, and only fields of "
        "patients can be asked for here. "
        "Try a field of patients by its name alone, or leaving it out."
    )


def test_a_field_that_no_table_has_is_looked_for_in_the_persons():
    said = told(hospital(require={"k": 5, "bin_sizes": {"brith": 2}}))
    assert said.startswith(
        'require.bin_sizes.brith: There is no field "brith". Did you mean "birth"?'
    )


def test_every_sensitive_field_is_not_promised_where_only_the_persons_are_looked_at():
    changes = {"diagnoses.fields.code": "sensitive"}
    assert told(hospital(changes, require={"k": 5, "l_diversity": {"l": 2}})) == (
        "require.l_diversity: It is asked of every sensitive field; outside patients: diagnoses.code. "
        'Try fields = ["blood"], and k_m for the others.'
    )
    assert policy_from_table(
        hospital(changes, require={"k": 5, "l_diversity": {"l": 2, "fields": ["blood"]}})
    )
    changes["patients.fields.blood"] = "insensitive"
    said = told(hospital(changes, require={"k": 5, "l_diversity": {"l": 2}}))
    assert said.endswith("Try leaving it out, or k_m.")


def test_safe_harbor_is_not_promised_of_several_tables():
    said = told(hospital(require={"k": 5, "safe_harbor": True}))
    assert said.startswith("require.safe_harbor: With several tables, it would judge only patients")


@pytest.mark.parametrize("key", ["linking", "distortion"])
def test_a_recipient_knows_fields_of_the_person_or_of_a_named_table(key):
    known = {
        "birth": 0.5,
        "patients.name": 0.1,
        "visits.admitted": 0.5,
        "physicians.specialty": 0.0,
    }
    assert policy_from_table(hospital(recipient={"me": {key: known}}))
    said = told(hospital(recipient={"me": {key: {"admitted": 0.5}}}))
    assert said.startswith(f"recipient.me.{key}.admitted: There is no such field. Did you mean")
    assert said.endswith("Try a field of patients by its name, or TABLE.FIELD of any table.")
    said = told(hospital(recipient={"me": {key: {"visits.admited": 0.5}}}))
    assert said.startswith(
        f'recipient.me.{key}."visits.admited": There is no such field. Did you mean '
        '"visits.admitted"?'
    )


def test_a_recipient_knows_a_field_once():
    said = told(hospital(recipient={"me": {"linking": {"birth": 0.5, "patients.birth": 1.0}}}))
    assert said.startswith(
        'recipient.me.linking.birth: "patients.birth" is the same field, and named too.'
    )


def test_a_name_that_could_be_two_fields_is_not_known():
    changes = {
        "patients.fields": hospital()["tables"]["patients"]["fields"]
        | {"visits.admitted": "insensitive"}
    }
    said = told(hospital(changes, recipient={"me": {"linking": {"visits.admitted": 0.5}}}))
    assert said.startswith(
        'recipient.me.linking."visits.admitted": '
        'It could be "visits.admitted" of "patients" and "admitted" of "visits".'
    )


def test_the_release_goes_to_someone():
    assert told(hospital(release_to="pubic")).startswith('release_to: There is no profile "pubic".')
