"""Every declared model is parsed, written back, solved for, judged, recounted, verified and told in
the manifest."""

from __future__ import annotations

import json
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from sfumato.parts import ParameterKind, Shape, parameters_of, schema_of
from sfumato.policy import (
    OutsideNeed,
    Policy,
    RequirementForm,
    model_keys,
    policy_as_table,
    policy_from_table,
)
from sfumato.protection import MODELS
from sfumato.releases import Key, release, verify

sys.path.insert(0, str(Path(__file__).parent))
from asked_of_models import ASKED, policy_table, write_people

each_model = pytest.mark.parametrize("key", ASKED)
KEY = Key(b"a secret of thirty-two bytes, or more")


def policy(key: str, folder: Path = Path()) -> Policy:
    table = policy_table(key)
    if key != "k_m":
        table["other_fields"] = "remove"
    return policy_from_table(table, folder=folder)


def test_every_declared_model_is_asked_for_here() -> None:
    assert set(ASKED) == set(model_keys())


@each_model
def test_a_declaration_is_whole(key: str) -> None:
    declared = MODELS[key]
    assert declared.key == key
    assert declared.doc
    assert is_dataclass(declared.record)
    assert declared.record.__dataclass_params__.frozen  # type: ignore[attr-defined]
    parameters = parameters_of(declared.record)
    assert {each.name for each in parameters} == {each.name for each in fields(declared.record)}
    assert all(each.doc for each in parameters)
    named = {
        each.name for each in parameters if each.kind in (ParameterKind.FIELDS, ParameterKind.SIZES)
    }
    assert named <= declared.roles.keys(), (
        "the roles of the fields that a parameter names are declared"
    )
    assert Shape.ONE_ROW in declared.shapes
    assert schema_of(declared.record)["properties"].keys() == {each.name for each in parameters}


@each_model
def test_what_is_asked_is_parsed_and_written_back(key: str) -> None:
    decided = policy(key)
    assert key in decided.require.keys
    assert all(isinstance(record, MODELS[key].record) for record in decided.require.each(key))
    written: Any = policy_as_table(decided)
    again = policy_from_table(json.loads(json.dumps(written)))
    assert again.require == decided.require


@each_model
def test_an_unknown_or_missing_parameter_is_told(key: str) -> None:
    declared, table = MODELS[key], policy_table(key)
    if declared.form is RequirementForm.VALUE:
        table["require"][key] = "much"
    else:
        table["require"][key] = {"no_such_parameter": 1}
    with pytest.raises(Exception, match=f"require.{key}"):
        policy_from_table(table)


@each_model
def test_it_is_solved_for_judged_recounted_told_and_verified(key: str, tmp_path: Path) -> None:
    source = write_people(tmp_path)
    made = release(source, policy(key, tmp_path), to=tmp_path / "out", key=KEY)
    assert made.outcome == "pass", [verdict.reason for verdict in made.verdicts]
    assert made.verdicts
    facts = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert key in facts["policy"]["require"]
    assert [verdict["outcome"] for verdict in facts["verdicts"]] == ["pass"] * len(made.verdicts)
    asked = made.policy.require.each(key)[0]
    checks = [check for check in verify(tmp_path / "out") if check.requirement == key]
    alone = MODELS[key].judged_from_release(asked)
    assert {check.outcome for check in checks} == ({"pass"} if alone else {"review"}), checks
    if MODELS[key].need_of(asked) in (OutsideNeed.POPULATION, OutsideNeed.SOURCE):
        given = (
            {"population": tmp_path / "register.csv"}
            if MODELS[key].need_of(asked) is OutsideNeed.POPULATION
            else {}
        )
        given = given or {"source": source}
        again = [check for check in verify(tmp_path / "out", **given) if check.requirement == key]
        assert {check.outcome for check in again} == {"pass"}, again
