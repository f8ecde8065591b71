"""Null-map and wrong-map, asked for in a policy: judged on what steps and recoding made together,
and written."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest

import sfumato
from sfumato.errors import CandidateFailed, NoRecodingFound, PolicyError
from sfumato.policy import SolveSettings, policy_as_toml, policy_from_table, read_policy
from sfumato.releases import Key, verify

ROWS = 60
FIELDS = {
    "age": {"role": "quasi", "hierarchy": {"numbers": {"widths": [5, 10]}}},
    "height": {"role": "quasi"},
    "illness": {"role": "sensitive"},
    "visit": {"role": "insensitive"},
}
KEY = Key(bytes(range(32)))
UNIT = {"technique": "swap", "method": "unit", "fields": ["age", "height"]}


def people():
    illnesses = ("flu", "gout", "cold", "cough")
    return [
        {
            "age": str(20 + n),
            "height": f"{1.5 + n / 100:.2f}",
            "illness": illnesses[n * n % 7 % 4],
            "visit": f"2025-{n // 28 + 1:02d}-{n % 28 + 1:02d}",
        }
        for n in range(ROWS)
    ]


@pytest.fixture
def source(tmp_path):
    return write(tmp_path / "people.csv", people())


def write(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, tuple(FIELDS))
        writer.writeheader()
        writer.writerows(rows)
    return path


def policy(*steps, fields=None, **require):
    return policy_from_table(
        {
            "fields": FIELDS | (fields or {}),
            "steps": list(steps),
            "require": require,
            "solve": {"solver": "anytime"},
        }
    )


def released(source, decided, **more):
    return sfumato.release(source, decided, to=source.parent / "release", **more)


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def verdict_of(made, model):
    return next(verdict for verdict in made.verdicts if verdict.model == model)


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_a_unit_swap_makes_a_wrong_map(source, engine):
    made = released(source, policy(UNIT, wrong_map=True), engine=engine)
    assert made.outcome == "pass"
    assert verdict_of(made, "wrong-map").rows == ROWS
    own = {
        (row["age"], f"{float(row['height']):g}"): (row["illness"], row["visit"])
        for row in people()
    }
    for row in read(made.table):
        tuple_ = row["age"], f"{float(row['height']):g}"
        assert own[tuple_] != (row["illness"], row["visit"])


def test_the_manifest_and_the_check_of_property_9_know_of_the_swap(source):
    made = released(source, policy(UNIT, wrong_map=True))
    facts = json.loads((made.folder / "manifest.json").read_text(encoding="utf-8"))
    assert facts["ads0"]["holds"]
    assert facts["policy"]["require"]["wrong_map"] is True
    assert "wrong-map" in {verdict["model"] for verdict in facts["verdicts"]}
    checks = {check.claim: check.outcome for check in verify(made.folder)}
    assert [outcome for claim, outcome in checks.items() if claim.startswith("wrong-map")] == [
        "review"
    ]
    assert "fail" not in checks.values()


def test_without_a_swap_property_9_is_broken(source):
    made = released(source, policy(k=1))
    assert (made.manifest["ads0"]["holds"], made.manifest["ads0"]["k_map"]) == (False, 1)


def test_subjects_who_share_their_tuple_are_left_out_within_the_limit(tmp_path):
    rows = people()
    rows[1] |= {"age": rows[0]["age"], "height": rows[0]["height"]}
    source = write(tmp_path / "people.csv", rows)
    with pytest.raises(NoRecodingFound):
        released(source, policy(UNIT, wrong_map=True))
    made = released(source, policy(UNIT, wrong_map=True, max_suppression=0.1))
    assert made.rows == ROWS - 2


def test_generalising_after_a_swap_leads_to_several_so_the_search_leaves_values_as_they_are(source):
    made = released(source, policy(UNIT, wrong_map=True, max_suppression=0.5))
    assert made.manifest["recoding"]["levels"] == {"age": 0, "height": 0}
    assert {row["age"] for row in read(made.table)} == {row["age"] for row in people()}


def test_noise_makes_a_null_map_where_nobody_has_the_new_values(source):
    noise = {"technique": "noise", "fields": ["age", "height"], "share": 0.5}
    made = released(
        source, policy(noise, null_map={"fields": ["age", "height"]}, max_suppression=0.5)
    )
    assert verdict_of(made, "null-map").outcome == "pass"
    had = {(row["age"], float(row["height"])) for row in people()}
    assert not had & {(row["age"], float(row["height"])) for row in read(made.table)}


def test_noise_that_rounds_away_is_no_null_map(source):
    noise = {"technique": "noise", "fields": ["age", "height"], "share": 0.001}
    with pytest.raises((NoRecodingFound, CandidateFailed)):
        released(source, policy(noise, null_map=True))


def test_encrypting_makes_a_null_map(source):
    pytest.importorskip("cryptography")
    step = {"technique": "encrypt", "fields": ["age", "height"]}
    decided = policy(step, fields={"age": {"role": "quasi"}}, null_map=True)
    made = released(source, decided, key=KEY)
    assert verdict_of(made, "null-map").outcome == "pass"
    assert not {row["age"] for row in people()} & {row["age"] for row in read(made.table)}
    assert made.manifest["ads0"]["holds"]


def test_a_field_that_mostly_stays_true_is_no_null_map_because_the_others_can_be_left_out(source):
    """With heights encrypted no tuple is anyone's; ages, kept in nine rows of ten, lead home by
    themselves."""
    pytest.importorskip("cryptography")
    steps = (
        {"technique": "encrypt", "fields": ["height"]},
        {"technique": "pram", "fields": ["age"], "keep": 0.9},
    )
    decided = policy(*steps, null_map=True, max_suppression=0.05)
    with pytest.raises(NoRecodingFound):
        released(source, replace(decided, solve=SolveSettings(solver="given")), key=KEY)
    made = released(source, decided, key=KEY)
    assert {row["age"] for row in read(made.table)} == {"*"}


def test_property_9_is_not_kept_by_encrypting_one_field_beside_another_that_names_everyone(source):
    pytest.importorskip("cryptography")
    decided = policy({"technique": "encrypt", "fields": ["height"]}, k=1)
    made = released(source, replace(decided, solve=SolveSettings(solver="given")), key=KEY)
    assert (
        sum(row["age"] in {person["age"] for person in people()} for row in read(made.table))
        == ROWS
    )
    assert not made.manifest["ads0"]["holds"]
    assert "over (age)" in made.manifest["ads0"]["reason"]


def test_made_up_rows_that_lead_to_nobody_break_a_wrong_map(source):
    """Each field of a made-up row is drawn by itself, so that next to no tuple is a subject's; one
    field alone is.

    The key fixes the draws: others may leave so few rows that lead to nobody that a finer recoding
    holds."""
    more = {"technique": "add_rows", "share": 0.2, "method": "each"}
    decided = policy(UNIT, more, wrong_map=True, max_suppression=0.1)
    with pytest.raises(NoRecodingFound):
        released(source, replace(decided, solve=SolveSettings(solver="given")), key=KEY)
    made = released(source, decided, key=KEY)
    assert made.manifest["recoding"]["levels"] in ({"age": 3, "height": 0}, {"age": 0, "height": 1})


PROBLEMS = {
    "no step": ({"null_map": True}, [], "No step changes the fields"),
    "a step on another field": (
        {"wrong_map": True},
        [{"technique": "pram", "fields": ["illness"]}],
        "No step changes",
    ),
    "one field of two left true": (
        {"null_map": True},
        [{"technique": "noise", "fields": ["height"]}],
        "No step changes age: an intruder who ignores the other fields",
    ),
    "a step that relabels": (
        {"null_map": True},
        [UNIT, {"technique": "merge_small", "fields": ["age"]}],
        "merge_small makes labels that are none of them",
    ),
    "a sensitive field": ({"null_map": {"fields": ["illness"]}}, [UNIT], "only a quasi field"),
    "a quasi field outside": (
        {"wrong_map": {"outside": ["age"]}},
        [UNIT],
        "only a sensitive or insensitive field",
    ),
}


@pytest.mark.parametrize(("require", "steps", "told"), PROBLEMS.values(), ids=PROBLEMS)
def test_what_cannot_be_kept_is_told_at_once(require, steps, told):
    with pytest.raises(PolicyError, match=told):
        policy(*steps, **require)


def test_a_null_that_matches_anything_is_refused():
    with pytest.raises(PolicyError, match="a missing value is looked up as a value of its own"):
        policy_from_table(
            {
                "fields": FIELDS,
                "steps": [UNIT],
                "require": {"null_map": True},
                "nulls": "matches-anything",
            }
        )


def test_the_policy_is_written_and_read_back(tmp_path):
    decided = policy(UNIT, null_map={"fields": ["age"]}, wrong_map={"outside": ["illness"]})
    (tmp_path / "policy.toml").write_text(policy_as_toml(decided), encoding="utf-8")
    again = read_policy(tmp_path / "policy.toml").require
    assert (again.one("null_map"), again.one("wrong_map")) == (
        decided.require.one("null_map"),
        decided.require.one("wrong_map"),
    )


def test_two_values_alone_are_named_as_the_reason(tmp_path):
    rows = [row | {"illness": ("flu", "gout")[n % 2]} for n, row in enumerate(people())]
    step = {"technique": "wrong_map", "fields": ["age", "height"], "outside": ["illness"]}
    decided = policy(step, fields={"visit": {"role": "direct"}}, wrong_map={"outside": ["illness"]})
    with pytest.raises(NoRecodingFound, match="of two, a wrong one discloses") as refused:
        released(write(tmp_path / "people.csv", rows), decided)
    assert "larger max_suppression" not in str(refused.value)
