"""Requirements of protection models: how they are written, and every mistake in them."""

import tomllib

import pytest
from policies import only_problem, problems, table

from sfumato.hierarchies import CsvHierarchy, Tree
from sfumato.policy import policy_as_toml, policy_from_table
from sfumato.protection import (
    Absent,
    AlphaKRequirement,
    ConfidenceGainRequirement,
    Distance,
    Diversity,
    KeyCombination,
    LDiversityRequirement,
    Likeness,
    NonUniquenessRequirement,
    PopulationUniquenessRequirement,
    SafeHarborRequirement,
)


def required(text, **changes):
    """The requirements that a `[require]` of this text gives."""
    return policy_from_table(table(require=tomllib.loads(text), **changes)).require


def test_the_short_forms():
    require = required(
        "non_uniqueness = true\nsafe_harbor = true\naverage_risk = 0.1\nmaximum_risk = 0.5"
    )
    assert require.one("non_uniqueness") == NonUniquenessRequirement()
    assert require.one("safe_harbor") == SafeHarborRequirement()
    assert (require.one("average_risk").threshold, require.one("maximum_risk").threshold) == (
        0.1,
        0.5,
    )


def test_false_asks_for_nothing():
    require = required("k = 2\nnon_uniqueness = false\nsafe_harbor = false")
    assert (require.one("non_uniqueness"), require.one("safe_harbor")) == (None, None)


def test_one_table_or_a_list_of_them():
    one = required("l_diversity = { l = 3 }").each("l_diversity")
    assert one == (LDiversityRequirement(l=3),)
    several = required(
        'l_diversity = [{ l = 3 }, { l = 2.5, kind = "entropy" }, { l = 2, kind = '
        '"recursive", c = 4 }]'
    )
    assert [(asked.l, asked.kind, asked.c) for asked in several.each("l_diversity")] == [
        (3, Diversity.DISTINCT, None),
        (2.5, Diversity.ENTROPY, None),
        (2, Diversity.RECURSIVE, 4.0),
    ]


def test_each_key_combination_has_its_own_k():
    found = required(
        'k = 2\nkey_combinations = [{ fields = ["zip"], k = 3 }, { fields = ["zip", '
        '"birth"], k = 2 }]'
    )
    assert found.each("key_combinations") == (
        KeyCombination(k=3, fields=("zip",)),
        KeyCombination(k=2, fields=("zip", "birth")),
    )


def test_what_each_key_holds(tmp_path):
    (tmp_path / "problem.csv").write_text("flu;lungs;*\ngout;joints;*\n")
    require = policy_from_table(
        table(
            require=tomllib.loads(
                't_closeness = [{ t = 0.2, distance = "hierarchical", hierarchy = "problem.csv" },'
                ' { t = 0.1, distance = "hierarchical", hierarchy = { tree = { lungs = '
                '["flu"] } } },'
                ' { t = 0.3, distance = "ordered", order = ["mild", "severe"], fields = '
                '["problem"] }]\n'
                "p_sensitive = { p = 2, k = 5 }\n"
                'alpha_k = { alpha = 0.5, k = 3, values = ["HIV"] }\n'
                'delta_disclosure = { delta = 1.5, absent = "ignored" }\n'
                'beta_likeness = { beta = 2, kind = "basic" }\n'
                "confidence_gain = [{ gain = 0.1 }, { gain = 0.2, facts = 2, fields = "
                '["problem"] }]\n'
                'delta_presence = { population = "voters.csv", min = 0.1, max = 0.5, '
                'fields = ["zip"] }\n'
                "population_uniqueness = { threshold = 0.05, population_size = 1000, "
                'estimator = "zayatz" }\n'
                'safe_harbor = { zips = ["zip"], births = ["birth"], as_of = 2026 }\n'
            )
        ),
        folder=tmp_path,
    ).require
    first, second, third = require.each("t_closeness")
    assert isinstance(first.hierarchy, CsvHierarchy)
    assert isinstance(second.hierarchy, Tree)
    assert (third.distance, third.order, third.fields) == (
        Distance.ORDERED,
        ("mild", "severe"),
        ("problem",),
    )
    assert require.each("alpha_k") == (AlphaKRequirement(alpha=0.5, k=3, values=("HIV",)),)
    assert require.each("delta_disclosure")[0].absent is Absent.IGNORED
    assert require.each("beta_likeness")[0].kind is Likeness.BASIC
    assert require.each("confidence_gain") == (
        ConfidenceGainRequirement(gain=0.1),
        ConfidenceGainRequirement(gain=0.2, facts=2, fields=("problem",)),
    )
    assert require.one("delta_presence").fields == ("zip",)
    assert require.one("population_uniqueness") == PopulationUniquenessRequirement(
        threshold=0.05, population_size=1000, estimator="zayatz"
    )
    assert require.one("safe_harbor").declared == ("zip", "birth")


def test_they_are_written_shortly():
    require = {
        "non_uniqueness": True,
        "l_diversity": {"l": 3},
        "t_closeness": [{"t": 0.2}, {"t": 0.1}],
    }
    written = policy_as_toml(policy_from_table(table(require=require)))
    assert (
        "non_uniqueness = true\nl_diversity = { l = 3 }\nt_closeness = [{ t = 0.2 }, { t = 0.1 }]\n"
        in written
    )


@pytest.mark.parametrize(
    ("require", "where"),
    [
        ({"key_combinations": {"fields": ["zip"]}}, "key_combinations.k"),
        ({"key_combinations": {"k": 0, "fields": ["zip"]}}, "key_combinations.k"),
        ({"key_combinations": [{"k": 2}]}, "key_combinations[1].fields"),
        ({"key_combinations": [{"k": 2, "fields": []}]}, "key_combinations[1].fields"),
        ({"key_combinations": [{"k": 2, "fields": "zip"}]}, "key_combinations[1].fields"),
        ({"key_combinations": [{"k": 2, "fields": ["zip", "zip"]}]}, "key_combinations[1].fields"),
        ({"key_combinations": []}, "key_combinations"),
        ({"l_diversity": {}}, "l_diversity.l"),
        ({"l_diversity": {"l": 0}}, "l_diversity.l"),
        ({"l_diversity": {"l": 2.5}}, "l_diversity.l"),
        ({"l_diversity": {"l": 0.5, "kind": "entropy"}}, "l_diversity.l"),
        ({"l_diversity": {"l": 2, "kind": "recursive"}}, "l_diversity.c"),
        ({"l_diversity": {"l": 2, "kind": "recursive", "c": 0}}, "l_diversity.c"),
        ({"l_diversity": {"l": 2, "c": 2.0}}, "l_diversity.c"),
        ({"l_diversity": {"l": 2, "kind": "distinkt"}}, "l_diversity.kind"),
        ({"l_diversity": [{"l": 2}, {"l": 2, "m": 3}]}, "l_diversity[2].m"),
        ({"l_diversity": []}, "l_diversity"),
        ({"l_diversity": [3]}, "l_diversity"),
        ({"l_diversity": 3}, "l_diversity"),
        ({"t_closeness": {}}, "t_closeness.t"),
        ({"t_closeness": {"t": 1.5}}, "t_closeness.t"),
        ({"t_closeness": {"t": 0.2, "order": ["a"]}}, "t_closeness.order"),
        (
            {"t_closeness": {"t": 0.2, "distance": "ordered", "order": ["a", "a"]}},
            "t_closeness.order",
        ),
        ({"t_closeness": {"t": 0.2, "hierarchy": {"suppress": True}}}, "t_closeness.hierarchy"),
        ({"t_closeness": {"t": 0.2, "distance": "hierarchical"}}, "t_closeness.hierarchy"),
        (
            {"t_closeness": {"t": 0.2, "distance": "hierarchical", "hierarchy": "no.csv"}},
            "t_closeness.hierarchy",
        ),
        ({"p_sensitive": {"k": 2}}, "p_sensitive.p"),
        ({"p_sensitive": {"p": 2}}, "p_sensitive.k"),
        ({"p_sensitive": {"p": 3, "k": 2}}, "p_sensitive.p"),
        ({"alpha_k": {"alpha": 0, "k": 2}}, "alpha_k.alpha"),
        ({"alpha_k": {"k": 2}}, "alpha_k.alpha"),
        ({"alpha_k": {"alpha": 0.5}}, "alpha_k.k"),
        ({"delta_disclosure": {"delta": 0}}, "delta_disclosure.delta"),
        ({"delta_disclosure": {"delta": 1, "absent": "fine"}}, "delta_disclosure.absent"),
        ({"beta_likeness": {"beta": -1}}, "beta_likeness.beta"),
        ({"beta_likeness": {}}, "beta_likeness.beta"),
        ({"confidence_gain": {}}, "confidence_gain.gain"),
        ({"confidence_gain": {"gain": 0}}, "confidence_gain.gain"),
        ({"confidence_gain": {"gain": -0.1}}, "confidence_gain.gain"),
        ({"confidence_gain": {"gain": 1}}, "confidence_gain.gain"),
        ({"confidence_gain": {"gain": 1.5}}, "confidence_gain.gain"),
        ({"confidence_gain": {"gain": "small"}}, "confidence_gain.gain"),
        ({"confidence_gain": {"gain": 0.1, "facts": -1}}, "confidence_gain.facts"),
        ({"confidence_gain": {"gain": 0.1, "facts": 1.5}}, "confidence_gain.facts"),
        ({"confidence_gain": {"gain": 0.1, "facts": True}}, "confidence_gain.facts"),
        ({"confidence_gain": [{"gain": 0.1}, {"gain": 0.1, "fact": 1}]}, "confidence_gain[2].fact"),
        ({"delta_presence": {"max": 0.5}}, "delta_presence.population"),
        ({"delta_presence": {"population": "p", "min": 0.5, "max": 0.1}}, "delta_presence.min"),
        ({"average_risk": 0}, "average_risk"),
        ({"maximum_risk": 1.5}, "maximum_risk"),
        ({"population_uniqueness": {"sampling_fraction": 0.1}}, "population_uniqueness.threshold"),
        ({"population_uniqueness": {"threshold": 0.1}}, "population_uniqueness.population_size"),
        (
            {
                "population_uniqueness": {
                    "threshold": 0.1,
                    "population_size": 9,
                    "sampling_fraction": 0.1,
                }
            },
            "population_uniqueness.population_size",
        ),
        (
            {"population_uniqueness": {"threshold": 0.1, "sampling_fraction": 0}},
            "population_uniqueness.sampling_fraction",
        ),
        ({"non_uniqueness": 2}, "non_uniqueness"),
        ({"non_uniqueness": {"field": ["problem"]}}, "non_uniqueness.field"),
        ({"safe_harbor": {"births": ["birth"]}}, "safe_harbor.as_of"),
        ({"safe_harbor": {"as_of": 26}}, "safe_harbor.as_of"),
    ],
)
def test_a_mistake_is_told_where_it_is(require, where):
    assert list(problems(table(require={"k": 2} | require))) == [f"require.{where}"]


def test_every_mistake_of_a_confidence_gain_is_told_at_once():
    asked = [{"gain": 1, "facts": -1, "fields": "zip"}, {"facts": 0.5}]
    assert list(problems(table(require={"k": 2, "confidence_gain": asked}))) == [
        "require.confidence_gain[1].facts",
        "require.confidence_gain[1].fields",
        "require.confidence_gain[1].gain",
        "require.confidence_gain[2].gain",
        "require.confidence_gain[2].facts",
    ]


@pytest.mark.parametrize(
    "require",
    [
        {"non_uniqueness": {"fields": ["zip"]}},
        {"l_diversity": {"l": 2, "fields": ["zip"]}},
        {"t_closeness": {"t": 0.2, "fields": ["zip"]}},
        {"p_sensitive": {"p": 2, "k": 2, "fields": ["zip"]}},
        {"alpha_k": {"alpha": 0.5, "k": 2, "fields": ["zip"]}},
        {"delta_disclosure": {"delta": 1, "fields": ["zip"]}},
        {"beta_likeness": {"beta": 1, "fields": ["zip"]}},
        {"confidence_gain": {"gain": 0.1, "fields": ["zip"]}},
    ],
)
def test_models_about_values_are_about_sensitive_fields(require):
    key = next(iter(require))
    assert only_problem(table(require=require)).startswith(
        f"require.{key}.fields: zip is quasi, and only a sensitive field can be asked for here."
    )
    require[key]["fields"] = ["problm"]
    assert 'There is no field "problm". Did you mean "problem"?' in only_problem(
        table(require=require)
    )


def test_without_a_sensitive_field_there_is_nothing_to_ask():
    given = table(require={"l_diversity": {"l": 2}}, fields={"problem": {"role": "insensitive"}})
    assert only_problem(given).startswith("require.l_diversity: No field is sensitive.")


def test_an_order_belongs_to_one_field():
    asked = {"t": 0.2, "distance": "ordered", "order": ["mild", "severe"]}
    given = table(require={"t_closeness": asked}, fields={"cost": {"role": "sensitive"}})
    assert "One order or hierarchy is given for 2 fields: problem, cost." in only_problem(given)


@pytest.mark.parametrize(
    "key",
    [
        {"t_closeness": {"t": 0.2}},
        {"beta_likeness": {"beta": 1}},
        {"confidence_gain": {"gain": 0.1}},
    ],
)
def test_a_field_whose_dates_are_moved_is_not_held_against_the_source(key):
    fields = {"problem": {"role": "sensitive", "shift": {"days": 9, "per": "id"}}}
    assert "The dates of problem are moved" in only_problem(table(require=key, fields=fields))
    assert policy_from_table(table(require={"l_diversity": {"l": 2}}, fields=fields))


def test_presence_is_about_quasi_fields():
    asked = {"population": "p.csv", "fields": ["problem"]}
    assert "only a quasi field can be asked for here" in only_problem(
        table(require={"delta_presence": asked})
    )


@pytest.mark.parametrize(
    ("asked", "fields", "said"),
    [
        ({"ages": ["id"]}, {}, "id is direct, and only a quasi or sensitive or insensitive field"),
        ({"ages": ["agee"]}, {}, 'There is no field "agee".'),
        ({"zips": ["zip"], "ages": ["zip"]}, {}, "zip is named as two things."),
        (
            {},
            {"id": {"role": "direct", "replace": "hash"}},
            "id is replaced by a code that is made from it",
        ),
    ],
)
def test_safe_harbor_fits_the_fields(asked, fields, said):
    assert said in only_problem(table(require={"safe_harbor": asked}, fields=fields))


def test_safe_harbor_takes_a_random_code():
    fields = {"id": {"role": "direct", "replace": "lookup"}}
    assert policy_from_table(table(require={"safe_harbor": True}, fields=fields))


@pytest.mark.parametrize(
    "require", [{"l_diversity": {"l": 2}}, {"average_risk": 0.1}, {"safe_harbor": True}]
)
def test_a_model_is_requirement_enough(require):
    assert policy_from_table(table(require=require)).require.k is None


def test_a_model_over_all_fields_looks_at_those_outside_every_set():
    sets = {"k": 2, "quasi_identifiers": [["zip"]]}
    assert policy_from_table(table(require=sets | {"maximum_risk": 0.5}))
    assert "birth is quasi, and no requirement looks at it." in only_problem(
        table(require=sets | {"safe_harbor": True})
    )


@pytest.mark.parametrize("solver", ["datafly", "mu_argus"])
def test_a_solver_that_works_by_numbers_of_rows_takes_other_models_too(solver):
    require = {"combinations": {"k": 2, "sizes": [2]}, "l_diversity": {"l": 2}, "average_risk": 0.1}
    if solver == "datafly":
        require["anonymity"] = {"level": 0.5}
    found = policy_from_table(table(require=require, solve={"solver": solver}))
    assert {"l_diversity", "average_risk"} <= set(found.require.keys)
