"""Every key of [require] is judged, or named as not judged: what a policy asks for never passes by
silence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from sfumato.bins.toy_bins import bins_of_rows
from sfumato.errors import CandidateFailed
from sfumato.policy import LooksAt, policy_from_table
from sfumato.protection import MODELS, KAnonymity
from sfumato.releases.checks import outcome_of, verdict_checks
from sfumato.releases.required_verdicts import check_all_judged, required_of_bins

sys.path.insert(0, str(Path(__file__).parent))
from asked_of_models import ASKED, policy_table

OF_BINS = [key for key in ASKED if MODELS[key].looks_at is not LooksAt.SETS]
"""Sets of values are judged where people are counted."""
KNOWN = ("zip", "sex")
ROWS = [
    ("021", "f", "flu", "1"),
    ("021", "f", "cold", "9"),
    ("946", "m", "flu", "1"),
    ("946", "m", "cold", "9"),
]


def policy(key: str) -> Any:
    return policy_from_table(policy_table(key))


def bins() -> Any:
    return bins_of_rows(KNOWN, ROWS, sensitive=("problem", "pay"))


@pytest.mark.parametrize("key", OF_BINS)
def test_every_requirement_has_a_verdict_that_it_waits_for(key):
    found = [one for one in required_of_bins(policy(key), KNOWN, 4, bins=bins()) if one.key == key]
    assert key in policy(key).require.keys
    assert found
    assert all(one.model and "nothing judges it" not in one.requirement for one in found)


@pytest.mark.parametrize("key", OF_BINS)
def test_without_a_verdict_nothing_is_published_and_nothing_verified(key):
    required = list(required_of_bins(policy(key), KNOWN, 4, bins=bins()))
    with pytest.raises(CandidateFailed, match="not everything that the policy requires was judged"):
        check_all_judged(required, ())
    checks = tuple(verdict_checks([], required, ()))
    assert {check.outcome for check in checks} == {"fail"}
    assert outcome_of(checks) == "fail"


@pytest.mark.parametrize("key", OF_BINS)
def test_a_verdict_that_cannot_be_judged_here_is_never_a_pass(key):
    required = list(required_of_bins(policy(key), KNOWN, 4, bins=bins()))
    counts = {"bins": 2, "rows": 4, "smallest": 2, "bins_below": 0, "rows_below": 0, "reason": ""}
    said = [
        {
            "model": one.model,
            "requirement": one.requirement,
            "fields": list(one.fields),
            "outcome": "pass",
        }
        | counts
        for one in required
    ]
    assert outcome_of(verdict_checks(said, required, ())) == "review"


def test_a_verdict_that_nothing_requires_is_not_published():
    verdict = KAnonymity(k=9, fields=KNOWN).judge(bins())
    with pytest.raises(CandidateFailed, match="that the policy does not require"):
        check_all_judged((), (verdict,))
