"""What a data manager who tries everything ran into."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sfumato
from sfumato.cli import main
from sfumato.errors import CandidateFailed, ReleaseBroken, TargetError

POLICY = '[fields]\nage = "quasi"\nscore = "insensitive"\n[require]\nk = 2\n'


@pytest.fixture
def source(tmp_path) -> Path:
    path = tmp_path / "toy.csv"
    path.write_text("age,score\n30,1\n30,2\n31,3\n31,4\n")
    (tmp_path / "toy.policy.toml").write_text(POLICY)
    return path


@pytest.fixture
def made(source, tmp_path) -> Path:
    assert main(["release", str(source), "--to", str(tmp_path / "r")]) == 0
    return tmp_path / "r"


def test_a_replaced_release_takes_no_other_file_with_it(source, made):
    (made / "letter.txt").write_text("mine")
    with pytest.raises(TargetError, match="holds more than a release"):
        sfumato.release(source, to=made, replace=True)
    assert (made / "letter.txt").read_text() == "mine"


OF_THE_TABLE = ("rows", "fields", "left_out")


@pytest.mark.long("every part missing or changed; each third stays", every=3)
@pytest.mark.parametrize(
    "key", ["shape", "tables", "known_fields", "policy", "verdicts", *OF_THE_TABLE]
)
@pytest.mark.parametrize("wrong", [None, "x"])
def test_a_manifest_with_a_part_missing_or_changed_is_broken(made, key, wrong):
    facts = json.loads((made / "manifest.json").read_text())
    holder = facts["tables"]["release"] if key in OF_THE_TABLE else facts
    assert holder[key]
    holder[key] = wrong
    (made / "manifest.json").write_text(json.dumps(facts))
    with pytest.raises(ReleaseBroken):
        sfumato.verify(made)
    del holder[key]
    (made / "manifest.json").write_text(json.dumps(facts))
    with pytest.raises(ReleaseBroken):
        sfumato.verify(made)


@pytest.mark.parametrize("text", ['age,score\n"30,1\n', "score\n1\n", ""])
def test_a_released_table_that_cannot_be_counted_fails_and_is_no_misuse(made, text):
    (made / "release.csv").write_text(text)
    assert main(["verify", str(made)]) == 1


@pytest.mark.parametrize("arguments", [["search", "--picture"], ["hierarchy", "age", "--html"]])
def test_a_picture_that_cannot_be_written_is_a_message(source, tmp_path, capsys, arguments):
    command, *more = arguments
    assert main([command, str(source), *more, str(tmp_path / "nowhere" / "picture")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_policy_that_was_named_and_is_not_there_is_missed(source, tmp_path):
    assert main(["hierarchy", str(source), "age", "--policy", str(tmp_path / "nowhere.toml")]) == 2


def test_revealing_a_field_that_the_policy_does_not_name_is_a_message(source, tmp_path, capsys):
    key = str(tmp_path / "a.key")
    assert main(["key", key]) == 0
    assert main(["reveal", str(source), "nope", "X1", "--key", key]) == 2
    assert "names no field nope" in capsys.readouterr().err


def test_the_demo_does_not_write_over_a_table_of_the_same_name(tmp_path):
    (tmp_path / "patients.csv").write_text("mine")
    assert main(["demo", "--to", str(tmp_path), "--rows", "50"]) == 2
    assert (tmp_path / "patients.csv").read_text() == "mine"


def test_the_demo_needs_a_patient(tmp_path, capsys):
    assert main(["demo", "--to", str(tmp_path / "demo"), "--rows", "0"]) == 2
    assert "--rows" in capsys.readouterr().err
    assert not (tmp_path / "demo").exists()


def test_dense_numbers_cannot_be_made_up_and_the_message_says_what_can_help(tmp_path):
    source = tmp_path / "dense.csv"
    source.write_text("id,sex\n" + "".join(f"{number},f\n" for number in range(10)))
    policy = tmp_path / "dense.toml"
    policy.write_text(
        '[fields]\nid = { role = "direct", replace = "made-up" }\nsex = "quasi"\n[require]\nk = 2\n'
    )
    with pytest.raises(CandidateFailed, match='replace = "number" or "hash"'):
        sfumato.release(source, policy, to=tmp_path / "r")


def test_a_proposed_policy_describes_the_solver_that_it_names(source, tmp_path):
    source.write_text("age,score\n" + "30,1\n31,2\n" * 3)
    assert main(["survey", str(source), "--to", str(tmp_path / "p.toml")]) == 0
    text = (tmp_path / "p.toml").read_text()
    assert 'solver = "best"' in text
    assert "Datafly" not in text
