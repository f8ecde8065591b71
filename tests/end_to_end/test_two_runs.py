"""Two runs to one target, runs that were killed, and what is left of them, from the command
line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import command_server
import postgres_server
import pytest
from installed_command import SFUMATO

import sfumato
from sfumato.assessment import assess, sweep
from sfumato.datasets import write_hospital
from sfumato.errors import TargetError
from sfumato.releases import atomic_folder
from sfumato.runs.claims import claim, lock_file

WAITING = """
import sys
import sfumato

def progress(stage):
    if stage.startswith(sys.argv[4]):
        print(stage, flush=True)
        sys.stdin.readline()

sfumato.release(sys.argv[1], sys.argv[2], to=sys.argv[3], progress=progress, replace="--replace" in sys.argv)
"""


def waiting(source: Path, policy: Path, target: Path | str, *, at: str, more: tuple[str, ...] = ()):
    """A release in a process of its own that waits at a stage until it is told to go on."""
    words = [sys.executable, "-c", WAITING, str(source), str(policy), str(target), at, *more]
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline().startswith(at), process.communicate()
    return process


def command(*words: object, **options) -> subprocess.CompletedProcess[str]:
    given = [command_server.running().sfumato, *map(str, words)]
    return subprocess.run(given, capture_output=True, text=True, timeout=600, **options)


@pytest.mark.long("two runs stopped at each stage; one stage stays", but=("counting bins",))
@pytest.mark.parametrize(
    "at", ["reading the source", "counting bins", "writing the table", "writing manifest"]
)
def test_the_second_run_to_a_target_is_refused(hospital, hospital_policy, tmp_path, at):
    target = tmp_path / "release"
    first = waiting(hospital, hospital_policy, target, at=at)
    second = command("release", hospital, "--policy", hospital_policy, "--to", target, "--replace")
    assert second.returncode == 2
    assert f"process {first.pid}" in second.stderr
    _, said = first.communicate("\n", timeout=600)
    assert first.returncode == 0, said
    assert [path.name for path in tmp_path.iterdir()] == ["release"]
    assert command("verify", target).returncode == 0


def test_a_folder_that_comes_while_a_release_is_made_stays(hospital, hospital_policy, tmp_path):
    target = tmp_path / "release"

    def progress(stage):
        if stage.startswith("writing manifest"):
            target.mkdir()
            (target / "mine").write_text("precious")

    with pytest.raises(TargetError):
        sfumato.release(hospital, hospital_policy, to=target, progress=progress)
    assert [path.name for path in target.iterdir()] == ["mine"]
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.long("a release replaced in each way; one way stays", but=("exchange",))
@pytest.mark.parametrize("way", ["exchange", "two renames"])
def test_an_earlier_release_is_replaced_at_once(
    hospital, hospital_policy, tmp_path, monkeypatch, way
):
    if way == "two renames":
        monkeypatch.setattr(atomic_folder, "exchange", lambda one, other: False)
    target = tmp_path / "release"
    sfumato.release(hospital, hospital_policy, to=target)
    before = json.loads((target / "manifest.json").read_text())["created"]
    sfumato.release(
        hospital,
        hospital_policy,
        to=target,
        replace=True,
        clock=lambda: __import__("datetime").datetime(2030, 1, 1),
    )
    assert json.loads((target / "manifest.json").read_text())["created"] != before
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_a_killed_run_is_told_and_tidied_up_by_the_next(hospital, hospital_policy, tmp_path):
    target, scratch = tmp_path / "release", tmp_path / "scratch"
    scratch.mkdir()
    os.environ["TMPDIR"], before = str(scratch), os.environ.get("TMPDIR")
    try:
        first = waiting(hospital, hospital_policy, target, at="counting what")
        first.kill()
        first.communicate()
        assert list(scratch.iterdir())
        assert len(list(tmp_path.glob(".release.*"))) == 2  # its lock and its folder
        dry = command("clean", tmp_path, "--dry-run", "--json")
        listed = json.loads(dry.stdout)
        assert {each["kind"] for each in listed} == {"unfinished", "lock", "sfumato"}
        assert not any(each["removed"] for each in listed)
        second = command("release", hospital, "--policy", hospital_policy, "--to", target)
    finally:
        del os.environ["TMPDIR"]
        os.environ |= {"TMPDIR": before} if before else {}
    assert second.returncode == 0, second.stderr
    assert "A run that was killed left" in second.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release", "scratch"]
    assert list(scratch.iterdir()) == []


@pytest.mark.long("several runs that are killed; one killed run stays in this file")
def test_clean_removes_what_a_killed_run_left_and_nothing_of_a_living_one(
    hospital, hospital_policy, tmp_path
):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    places = {**os.environ, "TMPDIR": str(scratch)}
    os.environ["TMPDIR"], before = str(scratch), os.environ.get("TMPDIR")
    try:
        killed = waiting(hospital, hospital_policy, tmp_path / "killed", at="writing the table")
        living = waiting(hospital, hospital_policy, tmp_path / "living", at="writing the table")
    finally:
        del os.environ["TMPDIR"]
        os.environ |= {"TMPDIR": before} if before else {}
    killed.kill()
    killed.communicate()
    done = command("clean", tmp_path, env=places)
    assert done.returncode == 0
    assert "stays" in done.stdout
    assert "of a run that is active" in done.stdout
    assert not any("killed" in path.name for path in tmp_path.iterdir())
    _, said = living.communicate("\n", timeout=600)
    assert living.returncode == 0, said
    again = command("clean", tmp_path, env=places)
    assert again.stdout == "There are no leftovers here.\n"


@pytest.mark.long("a run ended by each signal; one signal stays", but=("2-130",))
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_run_that_is_ended_tidies_up(tmp_path, hospital_policy, number, code):
    (tmp_path / "source").mkdir()
    large = write_hospital(tmp_path / "source" / "patients.csv", rows=60_000)
    words = [SFUMATO, "release", str(large), "--policy", str(hospital_policy)]
    heard = partial(
        signal.signal, number, signal.SIG_DFL
    )  # nohup has its children ignore a hang-up.
    target = ["--to", str(tmp_path / "release")]
    process = subprocess.Popen(
        [*words, *target], stderr=subprocess.PIPE, text=True, preexec_fn=heard
    )
    while not lock_file(tmp_path / "release").exists():
        assert process.poll() is None
    process.send_signal(number)
    _, said = process.communicate(timeout=600)
    assert process.returncode == code
    assert said == "Interrupted: nothing was released.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


# -------------------------------------------------------------------------------------------------------
# other targets


@pytest.mark.long("every other command twice; releases stay")
def test_the_second_review_sweep_survey_or_scrub_to_a_target_is_refused(
    hospital, hospital_policy, tmp_path
):
    made = sfumato.release(hospital, hospital_policy, to=tmp_path / "release")
    letters = tmp_path / "letters"
    letters.mkdir()
    (letters / "a.txt").write_text("Dear Ada")
    work = {
        tmp_path / "page.html": lambda page: assess(made.folder, to=page, attacks=False),
        tmp_path / "sweep": lambda to: sweep(hospital, hospital_policy, over="k=2,3", to=to),
        tmp_path / "scrubbed": lambda to: sfumato.scrub([letters], to=to),
    }
    for target, do in work.items():
        with claim(target):
            refused = command(
                "clean", tmp_path
            )  # another process sees a living run, and leaves it alone
            assert "of a run that is active" in refused.stdout
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(target)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(TargetError, match="Another run writes to"):
            do(target)
        holder.communicate("\n")
    with claim(tmp_path / "new.toml"):
        surveyed = command("survey", hospital, "--to", tmp_path / "new.toml")
    assert surveyed.returncode == 2
    assert "Another run writes to" in surveyed.stderr
    assert not (tmp_path / "new.toml").exists()


HOLD = """
import sys
from pathlib import Path
from sfumato.runs.claims import claim
with claim(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_the_second_release_into_a_schema_of_postgres_is_refused(
    hospital, hospital_policy, tmp_path
):
    server = postgres_server.running()
    server.run("DROP SCHEMA IF EXISTS once CASCADE", "CREATE SCHEMA once")
    to = f"{server.uri()}#once"
    table = server.table(("zip", "sex"), [("02138", "f")] * 4)
    policy = tmp_path / "policy.toml"
    policy.write_text('[fields]\nzip = "quasi"\nsex = "quasi"\n\n[require]\nk = 2\n')
    said: list[str] = []

    def progress(stage):
        if stage.startswith("counting what") and not said:
            words = ("release", server.uri(), "--table", table, "--policy", policy, "--to", to)
            said.append(command(*words, "--documents", tmp_path / "other").stderr)

    made = sfumato.release(
        server.uri(),
        policy,
        to=to,
        documents=tmp_path / "documents",
        table=table,
        progress=progress,
    )
    assert made.outcome == "pass"
    assert "Another run writes to" in said[0]
    assert not (tmp_path / "other").exists()
