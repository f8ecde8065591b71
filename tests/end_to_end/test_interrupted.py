"""A release that is stopped in the middle leaves nothing that looks like one: Ctrl-C, a full disk,
a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest
from installed_command import SFUMATO

from sfumato.datasets import write_hospital

FULL_DISK = """
import resource, sys
from sfumato.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    return write_hospital(tmp_path_factory.mktemp("large") / "patients.csv", rows=60_000)


def start(source: Path, policy: Path, target: Path) -> subprocess.Popen[bytes]:
    words = [
        SFUMATO,
        "release",
        str(source),
        "--policy",
        str(policy),
        "--to",
        str(target),
    ]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for_unfinished(folder: Path, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 600
    while not any(folder.glob(".release.unfinished-*")):
        assert process.poll() is None, "it ended before it could be stopped"
        assert time.monotonic() < until
        time.sleep(0.002)


def test_ctrl_c_leaves_nothing_and_says_so(large, hospital_policy, tmp_path):
    process = start(large, hospital_policy, tmp_path / "release")
    wait_for_unfinished(tmp_path, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 130
    assert b"nothing was released" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long("a run that is killed; another stays in test_two_runs.py")
def test_a_killed_run_leaves_no_folder_with_the_name_of_a_release(large, hospital_policy, tmp_path):
    process = start(large, hospital_policy, tmp_path / "release")
    wait_for_unfinished(tmp_path, process)
    process.kill()
    process.communicate(timeout=600)
    assert not (tmp_path / "release").exists()
    assert not any(path.name == "manifest.json" for path in tmp_path.glob("*/manifest.json"))


@pytest.mark.long("an endless view for each number of signals; one stays", but=("1",))
@pytest.mark.parametrize("times", [1, 2])
def test_a_view_that_is_evaluated_is_stopped_by_a_signal(tmp_path, times):
    source, scratch = tmp_path / "endless.duckdb", tmp_path / "scratch"
    scratch.mkdir()
    with duckdb.connect(str(source)) as database:
        database.execute("CREATE VIEW endless AS SELECT i AS a FROM range(100000000000) t(i)")
    words = [SFUMATO, "survey", str(source)]
    process = subprocess.Popen(
        words, stderr=subprocess.PIPE, env=os.environ | {"TMPDIR": str(scratch)}
    )
    until = time.monotonic() + 600
    while not any(scratch.rglob("rows.duckdb")):
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.01)
    time.sleep(0.5)
    for _ in range(times):
        process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 143
    assert b"terminate called" not in said


@pytest.mark.skipif(os.name != "posix", reason="limits the size of a file as POSIX does")
def test_a_full_disk_is_a_clear_error_and_loses_nothing(hospital, hospital_policy, tmp_path):
    words = [
        "release",
        str(hospital),
        "--policy",
        str(hospital_policy),
        "--to",
        str(tmp_path / "release"),
    ]
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, *words], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 2
    assert "TargetError" in done.stderr
    assert "cannot be written" in done.stderr
    assert list(tmp_path.iterdir()) == []
