"""A release that is stopped in the middle leaves nothing that looks like one: Ctrl-C, a full disk, a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sfumato.made_up import write_hospital

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
    words = [sys.executable, "-m", "sfumato.cli", "release", str(source), "--policy", str(policy), "--to", str(target)]
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


def test_a_killed_run_leaves_no_folder_with_the_name_of_a_release(large, hospital_policy, tmp_path):
    process = start(large, hospital_policy, tmp_path / "release")
    wait_for_unfinished(tmp_path, process)
    process.kill()
    process.communicate(timeout=600)
    assert not (tmp_path / "release").exists()
    assert not any(path.name == "manifest.json" for path in tmp_path.glob("*/manifest.json"))


@pytest.mark.skipif(os.name != "posix", reason="limits the size of a file as POSIX does")
def test_a_full_disk_is_a_clear_error_and_loses_nothing(hospital, hospital_policy, tmp_path):
    words = ["release", str(hospital), "--policy", str(hospital_policy), "--to", str(tmp_path / "release")]
    done = subprocess.run([sys.executable, "-c", FULL_DISK, *words], capture_output=True, text=True, timeout=600)
    assert done.returncode == 2
    assert "TargetError" in done.stderr
    assert "cannot be written" in done.stderr
    assert list(tmp_path.iterdir()) == []
