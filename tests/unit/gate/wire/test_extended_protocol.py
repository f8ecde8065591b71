"""The extended protocol by hand: types that are announced before values are bound, rows in
portions, and names."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import pytest
from wires import Wire, a_wire, fields, log_in, message, until

SYNC = message(b"S", b"")
TEXT, INT8, FLOAT8 = 25, 20, 701


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with a_wire(tmp_path_factory.mktemp("gate")) as found:
        yield found


@pytest.fixture
def line(wire: Wire) -> Iterator[socket.socket]:
    with wire.dial() as found:
        log_in(found)
        yield found


def parse(sql: str, *, name: str = "", types: tuple[int, ...] = ()) -> bytes:
    body = f"{name}\0{sql}\0".encode() + struct.pack(f"!H{len(types)}I", len(types), *types)
    return message(b"P", body)


def bind(
    *values: bytes, name: str = "", portal: str = "", given: int = 0, wanted: int = 0
) -> bytes:
    sized = b"".join(struct.pack("!I", len(value)) + value for value in values)
    head = f"{portal}\0{name}\0".encode() + struct.pack("!HHH", 1, given, len(values))
    return message(b"B", head + sized + struct.pack("!HH", 1, wanted))


def describe(kind: str, name: str = "") -> bytes:
    return message(b"D", f"{kind}{name}\0".encode())


def execute(portal: str = "", *, most: int = 0) -> bytes:
    return message(b"E", portal.encode() + b"\0" + struct.pack("!I", most))


def columns(body: bytes) -> list[tuple[str, int]]:
    """The names and types of a description of rows."""
    out, rest = [], body[2:]
    while rest:
        name, _, rest = rest.partition(b"\0")
        out.append((name.decode(), struct.unpack("!I", rest[6:10])[0]))
        rest = rest[18:]
    return out


def cells(body: bytes) -> list[bytes]:
    out, rest = [], body[2:]
    while rest:
        size = struct.unpack("!I", rest[:4])[0]
        out.append(rest[4 : 4 + size])
        rest = rest[4 + size :]
    return out


def test_types_that_were_announced_hold(line: socket.socket) -> None:
    """As asyncpg and R do it. A field that may come as a label is announced as text, and comes as
    text; what an answer may differ in is announced, and filled where it does not differ."""
    marks = [("count_within", FLOAT8), ("answered_as", TEXT)]
    line.sendall(
        parse(
            "SELECT town, test, COUNT(*) FROM people WHERE town <> $1 GROUP BY town, test", name="s"
        )
    )
    line.sendall(describe("S", "s") + SYNC)
    told = dict(until(line))
    assert told[b"t"] == struct.pack("!HI", 1, TEXT)
    assert columns(told[b"T"]) == [("town", TEXT), ("test", INT8), ("count", INT8), *marks]
    line.sendall(bind(b"Cadiz", name="s", given=1, wanted=1) + describe("P") + execute() + SYNC)
    answer = until(line)
    assert columns(dict(answer)[b"T"]) == [("town", TEXT), ("test", INT8), ("count", INT8), *marks]
    first = cells(next(body for letter, body in answer if letter == b"D"))
    assert first[0].decode() in ("Aberdeen", "Bergen", "Delphi")
    assert [len(each) for each in first[1:4]] == [8, 8, 8]
    assert first[3:] == [struct.pack("!d", 0.0), b"as asked"]


def test_rows_in_portions(line: socket.socket) -> None:
    line.sendall(parse("SELECT sex FROM people LIMIT 5") + bind(portal="p") + SYNC)
    until(line)
    line.sendall(execute("p", most=3) + SYNC)
    assert [letter for letter, _ in until(line)] == [b"D"] * 3 + [b"s", b"Z"]
    line.sendall(execute("p", most=3) + SYNC)
    assert [letter for letter, _ in until(line)] == [b"D"] * 2 + [b"N", b"C", b"Z"]


def test_a_portal_is_asked_once(wire: Wire, line: socket.socket) -> None:
    line.sendall(
        parse("SELECT town FROM people") + bind() + describe("P") + describe("P") + execute() + SYNC
    )
    until(line)
    assert wire.told()[-1] == "answered"
    assert wire.told().count("answered") == 1 + wire.told()[:-1].count("answered")


def test_names_of_things_that_are_not_there(line: socket.socket) -> None:
    for sent, state in (
        (bind(name="nobody"), "26000"),
        (describe("S", "nobody"), "26000"),
        (describe("P", "nobody"), "34000"),
        (execute("nobody"), "34000"),
        (parse("SELECT 1", name="a") + parse("SELECT 1", name="a"), "42P05"),
        (parse("SELECT 1; SELECT 2"), "42601"),
        (parse("SELECT age FROM people WHERE age = $1") + bind(), "22P02"),
        (parse("SELECT age FROM people WHERE age = $1") + bind(b"x"), "22P02"),
        (parse("SELECT 1") + bind(wanted=7) + execute(), "22P02"),
    ):
        line.sendall(sent + SYNC)
        assert fields(dict(until(line))[b"E"])["C"] == state


def test_an_empty_query_and_one_without_rows(line: socket.socket) -> None:
    line.sendall(parse("") + bind() + describe("P") + execute() + SYNC)
    assert [letter for letter, _ in until(line)] == [b"1", b"2", b"n", b"I", b"Z"]
    line.sendall(parse("SET timezone = 'UTC'") + bind() + describe("P") + execute() + SYNC)
    assert [letter for letter, _ in until(line)] == [b"1", b"2", b"n", b"S", b"C", b"Z"]


def test_things_are_closed_and_forgotten(line: socket.socket) -> None:
    line.sendall(
        parse("SELECT 1", name="a") + message(b"C", b"Sa\0") + message(b"C", b"Pnobody\0") + SYNC
    )
    assert [letter for letter, _ in until(line)] == [b"1", b"3", b"3", b"Z"]
    line.sendall(
        parse("SELECT 1", name="a")
        + parse("DEALLOCATE a")
        + bind()
        + execute()
        + bind(name="a")
        + SYNC
    )
    assert [letter for letter, _ in until(line)] == [b"1", b"1", b"2", b"C", b"E", b"Z"]


@pytest.mark.parametrize(
    ("sql", "values", "rows"),
    [
        ("SELECT oid, typname FROM pg_type WHERE typname = 'int8'", (), 1),
        ("SHOW TimeZone", (), 1),
        (
            "SELECT table_name FROM INFORMATION_SCHEMA.tables WHERE (table_schema = "
            "ANY(current_schemas(true)))"
            " AND (table_schema <> 'pg_catalog') ORDER BY table_type, table_name",
            (),
            1,
        ),
        ("SELECT nspname FROM pg_namespace WHERE oid = pg_my_temp_schema()", (), 0),
        ('SELECT * FROM "people"', (), 400),
        ('SELECT * FROM "people" LIMIT 0', (), 0),
        ("SELECT sex, cost FROM people WHERE town <> $1 AND sex = $2 LIMIT 9", ("Bergen", "F"), 9),
    ],
)
def test_prepared_described_and_executed(
    line: socket.socket, sql: str, values: tuple[str, ...], rows: int
) -> None:
    """As RPostgres does with every query: rows come in the types that it was told before any value
    was bound."""
    line.sendall(parse(sql) + SYNC)
    assert until(line)[0][0] == b"1"
    line.sendall(describe("S") + SYNC)
    told = columns(dict(until(line))[b"T"])
    line.sendall(bind(*(value.encode() for value in values)) + describe("P") + execute() + SYNC)
    answer = until(line)
    assert columns(dict(answer)[b"T"]) == told
    assert [letter for letter, _ in answer].count(b"D") == rows
