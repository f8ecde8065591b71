"""HTTP connections have deadlines and give way: real sockets, events waited for, never seconds
counted."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest
import uvicorn

from sfumato.gate.connections import Connections, Phase, network_of
from sfumato.gate.web.http_connection import Deadlines, HttpDoor

GET = b"GET /%s HTTP/1.1\r\nHost: gate\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: gate\r\nContent-Length: 100\r\n\r\n"
PATIENT = 30.0
SOON = Deadlines(head=0.4, body=0.4, take=0.4)
NEVER = Deadlines(head=1e6, body=1e6, take=1e6)


async def says(scope, receive, send):
    """Reads all that was sent; the answer has as many megabytes as the path says."""
    while (await receive()).get("more_body"):
        pass
    size = int(scope["path"][1:] or 0) << 20
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-length", str(size).encode())],
        }
    )
    await send({"type": "http.response.body", "body": b"x" * size})


@contextmanager
def a_server(
    *, deadlines: Deadlines, context: ssl.SSLContext | None = None, most=50, per_address=20
):
    door = HttpDoor(
        connections=Connections(most=most, per_address=per_address),
        context=context,
        deadlines=deadlines,
    )
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    config = uvicorn.Config(
        says, http=door.protocol(), ws="none", lifespan="off", log_level="critical", backlog=64
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(
        target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True
    )
    server.capture_signals = _no_signals  # type: ignore[method-assign]
    thread.start()
    try:
        yield listener.getsockname(), door
    finally:
        server.should_exit = server.force_exit = True
        thread.join(PATIENT)


@contextmanager
def _no_signals() -> Iterator[None]:
    yield


def dialled(where, *, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(where, timeout=PATIENT, source_address=(source, 0))


def is_hung_up(line: socket.socket) -> bool:
    """Wait until the other side closes; a timeout of the socket fails the test."""
    try:
        while line.recv(65_536):
            pass
    except ConnectionError:
        pass
    return True


def answered(line: socket.socket) -> bool:
    line.sendall(GET % b"")
    return line.recv(100).startswith(b"HTTP/1.1 200")


@pytest.mark.long("a wait for each beginning; each second stays", every=2)
@pytest.mark.parametrize(
    "begun", [b"", b"G", b"GET / HTTP/1.1\r\nHost: ga", POST, POST + b"x" * 99]
)
def test_a_request_that_does_not_end_is_hung_up_on(begun):
    with a_server(deadlines=SOON) as (where, _), dialled(where) as line:
        line.sendall(begun)
        assert is_hung_up(line)


def test_a_head_that_trickles_in_is_hung_up_on():
    with a_server(deadlines=SOON) as (where, _), dialled(where) as line:
        line.sendall(b"GET / HTTP/1.1\r\n")
        line.settimeout(0.05)
        for _ in range(int(PATIENT / 0.05)):
            try:
                line.sendall(b"X-A: b\r\n")
                if not line.recv(1):
                    return
            except TimeoutError:
                continue
            except ConnectionError:
                return
        pytest.fail("the head may go on for ever")


def test_an_answer_that_nobody_takes_is_given_up():
    with a_server(deadlines=SOON) as (where, door), socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(PATIENT)
        line.connect(where)
        line.sendall(GET % b"16")
        assert line.recv(1)
        gone = threading.Event()
        leave = door.connections.leave
        door.connections.leave = lambda each: (leave(each), gone.set())  # type: ignore[method-assign,assignment]
        assert gone.wait(PATIENT)


def test_a_slow_answer_is_taken_by_a_reader_who_reads():
    with a_server(deadlines=SOON) as (where, _), dialled(where) as line:
        line.sendall(GET % b"8")
        got = 0
        while got < 8 << 20:
            got += len(line.recv(1 << 20))


def test_a_handshake_that_never_begins_is_hung_up_on_and_others_are_served(certificate):
    server, client = certificate
    with a_server(deadlines=SOON, context=server) as (where, door), ExitStack() as held:
        silent = [held.enter_context(dialled(where)) for _ in range(5)]
        garbage = held.enter_context(dialled(where))
        garbage.sendall(GET % b"")
        with client.wrap_socket(dialled(where), server_hostname="localhost") as line:
            assert answered(line)
        assert all(map(is_hung_up, [*silent, garbage]))
        assert len(door.connections) == 0


def test_a_request_that_comes_with_the_end_of_the_handshake_is_answered(certificate):
    server, client = certificate
    with a_server(deadlines=NEVER, context=server) as (where, _):
        for _ in range(20):
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            hand = client.wrap_bio(incoming, outgoing, server_hostname="localhost")
            with dialled(where) as line:
                while True:
                    try:
                        hand.do_handshake()
                        break
                    except ssl.SSLWantReadError:
                        line.sendall(outgoing.read())
                        incoming.write(line.recv(65_536))
                hand.write(GET % b"")
                line.sendall(outgoing.read())
                got = b""
                while not got:
                    incoming.write(line.recv(65_536))
                    with suppress(ssl.SSLWantReadError):
                        got = hand.read(100)
                assert got.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: ga", POST])
def test_whoever_holds_connections_open_gives_way(begun):
    """Of one address and of all: the newcomer is answered while everything is held open, and no
    deadline helps."""
    with a_server(deadlines=NEVER, most=12, per_address=5) as (where, door), ExitStack() as held:
        for number in range(40):
            line = held.enter_context(dialled(where, source=f"127.0.0.{2 + number % 4}"))
            line.sendall(begun)
        for source in ("127.0.0.2", "127.0.0.99"):
            with dialled(where, source=source) as normal:
                assert answered(normal)
        assert len(door.connections) <= 12


class Held:
    """A connection that is only counted."""

    def __init__(self, address: str, phase: Phase) -> None:
        self.address, self._phase, self.aborted = address, phase, False

    def phase(self) -> Phase:
        return self._phase

    def abort(self) -> None:
        self.aborted = True


def test_the_oldest_idle_connection_of_the_most_crowded_address_goes_first():
    door = Connections(most=5, per_address=4)
    crowd = [
        Held("a", phase) for phase in (Phase.WORKING, Phase.SENDING, Phase.WAITING, Phase.WAITING)
    ]
    other = Held("b", Phase.WAITING)
    assert all(door.admit(each) for each in (*crowd, other))
    assert door.admit(Held("c", Phase.WAITING))
    assert [each.aborted for each in (*crowd, other)] == [False, False, True, False, False]
    assert (door.admit(Held("d", Phase.WORKING)), crowd[3].aborted) == (True, True)
    assert (door.admit(Held("d", Phase.WORKING)), crowd[1].aborted) == (True, True)
    assert len(door) == 5


def test_a_door_where_everybody_works_turns_newcomers_away():
    door = Connections(most=2, per_address=2)
    busy = [Held("a", Phase.WORKING), Held("b", Phase.WORKING)]
    assert all(map(door.admit, busy))
    assert not door.admit(Held("c", Phase.WAITING))
    door.leave(busy[0])
    door.leave(busy[0])
    assert door.admit(Held("c", Phase.WAITING))
    assert len(door) == 2


def test_a_machine_with_a_whole_network_of_addresses_is_one():
    door = Connections(most=100, per_address=2)
    held = [Held(f"2001:db8::{number:x}", Phase.WORKING) for number in range(5)]
    assert [door.admit(each) for each in held] == [True, True, False, False, False]
    assert network_of("nowhere") == "nowhere"
