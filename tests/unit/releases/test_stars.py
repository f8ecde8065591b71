"""A `*` that is a value of the source is no suppressed cell: told apart by the plan, or refused
where it cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.errors import PolicyError
from sfumato.policy import policy_from_table
from sfumato.releases import outcome_of, release, verify


@pytest.fixture
def source(tmp_path):
    """Nobody else has `*` and m: a reading in which it matches anything would let that row be
    alone."""
    rows = ["02138,f,flu"] * 3 + ["02139,m,cold"] * 3 + ["*,m,gout"]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["zip,sex,problem", *rows]) + "\n", encoding="utf-8")
    return path


def policy(**said: Any) -> Any:
    fields: dict[str, Any] = {"zip": "quasi", "sex": "quasi", "problem": "sensitive"}
    fields |= said.pop("fields", {})
    return policy_from_table({"fields": fields, **said})


@pytest.mark.parametrize(
    "said",
    [
        {"require": {"k": 3, "reading": "wildcard"}},
        {"require": {"combinations": {"k": 3, "sizes": [1, 2]}}, "solve": {"solver": "mu_argus"}},
        {"require": {"k": 3}, "fields": {"problem": {"role": "sensitive", "follows": "zip"}}},
    ],
    ids=["wildcard", "mu_argus", "follows"],
)
def test_a_star_that_would_match_anything_is_refused(source, tmp_path, said):
    with pytest.raises(PolicyError) as caught:
        release(source, policy(**said), to=tmp_path / "out")
    [problem] = caught.value.problems
    assert problem.where == "fields.zip"
    assert "a suppressed cell would look the same" in problem.found
    assert "another text" in problem.attempt
    assert not (tmp_path / "out").exists()


def test_read_strictly_a_star_is_a_value_like_others(source, tmp_path):
    made = release(source, policy(require={"k": 3, "max_suppression": 0.2}), to=tmp_path / "out")
    assert made.manifest["tables"]["release"]["left_out"]["left_out"] == 1
    assert outcome_of(verify(made.folder)) == "pass"
    assert "*" not in made.table.read_text(encoding="utf-8")


def test_a_sensitive_star_is_a_value_that_a_bin_can_tell(tmp_path):
    """Every row of a bin has `*`: that is known of whoever is in the bin, and warned of as any
    value is."""
    path = tmp_path / "people.csv"
    path.write_text(
        "zip,problem\n" + "02138,*\n" * 3 + "02139,flu\n02139,cold\n02139,gout\n", encoding="utf-8"
    )
    fields = {"zip": "quasi", "problem": "sensitive"}
    made = release(
        path, policy_from_table({"fields": fields, "require": {"k": 3}}), to=tmp_path / "out"
    )
    assert any(
        "every row has the same value of problem" in warning
        for warning in made.manifest["warnings"]
    )
