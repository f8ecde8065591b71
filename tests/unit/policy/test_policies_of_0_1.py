"""Every key and every word of a policy that 0.1 read: today it reads, or the problem says what to
write now.

The cases follow docs/policy.md, docs/hierarchies.md, docs/text-fields.md and docs/techniques/ as they
were in 0.1.0, each set into a small policy that 0.1 read."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sfumato.errors import PolicyError
from sfumato.policy import policy_as_table, policy_from_table, read_policy

ONE: dict[str, Any] = {
    "fields": {
        "id": {"role": "direct"},
        "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
        "birth": {"role": "quasi", "hierarchy": {"dates": ["month", "year", "10 years"]}},
        "sex": {"role": "quasi"},
        "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [5, 10]}}},
        "town": {"role": "insensitive"},
        "day": {"role": "insensitive"},
        "cost": {"role": "insensitive"},
        "problem": {"role": "sensitive"},
    },
    "require": {"k": 5},
}
SEVERAL: dict[str, Any] = {
    "entity": "patients.id",
    "tables": {
        "patients": {
            "key": "id",
            "fields": {
                "id": {"role": "direct", "replace": "number"},
                "sex": {"role": "quasi"},
            },
        },
        "visits": {
            "key": "visit",
            "links": {"id": "patients.id"},
            "fields": {
                "visit": {"role": "direct", "replace": "number"},
                "id": {"role": "direct", "replace": "number"},
                "code": {"role": "sensitive"},
                "day": {"role": "insensitive", "shift": {"days": 30}},
            },
        },
    },
    "require": {"k": 5},
}


def edit(table: dict[str, Any], place: str, value: Any) -> dict[str, Any]:
    """A copy with one value set, at a place such as `fields.zip.rank`."""
    made = copy.deepcopy(table)
    *above, last = place.split(".")
    inner = made
    for name in above:
        inner = inner.setdefault(name, {})
    inner[last] = value
    return made


def with_all(table: dict[str, Any], edits: dict[str, Any]) -> dict[str, Any]:
    for place, value in edits.items():
        table = edit(table, place, value)
    return table


ENTITY = {"entity": "id", "fields.id.replace": "made-up"}
SENSITIVE = ["problem"]
SCRUBS: list[dict[str, Any]] = [
    *({"purpose": word} for word in ("everything", "direct", "singling out")),
    *({"method": word} for word in ("surrogate", "tag", "mask", "suppress")),
    *({"keep": [word]} for word in ("gender", "initials", "origin")),
    *({"places": word} for word in ("like", "region")),
    *({"detectors": word} for word in ("rules", "crf", "transformer")),
    {"methods": {"name": "tag"}},
    {"thresholds": {"name": 0.3}},
    {"cues": ["id"]},
    {"cues": {"id": "name"}},
]
CASES: list[dict[str, Any]] = [
    # At the top.
    ENTITY,
    *({**ENTITY, "fields.id.replace": word} for word in ("hash", "lookup", "number")),
    {"household": "town"},
    {**ENTITY, "row_counts": {"bin_size": 5, "linking": 0.5, "merging": "datafly"}},
    {**ENTITY, "row_counts": {"merging": "fewest-rows"}},
    *({"nulls": word} for word in ("value", "matches-anything")),
    *({"order": word} for word in ("scramble", "sorted", "keep")),
    *({"other_fields": word} for word in ("refuse", "remove")),
    *(
        {"release_to": word}
        for word in ("public", "contracted-researcher", "in-house", "care-giver")
    ),
    *({"proposed": word} for word in (True, False)),
    # Fields.
    *({"fields.id": role} for role in ("direct", "insensitive", "text")),
    *({"fields.id.replace": word} for word in ("remove", "mask", "made-up", "surrogate")),
    *(
        {"fields.id.replace": {"method": "surrogate", "kind": kind}}
        for kind in ("name", "first-name", "last-name", "street", "city", "phone", "email")
    ),
    {"fields.notes": "text"},
    {"fields.notes": {"role": "text", "replace": "remove"}},
    *({"fields.zip.rank": rank} for rank in (0, 1, 2, 3)),
    {"fields.town.follows": "zip"},
    {**ENTITY, "fields.day.shift": {"days": 180, "per": "id", "intervals": "keep"}},
    {**ENTITY, "fields.day.shift": {"days": 180, "intervals": "perturb"}},
    # Scrubbing.
    *({"fields.notes": {"role": "text", "scrub": scrub}} for scrub in SCRUBS),
    *(
        {
            **ENTITY,
            "fields.day.shift": {"days": 30},
            "fields.notes": {"role": "text", "scrub": {"dates": word}},
        }
        for word in ("shift", "month", "year", "suppress")
    ),
    # Hierarchies.
    *(
        {"fields.zip.hierarchy": made}
        for made in (
            {"prefix": [4, 3]},
            {"prefix": {"keep": [3], "fill": "", "length": 5}},
            {"numbers": {"widths": [5, 10, 20], "bottom": 20, "top": 90}},
            {"numbers": {"quantiles": [4, 2]}},
            {"dates": ["month", "quarter", "year", "5 years"]},
            {"dates": ["month", "year"], "format": "%m/%d/%y", "last_year": 1999},
            {"icd": "9"},
            {"icd": "10", "unknown": "suppress"},
            {"us_states": True},
            {"tree": {"coast": ["02138", "02139"], "inland": ["02141"]}},
            {"ordered": ["low", "mid", "high"], "widths": [2]},
            {"suppress": True},
        )
    ),
    # Requirements.
    {"require.max_suppression": 0.05},
    *({"require.reading": word} for word in ("strict", "wildcard")),
    {"require.quasi_identifiers": [["zip", "birth"], ["sex", "age"]]},
    {"require.k_map": {"k": 5, "population": "voters.csv", "fields": ["zip", "birth"]}},
    {"require.k_map": {"k": 5, "weight": "cost"}},
    {"require.bin_sizes": {"sex": 10}},
    {"require.combinations": {"k": 3, "sizes": [2, 3]}},
    {"require.key_combinations": [{"fields": ["zip", "birth"], "k": 3}]},
    {"require.key_combinations": {"fields": ["zip", "birth"], "k": 3}},
    {"require.anonymity": {"level": 0.7, "r1": 0, "r2": "sawtooth", "e": 2, "loss": 0.1}},
    {"require.anonymity": {"level": 0.7, "r2": "N/100"}},
    {"require.non_uniqueness": True},
    {"require.non_uniqueness": {"fields": SENSITIVE}},
    {"require.l_diversity": {"l": 3}},
    {
        "require.l_diversity": [
            {"l": 3, "fields": SENSITIVE},
            {"l": 2, "kind": "recursive", "c": 4.0},
        ]
    },
    *({"require.l_diversity": {"l": 2, "kind": word}} for word in ("distinct", "entropy")),
    {"require.t_closeness": {"t": 0.3, "distance": "equal"}},
    {
        "require.t_closeness": {
            "t": 0.3,
            "distance": "ordered",
            "order": ["a", "b"],
            "fields": SENSITIVE,
        }
    },
    {
        "require.t_closeness": {
            "t": 0.3,
            "distance": "hierarchical",
            "hierarchy": {"prefix": [1]},
            "fields": SENSITIVE,
        }
    },
    {"require.p_sensitive": {"p": 2, "k": 5}},
    {"require.alpha_k": {"alpha": 0.5, "k": 5, "values": ["flu"]}},
    {"require.delta_disclosure": {"delta": 2.0, "absent": "ignored"}},
    *({"require.beta_likeness": {"beta": 3.0, "kind": word}} for word in ("enhanced", "basic")),
    {"require.confidence_gain": {"gain": 0.4, "facts": 2}},
    {"require.delta_presence": {"population": "voters.csv", "min": 0.0, "max": 0.5}},
    {"require.average_risk": 0.1},
    {"require.maximum_risk": 0.2},
    *(
        {
            "require.population_uniqueness": {
                "threshold": 0.05,
                "sampling_fraction": 0.1,
                "estimator": word,
            }
        }
        for word in ("pitman", "zayatz")
    ),
    {"require.population_uniqueness": {"threshold": 0.05, "population_size": 10_000}},
    *({f"require.{word}": False} for word in ("null_map", "wrong_map", "safe_harbor")),
    {"require.safe_harbor": {"zips": ["zip"], "births": ["birth"], "ages": ["age"], "as_of": 2000}},
    {
        **ENTITY,
        "fields.problem.hierarchy": {"prefix": [1]},
        "require.k_m": {"field": "problem", "k": 5, "m": 2},
    },
    # Recipients.
    {
        "release_to": "research",
        "recipient.research": {
            "description": "Two epidemiologists.",
            "linking": {"birth": 1.0, "sex": 0.5},
            "distortion": {"zip": 0.2},
            "default_linking": 1.0,
            "default_distortion": 0.5,
        },
    },
    # Solvers.
    *(
        {"solve.solver": word}
        for word in ("anytime", "optimal", "datafly", "datafly2", "k_similar", "local")
    ),
    {"solve.solver": "given", "solve.levels": {"birth": 2, "zip": 1}},
    {"solve.solver": "mu_argus", "require.combinations": {"k": 3, "sizes": [2]}},
    {"solve.solver": "microaggregation"},
    *({"solve.solver": "local", "solve.labels": word} for word in ("tree", "ranges")),
    {"solve.seconds": 60, "solve.seed": 3},
    *(
        {"solve.objective": word}
        for word in (
            "loss",
            "ncp",
            "precision",
            "discernibility",
            "average-bin-size",
            "non-uniform-entropy",
            "entropy",
        )
    ),
    # Steps.
    *(
        {"steps": [step]}
        for step in (
            {"technique": "suppress", "fields": ["town"], "values": ["Ely"], "rarer_than": 5},
            {"technique": "merge_small", "fields": ["town"], "least": 20, "label": "other"},
            {"technique": "encrypt", "fields": ["town"], "method": "aes-gcm-siv"},
            {"technique": "encrypt", "fields": ["town"], "method": "format-preserving"},
            {"technique": "swap", "fields": ["cost"], "method": "unit", "within": ["sex"]},
            {"technique": "swap", "fields": ["cost"], "method": "rank", "window": 0.05},
            {"technique": "swap", "fields": ["cost"], "method": "random", "share": 0.5},
            {"technique": "substitute", "fields": ["zip"], "level": 1, "share": 0.5},
            {"technique": "pram", "fields": ["problem"], "keep": 0.9, "invariant": True},
            {"technique": "pram", "fields": ["problem"], "keep": 0.9, "within": ["sex"]},
            {"technique": "blank_and_impute", "fields": ["town"], "share": 0.1, "like": ["sex"]},
            {"technique": "sample", "share": 0.5, "within": ["sex"], "weight": ["cost"]},
            {"technique": "add_rows", "share": 0.1, "method": "together", "k": 8},
            {"technique": "add_rows", "share": 0.1, "method": "each"},
            {"technique": "outliers", "fields": ["cost"], "beyond": 1.5, "least": 10},
            {"technique": "perturb", "fields": ["cost"], "share": 0.3, "least": 10},
            {"technique": "round", "fields": ["cost"], "base": 50, "method": "controlled"},
            {"technique": "round", "fields": ["cost"], "base": 50, "method": "random"},
            {"technique": "noise", "fields": ["cost"], "share": 0.3, "method": "uncorrelated"},
            {"technique": "noise", "fields": ["cost"], "share": 0.3, "method": "multiplicative"},
            {"technique": "top_bottom", "fields": ["cost"], "top_share": 0.01, "to": "mean"},
            {"technique": "top_bottom", "fields": ["cost"], "top": 90, "to": "median"},
            {"technique": "microaggregate", "fields": ["cost"], "k": 5, "method": "each"},
        )
    ),
]
CASES_OF_SEVERAL: list[dict[str, Any]] = [
    {},
    *({"tables.visits.orphans": word} for word in ("refuse", "remove")),
    {"tables.visits.row_counts": {"bin_size": 5, "linking": 1.0, "merging": "datafly"}},
    {
        "tables.visits.fields.code.hierarchy": {"prefix": [3]},
        "require.k_m": [{"table": "visits", "field": "code", "k": 5, "m": 2, "within_bins": False}],
    },
    {"tables.places": {"fields": {"town": "insensitive"}}},
    {"recipient.public": {"linking": {"sex": 1.0, "visits.day": 0.5}}},
    {"require.max_suppression": 0.05},
]


def _name(case: dict[str, Any]) -> str:
    return ", ".join(f"{place}={value}" for place, value in case.items())[:100]


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_a_policy_of_0_1_reads(case):
    policy = policy_from_table(with_all(ONE, case))
    assert policy_from_table(policy_as_table(policy)) == policy


@pytest.mark.parametrize("case", CASES_OF_SEVERAL, ids=_name)
def test_a_policy_of_0_1_for_several_tables_reads(case):
    policy = policy_from_table(with_all(SEVERAL, case))
    assert policy_from_table(policy_as_table(policy)) == policy


@pytest.mark.parametrize(
    ("case", "place", "attempt"),
    [
        (
            {"solve.solver": "anytime", "solve.levels": {"zip": 1}},
            "solve.levels",
            'leaving it out, or solver = "given".',
        ),
        (
            {"solve.solver": "anytime", "solve.labels": "tree"},
            "solve.labels",
            'leaving it out, or solver = "local".',
        ),
        (
            {
                "solve.solver": "microaggregation",
                "require.delta_presence": {"population": "voters.csv", "max": 0.5},
            },
            "solve.solver",
            'solver = "anytime".',
        ),
    ],
    ids=["levels", "labels", "delta_presence"],
)
def test_a_policy_of_0_1_that_no_longer_reads_says_what_to_write(case, place, attempt):
    with pytest.raises(PolicyError) as raised:
        policy_from_table(with_all(ONE, case))
    (problem,) = raised.value.problems
    assert (problem.where, problem.attempt) == (place, attempt)


def test_a_number_of_0_1_beyond_the_limit_is_refused_with_the_limit():
    asked = {"threshold": 0.05, "population_size": 10**16}
    with pytest.raises(PolicyError, match=r"beyond 1,000,000,000,000,000, which is the limit"):
        policy_from_table(with_all(ONE, {"require.population_uniqueness": asked}))


def test_a_file_of_0_1_with_a_hierarchy_beside_it_reads(tmp_path):
    (tmp_path / "zip.csv").write_text("02138;0213*;*\n02139;0213*;*\n", encoding="utf-8")
    (tmp_path / "policy.toml").write_text(
        '[fields]\nname = "direct"\nzip = { role = "quasi", hierarchy = "zip.csv" }\n'
        "\n[require]\nk = 5\n",
        encoding="utf-8",
    )
    assert read_policy(tmp_path / "policy.toml").require.k == 5


def test_a_written_policy_names_its_format():
    assert policy_as_table(policy_from_table(ONE))["format"] == 1
