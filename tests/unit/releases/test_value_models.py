"""From what a policy requires to models, and from there to a release: counted, judged, read back
and verified."""

import csv

import pytest

from sfumato.engines import open_source
from sfumato.errors import CandidateFailed, NoRecodingFound, PolicyError
from sfumato.policy import policy_from_table
from sfumato.protection import needs_of
from sfumato.releases import release, verify
from sfumato.releases.prepared_source import prepare
from sfumato.releases.release_recount import recount
from sfumato.releases.requirements import needed_fields

ROWS = [
    ("02138", "1965", "flu", "10"),
    ("02138", "1965", "cold", "20"),
    ("02139", "1965", "flu", "20"),
    ("02139", "1964", "flu", "10"),
    ("02141", "1964", "gout", "30"),
    ("02141", "1964", "cold", "10"),
    ("02142", "1966", "flu", "30"),
    ("02142", "1966", "gout", "20"),
]
FIELDS = {
    "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
    "birth": {"role": "quasi", "hierarchy": {"dates": ["10 years"]}},
    "problem": "sensitive",
    "cost": "sensitive",
}


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "patients.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("zip", "birth", "problem", "cost"), *ROWS])
    return path


def policy(require, *, folder=None, fields=None):
    table = {"fields": FIELDS | (fields or {}), "require": require}
    return policy_from_table(table) if folder is None else policy_from_table(table, folder=folder)


def models_of(source, require, **extra):
    with open_source(source) as engine:
        return prepare(engine, policy(require, folder=source.parent, **extra)).models


EVERYTHING = {
    "k": 2,
    "non_uniqueness": True,
    "l_diversity": [
        {"l": 2, "fields": ["problem"]},
        {"l": 1.5, "kind": "entropy", "fields": ["problem"]},
        {"l": 2, "kind": "recursive", "c": 4.0, "fields": ["problem"]},
    ],
    "t_closeness": [
        {"t": 0.5},
        {"t": 0.5, "distance": "ordered", "fields": ["cost"]},
        {
            "t": 0.5,
            "distance": "hierarchical",
            "fields": ["problem"],
            "hierarchy": {"tree": {"lungs": ["flu", "cold"], "joints": ["gout"]}},
        },
    ],
    "p_sensitive": {"p": 2, "k": 2},
    "alpha_k": {"alpha": 0.8, "k": 2, "fields": ["problem"]},
    "delta_disclosure": {"delta": 2.0, "fields": ["problem"]},
    "beta_likeness": {"beta": 2.0, "kind": "basic", "fields": ["problem"]},
    "confidence_gain": {"gain": 0.6, "facts": 1, "fields": ["problem"]},
    "delta_presence": {"population": "patients.csv", "min": 0.5, "max": 1.0},
    "average_risk": 0.5,
    "maximum_risk": 0.5,
    "population_uniqueness": {"threshold": 0.5, "sampling_fraction": 0.1},
    "safe_harbor": {"zips": ["zip"], "births": ["birth"], "as_of": 2026, "ages": ["cost"]},
}


def test_every_requirement_becomes_a_model(source):
    names = [model.name for model in models_of(source, EVERYTHING)]
    assert names == [
        "k-anonymity",
        "non-uniqueness",
        "distinct l-diversity",
        "entropy l-diversity",
        "recursive (c,l)-diversity",
        "p-sensitive k-anonymity",
        "(alpha,k)-anonymity",
        "t-closeness",
        "t-closeness",
        "t-closeness",
        "t-closeness",
        "delta-disclosure",
        "beta-likeness",
        "confidence gain",
        "delta-presence",
        "average risk",
        "maximum risk",
        "population uniqueness",
        "Safe Harbor",
    ]


def test_sensitive_values_are_counted_only_where_a_model_needs_them(source):
    with open_source(source) as engine:
        assert prepare(engine, policy({"k": 2})).bins.histograms == {}
        found = prepare(engine, policy({"k": 2, "l_diversity": {"l": 2, "fields": ["problem"]}}))
    assert list(found.bins.histograms) == ["problem"]
    assert needs_of(found.models) == ("problem",)
    assert needed_fields(policy({"t_closeness": {"t": 0.1}}), ("zip",)) == ("problem", "cost")


def test_a_release_under_all_of_them_passes_and_is_verified(source, tmp_path):
    made = release(source, policy(EVERYTHING, folder=source.parent), to=tmp_path / "out")
    assert made.outcome == "pass"
    assert len(made.verdicts) == 19
    checks = {check.claim: check for check in verify(tmp_path / "out")}
    assert {check.outcome for check in checks.values()} == {"pass", "review"}
    seen = [claim for claim, check in checks.items() if check.outcome == "pass"]
    assert any(claim.startswith("Safe Harbor") for claim in seen)
    away = [
        claim.split(" (")[0]
        for claim, check in checks.items()
        if "from the folder alone" in check.found
    ]
    assert sorted(set(away)) == [
        "beta-likeness",
        "confidence gain",
        "delta-disclosure",
        "delta-presence",
        "t-closeness",
    ]


def test_a_release_is_diverse_where_k_alone_is_not(source, tmp_path):
    plain = release(source, policy({"k": 2}), to=tmp_path / "k")
    diverse = release(
        source, policy({"k": 2, "l_diversity": {"l": 3, "fields": ["problem"]}}), to=tmp_path / "l"
    )
    assert _fewest(plain.table) < 3 <= _fewest(diverse.table)


def _fewest(table):
    with table.open(newline="") as file:
        inside = {}
        for row in csv.DictReader(file):
            inside.setdefault((row["zip"], row["birth"]), set()).add(row["problem"])
    return min(map(len, inside.values()))


def test_what_cannot_be_met_is_told(source, tmp_path):
    with pytest.raises((NoRecodingFound, CandidateFailed), match="l-diversity"):
        release(
            source, policy({"l_diversity": {"l": 4, "fields": ["problem"]}}), to=tmp_path / "out"
        )


def test_what_a_model_needs_is_counted_however_many_values_it_has(source, monkeypatch):
    monkeypatch.setattr("sfumato.releases.release_recount.MANY_VALUES", 0)
    models = models_of(source, {"l_diversity": {"l": 1, "fields": ["problem"]}})
    with open_source(source) as written:
        found = recount(written, ("zip", "birth"), models, sensitive=("problem", "cost"))
    assert list(found.bins.histograms) == ["problem"]
    assert list(found.one_valued) == ["problem"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            {"distance": "ordered", "fields": ["problem"]},
            "problem: Without an order, the ordered distance is for numb",
        ),
        (
            {"distance": "ordered", "order": ["flu"], "fields": ["problem"]},
            "2 of 3 values are not in it",
        ),
        (
            {
                "distance": "hierarchical",
                "hierarchy": {"tree": {"lungs": ["flu"]}},
                "fields": ["problem"],
            },
            "problem: The hierarchy does not cover every value of its field",
        ),
    ],
)
def test_an_order_or_hierarchy_that_does_not_fit_is_told_before_any_search(source, asked, said):
    with pytest.raises(PolicyError) as caught:
        models_of(source, {"t_closeness": {"t": 0.2} | asked})
    assert caught.value.problems[0].where == "require.t_closeness"
    assert said in str(caught.value)
    assert "gout" not in str(caught.value)


def test_a_population_without_a_field_is_told(source):
    (source.parent / "people.csv").write_text("zip\n02138\n")
    with pytest.raises(
        PolicyError, match=r"require\.delta_presence\.population: people\.csv has no field birth"
    ):
        models_of(source, {"delta_presence": {"population": "people.csv", "max": 0.5}})


def test_people_outside_the_source_are_covered_by_its_hierarchies(source):
    (source.parent / "people.csv").write_text(
        "zip,birth\n" + "02199,1950\n" * 3 + "02138,1965\n" * 4
    )
    [model] = models_of(source, {"delta_presence": {"population": "people.csv", "max": 0.5}})
    assert model.population.rows == 7
