"""A mark proves that a run is dead, or it proves nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from sfumato.runs import owners
from sfumato.runs.owners import owner_of, this_owner

PRINT = "from sfumato.runs.owners import this_owner; print(this_owner().mark, flush=True); input()"


def test_this_process_lives():
    assert this_owner().state() == "living"
    assert owner_of(this_owner().mark) == this_owner()


def test_a_process_lives_until_it_is_killed_and_waited_for_or_not():
    process = subprocess.Popen(
        [sys.executable, "-c", PRINT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    owner = owner_of(process.stdout.readline().strip())
    assert owner.pid == process.pid
    assert owner.state() == "living"
    process.kill()
    os.waitid(
        os.P_PID, process.pid, os.WEXITED | os.WNOWAIT
    )  # It has ended, and is still in the list of processes.
    assert owner.state() == "dead"
    process.communicate()
    assert owner.state() == "dead"


def test_a_number_that_another_process_has_now_is_not_the_run():
    assert replace(this_owner(), start="1").state() == "dead"


@pytest.mark.parametrize("change", [{"host": "0" * 8}, {"namespace": "1"}])
def test_of_other_hosts_and_containers_nothing_is_known(change):
    assert replace(this_owner(), pid=2**22 + 1, **change).state() == "unknown"


def test_a_host_that_was_started_again_runs_none_of_its_old_processes():
    assert replace(this_owner(), boot="0" * 8).state() == "dead"


def test_a_process_whose_start_is_not_told_is_taken_for_living(monkeypatch):
    monkeypatch.setattr(owners, "_start", lambda pid: None)
    assert this_owner().state() == "living"


@pytest.mark.parametrize("mark", ["", "p7", "h12345678.b12345678.n1.pX.s1", "h1.b1.n1.p1.s1"])
def test_other_words_are_no_marks(mark):
    assert owner_of(mark) is None
