"""What the command line says about a file reaches the reader, the proposed policy and the
manifest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.cli import main
from sfumato.policy import read_policy

ROWS = "".join(f"{n % 7},{20 + n % 5},{'NA' if n % 9 == 0 else 40 + n % 3}\n" for n in range(200))


def run(*arguments: object) -> int:
    try:
        return main([str(item) for item in arguments]) or 0
    except SystemExit as ended:
        return int(ended.code or 0)


def test_what_was_said_is_repeated_by_the_proposed_policy_and_told_by_the_manifest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(f"age,,age\n{ROWS}".encode("utf-16"))
    assert run("survey", path, "--reasons") == 0
    said = capsys.readouterr().out
    assert "Read as utf-16, separated by commas." in said
    assert "2 names of fields were missing, repeated or too long, and changed: column_2" in said
    assert "'NA' in 23 cells" in said
    policy = read_policy(tmp_path / "people.policy.toml")
    assert policy.source.rename_headers
    assert policy.fields["age.1"].null_words == ("NA",)
    assert run("release", path) == 3
    manifest = json.loads(
        (tmp_path / "people-release" / "manifest.json").read_text(encoding="utf-8")
    )
    (read,) = manifest["snapshot"]["read"]
    assert (read["encoding"], read["separator"], read["renamed_headers"]) == ("utf-16", ",", 2)
    assert manifest["policy"]["source"] == {"rename_headers": True}
    assert run("verify", tmp_path / "people-release") in (0, 3)


def test_a_release_without_a_policy_changes_names_that_clash_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f"age,,age\n{ROWS}", encoding="utf-8")
    assert run("release", path) == 3
    assert "changed: column_2, age.1." in " ".join(capsys.readouterr().out.split())
    assert read_policy(tmp_path / "people.policy.toml").source.rename_headers
    own = tmp_path / "own.toml"
    own.write_text(
        (tmp_path / "people.policy.toml").read_text().replace("rename_headers", "header")
    )
    assert run("release", path, "--policy", own, "--to", tmp_path / "again") != 0
    assert "--rename-headers" in capsys.readouterr().err


def test_a_first_row_that_repeats_a_cell_is_not_renamed_into_a_header(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("34,7,34\n35,8,36\n36,9,37\n", encoding="utf-8")
    assert run("survey", path, "--no-policy") != 0
    assert "34" not in capsys.readouterr().err


def test_our_own_file_with_fields_named_like_numbers_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("2019,2020,x\n" + ROWS, encoding="utf-8")
    assert run("release", path) == 3
    assert run("verify", tmp_path / "people-release") in (0, 3)
    assert run("survey", tmp_path / "people-release" / "release.csv", "--no-policy") == 0


def test_an_engine_that_has_no_files_refuses_what_is_said_about_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("survey", "postgresql://localhost/nowhere", "--no-header", "--separator", ";") != 0
    assert "takes no --separator or --no-header" in capsys.readouterr().err
