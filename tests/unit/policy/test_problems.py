"""Every mistake in a policy file is told: where it is, what was found, what to try."""

import pytest
from policies import only_problem, problems, table

from sfumato.errors import PolicyError
from sfumato.policy import policy_as_table, policy_from_table, read_policy


def test_all_problems_are_told_at_once():
    given = table(
        fields={"zip": {"role": "quazi"}}, nulls=3, require={"k": 0}, solve={"solver": "dataflie"}
    )
    assert set(problems(given)) == {"fields.zip.role", "nulls", "require.k", "solve.solver"}


def test_the_message_numbers_the_problems_under_the_name_of_the_policy():
    with pytest.raises(PolicyError) as caught:
        policy_from_table(table(nulls="x", order="y"), name="patients")
    assert str(caught.value).splitlines()[0] == "Policy patients has 2 problems:"
    assert str(caught.value).splitlines()[2].startswith('2. order: "y"')


@pytest.mark.parametrize(
    ("given", "where"),
    [
        (table(entiti="id"), "entiti"),
        (
            table(fields={"zip": {"role": "quasi", "hirarchy": {"suppress": True}}}),
            "fields.zip.hirarchy",
        ),
        (
            table(fields={"zip": {"role": "quasi", "shift": {"days": 1, "per": "id", "day": 2}}}),
            "fields.zip.shift.day",
        ),
        (
            table(fields={"id": {"role": "direct", "replace": {"metod": "hash"}}}),
            "fields.id.replace.metod",
        ),
        (table(require={"k": 2, "max_supression": 0.1}), "require.max_supression"),
        (table(require={"k_map": {"k": 2, "population": "p", "field": []}}), "require.k_map.field"),
        (
            table(require={"combinations": {"k": 2, "size": [2], "sizes": [2]}}),
            "require.combinations.size",
        ),
        (table(require={"anonymity": {"level": 0.5, "los": 0.1}}), "require.anonymity.los"),
        (table(recipient={"me": {"linkin": {}}}), "recipient.me.linkin"),
        (table(solve={"sede": 1}), "solve.sede"),
    ],
)
def test_an_unknown_key_is_told_with_the_nearest_one(given, where):
    found = problems(given)
    assert list(found) == [where]
    assert "There is no such key here. Did you mean" in found[where]


def test_an_unknown_key_with_no_near_one_lists_those_there_are():
    assert (
        "Try one of solver, objective, seed, max_bins, weights, undo, seconds, work, gap, rounds."
        in only_problem(table(solve={"xyzzy": 1}))
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (table(entity=5), "entity: It must be a text, and is a whole number."),
        (table(proposed="yes"), "proposed: It must be true or false, and is a text."),
        (table(require=[]), "require: It must be a table, and is a list."),
        (
            table(require={"k": "5"}),
            "require.k: It must be a whole number, 1 or more, and is a text.",
        ),
        (
            table(require={"k": 5.0}),
            "require.k: It must be a whole number, 1 or more, and is a number with a fraction.",
        ),
        (
            table(require={"k": True}),
            "require.k: It must be a whole number, 1 or more, and is true or false.",
        ),
        (
            table(fields={"zip": 3}),
            "fields.zip: It must be a role or a table, and is a whole number.",
        ),
        (
            table(fields={"zip": {"role": 3}}),
            "fields.zip.role: It must be a text, and is a whole number.",
        ),
        (table(fields={"zip": {}}), "fields.zip.role: Every field needs a role."),
        (
            table(fields={"id": {"role": "direct", "replace": 3}}),
            "fields.id.replace: It must be a table",
        ),
        (
            table(recipient="research"),
            "recipient: It must be a table of profiles, and is a text. Try release_to",
        ),
        (table(recipient={"me": 1}), "recipient.me: It must be a table, and is a whole number."),
        (table(recipient={"me": {"linking": 1}}), "recipient.me.linking: It must be a table"),
        (
            table(fields={"zip": {"role": "quasi", "hierarchy": 4}}),
            "fields.zip.hierarchy: It must be the name of a CSV file or a table with a "
            "builder, and is a whole number.",
        ),
        (
            table(require={"k_map": {"k": 2, "population": "p", "fields": "zip"}}),
            "require.k_map.fields: It must be a list of texts, and is a text.",
        ),
    ],
)
def test_a_wrong_type_is_told_in_words(given, said):
    assert only_problem(given).startswith(said)


@pytest.mark.parametrize(
    "names", ["zip", [["zip"], "birth"], [[]], [["zip", "zip"]], [["zip", 3]], ["zip"]]
)
def test_quasi_identifiers_are_a_list_of_lists_of_distinct_names(names):
    assert "list of lists of field names" in only_problem(
        table(require={"k": 2, "quasi_identifiers": names})
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            table(fields={"zip": {"role": "quazi"}}),
            'There is no role "quazi". Did you mean "quasi"?',
        ),
        (
            table(fields={"id": {"role": "direct", "replace": "hsh"}}),
            '"hsh" is not one of its words. Did you mean',
        ),
        (
            table(fields={"id": {"role": "direct", "replace": {"method": "x"}}}),
            "Try one of remove, mask, null, keyword, hash",
        ),
        (table(order="sort"), 'Did you mean "sorted"?'),
        (table(nulls="nothing"), "Try one of value, matches-anything."),
        (table(other_fields="keep"), "Try one of refuse, remove."),
        (table(require={"k": 2, "reading": "loose"}), "Try one of strict, wildcard."),
        (table(solve={"solver": "Datafly2"}), 'Did you mean "datafly2"?'),
        (table(solve={"objective": "beauty"}), "Try one of loss, ncp, precision, "),
        (table(release_to="pubic"), 'There is no profile "pubic". Did you mean "public"?'),
    ],
)
def test_an_unknown_word_is_told_with_those_there_are(given, said):
    assert said in only_problem(given)


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan"), float("inf"), True, "1"])
@pytest.mark.parametrize("key", ["linking", "distortion"])
def test_linking_and_distortion_lie_between_0_and_1(key, share):
    found = only_problem(table(recipient={"me": {key: {"zip": share}}}))
    assert found.startswith(f"recipient.me.{key}.zip: It ")
    assert "from 0 to 1" in found


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan"), True, "1"])
@pytest.mark.parametrize("key", ["default_linking", "default_distortion"])
def test_the_defaults_of_a_profile_lie_between_0_and_1(key, share):
    assert "from 0 to 1" in only_problem(table(recipient={"me": {key: share}}))


@pytest.mark.parametrize("share", [-0.01, 1.01, float("nan"), False])
def test_max_suppression_lies_between_0_and_1(share):
    assert "from 0 to 1" in only_problem(table(require={"k": 2, "max_suppression": share}))


@pytest.mark.parametrize(
    ("require", "where"),
    [
        ({"k": 0}, "require.k"),
        ({"k": 2, "bin_sizes": {"zip": 0}}, "require.bin_sizes.zip"),
        ({"k_map": {"k": 0, "population": "p"}}, "require.k_map.k"),
        ({"k_map": {"population": "p"}}, "require.k_map.k"),
        ({"k_map": {"k": 2}}, "require.k_map.population"),
        ({"combinations": {"sizes": [2]}}, "require.combinations.k"),
        ({"combinations": {"k": 2, "sizes": [0]}}, "require.combinations.sizes"),
        ({"combinations": {"k": 2, "sizes": []}}, "require.combinations.sizes"),
        ({"combinations": {"k": 2, "sizes": [2, 2]}}, "require.combinations.sizes"),
        ({"combinations": {"k": 2, "sizes": 2}}, "require.combinations.sizes"),
        ({"anonymity": {}}, "require.anonymity.level"),
        ({"anonymity": {"level": 1.1}}, "require.anonymity.level"),
        ({"anonymity": {"level": 0.5, "r2": "cosine"}}, "require.anonymity.r2"),
        ({"anonymity": {"level": 0.5, "r2": "N/0"}}, "require.anonymity.r2"),
        ({"anonymity": {"level": 0.5, "r1": 9, "r2": 3}}, "require.anonymity.r2"),
        ({"anonymity": {"level": 0.5, "e": -1}}, "require.anonymity.e"),
        ({"anonymity": {"level": 0.5, "e": 10**400}}, "require.anonymity.e"),
    ],
)
def test_a_number_out_of_bounds_or_missing_is_told(require, where):
    assert list(problems(table(require=require))) == [where]


def test_a_rank_is_from_0_to_3():
    assert "from 0 to 3" in only_problem(table(fields={"zip": {"role": "quasi", "rank": 4}}))


@pytest.mark.parametrize(
    "shift", [{"per": "id"}, {"days": 0, "per": "id"}, {"days": 1.5, "per": "id"}]
)
def test_a_shift_needs_days(shift):
    fields = {"admitted": {"role": "insensitive", "shift": shift}}
    assert list(problems(table(fields=fields))) == ["fields.admitted.shift.days"]


@pytest.mark.parametrize("role", ["quasi", "insensitive"])
def test_a_shift_without_a_person_key_is_refused(role):
    fields = {"admitted": {"role": role, "shift": {"days": 180}}}
    assert "no field identifies the person of a row" in only_problem(table(fields=fields))


def test_only_a_surrogate_has_a_kind():
    fields = {"id": {"role": "direct", "replace": {"method": "hash", "kind": "name"}}}
    assert "Only a surrogate has a kind." in only_problem(table(fields=fields))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read. No such file"),
        ("a;x;*\nb;*\n", "Row 2 has 2 cells"),
        ("a;x\nb;y\n", "does not end in one value"),
        ("a;x;1;*\nb;x;2;*\n", "share every coarser label"),
    ],
)
def test_a_hierarchy_file_that_is_missing_or_broken_is_a_problem(tmp_path, text, said):
    if text is not None:
        (tmp_path / "zip.csv").write_text(text)
    given = table(fields={"zip": {"role": "quasi", "hierarchy": "zip.csv"}})
    assert said in problems(given, tmp_path)["fields.zip.hierarchy"]


@pytest.mark.parametrize(
    ("hierarchy", "said"),
    [
        ({"dats": ["year"]}, 'Did you mean "dates"?'),
        ({"dates": ["4 months", "6 months"]}, "is not made of whole windows"),
        ({"prefix": [3, 4]}, "must keep fewer characters"),
    ],
)
def test_a_builder_that_is_unknown_or_unusable_is_a_problem(hierarchy, said):
    assert said in only_problem(table(fields={"zip": {"role": "quasi", "hierarchy": hierarchy}}))


def test_a_field_with_an_odd_name_is_quoted_as_in_the_file():
    assert list(problems(table(fields={"date of birth": {"role": "x"}}))) == [
        'fields."date of birth".role'
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            b'[fields.zip]\nrole = = "quasi"\n',
            "p.toml, line 2, column 8: The file is not TOML: Invalid value.",
        ),
        (b'entity = "ab', "p.toml, end of document: The file is not TOML"),
        (b"\xff", "p.toml: The file is not UTF-8."),
        (None, "p.toml: The file cannot be read: No such file or directory."),
    ],
)
def test_a_file_that_is_not_toml_is_told_with_its_place(tmp_path, data, said):
    if data is not None:
        (tmp_path / "p.toml").write_bytes(data)
    with pytest.raises(PolicyError) as caught:
        read_policy(tmp_path / "p.toml")
    assert str(caught.value.problems[0]).startswith(said)


@pytest.mark.parametrize(
    ("given", "found", "attempt"),
    [
        (2, "It is 2; format 1 is read by Sfumato 0.2.0 and later.", "that reads format 2"),
        (0, "It is 0; format 1 is read by", "format = 1."),
        ("1", "It must be a whole number, and is a text; format 1", "format = 1."),
        (True, "It must be a whole number, and is true or false;", "format = 1."),
    ],
)
def test_another_format_is_refused_and_nothing_else_is_said_of_it(given, found, attempt):
    with pytest.raises(PolicyError) as caught:
        policy_from_table({"format": given, "feilds": {}, "require": {"k": "two"}})
    (problem,) = caught.value.problems
    assert problem.where == "format"
    assert problem.found.startswith(found)
    assert attempt in problem.attempt


def test_a_policy_without_a_format_is_in_the_first_and_every_written_one_names_it():
    table = {"fields": {"zip": "quasi"}, "require": {"k": 2}}
    assert policy_from_table(table) == policy_from_table({"format": 1, **table})
    assert next(iter(policy_as_table(policy_from_table(table)).items())) == ("format", 1)
