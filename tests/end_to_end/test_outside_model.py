"""A protection model of another package: one file is enough to check, release and verify; without
it nothing passes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import sfumato
from sfumato.errors import CandidateFailed, Mistake, PolicyError
from sfumato.parts import parameter
from sfumato.policy import MODELS, policy_from_table
from sfumato.protection import ModelDeclaration, verdict_of

TOY = Path(__file__).parents[1] / "toy_model"
PEOPLE = "zip,sex,problem\n" + "".join(
    f"0213{n % 4},{'fm'[n % 2]},{('flu', 'cold', 'gout')[n % 3]}\n" for n in range(24)
)
FIELDS = {
    "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
    "sex": {"role": "quasi"},
    "problem": {"role": "sensitive"},
}
POLICY = """
[fields]
zip = { role = "quasi", hierarchy = { prefix = [4, 3] } }
sex = "quasi"
problem = "sensitive"

[require]
at_least = { rows = 7 }
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "people.toml").write_text(POLICY)
    return tmp_path


@pytest.fixture
def site(tmp_path):
    """The toy package as an installer leaves it: its file, and the entry points that its project
    names."""
    place = tmp_path / "site"
    about = tomllib.loads((TOY / "pyproject.toml").read_text())["project"]
    facts = place / f"toy_model-{about['version']}.dist-info"
    facts.mkdir(parents=True)
    (place / "toy_model.py").write_text((TOY / "toy_model.py").read_text())
    (facts / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    )
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items())
             for group, points in about["entry-points"].items()]  # fmt: skip
    (facts / "entry_points.txt").write_text("\n".join(lines))
    return place


def run(*words, site=None):
    """The command line in a process of its own, with the toy package or without it."""
    path = os.pathsep.join(
        [*([str(site)] if site else []), *[entry for entry in sys.path if entry]]
    )
    command = [sys.executable, "-m", "sfumato.cli", *map(str, words)]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "200"},
    )


def test_one_file_is_enough_and_without_it_nothing_passes(folder, site):
    source, policy, target = folder / "people.csv", folder / "people.toml", folder / "release"
    checked = run("check", policy, source, site=site)
    assert (checked.returncode, checked.stderr) == (0, "")
    made = run("release", source, "--policy", policy, "--to", target, site=site)
    assert made.returncode == 0, made.stdout + made.stderr
    facts = json.loads((target / "manifest.json").read_text())
    assert [(verdict["model"], verdict["outcome"]) for verdict in facts["verdicts"]] == [
        ("at least", "pass")
    ]
    assert facts["policy"]["require"]["at_least"] == {"rows": 7}
    assert facts["verdicts"][0]["smallest"] >= 7
    assert facts["parts"] == {"at_least": "toy-model 0.1"}
    verified = run("verify", target, "--json", site=site)
    assert verified.returncode == 0
    assert [
        check["outcome"]
        for check in json.loads(verified.stdout)
        if check["requirement"] == "at_least"
    ] == ["pass"]

    without = run("verify", target, "--json")
    assert without.returncode == 3
    about = [check for check in json.loads(without.stdout) if check["requirement"] == "at_least"]
    assert {check["outcome"] for check in about} == {"review"}
    assert all(
        "no installed package declares this protection model" in check["found"] for check in about
    )
    assert not [check for check in json.loads(without.stdout) if check["outcome"] == "fail"]


def test_a_policy_is_not_read_without_the_package(folder):
    found = run("check", folder / "people.toml")
    assert found.returncode == 2
    said = " ".join(found.stderr.split())
    assert (
        'require.at_least: No protection model is called "at_least", neither in Sfumato '
        "nor in an installed" in said
    )
    assert "Try installing the package that brings it" in said


def test_a_mistake_in_what_it_is_asked_is_told_as_any_other(folder, site):
    policy = folder / "people.toml"
    policy.write_text(POLICY.replace("rows = 7", "rows = 0, row = 1"))
    said = " ".join(run("check", policy, site=site).stderr.split())
    assert "require.at_least.rows: It is 0, and must be 1 or more." in said
    assert 'require.at_least.row: There is no such key here. Did you mean "rows"?' in said


# ------------------------------------------------------------------ from Python


def toy():
    sys.path.insert(0, str(TOY))
    try:
        from toy_model import AtLeast
    finally:
        sys.path.remove(str(TOY))
    return AtLeast


def policy(**require):
    return policy_from_table({"fields": FIELDS, "require": require or {"k": 2}})


def test_python_asks_for_models_in_place_of_those_of_the_policy(folder):
    asked = [sfumato.models.KAnonymity(k=3), toy()(rows=7), sfumato.models.LDiversity(l=2)]
    made = sfumato.release(folder / "people.csv", policy(), require=asked, to=folder / "out")
    assert made.outcome == "pass"
    names = [verdict.model for verdict in made.verdicts]
    assert names == ["k-anonymity", "distinct l-diversity", "at least"]
    assert made.manifest["policy"]["require"]["k"] == 3
    assert made.manifest["parts"] == {"at_least": "Python"}
    assert "at_least" not in MODELS


def test_a_class_without_a_declaration_is_a_mistake(folder):
    @dataclass(frozen=True, kw_only=True)
    class Mine:
        rows: int = 3

    with pytest.raises(Mistake, match="Mine was asked for as a requirement") as caught:
        sfumato.release(folder / "people.csv", policy(), require=[Mine()], to=folder / "out")
    assert "ModelDeclaration" in str(caught.value)
    assert not (folder / "out").exists()


def test_what_python_asks_for_is_checked_as_a_file_is(folder):
    asked = [sfumato.models.KAnonymity(k=0), sfumato.models.TCloseness(t=2.0, fields=("zip",))]
    with pytest.raises(PolicyError) as caught:
        sfumato.release(folder / "people.csv", policy(), require=asked, to=folder / "out")
    assert {problem.where for problem in caught.value.problems} >= {
        "require.k",
        "require.t_closeness.t",
    }
    with pytest.raises(Mistake, match="k was asked for twice"):
        sfumato.release(
            folder / "people.csv", policy(), require=[asked[0], asked[0]], to=folder / "out"
        )


def test_a_model_that_builds_nothing_is_not_taken_for_kept(folder):
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Nothing:
        level: int = parameter("a number that nobody looks at", least=0)

    declared = ModelDeclaration(
        key="nothing", doc="judges nothing", record=Nothing, build=lambda asked, context: ()
    )
    Nothing.declaration = declared
    with pytest.raises(CandidateFailed, match="no verdict on nothing"):
        sfumato.release(
            folder / "people.csv",
            policy(),
            require=[sfumato.models.KAnonymity(k=2), Nothing(level=1)],
            to=folder / "out",
        )
    assert not (folder / "out").exists()


class Borrowed:
    """A model of another package that speaks in the name of k-anonymity, or not at all."""

    monotone_generalisation = monotone_suppression = True

    def __init__(self, name, verdict):
        self.name, self._verdict = name, verdict

    def failing(self, bins):
        return np.zeros(len(bins), bool)

    def judge(self, bins):
        found = verdict_of(self, bins, requirement="k = 50", fields=bins.fields, smallest=50)
        return found if self._verdict else None


@pytest.mark.parametrize(
    ("name", "verdict", "said"),
    [
        ("k-anonymity", True, 'It calls its verdict "k-anonymity", as another model does'),
        ("mine", False, "It gives no verdict"),
    ],
)
def test_a_verdict_in_the_name_of_another_model_is_refused(folder, name, verdict, said):
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Other:
        level: int = parameter("a number that nobody looks at", least=0)

    declared = ModelDeclaration(
        key="other",
        doc="judges nothing",
        record=Other,
        build=lambda asked, context: (Borrowed(name, verdict),),
    )
    Other.declaration = declared
    with pytest.raises(Mistake, match=said):
        sfumato.release(
            folder / "people.csv", policy(), require=[Other(level=1)], to=folder / "out"
        )
    assert not (folder / "out").exists()


CRASHING = """
class Crashing(AtLeastModel):
    def failing(self, bins):
        raise RuntimeError("the value 02138 of Ann")
"""


def test_an_exception_of_a_package_is_told_without_its_message(folder, site):
    toy = site / "toy_model.py"
    text = toy.read_text().replace("yield AtLeastModel(", "yield Crashing(")
    toy.write_text(text.replace("def _build(", f"{CRASHING}\n\ndef _build("))
    source, target = folder / "people.csv", folder / "release"
    found = run("release", source, "--policy", folder / "people.toml", "--to", target, site=site)
    assert found.returncode == 70
    assert "RuntimeError in toy_model.py, line" in found.stderr
    assert "02138" not in found.stderr
    assert "Traceback" not in found.stderr
    assert not target.exists()


@pytest.mark.parametrize(
    ("more", "where"),
    [
        ({"household": "home", "fields": FIELDS | {"home": "direct"}}, "household"),
        ({"nulls": "matches-anything"}, "nulls"),
        (
            {"entity": "who", "fields": FIELDS | {"who": {"role": "direct", "replace": "number"}}},
            "require.at_least",
        ),
    ],
)
def test_a_shape_that_a_model_does_not_declare_is_refused(folder, more, where):
    """The toy declares nothing but one row per person."""
    rows = PEOPLE.splitlines()
    lines = [
        f"{rows[0]},home,who",
        *(f"{row},h{n // 3},p{n // 2}" for n, row in enumerate(rows[1:])),
    ]
    (folder / "homes.csv").write_text("\n".join(lines) + "\n")
    table = {"fields": FIELDS, "require": {"k": 2}, "other_fields": "remove"} | more
    asked = [sfumato.models.KAnonymity(k=2), toy()(rows=7)]
    with pytest.raises(PolicyError) as caught:
        sfumato.release(
            folder / "homes.csv", policy_from_table(table), require=asked, to=folder / "out"
        )
    assert where in {problem.where for problem in caught.value.problems}
