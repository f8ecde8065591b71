"""Somebody holds more connections half open than the gate may have files; others are served
meanwhile at both doors.

The gate is a process of its own that may open 1,024 files, as is usual. The attack is held open
while a normal client, of the same address and of another one, logs in and asks."""

from __future__ import annotations

import re
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from sfumato.datasets import write_hospital_gate
from sfumato.gate.accounts import Right
from sfumato.gate.gate_opener import open_office
from sfumato.gate.settings_file import read_settings

PASSWORD = "a password of nobody"
SQL = "SELECT sex FROM patients"
MANY = 1_100
RUN = """
import resource, sys
from sfumato.cli import main
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
sys.exit(main(sys.argv[1:]))
"""
HEAD = (
    b"POST /api/v1/log-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
    b"application/json\r\nContent-Length: 99\r\n"
)
HTTP = {
    "silent": b"",
    "half a head": HEAD[:50],
    "head that goes on": HEAD,
    "no body": HEAD + b"\r\n",
}
WIRE = {
    "silent": b"",
    "half a start": b"\0\0\0\x40\0\3\0\0user",
    "asks for TLS": b"\0\0\0\x08\x04\xd2\x16\x2f",
}


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The addresses of both doors of a gate."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < MANY + 500:
        pytest.skip("this machine does not let a test open that many sockets")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, MANY + 500), hard))
    file = write_hospital_gate(tmp_path_factory.mktemp("flood"), rows=400, http_port=0, wire_port=0)
    with open_office(read_settings(file)) as office:
        office.accounts.add("ann", PASSWORD, right=Right.RECIPIENT, profile="research")
    with _served(file) as found:
        yield found
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def _served(file: Path) -> Iterator[tuple[str, str]]:
    words = [sys.executable, "-c", RUN, "serve", "--config", str(file)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    clock = threading.Timer(300, process.kill)
    clock.start()
    said = ""
    try:
        assert process.stdout is not None
        for line in process.stdout:
            said += line
            if "Ctrl-C" in line:
                break
        http, wire = re.search(r"http://\S+:\d+", said), re.search(r"postgresql://\S+:\d+", said)
        assert http, process.communicate()[1]
        assert wire, said
        yield http[0], wire[0]
    finally:
        process.send_signal(signal.SIGTERM)
        error = process.communicate(timeout=60)[1]
        clock.cancel()
    assert (process.returncode, error) == (0, "")


def is_served(doors: tuple[str, str], *, source: str) -> bool:
    """A normal client at both doors; every wait has an end, and none is a sleep."""
    http, wire = doors
    transport = httpx.HTTPTransport(local_address=source)
    with httpx.Client(base_url=f"{http}/api/v1", transport=transport, timeout=60) as client:
        me = (
            client.post("/log-in", json={"name": "ann", "password": PASSWORD})
            .raise_for_status()
            .json()
        )
        headers = {"X-Sfumato-Changes": me["token_for_changes"]}
        rows = (
            client.post("/ask", json={"sql": SQL}, headers=headers)
            .raise_for_status()
            .json()["rows"]
        )
    place = urlsplit(wire)
    with psycopg.connect(
        host=place.hostname, port=place.port, user="ann", password=PASSWORD, dbname="sfumato", gssencmode="disable",
        connect_timeout=60,
    ) as client:  # fmt: skip
        return len(client.execute(SQL).fetchall()) == len(rows) == 400


def held(where: str, begun: bytes, lines: ExitStack) -> None:
    place = urlsplit(where)
    for _ in range(MANY):
        line = lines.enter_context(
            socket.create_connection((place.hostname, place.port), timeout=60)
        )
        try:
            line.sendall(begun)
        except ConnectionError:
            continue  # The gate has closed this one in favour of a later one.


@pytest.mark.long("ten seconds for each way to be silent; one way stays", but=("silent",))
@pytest.mark.parametrize("begun", HTTP.values(), ids=HTTP)
def test_half_open_connections_to_the_pages_shut_out_nobody(doors, begun):
    with ExitStack() as lines:
        held(doors[0], begun, lines)
        for source in ("127.0.0.1", "127.0.0.7"):
            assert is_served(doors, source=source)


@pytest.mark.long("ten seconds for each way to be silent; one way stays", but=("silent",))
@pytest.mark.parametrize("begun", WIRE.values(), ids=WIRE)
def test_half_open_connections_to_the_wire_shut_out_nobody(doors, begun):
    with ExitStack() as lines:
        held(doors[1], begun, lines)
        assert is_served(doors, source="127.0.0.1")


@pytest.mark.long("a flood of both doors; a flood of each stays")
def test_both_doors_at_once_and_clients_that_stay_connected(doors):
    """Sessions that were there before the attack are there after it."""
    place = urlsplit(doors[1])
    with (
        psycopg.connect(
            host=place.hostname,
            port=place.port,
            user="ann",
            password=PASSWORD,
            dbname="sfumato",
            gssencmode="disable",
        ) as before,
        ExitStack() as lines,
    ):
        for where, begun in ((doors[0], HEAD), (doors[1], b"")):
            held(where, begun, lines)
        assert is_served(doors, source="127.0.0.1")
        assert before.execute(SQL).fetchone() is not None
