"""What contradicts itself in a policy, and what does not fit a source."""

import pytest

from sfumato.errors import PolicyError
from sfumato.policy import (
    SOLVERS,
    Field,
    Policy,
    RecodingKind,
    Role,
    check_against,
    policy_from_table,
    problems_in,
)


def told(require=None, *, fields=None, **rest):
    """The only problem of a small policy with this in it."""
    base = {
        "id": "direct",
        "zip": "quasi",
        "birth": "quasi",
        "problem": "sensitive",
        "note": "text",
    }
    table = {
        "fields": base | (fields or {}),
        "require": {"k": 2} if require is None else require,
        **rest,
    }
    with pytest.raises(PolicyError) as caught:
        policy_from_table(table)
    assert len(caught.value.problems) == 1, caught.value
    return str(caught.value.problems[0])


def test_a_policy_names_fields():
    assert problems_in(Policy(fields={}))[0].where == "fields"


@pytest.mark.parametrize("role", ["direct", "sensitive", "insensitive", "text"])
def test_a_hierarchy_belongs_to_a_quasi_field(role):
    said = told(fields={"x": {"role": role, "hierarchy": {"suppress": True}}})
    assert said.startswith(
        f"fields.x.hierarchy: A hierarchy has no effect on a field that is {role}."
    )


def test_a_rank_belongs_to_a_quasi_field():
    assert told(fields={"x": {"role": "sensitive", "rank": 3}}).startswith("fields.x.rank: ")


@pytest.mark.parametrize("role", ["quasi", "sensitive", "insensitive", "text"])
def test_a_replacement_belongs_to_a_direct_field(role):
    assert told(fields={"x": {"role": role, "replace": "hash"}}).startswith("fields.x.replace: ")


@pytest.mark.parametrize("role", ["direct", "text"])
def test_a_shift_does_not_belong_to_what_is_replaced_or_scrubbed(role):
    assert told(fields={"x": {"role": role, "shift": {"days": 9, "per": "id"}}}).startswith(
        "fields.x.shift: "
    )


def test_a_shift_goes_by_a_field_that_exists():
    said = told(fields={"x": {"role": "quasi", "shift": {"days": 9, "per": "idd"}}})
    assert said.startswith('fields.x.shift.per: There is no field "idd". Did you mean "id"?')


@pytest.mark.parametrize("role", ["direct", "quasi", "text"])
def test_what_is_recoded_replaced_or_scrubbed_follows_nothing(role):
    said = told(fields={"x": {"role": role, "follows": "zip"}})
    assert said.startswith(
        f"fields.x.follows: Following another field has no effect on a field that is {role}."
    )


def test_a_field_follows_one_that_exists():
    said = told(fields={"x": {"role": "insensitive", "follows": "zipp"}})
    assert said.startswith('fields.x.follows: There is no field "zipp". Did you mean "zip"?')


@pytest.mark.parametrize(
    ("leader", "role"), [("id", "direct"), ("y", "insensitive"), ("x", "insensitive")]
)
def test_a_field_follows_a_quasi_field_and_so_no_chain(leader, role):
    fields = {
        "x": {"role": "insensitive", "follows": leader},
        "y": {"role": "insensitive", "follows": "zip"},
    }
    said = told(fields=fields)
    assert said.startswith(
        f"fields.x.follows: {leader} is {role}, and only the cells of a quasi field are suppressed."
    )


def test_nothing_is_said_of_a_leader_whose_role_could_not_be_read():
    said = told(fields={"x": {"role": "insensitive", "follows": "y"}, "y": "quazi"})
    assert said.startswith("fields.y.role: ")


@pytest.mark.parametrize("asked", [{}, {"fields": ["problem"]}])
def test_a_field_that_follows_is_not_counted_inside_bins(asked):
    fields = {"problem": {"role": "sensitive", "follows": "zip"}}
    said = told({"k": 2, "l_diversity": {"l": 2} | asked}, fields=fields)
    assert said.startswith("require.l_diversity: problem is suppressed where zip is")


def test_something_must_leave():
    with pytest.raises(PolicyError, match="Every field is removed"):
        policy_from_table({"fields": {"ssn": "direct"}})


def test_the_person_key_exists():
    assert told(entity="idd").startswith('entity: There is no field "idd". Did you mean "id"?')


def test_the_person_key_does_not_leave_as_it_is():
    assert "it would be released as it is" in told(entity="problem")


def test_the_household_key_exists():
    assert told(household="idd").startswith(
        'household: There is no field "idd". Did you mean "id"?'
    )


@pytest.mark.parametrize("name", ["id", "zip", "problem", "note"])
def test_the_household_key_may_have_any_role(name):
    fields = {"id": "direct", "zip": "quasi", "problem": "sensitive", "note": "text"}
    assert (
        policy_from_table({"household": name, "fields": fields, "require": {"k": 2}}).household
        == name
    )


@pytest.mark.parametrize("solver", ["mu_argus", "k_similar", "local"])
def test_households_are_kept_together_where_bins_are_recoded_one_by_one(solver):
    fields = {"id": "direct", "zip": "quasi"}
    assert policy_from_table(
        {"household": "id", "fields": fields, "require": {"k": 2}, "solve": {"solver": solver}}
    )


@pytest.mark.parametrize("key", ["linking", "distortion"])
def test_a_profile_names_fields_that_exist(key):
    said = told(recipient={"me": {key: {"zipp": 0.5}}})
    assert said == f'recipient.me.{key}.zipp: There is no such field. Did you mean "zip"?'


def test_release_to_names_a_profile():
    assert told(release_to="nobody").startswith(
        'release_to: There is no profile "nobody". Try one of public, '
    )


def test_quasi_fields_ask_for_a_requirement():
    assert told({}).startswith(
        "require: No requirement protects zip, birth, which could identify a person."
    )


def test_a_policy_without_quasi_fields_needs_no_requirement():
    assert policy_from_table({"fields": {"problem": "sensitive"}}).require.k is None


@pytest.mark.parametrize(
    ("require", "where"),
    [
        ({"k": 2, "quasi_identifiers": [["zip", "birth", "problem"]]}, "require.quasi_identifiers"),
        ({"k_map": {"k": 2, "population": "p", "fields": ["problem"]}}, "require.k_map.fields"),
        ({"k": 2, "bin_sizes": {"problem": 2}}, "require.bin_sizes.problem"),
        (
            {"k": 2, "key_combinations": {"k": 2, "fields": ["problem"]}},
            "require.key_combinations.fields",
        ),
    ],
)
def test_requirements_are_about_quasi_fields(require, where):
    assert told(require).startswith(
        f"{where}: problem is sensitive, and only a quasi field can be asked for here."
    )


@pytest.mark.parametrize(
    "require",
    [
        {"k": 2, "quasi_identifiers": [["zip", "birth", "zipp"]]},
        {"k_map": {"k": 2, "population": "p", "fields": ["zipp"]}},
        {"k": 2, "bin_sizes": {"zipp": 2}},
        {"k": 2, "key_combinations": [{"k": 2, "fields": ["zip"]}, {"k": 2, "fields": ["zipp"]}]},
    ],
)
def test_requirements_name_fields_that_exist(require):
    assert 'There is no field "zipp". Did you mean "zip"?' in told(require)


def test_survey_weights_are_a_field():
    said = told({"k_map": {"k": 2, "weight": "weight"}})
    assert said.startswith('require.k_map.weight: There is no field "weight".')
    assert policy_from_table(
        {
            "fields": {"zip": "quasi", "w": "direct", "x": "text"},
            "require": {"k_map": {"k": 2, "weight": "w"}},
        }
    )


def test_a_quasi_field_outside_every_set_is_told():
    assert "birth is quasi, and no requirement looks at it." in told(
        {"k": 2, "quasi_identifiers": [["zip"]]}
    )


def test_a_quasi_field_outside_every_set_may_be_under_another_requirement():
    require = {"k": 2, "quasi_identifiers": [["zip"]], "bin_sizes": {"birth": 5}}
    assert policy_from_table({"fields": {"zip": "quasi", "birth": "quasi"}, "require": require})


def test_a_quasi_field_outside_every_key_combination_is_told():
    said = told({"key_combinations": [{"k": 2, "fields": ["zip"]}]})
    assert said.startswith(
        "require.key_combinations: birth is quasi, and no requirement looks at it."
    )


@pytest.mark.parametrize("more", [{"k": 2}, {"bin_sizes": {"birth": 2}}, {"average_risk": 0.5}])
def test_a_quasi_field_outside_every_key_combination_may_be_under_another_requirement(more):
    require = {"key_combinations": [{"k": 2, "fields": ["zip"]}]} | more
    assert policy_from_table({"fields": {"zip": "quasi", "birth": "quasi"}, "require": require})


@pytest.mark.parametrize("solver", ["mu_argus", "datafly"])
def test_a_solver_that_works_by_bin_sizes_leaves_out_what_breaks_other_models(solver):
    require = {"k": 2, "key_combinations": {"k": 2, "fields": ["zip"]}, "average_risk": 0.5}
    fields = {"zip": "quasi", "birth": "quasi"}
    assert policy_from_table({"fields": fields, "require": require, "solve": {"solver": solver}})


LOCAL = [key for key, each in SOLVERS.all().items() if each.abilities.recodes is RecodingKind.LOCAL]


@pytest.mark.parametrize("solver", LOCAL)
def test_safe_harbor_of_a_quasi_field_needs_a_finest_level_where_cells_are_as_fine_as_their_bin(
    solver,
):
    """It was accepted, and then not met: no cluster needs three digits of a ZIP."""
    zips = {"role": "quasi", "hierarchy": {"prefix": [4, 3]}}
    asked = {"k": 2, "safe_harbor": {"zips": ["zip"]}}
    said = told(asked, fields={"zip": zips, "note": "direct"}, solve={"solver": solver})
    assert said.startswith(
        f"fields.zip.finest: {solver} makes a cell only as coarse as its bin needs, and "
        "safe_harbor asks for coarse labels everywhere. Try the first level of zip"
    )
    for fields, harbor in (
        ({"zip": zips | {"finest": 2}}, {"zips": ["zip"]}),
        ({"zip": "quasi", "seen": "insensitive"}, {"dates": ["seen"]}),
        ({"zip": "quasi"}, True),
    ):
        assert policy_from_table(
            {
                "fields": fields,
                "require": {"k": 2, "safe_harbor": harbor},
                "solve": {"solver": solver},
            }
        )


def test_sets_of_quasi_identifiers_need_a_k():
    said = told({"quasi_identifiers": [["zip", "birth"]], "bin_sizes": {"zip": 3}})
    assert said.startswith(
        "require.k: quasi_identifiers names sets of fields, and no k is asked of them."
    )


@pytest.mark.parametrize("combinations", [{"k": 2}, {"k": 2, "sizes": [2, 3]}])
def test_combinations_have_no_more_fields_than_there_are(combinations):
    assert "no combinations of 3 fields: 2 are quasi" in told({"combinations": combinations})


def test_datafly_takes_the_anonymity_level_or_k_but_not_both():
    said = told({"k": 5, "anonymity": {"level": 0.7}}, solve={"solver": "datafly"})
    assert said.startswith(
        "require.anonymity: datafly works towards bin sizes, and anonymity and k each ask "
        "for others."
    )


def test_k_similar_needs_k():
    assert "neither k nor anonymity is required" in told(
        {"bin_sizes": {"zip": 3}}, solve={"solver": "k_similar"}
    )


def test_mu_argus_needs_combinations_or_k():
    assert "neither combinations nor k" in told(
        {"bin_sizes": {"zip": 3}}, solve={"solver": "mu_argus"}
    )


def test_nothing_is_said_that_only_follows_from_a_role_that_could_not_be_read():
    said = told(
        {"k": 2, "quasi_identifiers": [["zip", "birth", "x"]], "bin_sizes": {"x": 2}},
        fields={"x": {"role": "quazi", "hierarchy": {"suppress": True}, "rank": 3}},
        entity="x",
    )
    assert said.startswith("fields.x.role: ")


def test_nothing_is_said_about_a_missing_requirement_that_could_not_be_read():
    assert told({"k": "five"}).startswith("require.k: ")


POLICY = policy_from_table(
    {"fields": {"zip": "quasi", "problem": "sensitive"}, "require": {"k": 2}}, name="patients"
)


def test_a_source_with_the_same_fields_in_any_order_fits():
    check_against(POLICY, ["problem", "zip"])


def misfits(policy, names):
    with pytest.raises(PolicyError) as caught:
        check_against(policy, names)
    assert str(caught.value).startswith("Policy patients, compared with the source, has")
    return [str(problem) for problem in caught.value.problems]


def test_a_field_that_the_source_lacks_is_told_with_the_nearest_one():
    assert (
        misfits(POLICY, ["ZIP", "problem"])[0]
        == 'fields.zip: The source has no such field. Did you mean "ZIP"?'
    )


def test_a_field_that_the_policy_does_not_name_is_refused():
    assert misfits(POLICY, ["zip", "problem", "home phone"]) == [
        'fields: The source has a field "home phone" that the policy does not name. Try '
        '[fields."home phone"] with a role, or other_fields = "remove".'
    ]


def test_other_fields_may_be_removed():
    fields = {"zip": Field(name="zip", role=Role.QUASI)}
    check_against(Policy(fields=fields, other_fields="remove"), ["zip", "phone"])


def test_two_fields_of_one_name_are_told():
    assert 'It has 2 fields called "zip".' in misfits(POLICY, ["zip", "zip", "problem"])[0]


def test_a_source_without_fields_is_told():
    assert misfits(POLICY, []) == ["source: It has no fields. Try a table with a line of names."]


def test_wrong_map_is_refused_where_cells_are_blanked():
    """A blanked cell leads to everyone, so that whatever mu-Argus does would be left out."""
    fields = {"zip": "quasi", "birth": "quasi", "problem": "insensitive"}
    steps = [{"technique": "swap", "fields": ["zip", "birth"], "method": "unit"}]
    require = {"wrong_map": True, "combinations": {"k": 2, "sizes": [1]}}
    with pytest.raises(
        PolicyError, match="mu_argus blanks cells, and a blanked cell leads to everyone"
    ):
        policy_from_table(
            {"fields": fields, "steps": steps, "require": require, "solve": {"solver": "mu_argus"}}
        )


def test_names_of_a_source_without_a_line_of_names_are_not_printed():
    policy = policy_from_table(
        {"fields": {"age": "quasi", "ill": "sensitive"}, "require": {"k": 2}}
    )
    with pytest.raises(PolicyError, match="None of the 2 names") as refused:
        check_against(policy, ["34", "Huntington"])
    assert "Huntington" not in str(refused.value)
    with pytest.raises(PolicyError, match="ages"):
        check_against(policy, ["ages", "illness"])
