"""A Parquet file larger than the memory that the engine was given: released all the same, within
it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import sfumato

MEMORY = "200MB"
# The peak is the process's own (not what a parent held before it), where the system tells it.
# What Python, its libraries and the report take by themselves, and what DuckDB holds outside its
# own accounting.
BESIDE = 420
ROWS = 3_400_000

POLICY = """
entity = "id"
[fields]
id = { role = "direct", replace = "number" }
zip = { role = "quasi", hierarchy = { prefix = [3, 2] } }
age = { role = "quasi", hierarchy = { numbers = { widths = [10, 50] } } }
note = "insensitive"
[require]
k = 5
max_suppression = 0.05
"""
SCRIPT = """
import re, sys, sfumato
from pathlib import Path
source, policy, to, memory = sys.argv[1:]
made = sfumato.release(source, policy, to=to, memory=memory)
status = Path("/proc/self/status")
peak = re.search(r"VmHWM:\\s+([0-9]+)", status.read_text())[1] if status.exists() else 0
print(made.outcome, made.rows, int(peak) // 1024)
"""


@pytest.mark.long("millions of rows; nothing smaller can show it")
def test_a_file_larger_than_memory(tmp_path: Path) -> None:
    """Five rows for each person, so that rows are staged, people counted, and rows put in random
    order."""
    source, policy = tmp_path / "people.parquet", tmp_path / "people.policy.toml"
    duckdb.execute(
        "COPY (SELECT range // 5 AS id, lpad((hash(range) % 500)::VARCHAR, 5, '0') AS zip, "
        "hash(range) % 90 AS age, "
        "md5(range::VARCHAR) || md5((range + 7)::VARCHAR) || md5((range * 3)::VARCHAR) AS note "
        f"FROM range({ROWS})) TO '{source}' (FORMAT parquet)"
    )
    assert source.stat().st_size > 200e6
    policy.write_text(POLICY, encoding="utf-8")
    words = [sys.executable, "-c", SCRIPT, str(source), str(policy), str(tmp_path / "out"), MEMORY]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    outcome, rows, megabytes = done.stdout.splitlines()[-1].split()
    assert outcome == "pass"
    assert int(rows) > 0.9 * ROWS
    assert int(megabytes) < 200 + BESIDE
    assert {check.outcome for check in sfumato.verify(tmp_path / "out")} <= {"pass", "review"}
