"""The tests' own PostgreSQL: from every kind of binaries, as a user that may run it, and gone with
the tests."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import postgres_server
import psutil
import pytest
from postgres_server import PostgresServer

from sfumato.engines import open_source

SCRIPT = """
import sys, time
sys.path.insert(0, sys.argv[1])
import postgres_server
server = postgres_server.running()
print(server._process.pid, server.folder, flush=True)
time.sleep(3600)
"""


def test_the_package_from_pypi_is_enough() -> None:
    """On a machine without PostgreSQL."""
    binaries = postgres_server.packaged_binaries()
    assert binaries
    server = PostgresServer(binaries[0])
    try:
        with open_source(server.uri(), table=server.table(("a",), [("x",)])) as engine:
            assert engine.frequencies(("a",)).counts.tolist() == [1]
    finally:
        server.stop()
    assert not server.folder.exists()


@pytest.mark.long("a copy of a server; the server that tests use stays")
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root runs it as somebody else"
)
def test_binaries_that_only_root_can_reach(tmp_path: Path) -> None:
    """A checkout below /root: the server runs as another user, who is given a copy."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    server = PostgresServer(postgres_server._copied(postgres_server.packaged_binaries()[0], closed))
    try:
        assert server.binaries.is_relative_to(server.folder)
        assert server.run("SELECT 1") == [(1,)]
    finally:
        server.stop()


@pytest.mark.long("a server for each signal; one stays", but=("2",))
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.skipif(sys.platform != "linux", reason="a child that dies with its parent is Linux's")
def test_no_server_outlives_the_tests(how: signal.Signals) -> None:
    words = [sys.executable, "-c", SCRIPT, str(Path(postgres_server.__file__).parent)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        pid, folder = process.stdout.readline().split()
        process.send_signal(how)
    until = time.monotonic() + 600
    while psutil.pid_exists(int(pid)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not psutil.pid_exists(int(pid))
    if how is signal.SIGINT:
        assert not Path(folder).exists()
    shutil.rmtree(folder, ignore_errors=True)
