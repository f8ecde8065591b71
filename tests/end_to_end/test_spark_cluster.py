"""A release on a Spark cluster: a master and two workers, each a process of its own, and a folder
that all of them see."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import spark_cluster
from spark_cluster import Cluster

import sfumato
from sfumato.datasets import HOSPITAL_POLICY, write_hospital

pytestmark = pytest.mark.long("it starts a cluster; releases of Spark on this machine stay")
PEOPLE = 3_000
POLICY = HOSPITAL_POLICY.replace('replace = "hash" ', 'replace = "number" ').replace(
    'shift = { days = 180, per = "patient_id" }', ""
)
"""Without a hash and shifted days, which are made on the driver."""
# Every answer that reaches Python is counted; the policy and the places come as arguments.
DRIVER = """
import json, sys
from pathlib import Path
import sfumato
from sfumato.engines.spark import session as sessions

got = []
def counting(ask):
    def counted(self, query):
        found = ask(self, query)
        got.append(found.num_rows if hasattr(found, "num_rows") else len(found))
        return found
    return counted
kind = sessions.SparkEngineSession
kind.rows, kind.arrow = counting(kind.rows), counting(kind.arrow)

if sys.argv[4] == "slowly":
    from sfumato.engines.spark import writer
    write = writer._parquet
    slept = "coalesce(java_method('java.lang.Thread', 'sleep', 4L), 'done') IS NOT NULL"
    writer._parquet = lambda frame, folder: write(frame.where(slept), folder)

folder, master, to = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
options = dict(engine="spark", master=master, scratch=str(folder / "scratch"), memory="1GB")
made = sfumato.release(folder / "patients", folder / "policy.toml", to=to, **options)
print(json.dumps({"outcome": made.outcome, "rows": made.rows, "suppressed": made.rows_suppressed,
                  "verdicts": [str(one) for one in made.verdicts], "most": max(got)}))
"""


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Cluster]:
    with spark_cluster.cluster(tmp_path / "cluster") as made:
        yield made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that master, workers and driver see."""
    folder = tmp_path_factory.mktemp("shared")
    write_hospital(folder / "patients.csv", rows=PEOPLE)
    (folder / "patients").mkdir()
    for part in range(4):
        duckdb.sql(
            f"COPY (SELECT * FROM '{folder / 'patients.csv'}' WHERE hash(patient_id) % 4 = {part}) "
            f"TO '{folder / 'patients' / f'part-{part}.parquet'}' (FORMAT parquet)"
        )
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    (folder / "scratch").mkdir()
    return folder


@pytest.fixture(scope="module")
def by_duckdb(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    to = tmp_path_factory.mktemp("duckdb") / "out"
    return sfumato.release(shared / "patients", shared / "policy.toml", to=to)


def start(running: Cluster, shared: Path, to: str, pace: str = "at once") -> subprocess.Popen[str]:
    """A driver; written `slowly`, each row takes its worker some milliseconds."""
    command = [sys.executable, "-c", textwrap.dedent(DRIVER), str(shared), running.address]
    return subprocess.Popen(
        [*command, str(shared / to), pace],
        env=os.environ | running.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def content(table: Path) -> Counter[tuple[Any, ...]]:
    """Rows, but for the numbers that people are given at random."""
    files = sorted(table.rglob("*.parquet")) if table.is_dir() else [table]
    found = duckdb.read_parquet([str(file) for file in files])
    kept = [name for name in found.columns if name not in ("patient_id", "ssn")]
    return Counter(found.select(*kept).fetchall())


def check_same(done: str, shared: Path, to: str, by_duckdb: Any) -> None:
    told = json.loads(done.splitlines()[-1])
    assert told["outcome"] == by_duckdb.outcome
    assert (told["rows"], told["suppressed"]) == (by_duckdb.rows, by_duckdb.rows_suppressed)
    assert told["verdicts"] == [str(one) for one in by_duckdb.verdicts]
    assert content(shared / to / "release.parquet") == content(by_duckdb.table)
    assert {check.outcome for check in sfumato.verify(shared / to)} <= {"pass", "review"}
    assert list((shared / "scratch").iterdir()) == []


def test_a_cluster_releases_what_duckdb_releases(
    running: Cluster, shared: Path, by_duckdb: Any
) -> None:
    """Both workers take part, bins alone reach the driver, and no log of a worker has a cell."""
    driver = start(running, shared, "whole")
    done, errors = driver.communicate(timeout=900)
    assert driver.returncode == 0, errors
    assert running.workers_of_executors() == {"worker-0", "worker-1"}
    check_same(done, shared, "whole", by_duckdb)
    bins = duckdb.read_parquet(f"{shared}/patients/*.parquet").select(
        "birth, sex, zip, ethnicity, marital_status"
    )
    assert json.loads(done.splitlines()[-1])["most"] <= len(bins.distinct().fetchall())
    logs = running.logs()
    names = duckdb.sql(f"SELECT DISTINCT name FROM '{shared}/patients.csv'").fetchall()
    assert "executor" in logs.lower()
    assert [name for (name,) in names if name in logs] == []


def wait_until_it_writes(shared: Path, driver: subprocess.Popen[str]) -> None:
    """Until both workers are writing their parts of the release."""
    while driver.poll() is None and len(list(shared.glob(".*/**/_temporary/attempt_*"))) < 2:
        time.sleep(0.02)
    assert driver.poll() is None, driver.communicate()[1]


def test_a_release_survives_a_worker_that_is_killed_while_it_writes(
    running: Cluster, shared: Path, by_duckdb: Any
) -> None:
    driver = start(running, shared, "survived", "slowly")
    wait_until_it_writes(shared, driver)
    running.kill(0)
    done, errors = driver.communicate(timeout=600)
    assert driver.returncode == 0, errors
    check_same(done, shared, "survived", by_duckdb)


def test_nothing_is_published_when_all_workers_are_killed(running: Cluster, shared: Path) -> None:
    """Spark waits for new workers; whoever stops waiting finds nothing at the target."""
    driver = start(running, shared, "nothing", "slowly")
    wait_until_it_writes(shared, driver)
    running.kill(0)
    running.kill(1)
    time.sleep(5)
    assert driver.poll() is None
    assert not (shared / "nothing").exists()
    driver.send_signal(signal.SIGINT)
    driver.communicate(timeout=120)
    assert driver.returncode not in (0, None)
    assert not (shared / "nothing").exists()
    assert [path.name for path in shared.iterdir() if path.name.startswith(".")] == []
    assert list((shared / "scratch").iterdir()) == []
