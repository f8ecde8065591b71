"""Synthesis without an account says so: rows by trees, some fields of them, and test rows."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas
import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import Mistake, PolicyError, ReleaseBroken
from sfumato.releases import outcome_of

FIELDS = ["age", "sex", "ill"]


@pytest.fixture(scope="module")
def people():
    chance = np.random.default_rng(2)
    age = chance.integers(18, 90, 900)
    return pandas.DataFrame(
        {
            "age": age,
            "sex": chance.choice(["F", "M"], 900),
            "ill": np.where(chance.random(900) < age / 150, "yes", "no"),
            "name": [f"person {n}" for n in range(900)],
        }
    )


@pytest.fixture(scope="module")
def made(people, tmp_path_factory):
    return sfumato.synthesize(
        people,
        method="trees",
        fields=FIELDS,
        leave_out=["name"],
        copies=2,
        to=tmp_path_factory.mktemp("trees") / "made",
    )


def test_rows_by_trees_are_said_not_to_be_private(made):
    facts = made.manifest
    assert made.outcome == facts["outcome"] == "review"
    assert "NOT private" in facts["statement"]
    assert facts["synthesis"]["private"] is False
    assert "account" not in facts
    assert made.epsilon is None
    assert "not private" in repr(made)
    assert "not private" in made._repr_html_()
    assert {"gap", "low", "high"} <= facts["synthesis"]["membership"].keys()


def test_the_folder_agrees_with_its_manifest(made):
    checks = sfumato.verify(made.folder, digest=made.digest)
    assert not [check for check in checks if check.outcome == "fail"]
    assert "review" in [check.outcome for check in checks if "bound is proven" in check.claim]


@pytest.mark.parametrize(
    ("change", "to"),
    [
        ("private", True),
        ("method", "domains"),
        ("combining_rule", {"name": "Reiter 2003", "copies": 2, "rows": 900, "source_rows": 900}),
    ],
)
def test_a_rewritten_manifest_is_noticed(made, tmp_path, change, to):
    import shutil

    folder = tmp_path / "copy"
    shutil.copytree(made.folder, folder)
    facts = json.loads((folder / "manifest.json").read_text())
    facts["synthesis"][change] = to
    (folder / "manifest.json").write_text(json.dumps(facts))
    assert outcome_of(sfumato.verify(folder)) == "fail"


def test_a_pass_cannot_be_claimed_for_them(made, tmp_path):
    import shutil

    folder = tmp_path / "copy"
    shutil.copytree(made.folder, folder)
    facts = json.loads((folder / "manifest.json").read_text())
    facts["outcome"] = "pass"
    (folder / "manifest.json").write_text(json.dumps(facts))
    assert outcome_of(sfumato.verify(folder)) == "fail"


def test_estimates_are_combined_by_the_rule_of_the_manifest(made):
    for release in (made, made.folder, made.manifest):
        found = sfumato.combine_estimates(release, [50, 52], [1, 1])
        assert found.rule == "Raab, Nowok and Dibben 2016"
        assert found.estimate == 51


@pytest.mark.parametrize(
    ("keywords", "rule"),
    [
        ({"fields": ["ill"], "keep": ["age", "sex"]}, "Reiter 2003"),
        ({"fields": FIELDS, "draws": "population"}, "Raghunathan, Reiter and Rubin 2003"),
        ({"fields": FIELDS}, "Raab, Nowok and Dibben 2016"),
    ],
)
def test_the_kind_of_synthesis_decides_the_rule(people, keywords, rule):
    made = sfumato.synthesize(people, method="trees", leave_out=["name"], copies=2, **keywords)
    assert made.manifest["synthesis"]["combining_rule"]["name"] == rule
    assert len(made.frames) == 2
    if "keep" in keywords:
        assert made.frame["age"].tolist() == people["age"].tolist()
        assert "person's own" in made.manifest["statement"]


def test_private_rows_are_refused_by_every_rule(people):
    made = sfumato.synthesize(
        people,
        epsilon=3,
        domains={"age": {"least": 0, "most": 110}, "sex": ["F", "M"], "ill": ["no", "yes"]},
        leave_out=["name"],
    )
    with pytest.raises(Mistake, match="noise"):
        sfumato.combine_estimates(made, [1.0], [1.0])


def test_fields_nobody_decided_about_and_names_are_refused(people):
    with pytest.raises(PolicyError, match="Nobody has said whether name"):
        sfumato.synthesize(people, method="trees", fields=FIELDS)
    with pytest.raises(PolicyError, match="value of their own") as refused:
        sfumato.synthesize(people, method="trees", fields=[*FIELDS, "name"])
    assert "person 1" not in str(refused.value)


def test_numbers_that_one_person_has_are_not_copied(people):
    pay = np.random.default_rng(4).lognormal(10, 0.5, len(people)).round(2)
    source = people.assign(pay=pay, paid=pay + 1)
    drawn = sfumato.synthesize(
        source, method="trees", fields=["pay"], keep=["paid"], leave_out=[*FIELDS, "name"], copies=2
    ).frames[0]
    assert len(set(drawn["pay"]) & set(pay)) < len(pay) / 20
    assert abs(drawn["pay"].mean() / pay.mean() - 1) < 0.1
    assert drawn["pay"].between(pay.min(), pay.max()).all()
    assert set(drawn["paid"]) <= set(source["paid"])


def test_a_key_of_whole_numbers_is_refused(people):
    numbered = people.assign(name=np.arange(900) + 7)
    with pytest.raises(PolicyError, match="leave_out"):
        sfumato.synthesize(numbered, method="trees", fields=[*FIELDS, "name"])


@pytest.mark.parametrize(
    "keywords",
    [
        {"fields": FIELDS, "keep": ["age"]},
        {"fields": ["ill"], "keep": ["age", "sex"]},
        {"fields": FIELDS, "draws": "population"},
        {"fields": ["ill"], "keep": ["age", "sex"], "copies": 2, "rows": 10},
        {"fields": FIELDS, "epsilon": 1.0},
        {"fields": FIELDS, "draws": "both"},
    ],
)
def test_contradictions_are_refused(people, keywords):
    with pytest.raises(PolicyError):
        sfumato.synthesize(people, method="trees", leave_out=["name"], **keywords)


def test_rows_with_kept_cells_say_why_their_membership_is_not_attacked(people):
    given = {"fields": ["ill"], "keep": ["age", "sex"], "leave_out": ["name"], "copies": 2}
    made = sfumato.synthesize(people, method="trees", **given)
    assert "kept cells" in made.manifest["synthesis"]["membership"]


@pytest.mark.parametrize("rows", [1, 3])
def test_few_rows_constant_and_empty_fields(rows):
    frame = pandas.DataFrame({"a": ["x"] * rows, "b": [None] * rows, "c": [1.5] * rows})
    made = sfumato.synthesize(frame, method="trees", fields=["a", "b", "c"])
    assert len(made.frame) == rows
    assert made.frame["b"].isna().all()
    assert made.manifest["synthesis"]["membership"].startswith("not attacked")


POLICY = """
[synthesis]
method = "domains"
rows = 300
[synthesis.domains]
age = { least = 0, most = 110 }
sex = ["F", "M"]
pregnant = ["no", "yes"]
[[synthesis.never]]
sex = ["M"]
pregnant = ["yes"]
"""


def test_test_rows_come_from_the_policy_alone(tmp_path, capsys):
    (tmp_path / "p.toml").write_text(POLICY)
    asked = ["synthesize", "--policy", str(tmp_path / "p.toml"), "--to", str(tmp_path / "out")]
    assert main(asked) == 0
    assert "No source was read" in " ".join(capsys.readouterr().out.split())
    with (tmp_path / "out" / "synthetic.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 300
    assert not [row for row in rows if row["sex"] == "M" and row["pregnant"] == "yes"]
    assert {row["synthetic"] for row in rows} == {"true"}
    assert len({row["age"] for row in rows}) > 60
    assert outcome_of(sfumato.verify(tmp_path / "out")) != "fail"
    with pytest.raises(Mistake, match="by trees"):
        sfumato.combine_estimates(tmp_path / "out", [1], [1])


def test_test_rows_take_no_source_and_rules_must_leave_something(people):
    domains = {"sex": ["F", "M"], "ill": ["no", "yes"]}
    with pytest.raises(Mistake, match="without looking at any row"):
        sfumato.synthesize(people, method="domains", rows=5, domains=domains)
    with pytest.raises(PolicyError, match="rows"):
        sfumato.synthesize(method="domains", domains=domains)
    everything = {"sex": ["F", "M"], "ill": ["no", "yes"]}
    with pytest.raises(PolicyError, match="hardly any"):
        sfumato.synthesize(
            policy={
                "synthesis": {
                    "method": "domains",
                    "rows": 5,
                    "domains": domains,
                    "never": [everything],
                }
            }
        )


def test_a_private_table_needs_its_source():
    with pytest.raises(Mistake, match="No source was given"):
        sfumato.synthesize(epsilon=1, domains={"sex": ["F", "M"]})


def test_a_folder_that_is_no_release_is_refused(tmp_path):
    with pytest.raises(ReleaseBroken):
        sfumato.combine_estimates(tmp_path, [1], [1])


@pytest.mark.long("trains models; the manifest's own words are checked above")
def test_assess_shows_that_nothing_is_proven(made, people):
    found = sfumato.assess(made.folder, source=people.drop(columns=["name"]), attacks=False)
    bound = next(each for each in found.judgements if "bound proven" in each.question)
    assert bound.outcome == "review"
