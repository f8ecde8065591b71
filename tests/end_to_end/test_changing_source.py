"""A source that changes while it is being released, and a release that is stopped: nothing half-made is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from linked_clinic import clinic, policy, released, write

from sfumato.errors import Bug, SourceError
from sfumato.made_up import write_hospital_database
from sfumato.sources.engines.reference import ReferenceEngine

STAGES = (
    "looking at the tables",
    "counting bins",
    "staging visits",
    "writing tests",
    "counting what",
    "writing manifest",
)
SAID = policy({"visits.row_counts": {"bin_size": 3}})


class At:
    """Does something once, when the release says that it has come to a stage."""

    def __init__(self, stage, action):
        self.stage, self.action, self.done = stage, action, False

    def __call__(self, told):
        if told.startswith(self.stage) and not self.done:
            self.done = True
            self.action()


def another_row(folder):
    def action():
        path = folder / "visits.csv"
        lines = path.read_text().splitlines()
        path.write_text("\n".join([*lines, lines[-1].replace(lines[-1].split(",")[0], "7777", 1)]) + "\n")

    return action


def gone(folder):
    return lambda: (folder / "tests.csv").unlink()


def stop():
    raise KeyboardInterrupt


def only_the_source(tmp_path):
    return [path.name for path in tmp_path.iterdir()] == ["source"]


@pytest.mark.parametrize(
    ("engine", "stage"),
    [
        ("reference", "counting bins"),
        ("reference", "writing manifest"),
        ("duckdb", "counting bins"),
        ("duckdb", "staging visits"),
        ("duckdb", "writing tests"),
        ("duckdb", "writing manifest"),
    ],
)
def test_a_row_that_is_added_on_the_way_stops_the_release(tmp_path, engine, stage):
    folder = write(clinic(), tmp_path / "source")
    progress = At(stage, another_row(folder))
    with pytest.raises(SourceError, match="changed"):
        released(folder, SAID, tmp_path / "out", engine=engine, progress=progress)
    assert progress.done
    assert only_the_source(tmp_path)


@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_a_file_that_is_removed_on_the_way_stops_the_release(tmp_path, engine):
    folder = write(clinic(), tmp_path / "source")
    with pytest.raises(SourceError):
        released(folder, SAID, tmp_path / "out", engine=engine, progress=At("counting bins", gone(folder)))
    assert only_the_source(tmp_path)


def test_one_table_that_changes_on_the_way(tmp_path):
    """Several rows per person in one file."""
    folder = write({"visits": clinic()["visits"]}, tmp_path / "source")
    fields = {"id": "direct", "doctor": "direct", "mark": "direct", "day": "direct", "ward": "quasi"}
    said = {
        "entity": "person",
        "fields": fields | {"person": {"role": "direct", "replace": "number"}},
        "require": {"k": 3},
    }
    with pytest.raises(SourceError, match="changed"):
        released(folder / "visits.csv", said, tmp_path / "out", progress=At("writing manifest", another_row(folder)))
    assert only_the_source(tmp_path)


def test_what_was_read_is_named_in_the_manifest(tmp_path):
    folder = write(clinic(), tmp_path / "source")
    made = released(folder, SAID, tmp_path / "out", engine="duckdb")
    snapshot = made.manifest["snapshot"]
    assert (snapshot["kind"], snapshot["files"]) == ("files", 4)
    assert snapshot["bytes"] == sum(path.stat().st_size for path in folder.iterdir())


# ------------------------------------------------------------------------------------------------------- it is stopped


@pytest.mark.parametrize("stage", STAGES)
def test_stopped_at_any_stage_it_leaves_nothing(tmp_path, stage):
    folder = write(clinic(), tmp_path / "source")
    progress = At(stage, stop)
    with pytest.raises(KeyboardInterrupt):
        released(folder, SAID, tmp_path / "out", engine="reference", progress=progress)
    assert only_the_source(tmp_path)


def test_stopped_while_it_replaces_another_it_leaves_that(tmp_path):
    folder = write(clinic(), tmp_path / "source")
    first = released(folder, SAID, tmp_path / "out", engine="reference")
    before = {path.name: path.read_bytes() for path in first.folder.iterdir()}
    with pytest.raises(KeyboardInterrupt):
        released(
            folder, SAID, tmp_path / "out", engine="reference", replace=True, progress=At("writing manifest", stop)
        )
    assert {path.name: path.read_bytes() for path in first.folder.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "source"]


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    return write_hospital_database(tmp_path_factory.mktemp("large") / "source", visits=7_000)


RELEASE = """
import resource, sys
import sfumato

def told(stage):
    print(stage, flush=True)
    if stage.startswith("writing") and len(sys.argv) > 3:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)

sfumato.release(sys.argv[1], sys.argv[1] + "/hospital.policy.toml", to=sys.argv[2], progress=told)
"""


def start(source: Path, target: Path, scratch: Path, *more: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", RELEASE, str(source), str(target), *more]
    places = os.environ | {"TMPDIR": str(scratch)}
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=places)


def test_ctrl_c_in_the_middle_of_writing_leaves_nothing(large, tmp_path):
    """A process of its own, and the signal that a terminal sends; what the engine keeps aside is gone too."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = start(large, tmp_path / "out", scratch)
    try:
        while not process.stdout.readline().startswith("writing"):
            assert process.poll() is None
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode != 0
    assert "KeyboardInterrupt" in said
    assert [path.name for path in tmp_path.iterdir()] == ["scratch"]
    assert list(scratch.iterdir()) == []


ABANDONED = """
from sfumato.sources import open_source
import pandas

def read():
    engine = open_source(pandas.DataFrame({"zip": ["1", "2"]}))
    values = engine.distinct(("zip",))
    next(values)
    raise KeyboardInterrupt

read()
"""


def test_what_is_still_being_read_when_python_ends_does_not_keep_it_from_ending():
    """A query asked then would wait for a thread that never starts."""
    done = subprocess.run([sys.executable, "-c", ABANDONED], capture_output=True, text=True, timeout=60)
    assert "KeyboardInterrupt" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="limits the size of a file as POSIX does")
def test_a_full_disk_is_a_clear_error_and_leaves_nothing(large, tmp_path):
    """The largest table does not fit; the ones before it do, and must not stay."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = start(large, tmp_path / "out", scratch, "150000")
    _, said = process.communicate(timeout=120)
    assert process.returncode != 0
    assert "TargetError" in said
    assert "cannot be written" in said
    assert [path.name for path in tmp_path.iterdir()] == ["scratch"]


def test_an_answer_that_is_not_what_was_planned_is_a_contradiction(tmp_path, monkeypatch):
    """Rows that get lost while they are written are noticed, whatever the reason."""
    whole = ReferenceEngine.write
    monkeypatch.setattr(ReferenceEngine, "write", lambda self, plan, target: whole(self, plan, target) - 1)
    with pytest.raises(Bug):
        released(clinic(), SAID, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out-source"]
