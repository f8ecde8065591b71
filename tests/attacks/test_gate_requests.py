"""Requests as nobody sends them, over real sockets: each is refused or answered, tells nothing, and
harms nobody."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import urlsplit

import gate_clients
import httpx
import pytest
from gate_world import pairs, people

from sfumato.gate.gate_opener import Gate
from sfumato.gate.server import DoorAddresses, serve_gate

PATIENT = 60.0
HOST = b"Host: 127.0.0.1\r\n"
SMALL = b"GET /api/v1/openapi.json HTTP/1.1\r\n" + HOST
BODY = json.dumps({"name": "eve", "password": "wrong wrong wrong"}).encode()
LOG_IN = b"POST /api/v1/log-in HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"


@pytest.fixture(scope="module")
def gate(tmp_path_factory) -> Iterator[Gate]:
    (town,) = pairs(people(), 1, tmp_path_factory.mktemp("town"))
    with gate_clients.a_gate(town.worlds[0].path, tmp_path_factory.mktemp("gate") / "gate") as gate:
        yield gate


@pytest.fixture(scope="module")
def site(gate) -> Iterator[str]:
    with served(
        replace(gate, settings=replace(gate.settings, http_port=0, wire_port=0))
    ) as addresses:
        yield addresses.http


@contextmanager
def served(gate: Gate) -> Iterator[DoorAddresses]:
    told: list[DoorAddresses] = []
    loop, there, leave = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    def say(addresses: DoorAddresses) -> None:
        told.append(addresses)
        there.set()

    thread = threading.Thread(
        target=lambda: loop.run_until_complete(serve_gate(gate, told=say, ends=leave.wait))
    )
    thread.start()
    try:
        assert there.wait(PATIENT)
        yield told[0]
    finally:
        loop.call_soon_threadsafe(leave.set)
        thread.join(PATIENT)
        loop.close()


def replies(site: str, sent: bytes) -> bytes:
    """All that the gate says to some bytes before it hangs up, or before we have nothing more to
    send."""
    place = urlsplit(site)
    with socket.create_connection((place.hostname, place.port), timeout=PATIENT) as line:
        out = b""
        try:
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
            while more := line.recv(65_536):
                out += more
        except ConnectionError:
            pass
        return out


@pytest.fixture(autouse=True)
def _others_are_served(site) -> Iterator[None]:
    yield
    assert httpx.get(f"{site}/api/v1/openapi.json", timeout=PATIENT).status_code == 200


REFUSED = {
    "garbage": bytes(range(256)),
    "no protocol": b"GET /\r\n\r\n",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100),
    "a startup message": b"\0\0\0\x20\0\3\0\0user\0eve\0\0",
    "a giant head": SMALL + b"X-Filler: " + b"x" * 100_000 + b"\r\n\r\n",
    "many headers": SMALL + b"".join(b"X-%d: y\r\n" % number for number in range(5_000)) + b"\r\n",
    "a giant target": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    "two hosts": SMALL + b"Host: evil.example\r\n\r\n",
    "no host": b"GET /api/v1/openapi.json HTTP/1.0\r\n\r\n",
    "another host": b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "two lengths": LOG_IN + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\n12345",
    "two sorts of length": LOG_IN
    + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a length below nought": LOG_IN + b"Content-Length: -1\r\n\r\n",
    "an endless length": LOG_IN + b"Content-Length: " + b"9" * 30 + b"\r\n\r\n",
    "chunks of nonsense": LOG_IN + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "an unknown coding": LOG_IN + b"Transfer-Encoding: gzip\r\n\r\n",
    "a folded header": SMALL + b"X-One: 1\r\n\tHost: evil.example\r\n" + b"Host : evil\r\n\r\n",
    "a nought in a header": SMALL + b"X-One: a\0b\r\n\r\n",
    "two tokens": SMALL + b"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n",
}


@pytest.mark.parametrize("sent", REFUSED.values(), ids=REFUSED)
def test_is_refused_and_nothing_of_it_is_said_again(site, sent):
    told = replies(site, sent)
    assert b" 200 " not in told.split(b"\r\n")[0]
    assert b"evil" not in told
    assert b"xxxx" not in told
    assert b"Traceback" not in told


@pytest.mark.parametrize("way", [b"websocket", b"h2c", b"TLS/1.0"])
def test_no_other_protocol_is_taken_up(site, way):
    upgrade = (
        b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: %s\r\nSec-WebSocket-Key: "
        b"a\r\nSec-WebSocket-Version: 13\r\n"
    )
    told = replies(site, SMALL + upgrade % way + b"\r\n")
    assert not told.startswith(b"HTTP/1.1 101")


def test_requests_that_come_at_once_are_answered_in_their_order(site):
    asked = [b"/log-in", b"/api/v1/me", b"/nothing", b"/log-in"]
    told = replies(site, b"".join(b"GET %s HTTP/1.1\r\n" % path + HOST + b"\r\n" for path in asked))
    codes = [part.split(b" ", 1)[0] for part in told.split(b"HTTP/1.1 ")[1:]]
    assert codes == [b"200", b"401", b"404", b"200"][: len(codes)]
    assert codes


def test_a_body_that_is_longer_than_it_says_is_not_a_second_request_with_rights(site):
    hidden = b"GET /api/v1/accounts HTTP/1.1\r\n" + HOST + b"\r\n"
    length = b"Content-Length: %d\r\n\r\n" % len(BODY)
    told = replies(site, LOG_IN + length + BODY + hidden)
    codes = [part.split(b" ", 1)[0] for part in told.split(b"HTTP/1.1 ")[1:]]
    assert set(codes) <= {b"401", b"429"}


@pytest.mark.parametrize(
    "target",
    [b"http://evil.example/log-in", b"*", b"/../../etc/passwd", b"//evil.example/log-in", b"/%00"],
)
def test_targets_lead_nowhere_else(site, target):
    told = replies(site, b"GET " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n")
    assert told.split(b" ")[1] in (b"400", b"404", b"405")
    assert b"\r\nlocation:" not in told.lower()


def test_a_session_that_was_ended_cannot_be_used_again(site):
    with httpx.Client(base_url=site, timeout=PATIENT) as eve:
        me = eve.post(
            "/api/v1/log-in", json={"name": "eve", "password": gate_clients.PASSWORD}
        ).json()
        cookie, changes = dict(eve.cookies), {"X-Sfumato-Changes": me["token_for_changes"]}
        assert eve.get("/api/v1/me").status_code == 200
        sql = {"sql": "SELECT sex FROM people"}
        assert eve.post("/api/v1/ask", json=sql).status_code == 403
        assert (
            eve.post("/api/v1/ask", json=sql, headers={"X-Sfumato-Changes": "0" * 40}).status_code
            == 403
        )
        assert (
            eve.post(
                "/api/v1/ask", json=sql, headers=changes | {"Sec-Fetch-Site": "cross-site"}
            ).status_code
            == 403
        )
        assert (
            eve.post(
                "/api/v1/ask", json=sql, headers=changes | {"Origin": "https://evil.example"}
            ).status_code
            == 403
        )
        assert eve.post("/api/v1/ask", content=json.dumps(sql), headers=changes).status_code == 415
        assert eve.post("/api/v1/ask", json=sql, headers=changes).status_code == 200
        assert eve.post("/api/v1/log-out", headers=changes).status_code == 204
    with httpx.Client(base_url=site, timeout=PATIENT, cookies=cookie) as again:
        assert again.get("/api/v1/me").status_code == 401
        assert again.post("/api/v1/ask", json=sql, headers=changes).status_code == 401
