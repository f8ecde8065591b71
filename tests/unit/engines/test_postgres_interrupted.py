"""The PostgreSQL engine is interrupted: its query ends in the server, and nothing is left here or
there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import postgres_server
import pytest
from postgres_server import PostgresServer

from sfumato.engines import WritePlan, open_source


@pytest.fixture(scope="module")
def server() -> PostgresServer:
    return postgres_server.running()


SCRIPT = """
import sys
from sfumato.engines import open_source, WritePlan, Lookup
from pathlib import Path
import itertools, numpy
engine = open_source(sys.argv[1], table=sys.argv[2])
target = Path(sys.argv[3])
entries = {{name: numpy.array([str(i) for i in range(100_000)], object) for name in ("key:a", "new:a")}}
endless = Lookup(keys=("a",), fields=("a",), batches=lambda: itertools.repeat(entries))
print("ready", flush=True)
{question}
"""


@pytest.mark.long("an endless query for each method; each third stays", every=3)
@pytest.mark.parametrize(
    "question",
    [
        "engine.count_rows()",
        "engine.frequencies(('a',))",
        "with engine: list(engine.distinct(('a',)))",
        "with engine: engine.write(WritePlan(fields=('a',)), target.with_suffix('.csv'))",
        "with engine: engine.write(WritePlan(fields=('a',)), target.with_suffix('.parquet'))",
        "with engine: engine.write(WritePlan(fields=('a',), lookups=(endless,)), "
        "target.with_suffix('.csv'))",
    ],
)
def test_ctrl_c(server: PostgresServer, tmp_path: Path, question: str) -> None:
    """A real signal: a KeyboardInterrupt and nothing of the driver's, no query left in the server,
    no file here."""
    name = server.new_name()
    server.run(
        f"CREATE VIEW {name} AS SELECT a::text FROM generate_series(1, 1000000) a, "
        "generate_series(1, 1000000) b "
        "WHERE a * 7 % 11 + b < 0"
    )
    running = (
        f"SELECT pid FROM pg_stat_activity WHERE application_name = '{name}' AND state = 'active'"
    )
    spill = tmp_path / "spill"
    spill.mkdir()
    uri = server.uri(more=f"&application_name={name}")
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(question=question), uri, name, str(tmp_path / "out")],
        env=os.environ | {"TMPDIR": str(spill)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            until = time.monotonic() + 600
            while not server.run(running):
                assert time.monotonic() < until
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=600)
        finally:
            process.kill()
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert "psycopg.errors" not in said
    assert server.run(running) == []
    assert [path.name for path in tmp_path.iterdir()] == ["spill"]
    assert list(spill.iterdir()) == []


def test_a_signal_just_after_the_file_is_opened_leaves_no_file(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = server.new_name()
    server.run(f"CREATE TABLE {name} AS SELECT 1 AS a")
    really = Path.open

    def interrupted(path: Path, *given: Any, **named: Any) -> None:
        really(path, *given, **named).close()
        raise KeyboardInterrupt

    with open_source(server.uri(), table=name) as engine:
        monkeypatch.setattr(Path, "open", interrupted)
        with pytest.raises(KeyboardInterrupt):
            engine.write(WritePlan(fields=("a",)), tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_client_that_is_killed_leaves_no_query(server: PostgresServer, tmp_path: Path) -> None:
    if server.version < 140_000:
        pytest.skip("servers before 14 do not look whether a client is there")
    name = server.new_name()
    server.run(f"CREATE VIEW {name} AS SELECT a FROM generate_series(1, 2000000000) a WHERE a < 0")
    running = (
        f"SELECT pid FROM pg_stat_activity WHERE application_name = '{name}' AND state = 'active'"
    )
    sooner = "from sfumato.engines.postgres import connection as c; c.WATCHED = '100ms'\n"
    words = [server.uri(more=f"&application_name={name}"), name, str(tmp_path)]
    script = sooner + SCRIPT.format(question="engine.count_rows()")
    with subprocess.Popen(
        [sys.executable, "-c", script, *words], stdout=subprocess.DEVNULL
    ) as process:
        until = time.monotonic() + 600
        while not server.run(running):
            assert time.monotonic() < until
        process.kill()
    until = time.monotonic() + 600
    while server.run(running):
        assert time.monotonic() < until
