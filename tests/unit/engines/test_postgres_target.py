"""Tables in a schema of PostgreSQL: they appear all at once or not at all, typed as they were,
readable by anybody."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import postgres_server
import psycopg
import pytest
from postgres_server import PostgresServer

from sfumato.engines import Lookup, WritePlan, open_source
from sfumato.engines.postgres.engine import PostgresEngine
from sfumato.engines.postgres.target import PostgresTarget
from sfumato.errors import SourceError, TargetError
from sfumato.policy.records import Order

FIELDS = ("zip", "born", "n", "x", "paid", "ok", "at", "doc", "kind")
PLAN = WritePlan(fields=FIELDS, order=Order.SORTED)


@pytest.fixture(scope="module")
def server() -> PostgresServer:
    return postgres_server.running()


@pytest.fixture
def place(server: PostgresServer) -> Iterator[str]:
    """A database with a typed table, an enumeration in it, and an empty schema."""
    name = f"d{server.new_name()}"
    server.run(f"CREATE DATABASE {name}")
    server.run(
        "CREATE TYPE kind AS ENUM ('a', 'b', 'never')",
        "CREATE TABLE people (zip char(6), born date, n bigint, x double precision, paid "
        "numeric(8,2), ok boolean, "
        "at timestamptz, doc jsonb, kind kind)",
        "INSERT INTO people VALUES ('021', '2020-02-29', 7, 0.1, 1.5, true, '2020-01-01 "
        "10:00+02', '{\"a\": 1}', 'a')",
        "INSERT INTO people VALUES ('', NULL, NULL, 'NaN', NULL, NULL, NULL, NULL, NULL)",
        "CREATE SCHEMA shared",
        database=name,
    )
    yield name
    server.run(f"DROP DATABASE {name} WITH (FORCE)")


def opened(server: PostgresServer, place: str, table: str = "people") -> PostgresEngine:
    engine = open_source(server.uri(place), table=table)
    assert isinstance(engine, PostgresEngine)
    return engine


def target_of(engine: PostgresEngine, uri: str, *, same: bool) -> PostgresTarget:
    """In the transaction that reads, or over a second connection."""
    return PostgresTarget(engine._session if same else uri, "shared")


def tables(server: PostgresServer, place: str, schema: str = "shared") -> list[str]:
    asked = (
        f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}' "
        "ORDER BY 1"
    )
    return [row[0] for row in server.run(asked, database=place)]


@pytest.mark.long("a table over one connection and over two; one stays", but=("True",))
@pytest.mark.parametrize("same", [True, False])
def test_types_stay_and_text_is_plain(server: PostgresServer, place: str, same: bool) -> None:
    with opened(server, place) as engine, target_of(engine, server.uri(place), same=same) as target:
        assert target.write(engine, PLAN, "people") == 2
        with target.opened("people") as again:
            assert again.frequencies(FIELDS).counts.sum() == 2
            assert again.frequencies(("zip",)).values == (("021", None),)
        assert tables(server, place) == []
        target.publish()
    found = server.run(
        "SELECT column_name, data_type, numeric_scale, collation_name FROM "
        "information_schema.columns "
        "WHERE table_schema = 'shared' ORDER BY ordinal_position",
        database=place,
    )
    assert [row[:2] for row in found] == [
        *(
            ("zip", "text"),
            ("born", "date"),
            ("n", "bigint"),
            ("x", "double precision"),
            ("paid", "numeric"),
        ),
        *(
            ("ok", "boolean"),
            ("at", "timestamp with time zone"),
            ("doc", "jsonb"),
            ("kind", "text"),
        ),
    ]
    assert found[4][2] == 2
    assert {row[3] for row in found} == {None}
    with (
        open_source(server.uri(place), table="shared.people") as copy,
        opened(server, place) as engine,
    ):
        for name in FIELDS:
            assert copy.frequencies((name,)).values == engine.frequencies((name,)).values


@pytest.mark.parametrize("same", [True, False])
def test_what_is_not_published_was_never_there(
    server: PostgresServer, place: str, same: bool
) -> None:
    with opened(server, place) as engine, target_of(engine, server.uri(place), same=same) as target:
        target.write(engine, PLAN, "people")
    assert tables(server, place) == []


def test_several_tables_appear_at_once(server: PostgresServer, place: str) -> None:
    with opened(server, place) as engine, PostgresTarget(engine._session, "shared") as target:
        for name in ("one", "two"):
            target.write(engine, WritePlan(fields=("zip",), order=Order.SCRAMBLE), name)
        target.note("about", '{"it\'s": 1}')
        assert tables(server, place) == []
        target.publish()
        assert engine.snapshot().kind == "postgresql snapshot"
        with pytest.raises(SourceError):
            engine.count_rows()
    assert tables(server, place) == ["about", "one", "two"]
    assert server.run("SELECT manifest ->> 'it''s' FROM shared.about", database=place) == [("1",)]


@pytest.mark.parametrize("same", [True, False])
def test_order_and_lookups(server: PostgresServer, place: str, same: bool) -> None:
    """Rows lie in the table in the order that was asked for."""
    rows = [(f"{i:04d}", str(i % 7)) for i in range(2_000)]
    table = server.table(("a", "b"), rows, database=place)
    entries = {
        "key:b": np.array([str(i) for i in range(7)], object),
        "new:b": np.array(list("tuvwxyz"), object),
    }
    letters = Lookup(keys=("b",), fields=("b",), batches=lambda: iter([entries]))
    with (
        opened(server, place, table) as engine,
        target_of(engine, server.uri(place), same=same) as target,
    ):
        for order in Order:
            plan = WritePlan(fields=("a", "b"), lookups=(letters,), order=order)
            assert target.write(engine, plan, order.name.lower()) == 2_000
        target.publish()
    stored = "SELECT a FROM shared.{} ORDER BY ctid"
    found = {
        name: server.run(stored.format(name), database=place) for name in tables(server, place)
    }
    expected = [(a,) for a, _ in rows]
    assert found["keep"] == found["sorted"] == expected
    assert found["scramble"] != expected
    assert sorted(found["scramble"]) == expected
    assert server.run("SELECT DISTINCT b FROM shared.keep ORDER BY 1", database=place) == [
        (c,) for c in "tuvwxyz"
    ]


def test_a_schema_that_is_not_there(server: PostgresServer, place: str) -> None:
    with pytest.raises(
        TargetError, match=r'no schema of that name.\n  Try CREATE SCHEMA "nowhere"'
    ):
        PostgresTarget(server.uri(place), "nowhere")


def test_a_role_that_may_not_make_tables(server: PostgresServer, place: str) -> None:
    server.run(
        f"CREATE ROLE guest_{place} LOGIN", "GRANT USAGE ON SCHEMA shared TO PUBLIC", database=place
    )
    with pytest.raises(
        TargetError, match=f'Try GRANT CREATE ON SCHEMA "shared" TO "guest_{place}"'
    ):
        PostgresTarget(server.uri(place, user=f"guest_{place}"), "shared")
    server.run(f"DROP ROLE guest_{place}")


def test_nothing_of_others_is_overwritten(server: PostgresServer, place: str) -> None:
    server.run("CREATE VIEW shared.people AS SELECT 1 AS a", database=place)
    with opened(server, place) as engine, PostgresTarget(engine._session, "shared") as target:
        with pytest.raises(TargetError, match="has something called 'people' already"):
            target.write(engine, PLAN, "people")
        with pytest.raises(TargetError, match="names in PostgreSQL have at most 63 bytes"):
            target.write(engine, PLAN, "é" * 32)
    assert tables(server, place) == ["people"]


@pytest.mark.long("a server that is stopped; other faults stay in this file")
def test_the_server_of_the_target_goes_away(server: PostgresServer, place: str) -> None:
    """The connection that writes is ended in the middle: the source is told so, and no table is
    there."""
    server.run(
        "CREATE TABLE many AS SELECT i AS a FROM generate_series(1, 3000000) i", database=place
    )
    uri = server.uri(place, more="&application_name=writer")

    def end() -> None:
        asked = "FROM pg_stat_activity WHERE application_name = 'writer' AND query ~ '^COPY'"
        until = time.monotonic() + 600
        while (
            not server.run(f"SELECT pg_terminate_backend(pid) {asked}") and time.monotonic() < until
        ):
            time.sleep(0.002)

    with opened(server, place, "many") as engine, PostgresTarget(uri, "shared") as target:
        thread = threading.Thread(target=end)
        thread.start()
        with pytest.raises(SourceError, match="connection to the server was lost"):
            target.write(engine, WritePlan(fields=("a",), order=Order.KEEP), "many")
        thread.join()
    assert tables(server, place) == []


def test_somebody_else_was_faster(server: PostgresServer, place: str) -> None:
    """After it was seen that the name is free."""
    with opened(server, place) as engine, PostgresTarget(server.uri(place), "shared") as target:
        server.run("CREATE TABLE shared.people (a int)", database=place)
        with pytest.raises(TargetError, match=r"Another process made .*shared\.people meanwhile"):
            target.write(engine, PLAN, "people")
    assert tables(server, place) == ["people"]


def test_nobody_else_takes_the_name_meanwhile(server: PostgresServer, place: str) -> None:
    with opened(server, place) as one, PostgresTarget(one._session, "shared") as first:
        first.write(one, PLAN, "people")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            server.run(
                "SET lock_timeout = '100ms'", "CREATE TABLE shared.people (a int)", database=place
            )
        first.publish()
    assert tables(server, place) == ["people"]
