"""The gate under load in a process of its own, killed in the middle: see
benchmarks/gate_load.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("psutil")
pytest.importorskip("uvicorn")
pytest.importorskip("pygwire")

ROOT = Path(__file__).parents[2]
WORDS = ("--clients", "20", "--enough", "20", "--seconds", "1000", "--people", "1000", "--kill")


@pytest.mark.long("many clients and a kill; tests/unit/gate/test_state_journal.py stays")
def test_many_clients_and_a_kill_leave_no_answer_unwritten_none_wrong_and_nothing_forgotten():
    words = [sys.executable, "-m", "benchmarks.gate_load", *WORDS]
    done = subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, timeout=1200, check=False
    )
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert report["answers"] > report["by wire"] > 0
    assert report["refusals"] > 0
    assert report["unwritten at the kill"] == report["unwritten"] == report["wrong"] == 0
    assert report["broken"] == report["went back"] == []
    assert done.returncode == 0
