"""A release out of PostgreSQL that is stopped in the middle, by hand, by the server or by nobody:
nothing half-made."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import postgres_server
import psycopg
import pytest
from installed_command import SFUMATO
from postgres_server import PostgresServer

import sfumato
from sfumato.datasets import HOSPITAL_POLICY, write_hospital
from sfumato.datasets.hospital import FIELDS

ROWS = 30_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """One that can be killed, with a table of made-up patients."""
    found = PostgresServer(postgres_server.found_binaries()[0])
    patients = write_hospital(tmp_path_factory.mktemp("hospital") / "patients.csv", rows=ROWS)
    with psycopg.connect(found.uri(), autocommit=True) as connection:
        connection.execute(
            f"CREATE TABLE patients ({', '.join(f'{name} text' for name in FIELDS)})"
        )
        with connection.cursor().copy("COPY patients FROM STDIN (FORMAT csv, HEADER)") as into:
            into.write(patients.read_bytes())
        connection.execute("CHECKPOINT")
    yield found
    found.stop()


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy" / "patients.toml"
    path.parent.mkdir()
    path.write_text(HOSPITAL_POLICY, encoding="utf-8")
    return path


def stopped(
    server: PostgresServer, policy: Path, stop: Callable[[subprocess.Popen[str]], object]
) -> tuple[int, str]:
    """How a release ends that is stopped while it writes, and what it says."""
    target = policy.parents[1] / "release"
    uri = server.uri(more="&application_name=me")
    words = [SFUMATO, "release", uri, "--table", "patients"]
    words += ["--policy", str(policy), "--to", str(target)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            until = time.monotonic() + 600
            while not any(target.parent.glob(".release.unfinished-*")):
                assert process.poll() is None, "it ended before it could be stopped"
                assert time.monotonic() < until
                time.sleep(0.002)
            stop(process)
            said, _ = process.communicate(timeout=600)
        finally:
            process.kill()
    return process.returncode, said


def left(policy: Path) -> list[str]:
    return sorted(path.name for path in policy.parents[1].iterdir())


@pytest.mark.long(
    "a release that is stopped; tests/unit/engines/test_postgres_interrupted.py stays"
)
def test_ctrl_c(server: PostgresServer, policy: Path) -> None:
    code, said = stopped(server, policy, lambda process: process.send_signal(signal.SIGINT))
    assert (code, "nothing was released" in said) == (130, True)
    assert left(policy) == ["policy"]
    assert server.run("SELECT query FROM pg_stat_activity WHERE application_name = 'me'") == []


@pytest.mark.long(
    "a release that loses its server; tests/unit/engines/test_postgres_faults.py stays"
)
def test_the_connection_is_ended(server: PostgresServer, policy: Path) -> None:
    stop = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'me'"
    code, said = stopped(server, policy, lambda process: server.run(stop))
    assert (code, "was lost" in said, "nothing was released" in said) == (2, True, True)
    assert left(policy) == ["policy"]


@pytest.mark.long("a server that is killed; a lost connection stays in this file")
def test_the_server_is_killed(server: PostgresServer, policy: Path) -> None:
    code, said = stopped(server, policy, lambda process: server.quit())
    server.start()
    assert (code, "was lost" in said, "nothing was released" in said) == (2, True, True)
    assert left(policy) == ["policy"]
    assert server.run("SELECT count(*) FROM patients") == [(ROWS,)]


@pytest.mark.long("a release beside a writer; other faults stay in this file")
def test_a_table_that_changes_meanwhile(
    server: PostgresServer, policy: Path, tmp_path: Path
) -> None:
    """Rows are taken away, added and changed as soon as bins are counted. One state is released,
    and named."""
    seen: list[str] = []

    def change(stage: str) -> None:
        seen.append(stage)
        if stage.startswith("solving"):
            server.run(
                "CREATE TABLE before AS SELECT * FROM patients",
                "DELETE FROM patients WHERE zip = '02138'",
                "UPDATE patients SET sex = 'x' WHERE zip = '02139'",
                "INSERT INTO patients SELECT * FROM before LIMIT 5000",
            )

    try:
        made = sfumato.release(
            server.uri(), policy, to=tmp_path / "release", table="patients", progress=change
        )
    finally:
        server.run("DROP TABLE patients", "ALTER TABLE before RENAME TO patients")
    assert any(stage.startswith("solving") for stage in seen)
    assert made.rows + made.rows_suppressed == ROWS
    with sfumato.open_source(made.table) as written:
        assert set(written.frequencies(("sex",)).values[0]) <= {"f", "m", "*"}
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["snapshot"]["kind"] == "postgresql snapshot"
