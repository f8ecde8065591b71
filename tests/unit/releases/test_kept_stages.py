"""The folder that keeps every step of a release as a table."""

from __future__ import annotations

import csv
import json
import stat

import pytest

from sfumato.engines import open_source
from sfumato.errors import NoRecodingFound, TargetError
from sfumato.policy import policy_from_table
from sfumato.releases import release
from sfumato.releases.kept_stages import WARNING

FIELDS = {
    "id": "direct",
    "zip": {"role": "quasi", "hierarchy": {"prefix": [1]}},
    "age": "insensitive",
}
STEPS = [{"technique": "round", "fields": ["age"], "base": 10}]


def policy(**more):
    return policy_from_table({"fields": FIELDS, "require": {"k": 2}, "steps": STEPS} | more)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "people.csv"
    rows = [(n, f"0{n % 3}", 31 + n) for n in range(12)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "zip", "age"), *rows])
    return path


def read(path):
    with open_source(path) as engine:
        names = [info.name for info in engine.fields()]
        return [
            dict(zip(names, cells, strict=True))
            for b in engine.cells(names)
            for cells in zip(*list(b.values())[1:], strict=True)
        ]


def test_every_step_is_a_table_in_the_order_of_the_pipeline(source, tmp_path):
    release(source, policy(), to=tmp_path / "out", keep_stages=tmp_path / "stages")
    facts = json.loads((tmp_path / "stages" / "index.json").read_text())
    assert facts["warning"] == WARNING
    steps = [stage["step"] for stage in facts["stages"]]
    assert steps == sorted(
        steps, key=["source", "steps", "count", "plan", "stage", "recount"].index
    )
    assert {"source", "steps", "count", "recount"} <= set(steps)
    tables = {stage["step"]: read(tmp_path / "stages" / stage["file"]) for stage in facts["stages"]}
    assert len(tables["source"]) == len(tables["steps"]) == 12
    assert {int(row["age"]) % 10 for row in tables["steps"]} == {0}
    assert sum(int(row["count"]) for row in tables["count"]) == 12
    assert sum(int(row["count"]) for row in tables["recount"]) == 12
    page = (tmp_path / "stages" / "index.md").read_text()
    assert WARNING in page
    assert all(stage["file"] in page for stage in facts["stages"])


def test_only_the_owner_may_enter_it_and_nothing_of_it_is_in_the_release(source, tmp_path):
    made = release(source, policy(), to=tmp_path / "out", keep_stages=tmp_path / "stages")
    assert stat.S_IMODE((tmp_path / "stages").stat().st_mode) == 0o700
    assert {path.name for path in made.folder.iterdir()} == {
        "manifest.json",
        "policy.toml",
        "release.csv",
        "report.html",
    }
    assert "stages" not in (made.folder / "manifest.json").read_text()


@pytest.mark.parametrize("place", ["out", "out/stages", "."])
def test_it_is_refused_inside_the_release_and_around_it(source, tmp_path, place):
    with pytest.raises(TargetError, match="were asked for"):
        release(source, policy(), to=tmp_path / "out", keep_stages=tmp_path / place)
    assert not (tmp_path / "out").exists()


def test_it_is_refused_where_it_is_not_empty(source, tmp_path):
    (tmp_path / "stages").mkdir()
    (tmp_path / "stages" / "mine.txt").write_text("mine")
    with pytest.raises(TargetError) as told:
        release(source, policy(), to=tmp_path / "out", keep_stages=tmp_path / "stages")
    assert "not empty" in str(told.value)
    assert [path.name for path in (tmp_path / "stages").iterdir()] == ["mine.txt"]


def test_steps_up_to_a_failure_are_kept(source, tmp_path):
    with pytest.raises(NoRecodingFound):
        release(
            source,
            policy(require={"k": 13}),
            to=tmp_path / "out",
            keep_stages=tmp_path / "stages",
        )
    facts = json.loads((tmp_path / "stages" / "index.json").read_text())
    assert [stage["step"] for stage in facts["stages"]] == ["source", "steps"]


def test_stages_are_not_kept_inside_a_source_that_is_a_folder(tmp_path):
    people = tmp_path / "people"
    people.mkdir()
    (people / "people.csv").write_text("id,zip,age\n1,01,30\n2,01,30\n")
    with pytest.raises(TargetError, match="inside the source"):
        release(people, policy(), to=tmp_path / "out", keep_stages=people / "stages")
    assert not (people / "stages").exists()
