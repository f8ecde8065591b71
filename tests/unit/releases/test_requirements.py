"""From the counts that a policy requires to models, and from there to a release."""

import csv
from collections import Counter

import pytest

from sfumato.errors import NoRecodingFound, SourceError
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
    return models_for(decided, known, 8, hierarchies={})


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


SURVEY = "zip,sex,weight\n02138,f,2.5\n02138,f,2.5\n02139,m,9\n02141,m,4\n"
WEIGHED = {
    "zip": {"role": "quasi", "hierarchy": {"prefix": [4, 3]}},
    "sex": "quasi",
    "weight": "insensitive",
}


def weighed(tmp_path, k, *, text=SURVEY, weight="insensitive", max_suppression=0.0, **more):
    (tmp_path / "survey.csv").write_text(text, encoding="utf-8")
    require = {"k_map": {"k": k, "weight": "weight"}, "max_suppression": max_suppression}
    decided = policy_from_table(
        {"fields": WEIGHED | {"weight": weight}, "require": require, **more}
    )
    return release(tmp_path / "survey.csv", decided, to=tmp_path / "out")


def checked(made):
    return {check.claim.split(" (")[0]: check for check in verify(made.folder)}["k-map"]


def test_the_weights_decide_under_a_weighed_k_map(tmp_path):
    made = weighed(tmp_path, 4)
    assert made.manifest["recoding"]["levels"] == {"zip": 0, "sex": 0}
    [verdict] = made.verdicts
    assert verdict.requirement == "k = 4 in a population of 18, estimated from survey weights"
    assert (verdict.outcome, verdict.smallest) == ("pass", 4)


def test_released_weights_let_a_third_party_count_again(tmp_path):
    made = weighed(tmp_path, 5, solve={"solver": "anytime"})
    assert made.manifest["recoding"]["levels"] != {"zip": 0, "sex": 0}
    check = checked(made)
    assert check.outcome == "pass"
    assert "by the weights of the released rows alone" in check.found
    assert any(
        "survey weights in weight are released as they are" in line
        for line in made.manifest["warnings"]
    )


@pytest.mark.parametrize("role", ["direct", {"role": "direct", "replace": "mask"}, "text"])
def test_without_the_weights_a_third_party_cannot(tmp_path, role):
    made = weighed(tmp_path, 5, weight=role)
    assert (checked(made).outcome, "needs the weights" in checked(made).found) == ("review", True)
    assert not any("survey weights" in line for line in made.manifest["warnings"])


def test_rows_that_were_left_out_still_stand_for_people(tmp_path):
    made = weighed(tmp_path, 5, max_suppression=0.25, solve={"solver": "given", "levels": {}})
    assert (made.rows, made.verdicts[0].requirement) == (
        3,
        "k = 5 in a population of 18, estimated from survey weights",
    )
    assert checked(made).outcome == "pass"


def test_too_few_people_are_told(tmp_path):
    with pytest.raises(NoRecodingFound, match="k-map"):
        weighed(tmp_path, 19)


def test_a_row_without_a_weight_is_refused_before_any_search(tmp_path):
    with pytest.raises(SourceError, match="1 row holds no such number"):
        weighed(tmp_path, 2, text=SURVEY + "02141,m,many\n")


def test_fields_that_the_recipient_does_not_know_are_not_weighed(tmp_path):
    profile = {"me": {"linking": {"sex": 0.0}}}
    made = weighed(tmp_path, 4, recipient=profile, release_to="me")
    assert made.verdicts[0].fields == ("zip",)
