"""What an agency documents of a release: answers that follow from policy and verdicts, and those of
a person."""

from __future__ import annotations

import hashlib
import json

import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import PolicyError
from sfumato.policy import QUESTIONS, policy_as_toml, read_policy

POLICY = """
[fields]
who = { role = "direct", replace = "hash" }
zip = "quasi"
ill = "sensitive"
[require]
k = 2
[documentation]
original = "Yes, with the registry."
"""
ROWS = "who,zip,ill\n" + "".join(f"p{n},0213{n % 2},flu\n" for n in range(8))


@pytest.fixture
def made(tmp_path):
    (tmp_path / "rows.csv").write_text(ROWS, encoding="utf-8")
    return sfumato.release(tmp_path / "rows.csv", read_policy(POLICY), to=tmp_path / "out")


def answers(made):
    return {
        each.key: said for each, said in zip(QUESTIONS, made.manifest["documentation"], strict=True)
    }


def test_every_question_is_answered_or_marked_open(made):
    found = answers(made)
    assert len(found) == 14
    assert found["direct_identifiers"]["answer"] == "Yes: 1 field: who."
    assert "has 4" in found["quasi_identifiers"]["answer"]
    assert "who (by a keyed hash)" in found["map"]["answer"]
    assert found["original"] == {
        "question": "Is the original data set retained after de-identification?",
        "answer": "Yes, with the registry.",
        "answered_by": "holder",
    }
    assert {said["answered_by"] for said in found.values()} == {"release", "holder", "nobody"}


def test_a_changed_answer_is_noticed(made):
    assert main(["verify", str(made.folder)]) == 0
    path = made.folder / "manifest.json"
    path.write_text(path.read_text(encoding="utf-8").replace("Yes: 1 field: who.", "No."))
    assert main(["verify", str(made.folder)]) == 1


def test_answers_are_written_and_read_back():
    policy = read_policy(POLICY)
    assert policy.documentation == {"original": "Yes, with the registry."}
    assert read_policy(policy_as_toml(policy)).documentation == policy.documentation


def test_what_the_release_counts_is_not_taken_from_a_person():
    with pytest.raises(PolicyError, match="answers this by counting"):
        read_policy('[fields]\nzip = "quasi"\n[documentation]\ntests = "Many."\n')
    with pytest.raises(PolicyError, match="no such key"):
        read_policy('[fields]\nzip = "quasi"\n[documentation]\nharms = "None."\n')


def test_a_register_is_named_by_its_digest(tmp_path):
    (tmp_path / "rows.csv").write_text("zip\n02138\n02139\n", encoding="utf-8")
    people = "zip\n" + "02138\n02139\n" * 3
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "voters.csv").write_text(people, encoding="utf-8")
    policy = tmp_path / "rows.toml"
    policy.write_text(
        '[fields]\nzip = "quasi"\n[require]\nk_map = { k = 3, population = "lists/voters.csv" }\n',
        encoding="utf-8",
    )
    made = sfumato.release(tmp_path / "rows.csv", policy, to=tmp_path / "out")
    digest = hashlib.sha256(people.encode()).hexdigest()
    assert made.manifest["registers"] == {"k_map": {"file": "voters.csv", "sha256": digest}}
    assert str(tmp_path) not in json.dumps(made.manifest)


def test_access_of_a_recipient(tmp_path):
    (tmp_path / "rows.csv").write_text("zip,job\n" + "02138,smith\n" * 6, encoding="utf-8")
    policy = read_policy(
        '[fields]\nzip = "quasi"\njob = "quasi"\n[require]\nk = 2\n[recipient.readers]\n'
        'access = "semi-public"\nlinking = { job = 0.2 }\n'
    )
    policy = read_policy(policy_as_toml(policy).replace('"public"\n', '"readers"\n', 1))
    assert policy.recipients["readers"].access.value == "semi-public"
    made = sfumato.release(tmp_path / "rows.csv", policy, to=tmp_path / "out")
    assert any("Access of readers is semi-public" in said for said in made.manifest["warnings"])
    assert made.manifest["policy"]["recipient"]["readers"]["access"] == "semi-public"
    with pytest.raises(PolicyError, match="access"):
        read_policy('[fields]\nzip = "quasi"\n[recipient.r]\naccess = "everybody"\n')
