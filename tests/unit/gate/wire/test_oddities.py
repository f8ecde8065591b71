"""A client that speaks the protocol wrongly learns nothing, and does nobody else any harm."""

from __future__ import annotations

import logging
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress

import psycopg
import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st
from wires import (
    PASSWORD,
    Wire,
    a_wire,
    everything,
    exactly,
    fields,
    log_in,
    message,
    query,
    received,
    start,
    until,
)

from sfumato.gate.wire import message_stream, server, startup
from sfumato.gate.wire import transport as transport

SSL, GSS, CANCEL = (struct.pack("!II", 8, code) for code in (80_877_103, 80_877_104, 80_877_102))

WORDS = (
    "select from people where age town = ( ) ' \" ; -- /* , * 1 $1 \u00e9 \\ \x01 union copy "
    "pg_class set :: [".split(" ")
)


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with a_wire(tmp_path_factory.mktemp("gate")) as found:
        yield found


@pytest.fixture
def line(wire: Wire) -> Iterator[socket.socket]:
    with wire.dial() as found:
        yield found


@pytest.fixture
def known(line: socket.socket) -> socket.socket:
    log_in(line)
    return line


@pytest.fixture(scope="module")
def other(wire: Wire) -> Iterator[psycopg.Connection]:
    """Somebody else, whom nothing of all this may disturb."""
    with psycopg.connect(wire.uri(), autocommit=True) as connection:
        yield connection


def answers(other: psycopg.Connection) -> bool:
    return other.execute("SELECT 1").fetchone() == (1,)


# ---------------------------------------------------------------- before anybody has logged in


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: gate\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(60),
        struct.pack("!I", 0),
        struct.pack("!I", 7) + b"abc",
        struct.pack("!I", 0xFFFF_FFFF) + b"x" * 100,
        struct.pack("!I", 100_000) + b"x" * 100,
        struct.pack("!II", 9, 196_608) + b"u",
        struct.pack("!II", 12, 196_608) + b"user",
        struct.pack("!II", 9, 80_877_103) + b"x",
        CANCEL,
        SSL * 4,
        start(user="ann").replace(b"ann", b"\xff\xfe\xfd"),
        start(0x0002_0000, user="ann"),
        start(),
        start(user="ann", replication="database"),
        start(user="ann", options="-c"),
        start(user="ann", options='-c "a=b'),
    ],
    ids=repr,
)
def test_garbage_is_hung_up_on(other: psycopg.Connection, line: socket.socket, sent: bytes) -> None:
    line.sendall(sent)
    line.shutdown(socket.SHUT_WR)
    said = everything(line)
    assert said.strip(b"N")[:1] in (b"", b"E")
    assert b"people" not in said
    assert answers(other)


@settings(max_examples=example_count(40))
@given(st.lists(st.binary(max_size=60), max_size=3), st.booleans())
def test_strangers_hear_nothing(wire: Wire, parts: list[bytes], begins_well: bool) -> None:
    with wire.dial() as line:
        line.sendall((start(user="ann") if begins_well else b"") + b"".join(parts))
        line.shutdown(socket.SHUT_WR)
        said = everything(line)
    assert not any(word in said for word in (b"people", b"Bergen", b"Traceback", b"Error("))
    assert b"R\x00\x00\x00\x08\x00\x00\x00\x00" not in said


@pytest.mark.parametrize(
    "sent", [query("SELECT 1"), message(b"P", b"\0SELECT 1\0\0\0"), message(b"S", b"")]
)
def test_questions_before_a_log_in(line: socket.socket, sent: bytes) -> None:
    line.sendall(start(user="ann"))
    assert received(line)[0] == b"R"
    line.sendall(sent)
    letter, body = received(line)
    assert (letter, fields(body)["C"]) == (b"E", "08P01")
    assert everything(line) == b""


def test_nobody_and_a_wrong_password_are_met_alike(wire: Wire) -> None:
    said = []
    for user, password in (
        ("ann", "another password"),
        ("nobody", PASSWORD),
        ("ann\u00e9", PASSWORD),
    ):
        with wire.dial() as line:
            ((letter, body),) = log_in(line, user, password)
            said.append((letter, body, everything(line)))
    assert said[0] == said[1] == said[2]
    assert fields(said[0][1])["C"] == "28P01"


def test_the_salt_of_a_name_is_always_the_same(wire: Wire) -> None:
    def salt(user: str) -> bytes:
        with wire.dial() as line:
            line.sendall(start(user=user))
            received(line)
            line.sendall(
                message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!I", 12) + b"n,,n=,r=once")
            )
            return received(line)[1].split(b",")[1]

    assert salt("nobody") == salt("nobody") != salt("somebody")
    assert len(salt("nobody")) == len(salt("ann"))


def test_what_comes_before_a_log_in_is_short(line: socket.socket) -> None:
    line.sendall(start(user="ann"))
    received(line)
    line.sendall(b"p" + struct.pack("!I", 1 << 20))
    assert fields(received(line)[1])["C"] == "08P01"


def test_requests_for_encryption_that_there_is_not(line: socket.socket) -> None:
    line.sendall(SSL)
    assert exactly(line, 1) == b"N"
    line.sendall(GSS)
    assert exactly(line, 1) == b"N"
    assert log_in(line)[-1] == (b"Z", b"I")


@pytest.mark.parametrize(
    ("version", "spoken"), [(0x3_0000, 0), (0x3_0001, 0), (0x3_0002, 2), (0x3_270F, 2)]
)
def test_versions(line: socket.socket, version: int, spoken: int) -> None:
    line.sendall(start(version, user="ann", **{"_pq_.new": "1"}))
    letter, body = received(line)
    assert (letter, struct.unpack("!II", body[:8])) == (b"v", (0x0003_0000 + spoken, 1))
    assert body[8:] == b"_pq_.new\0"
    assert received(line)[0] == b"R"


def test_keys_are_longer_in_newer_versions(wire: Wire) -> None:
    for version, length in ((0x0003_0000, 4), (0x0003_0002, 32)):
        with wire.dial() as line:
            found = dict(log_in(line, version=version))  # type: ignore[arg-type]
            assert len(found[b"K"]) == 4 + length


# ---------------------------------------------------------------- after it


@pytest.mark.parametrize(
    "sent",
    [
        b"Q" + struct.pack("!I", 3),
        b"Q" + struct.pack("!I", 2 << 20),
        b"?" + struct.pack("!I", 4),
        message(b"Q", b"SELECT 1"),
        message(b"Q", b"SELECT 1\0; SELECT 2\0"),
        message(b"Q", b"\xff\0"),
        message(b"D", b""),
        message(b"B", b"\0\0\0\0\0\x01\xff\xff\xff\xfe\0\0"),
        message(b"B", b"\0\0\xff\xff"),
        message(b"P", b"\0SELECT 1\0\xff\xff"),
        message(b"E", b"\0\0"),
        message(b"d", b"abc"),
        message(b"p", b"secret\0"),
        message(b"S", b"more"),
    ],
    ids=repr,
)
def test_broken_messages_end_the_session(
    other: psycopg.Connection, known: socket.socket, sent: bytes
) -> None:
    known.sendall(sent)
    letter, body = received(known)
    assert (letter, fields(body)["C"], fields(body)["S"]) == (b"E", "08P01", "FATAL")
    assert everything(known) == b""
    assert answers(other)


@settings(max_examples=example_count(25))
@given(
    st.lists(
        st.tuples(
            st.sampled_from([b"Q", b"P", b"B", b"D", b"E", b"C", b"S", b"H", b"F"]),
            st.binary(max_size=30),
        )
    )
)
def test_no_messages_of_somebody_known_hurt(
    wire: Wire, other: psycopg.Connection, sent: list[tuple[bytes, bytes]]
) -> None:
    with wire.dial() as line:
        log_in(line)
        line.sendall(b"".join(message(letter, body) for letter, body in sent))
        line.shutdown(socket.SHUT_WR)
        said = everything(line)
    assert b"Traceback" not in said
    assert b"XX000" not in said
    assert answers(other)


@settings(max_examples=example_count(25))
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), max_size=3))
def test_no_text_of_a_query_hurts(wire: Wire, texts: list[str]) -> None:
    with wire.dial() as line:
        log_in(line)
        for sql in texts:
            line.sendall(query(sql))
            assert b"XX000" not in b"".join(body for _, body in until(line))


def test_deep_queries_are_refused(known: socket.socket) -> None:
    for sql in (
        f"SELECT {'(' * 9000}1{')' * 9000}",
        f"SELECT 1{'::int' * 3900}",
        f"SELECT {'NOT ' * 4900}TRUE",
    ):
        known.sendall(query(sql))
        assert fields(dict(until(known))[b"E"])["C"] in ("42601", "54001", "0A000")


def test_half_a_message_and_the_end(other: psycopg.Connection, known: socket.socket) -> None:
    known.sendall(query("SELECT age FROM people")[:9])
    known.close()
    assert answers(other)


def test_functions_are_not_called(known: socket.socket) -> None:
    known.sendall(message(b"F", struct.pack("!IHHH", 1, 0, 0, 0)))
    assert [letter for letter, _ in until(known)] == [b"E", b"Z"]


def test_messages_after_an_error_are_passed_over_until_sync(known: socket.socket) -> None:
    parse = message(b"P", b"\0SELECT nobody FROM people\0\0\0")
    bind, describe, execute = (
        message(b"B", b"\0\0" + bytes(6)),
        message(b"D", b"P\0"),
        message(b"E", bytes(5)),
    )
    known.sendall(parse + bind + describe + execute + execute + message(b"S", b""))
    assert [letter for letter, _ in until(known)] == [b"1", b"2", b"E", b"Z"]


# ---------------------------------------------------------------- many at once, and slow ones


@pytest.mark.long("a thousand connections; a flood stays in tests/attacks/test_gate_floods.py")
def test_a_thousand_who_say_nothing(wire: Wire) -> None:
    lines = [wire.dial() for _ in range(1000)]
    try:
        with psycopg.connect(wire.uri()) as newcomer:
            assert answers(newcomer)
    finally:
        for each in lines:
            each.close()


def test_the_stranger_who_waits_longest_goes_first(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STRANGERS", 3)
    lines = [wire.dial() for _ in range(3)]
    with psycopg.connect(wire.uri()) as newcomer:
        assert answers(newcomer)
    assert everything(lines[0]) == b""
    for each in lines:
        each.close()


def test_slow_strangers_are_hung_up_on(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "SECONDS", 0.2)
    with wire.dial() as line:
        line.sendall(start(user="ann")[:7])
        assert everything(line) == b""


@pytest.mark.parametrize("begun", [b"Q", b"Q\0\0", query("SELECT sex FROM people")[:-3]])
def test_a_message_that_does_not_end_is_hung_up_on(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    """Between messages somebody may be idle for long, inside one they may not."""
    monkeypatch.setattr(message_stream, "IN_MESSAGE", 0.2)
    with wire.dial() as line:
        log_in(line)
        line.sendall(begun)
        assert everything(line) == b""


def test_a_client_that_takes_nothing_is_hung_up_on(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers pile up until the gate gives up writing, and then the connection is closed without
    waiting for them."""
    monkeypatch.setattr(message_stream, "TO_WRITE", 0.2)
    monkeypatch.setattr(transport, "CLOSING", 0.2)
    gone = threading.Event()
    lost = transport.Line.connection_lost
    monkeypatch.setattr(
        transport.Line, "connection_lost", lambda *given: (lost(*given), gone.set())
    )
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(30)
        line.connect((wire.host, wire.port))
        log_in(line)
        gone.clear()
        line.setblocking(False)
        sent = query("SELECT a.oid, b.oid FROM pg_type a, pg_type b")
        while not gone.wait(0.01):
            with suppress(BlockingIOError, ConnectionError):
                line.send(sent)
                sent = query("SELECT 1; SELECT * FROM pg_type")


def test_one_address_has_so_many_connections_and_strangers_give_way(tmp_path) -> None:
    with a_wire(tmp_path, connections=8, connections_per_address=4) as wire:
        lines = [wire.dial() for _ in range(20)]
        with psycopg.connect(wire.uri()) as newcomer:
            assert answers(newcomer)
            lines += [wire.dial() for _ in range(20)]
            assert answers(newcomer)
        for each in lines:
            each.close()


def test_an_account_has_so_many_connections(
    wire: Wire, other: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "EACH", 1)
    with pytest.raises(psycopg.OperationalError, match="too many connections"):
        psycopg.connect(wire.uri())
    assert answers(other)


def test_too_many_attempts(tmp_path) -> None:
    with a_wire(tmp_path) as wire:
        for _ in range(11):
            with wire.dial() as line:
                assert log_in(line)[-1] == (b"Z", b"I")
        said = []
        for _ in range(12):
            with wire.dial() as line:
                said.append(fields(log_in(line, password="a guess at it")[0][1])["C"])
        assert said == ["28P01"] * 10 + ["53400"] * 2


def test_what_goes_wrong_inside_is_not_told(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise ValueError("the patient Ann Other")

    monkeypatch.setattr(type(wire.gate.keeper), "ask", breaks)
    with (
        caplog.at_level(logging.DEBUG),
        psycopg.connect(wire.uri()) as connection,
        pytest.raises(psycopg.errors.InternalError_) as told,
    ):
        connection.execute("SELECT age FROM people")
    assert "mistake" in str(told.value)
    assert "patient" not in str(told.value) + caplog.text
    assert "ValueError in breaks" in caplog.text
