"""Every key of [require] is judged, or named as not judged: what a policy asks for never passes by silence."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from sfumato.bins.by_hand import bins_of_rows
from sfumato.errors import CandidateFailed
from sfumato.policy import Requirements, policy_from_table
from sfumato.protection import KAnonymity
from sfumato.releases.checks import outcome_of, verdict_checks
from sfumato.releases.required import IN_TABLES, SETTINGS, asked_keys, check_all_judged, required_of_bins

ASKED: dict[str, Any] = {
    "k": 2,
    "k_map": {"k": 2, "population": "register.csv"},
    "bin_sizes": {"zip": 2},
    "combinations": {"k": 2, "sizes": [1, 2]},
    "key_combinations": [{"k": 2, "fields": ["zip", "sex"]}],
    "anonymity": {"level": 0.5, "r2": 4.0, "e": 2.0},
    "non_uniqueness": {"fields": ["problem"]},
    "l_diversity": {"l": 2, "fields": ["problem"]},
    "t_closeness": {"t": 0.5, "fields": ["problem"]},
    "p_sensitive": {"p": 2, "k": 2, "fields": ["problem"]},
    "alpha_k": {"alpha": 0.5, "k": 2, "fields": ["problem"]},
    "delta_disclosure": {"delta": 1.0, "fields": ["problem"]},
    "beta_likeness": {"beta": 1.0, "fields": ["problem"]},
    "confidence_gain": {"gain": 0.5, "facts": 1, "fields": ["problem"]},
    "delta_presence": {"min": 0.0, "max": 0.5, "population": "register.csv"},
    "average_risk": 0.5,
    "maximum_risk": 0.5,
    "population_uniqueness": {"threshold": 0.5, "population_size": 100},
    "null_map": {},
    "wrong_map": {},
    "safe_harbor": {"zips": ["zip"]},
}
"""A requirement of each kind. A new key without a line here fails, and so does one that nothing judges."""
KNOWN = ("zip", "sex")
ROWS = [("021", "f", "flu"), ("021", "f", "cold"), ("946", "m", "flu"), ("946", "m", "cold")]


def policy(key: str) -> Any:
    fields_of = {"zip": "quasi", "sex": "quasi", "problem": "sensitive", "odd": "insensitive"}
    table: dict[str, Any] = {"fields": fields_of, "require": {key: ASKED[key]}}
    if key == "anonymity":
        table["solve"] = {"solver": "datafly"}
    if key in ("null_map", "wrong_map"):
        table["steps"] = [{"technique": "swap", "fields": ["zip", "sex"], "share": 1.0}]
    if key == "safe_harbor":
        table["require"]["k"] = 2
    return policy_from_table(table)


def bins() -> Any:
    return bins_of_rows(KNOWN, ROWS, sensitive=("problem",))


def test_every_key_is_here():
    every = {each.name for each in fields(Requirements)}
    assert every == {*ASKED, *SETTINGS, *IN_TABLES}


@pytest.mark.parametrize("key", ASKED)
def test_every_requirement_has_a_verdict_that_it_waits_for(key):
    found = [one for one in required_of_bins(policy(key), KNOWN, 4, bins=bins()) if one.key == key]
    assert key in asked_keys(policy(key).require)
    assert found
    assert all(one.model and "nothing judges it" not in one.requirement for one in found)


@pytest.mark.parametrize("key", ASKED)
def test_without_a_verdict_nothing_is_published_and_nothing_verified(key):
    required = list(required_of_bins(policy(key), KNOWN, 4, bins=bins()))
    with pytest.raises(CandidateFailed, match="not everything that the policy requires was judged"):
        check_all_judged(required, ())
    checks = tuple(verdict_checks([], required, ()))
    assert {check.outcome for check in checks} == {"fail"}
    assert outcome_of(checks) == "fail"


@pytest.mark.parametrize("key", ASKED)
def test_a_verdict_that_cannot_be_judged_here_is_never_a_pass(key):
    required = list(required_of_bins(policy(key), KNOWN, 4, bins=bins()))
    counts = {"bins": 2, "rows": 4, "smallest": 2, "bins_below": 0, "rows_below": 0, "reason": ""}
    said = [
        {"model": one.model, "requirement": one.requirement, "fields": list(one.fields), "outcome": "pass"} | counts
        for one in required
    ]
    assert outcome_of(verdict_checks(said, required, ())) == "review"


def test_a_verdict_that_nothing_requires_is_not_published():
    verdict = KAnonymity(k=9, fields=KNOWN).judge(bins())
    with pytest.raises(CandidateFailed, match="that the policy does not require"):
        check_all_judged((), (verdict,))
