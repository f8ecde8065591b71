"""The cores that a run may use, for itself and for what it starts."""

from __future__ import annotations

import os
import subprocess
import sys

import pyarrow
import pytest

from sfumato.cli import main
from sfumato.engines import open_source
from sfumato.errors import Mistake
from sfumato.runs import on_cores, usable_cores

COUNT = "import os; print(len(os.sched_getaffinity(0)))"


def test_a_limit_holds_for_processes_and_ends_with_its_block() -> None:
    before = os.sched_getaffinity(0)
    with on_cores(1):
        assert usable_cores() == 1
        assert subprocess.check_output([sys.executable, "-c", COUNT]) == b"1\n"
    assert os.sched_getaffinity(0) == before


def test_more_cores_than_there_are_is_no_limit() -> None:
    before = usable_cores()
    with on_cores(10_000):
        assert usable_cores() == before


def test_duckdb_starts_as_many_threads() -> None:
    with on_cores(1), open_source(pyarrow.table({"a": ["x"]})) as engine:
        (found,) = engine.session.rows("SELECT current_setting('threads')")
    assert int(found[0]) == 1


def test_none_at_all_is_refused() -> None:
    with pytest.raises(Mistake, match="0 threads"), on_cores(0):
        raise AssertionError("a block without cores was entered")


def test_a_system_that_ties_nothing_to_cores_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_setaffinity")
    with pytest.raises(Mistake, match=r"without .*threads"), on_cores(1):
        raise AssertionError("a block without a limit was entered")


def test_every_command_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "engines", "--threads", "0"]) == 2
    assert "0 threads were asked for" in capsys.readouterr().err
    assert main(["list", "engines", "--threads", "1"]) == 0
