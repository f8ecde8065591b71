"""One run at a time writes to a target; what dead runs left is removed, and nothing of anybody
else."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from sfumato.errors import TargetError
from sfumato.runs import claims, locks
from sfumato.runs.claims import claim
from sfumato.runs.leftovers import (
    REPLACED,
    UNFINISHED,
    find_leftovers,
    leftovers_in,
    scratch_folder,
)
from sfumato.runs.locks import hidden_name, lock_file, short_name
from sfumato.runs.owners import Owner, this_owner

HOLD = """
import sys
from pathlib import Path
from sfumato.errors import TargetError
from sfumato.runs.claims import claim
try:
    with claim(Path(sys.argv[1])):
        print("held", flush=True)
        sys.stdin.readline()
except TargetError:
    print("refused", flush=True)
"""


def hold(target: Path) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", HOLD, str(target)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def dead() -> Owner:
    return replace(this_owner(), start="1")


@pytest.fixture
def as_dead(monkeypatch, dead):
    """Names files as a dead run would have."""

    def name(target: Path, kind: str) -> str:
        with monkeypatch.context() as patched:
            patched.setattr(locks, "this_owner", lambda: dead)
            return hidden_name(target, kind)

    return name


def test_a_second_process_is_refused_and_let_in_afterwards(tmp_path):
    target = tmp_path / "release"
    first = hold(target)
    assert first.stdout.readline() == "held\n"
    with pytest.raises(TargetError, match=f"process {first.pid} on") as refused, claim(target):
        pass
    assert "Another run writes to" in str(refused.value)
    first.communicate("\n")
    with claim(target):
        assert lock_file(target).exists()
    assert list(tmp_path.iterdir()) == []


def test_of_many_that_come_at_once_one_is_let_in(tmp_path):
    lock_file(tmp_path / "release").write_text(
        json.dumps({"owner": replace(this_owner(), start="1").mark})
    )
    several = [hold(tmp_path / "release") for _ in range(5)]
    assert sorted(each.stdout.readline() for each in several) == ["held\n", *["refused\n"] * 4]
    for each in several:
        each.communicate("\n")
    assert list(tmp_path.iterdir()) == []


def test_a_thread_may_claim_again_and_another_may_not(tmp_path):
    target, said = tmp_path / "release", []

    def other():
        try:
            with claim(target):
                said.append("let in")
        except TargetError:
            said.append("refused")

    with claim(target), claim(tmp_path / "other" / ".." / "release"):
        worker = threading.Thread(target=other)
        worker.start()
        worker.join()
    assert said == ["refused"]
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_a_killed_run_is_taken_over_and_what_it_left_is_removed_and_told(
    tmp_path, as_dead, caplog
):
    target = tmp_path / "release"
    process = hold(target)
    assert process.stdout.readline() == "held\n"
    process.kill()
    process.communicate()
    assert lock_file(target).exists()
    left = tmp_path / as_dead(target, UNFINISHED)
    left.mkdir()
    (left / "release.csv").write_text("zip\n02138\n")
    with caplog.at_level(logging.WARNING, "sfumato.runs"), claim(target) as claimed:
        assert not left.exists()
        assert [each.path for each in claimed.removed] == [left]
    assert str(left) in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_a_lock_of_another_host_is_respected(tmp_path):
    there = replace(this_owner(), host="0" * 8)
    lock = lock_file(tmp_path / "release")
    lock.write_text(json.dumps({"owner": there.mark, "process": 7, "host": "elsewhere"}))
    with (
        pytest.raises(TargetError, match="cannot tell whether its run"),
        claim(tmp_path / "release"),
    ):
        pass
    assert lock.exists()


def test_nothing_of_a_living_run_another_target_or_a_person_is_removed(tmp_path, as_dead, dead):
    target = tmp_path / "release"
    names = [
        hidden_name(target, UNFINISHED),
        as_dead(tmp_path / "release2", UNFINISHED),
        ".release.unfinished-0123456789abcdef",
        ".release.unfinished-mine",
        f".release.unfinished-{replace(dead, host='0' * 8).mark}-00",
        f"release.unfinished-{dead.mark}-00",
        f".release.notes-{dead.mark}-00",
    ]
    for name in names:
        (tmp_path / name).mkdir()
    (tmp_path / "precious").mkdir()
    (tmp_path / as_dead(target, UNFINISHED)).symlink_to(tmp_path / "precious")
    before = sorted(os.listdir(tmp_path))
    with claim(target):
        pass
    assert sorted(os.listdir(tmp_path)) == before


def test_a_file_of_another_user_is_not_judged(tmp_path, as_dead, monkeypatch):
    (tmp_path / as_dead(tmp_path / "release", UNFINISHED)).mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: 4321)
    assert [each.state for each in leftovers_in(tmp_path)] == ["unknown"]


def test_an_earlier_release_that_was_moved_aside_is_put_back(tmp_path, as_dead):
    target = tmp_path / "release"
    old = tmp_path / as_dead(target, REPLACED)
    old.mkdir()
    (old / "manifest.json").write_text("{}")
    with claim(target):
        assert (target / "manifest.json").exists()
    assert not old.exists()


def test_names_up_to_the_longest_can_be_claimed_and_kept_apart(tmp_path):
    long = "x" * 240
    assert short_name(long + "a") != short_name(long + "b")
    with claim(tmp_path / (long + "a")), claim(tmp_path / (long + "b")):
        (tmp_path / hidden_name(tmp_path / long, REPLACED)).mkdir()
    assert [each.state for each in leftovers_in(tmp_path)] == ["unknown"]


def test_folders_that_were_made_for_a_lock_go_with_it(tmp_path):
    with claim(tmp_path / "a" / "b" / "release"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_may_not_be_written_is_told(tmp_path, monkeypatch):
    def refuse(draft):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(claims, "write_lock", refuse)
    with pytest.raises(TargetError, match="Permission denied"), claim(tmp_path / "release"):
        pass


def test_scratch_folders_of_dead_runs_are_found_and_those_of_living_ones_stay(
    tmp_path, monkeypatch, dead
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine = Path(scratch_folder())
    other = tmp_path / f"sfumato-{dead.mark}-abc"
    other.mkdir()
    (tmp_path / "sfumato-notes").mkdir()
    found = {each.path: each.state for each in find_leftovers(tmp_path)}
    assert found == {mine: "living", other: "dead"}
    assert mine.stat().st_mode & 0o077 == 0
