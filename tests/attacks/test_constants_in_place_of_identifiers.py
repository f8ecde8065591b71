"""A mask, a keyword and null in place of a direct identifier, on every shape; and a name slipped
back into such a field, which `verify` finds."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from test_tampering import PEOPLE, SINGLE, TABLES, Forger, write_rows

from sfumato.cli import main

METHODS = {
    '"mask"': "XXXXXX",
    '"null"': "",
    '{ method = "keyword", word = "PATIENT" }': "PATIENT",
}


@pytest.fixture
def sources(tmp_path: Path) -> dict[str, Path]:
    write_rows(tmp_path / "people.csv", ["name", "zip", "sex", "problem"], PEOPLE)
    (tmp_path / "database").mkdir()
    people = [(n + 1, name, zip_) for n, (name, zip_, *_) in enumerate(PEOPLE)]
    write_rows(tmp_path / "database" / "people.csv", ["id", "name", "zip"], people)
    visits = [(100 + n, n + 1, ("east", "west")[n % 2]) for n in range(24)]
    write_rows(tmp_path / "database" / "visits.csv", ["id", "person", "ward"], visits)
    return {"single": tmp_path / "people.csv", "tables": tmp_path / "database"}


@pytest.mark.parametrize("shape", ["single", "tables"])
@pytest.mark.parametrize("method", METHODS)
def test_every_value_is_the_constant_and_verify_looks(sources, tmp_path, shape, method):
    policy = {"single": SINGLE, "tables": TABLES}[shape]
    policy = policy.replace('name = "direct"', f'name = {{ role = "direct", replace = {method} }}')
    (tmp_path / "policy.toml").write_text(policy, encoding="utf-8")
    folder = tmp_path / "made"
    told = ["release", str(sources[shape]), "--policy", str(tmp_path / "policy.toml")]
    assert main([*told, "--to", str(folder)]) == 0
    file = {"single": "release.csv", "tables": "people.csv"}[shape]
    with (folder / file).open(encoding="utf-8", newline="") as lines:
        assert {row["name"] for row in csv.DictReader(lines)} == {METHODS[method]}
    assert main(["verify", str(folder)]) == 0
    forger = Forger(folder)
    forger.rewrite(file, lambda rows: [rows[0] | {"name": "Ada"}, *rows[1:]])
    forger.finish()
    assert main(["verify", str(folder)]) == 1
