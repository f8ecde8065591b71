"""From the counts that a policy requires to models, and from there to a release."""

import csv
from collections import Counter

import pytest

from sfumato.policy import policy_from_table
from sfumato.protection import KAnonymity
from sfumato.releases import release, verify
from sfumato.releases.requirements import models_for

FIELDS = {
    "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
    "birth": {"role": "quasi", "hierarchy": {"dates": ["10 years"]}},
    "sex": "quasi",
}


def policy(require, **more):
    return policy_from_table({"fields": FIELDS, "require": require, **more})


def models(decided, known):
    return models_for(decided, known, 8, population=None, hierarchies={})


KEYS = [{"fields": ["zip", "birth"], "k": 3}, {"fields": ["zip", "sex", "birth"], "k": 2}]


def test_each_key_combination_becomes_a_k_anonymity_of_its_own():
    found = models(policy({"k": 2, "key_combinations": KEYS}), ("zip", "birth", "sex"))
    assert found == (
        KAnonymity(k=2, fields=("zip", "birth", "sex")),
        KAnonymity(k=3, fields=("zip", "birth")),
        KAnonymity(k=2, fields=("zip", "sex", "birth")),
    )


def test_only_what_the_recipient_may_know_is_counted():
    found = models(policy({"key_combinations": [*KEYS, {"fields": ["sex"], "k": 9}]}), ("zip",))
    assert found == (KAnonymity(k=3, fields=("zip",)), KAnonymity(k=2, fields=("zip",)))


@pytest.mark.parametrize("solver", ["anytime", "datafly2"])
def test_a_release_keeps_the_k_of_each_key_combination(tmp_path, solver):
    rows = [
        ("02138", "1965", "f"),
        ("02138", "1965", "f"),
        ("02139", "1964", "m"),
        ("02139", "1964", "m"),
        ("02141", "1967", "f"),
        ("02141", "1968", "f"),
    ]
    with (tmp_path / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([tuple(FIELDS), *rows])
    decided = policy({"key_combinations": KEYS}, solve={"solver": solver})
    made = release(tmp_path / "people.csv", decided, to=tmp_path / "out")
    with made.table.open(newline="") as file:
        released = list(csv.DictReader(file))
    for key in KEYS:
        sizes = Counter(tuple(row[name] for name in key["fields"]) for row in released)
        assert min(sizes.values()) >= key["k"]
    assert [(verdict.requirement[:5], verdict.outcome) for verdict in made.verdicts] == [
        ("k = 3", "pass"),
        ("k = 2", "pass"),
    ]
    assert "fail" not in {check.outcome for check in verify(made.folder)}
