"""A source that changes while it is being released, and a release that is stopped: nothing
half-made is left."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import postgres_server
import pytest
import spark_local
from linked_clinic import clinic, policy, released, write

from sfumato.datasets import write_hospital_database
from sfumato.engines import open_source
from sfumato.engines.reference.engine import ReferenceEngine
from sfumato.errors import Bug, SourceChanged, SourceError
from sfumato.surveys import survey

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
        path.write_text(
            "\n".join([*lines, lines[-1].replace(lines[-1].split(",")[0], "7777", 1)]) + "\n"
        )

    return action


def gone(folder):
    return lambda: (folder / "tests.csv").unlink()


def stop():
    raise KeyboardInterrupt


def only_the_source(tmp_path):
    return [path.name for path in tmp_path.iterdir()] == ["source"]


@pytest.mark.long("a change at each stage; the first stage stays", but=("*-counting bins",))
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
        released(
            folder,
            SAID,
            tmp_path / "out",
            engine=engine,
            progress=At("counting bins", gone(folder)),
        )
    assert only_the_source(tmp_path)


PEOPLE = {
    "fields": {"zip": {"role": "quasi", "hierarchy": {"prefix": [4]}}, "sex": "quasi"},
    "require": {"k": 2},
}
CHANGES = {
    "a row more": lambda text: text + text.splitlines()[-1] + "\n",
    "half of the rows": lambda text: "\n".join(text.splitlines()[:9]) + "\n",
    "other values": lambda text: text.replace("0213", "9999"),
    "other fields": lambda text: text.replace("zip,", "zap,"),
    "no table at all": lambda text: '"',
}


CHANGED_AT = ("counting bins", "solving", "writing the table", "counting what", "writing manif")


@pytest.mark.long("every change at every stage on each engine; each fifth cell stays", every=4)
@pytest.mark.parametrize(
    ("engine", "stage", "change"),
    [
        *product(("reference", "duckdb"), CHANGED_AT, CHANGES),
        *(
            ("spark", stage, "a row more") for stage in CHANGED_AT
        ),  # One change in each: Spark takes seconds for it.
    ],
)
def test_whatever_a_changed_source_leads_to_is_told_as_that(tmp_path, engine, stage, change):
    """Rows that were planned and not written are a contradiction, and no fault of ours."""
    source = tmp_path / "people.csv"
    source.write_text("zip,sex\n" + "".join(f"0213{n % 2},{'fm'[n % 4 // 2]}\n" for n in range(24)))

    def action():
        changed = tmp_path / "other"
        changed.write_text(CHANGES[change](source.read_text()))
        times = source.stat()
        os.utime(
            changed, ns=(times.st_atime_ns, times.st_mtime_ns)
        )  # as a copy that keeps the times
        changed.replace(source)

    options = {"spark": spark_local.running()} if engine == "spark" else {}
    with pytest.raises(SourceChanged, match="The source changed while it was read"):
        released(
            source, PEOPLE, tmp_path / "out", engine=engine, progress=At(stage, action), **options
        )
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


@pytest.mark.parametrize("engine", ["reference", "duckdb"])
def test_a_survey_of_a_table_that_changes_is_refused(tmp_path, engine):
    source = tmp_path / "people.csv"
    source.write_text("zip,sex\n02138,f\n02139,m\n")
    with open_source(source, engine=engine) as opened:
        os.utime(source)
        with pytest.raises(SourceChanged):
            survey(opened)


def test_rows_that_are_added_to_postgres_meanwhile_are_not_read(tmp_path):
    """A transaction sees one state, however long it takes."""
    server = postgres_server.running()
    table = server.table(("zip", "sex"), [("02138", "f")] * 6)
    more = At("solving", lambda: server.run(f"INSERT INTO {table} VALUES ('02139', 'm')"))
    made = released(server.uri(), PEOPLE, tmp_path / "out", table=table, progress=more)
    assert (more.done, made.rows) == (True, 6)


def test_one_table_that_changes_on_the_way(tmp_path):
    """Several rows per person in one file."""
    folder = write({"visits": clinic()["visits"]}, tmp_path / "source")
    fields = {
        "id": "direct",
        "doctor": "direct",
        "mark": "direct",
        "day": "direct",
        "ward": "quasi",
    }
    said = {
        "entity": "person",
        "fields": fields | {"person": {"role": "direct", "replace": "number"}},
        "require": {"k": 3},
    }
    with pytest.raises(SourceError, match="changed"):
        released(
            folder / "visits.csv",
            said,
            tmp_path / "out",
            progress=At("writing manifest", another_row(folder)),
        )
    assert only_the_source(tmp_path)


def test_what_was_read_is_named_in_the_manifest(tmp_path):
    folder = write(clinic(), tmp_path / "source")
    made = released(folder, SAID, tmp_path / "out", engine="duckdb")
    snapshot = made.manifest["snapshot"]
    assert (snapshot["kind"], snapshot["files"]) == ("files", 4)
    assert snapshot["bytes"] == sum(path.stat().st_size for path in folder.iterdir())


# -------------------------------------------------------------------------------------------------------
# it is stopped


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
            folder,
            SAID,
            tmp_path / "out",
            engine="reference",
            replace=True,
            progress=At("writing manifest", stop),
        )
    assert {path.name: path.read_bytes() for path in first.folder.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "source"]


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    return write_hospital_database(tmp_path_factory.mktemp("large") / "source", visits=7_000)


RELEASE = """
import os, resource, signal, sys, threading
import sfumato

def told(stage):
    print(stage, flush=True)
    if stage.startswith("writing") and os.environ.pop("INTERRUPT", ""):
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    if stage.startswith("writing") and len(sys.argv) > 3:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)

sfumato.release(sys.argv[1], sys.argv[1] + "/hospital.policy.toml", to=sys.argv[2], progress=told)
"""


def start(
    source: Path, target: Path, scratch: Path, *more: str, **environment: str
) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", RELEASE, str(source), str(target), *more]
    places = os.environ | {"TMPDIR": str(scratch)} | environment
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=places
    )


@pytest.mark.long("a release as a process; test_interrupted.py stays")
def test_ctrl_c_in_the_middle_of_writing_leaves_nothing(large, tmp_path):
    """A process of its own, and the signal that a terminal sends; what the engine keeps aside is
    gone too."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = start(large, tmp_path / "out", scratch, INTERRUPT="yes")
    _, said = process.communicate(timeout=600)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in said
    assert [path.name for path in tmp_path.iterdir()] == ["scratch"]
    assert list(scratch.iterdir()) == []


ABANDONED = """
from sfumato.engines import open_source
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
    done = subprocess.run(
        [sys.executable, "-c", ABANDONED], capture_output=True, text=True, timeout=600
    )
    assert "KeyboardInterrupt" in done.stderr


@pytest.mark.long("a whole release on a full disk; test_interrupted.py stays")
@pytest.mark.skipif(os.name != "posix", reason="limits the size of a file as POSIX does")
def test_a_full_disk_is_a_clear_error_and_leaves_nothing(large, tmp_path):
    """The largest table does not fit; the ones before it do, and must not stay."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = start(large, tmp_path / "out", scratch, "150000")
    _, said = process.communicate(timeout=600)
    assert process.returncode != 0
    assert "TargetError" in said
    assert "cannot be written" in said
    assert [path.name for path in tmp_path.iterdir()] == ["scratch"]


def test_an_answer_that_is_not_what_was_planned_is_a_contradiction(tmp_path, monkeypatch):
    """Rows that get lost while they are written are noticed, whatever the reason."""
    whole = ReferenceEngine.write
    monkeypatch.setattr(
        ReferenceEngine, "write", lambda self, plan, target: whole(self, plan, target) - 1
    )
    with pytest.raises(Bug):
        released(clinic(), SAID, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out-source"]
