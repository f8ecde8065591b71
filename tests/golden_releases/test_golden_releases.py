"""Golden releases: whole runs of the command line give what was recorded.

Every run of the tests repeats the quick cases; `SFUMATO_GOLDEN=all` or `python -m
tests.golden_releases` all of them."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from tests.golden_releases.cases import CASES
from tests.golden_releases.comparison import differences
from tests.golden_releases.execution import run_case
from tests.golden_releases.record import golden_of, record_names

REPEATED = [
    name for name, case in CASES.items() if case.quick or os.environ.get("SFUMATO_GOLDEN") == "all"
]


@pytest.mark.parametrize("name", REPEATED)
def test_a_run_gives_what_was_recorded(name: str, tmp_path: Path) -> None:
    found = json.loads(json.dumps(run_case(CASES[name], tmp_path / "case")))
    listed = differences(golden_of(name), found)
    assert not listed, f"{name} differs from its golden record:\n  " + "\n  ".join(listed)


def test_every_case_has_a_record_and_every_record_a_case() -> None:
    assert record_names() == sorted(CASES)


def test_the_cases_have_names_of_their_own() -> None:
    assert len(CASES) >= 60
    assert Counter(case.quick for case in CASES.values())[True] >= 12


def test_a_lost_verdict_and_a_lost_warning_are_facts() -> None:
    golden = {
        "verdicts": [{"model": "k", "outcome": "pass"}, {"model": "l", "outcome": "pass"}],
        "warnings": ["a b"],
    }
    listed = differences(golden, {"verdicts": golden["verdicts"][:1], "warnings": []})
    assert listed[0] == "verdicts (number): was 2, is 1"
    assert not any(line.startswith("wording") for line in listed)


def test_a_sentence_that_reads_otherwise_is_told_from_another_number() -> None:
    golden = {"warnings": ["5 rows are left out"]}
    assert differences(golden, {"warnings": ["5 rows are suppressed"]})[0].startswith(
        "wording only: warnings[0]"
    )
    assert differences(golden, {"warnings": ["6 rows are left out"]})[0].startswith(
        "warnings[0]: was"
    )
    checks = {"checks": ["pass: k-anonymity holds"]}
    assert differences(checks, {"checks": ["fail: k-anonymity holds"]})[0].startswith(
        "checks[0]: was"
    )


def test_rows_that_differ_are_listed_as_a_multiset() -> None:
    golden = {"files": {"release.csv": {"lines": ['["a"]', '["a"]', '["b"]']}}}
    found = {"files": {"release.csv": {"lines": ['["a"]', '["b"]', '["c"]']}}}
    assert "1 lines gone, 1 new" in differences(golden, found)[0]
    assert '[\\"c\\"]' in differences(golden, found)[0]


def test_a_number_is_the_same_up_to_its_last_digits() -> None:
    assert differences({"loss": 0.3544439898}, {"loss": 0.35444398981679}) == []
    assert differences({"loss": 0.3544}, {"loss": 0.3545})
    assert differences({"count": 1}, {"count": True})
