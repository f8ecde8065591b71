"""Close values: the attacker need not learn a salary to the cent.

Alice's neighbour knows her ZIP, age and sex, and finds the rows that could be hers. All their
salaries differ, and all are within a few hundred of each other: the neighbour claims that hers is
in the narrow interval that holds most of them (Li, Tao and Xiao 2008, section 1).

The control is the k-anonymous release, in which the same claims are right far more often than the
rule allows. A rule that counts values would pass there, and is refused.
"""

from __future__ import annotations

import csv
import random

import pytest

from sfumato.assessment import assess
from sfumato.errors import PolicyError
from sfumato.policy import policy_from_table
from sfumato.releases import release

WIDTH, SHARE = 1000, 0.5
FIELDS = {
    "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
    "sex": {"role": "quasi"},
    "pay": {"role": "sensitive"},
}


@pytest.fixture(scope="module")
def everyone():
    """Who lives in one place is paid nearly alike, and nobody exactly as much as another."""
    draw = random.Random(2008)
    return [
        {
            "zip": f"021{n % 24:02}",
            "sex": draw.choice("fm"),
            "pay": f"{20_000 + 3_000 * (n % 24) + draw.random() * 600:.2f}",
        }
        for n in range(480)
    ]


def released(everyone, folder, require):
    folder.mkdir()
    source = folder / "people.csv"
    with source.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(everyone[0]))
        writer.writeheader()
        writer.writerows(everyone)
    policy = policy_from_table({"fields": FIELDS, "require": {"k": 5} | require})
    made = release(source, policy, to=folder / "release")
    assert made.outcome == "pass"
    with made.table.open(newline="") as file:
        return list(csv.DictReader(file))


def best_claims(rows):
    """For each released bin, the share of its rows in the best interval narrower than the width."""
    bins = {}
    for row in rows:
        bins.setdefault((row["zip"], row["sex"]), []).append(float(row["pay"]))
    return [
        max(sum(0 <= other - one < WIDTH for other in pay) for one in pay) / len(pay)
        for pay in bins.values()
    ]


def test_no_narrow_interval_is_likelier_than_the_rule_allows(everyone, tmp_path):
    asked = {"value_spread": {"width": WIDTH, "share": SHARE}}
    assert min(best_claims(released(everyone, tmp_path / "k", {}))) == 1.0
    assert max(best_claims(released(everyone, tmp_path / "spread", asked))) <= SHARE


def test_a_rule_that_counts_such_values_is_refused(everyone, tmp_path):
    with pytest.raises(PolicyError, match="number of its own in pay"):
        released(everyone, tmp_path / "l", {"l_diversity": {"l": 5}})


def test_an_assessment_says_that_numbers_are_known_nearly(everyone, tmp_path):
    """Nobody's pay is certain and nobody is alone, and everybody's pay is known."""
    released(everyone, tmp_path / "k", {})
    folder = tmp_path / "k"
    found = assess(folder / "release", source=folder / "people.csv", attacks=False)
    one = next(one for one in found.judgements if one.question.startswith("Can a sensitive number"))
    assert one.outcome == "fail"
    assert "pay is known within" in one.answer
    assert "value_spread" in one.advice
    spread = {"value_spread": {"width": 5_000, "share": 0.5}}
    released(everyone, tmp_path / "spread", spread)
    wide = assess(tmp_path / "spread/release", source=folder / "people.csv", attacks=False)
    two = next(one for one in wide.judgements if one.question.startswith("Can a sensitive number"))
    assert two.outcome == "pass"
