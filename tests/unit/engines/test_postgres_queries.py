"""How the PostgreSQL engine asks: joins that are hashed, keys of both kinds, order, and nothing
left in the session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import postgres_server
import pytest
from postgres_server import PostgresServer

from sfumato.engines import Lookup, WritePlan, open_source
from sfumato.engines.engine import ShiftedDates
from sfumato.engines.postgres.engine import PostgresEngine
from sfumato.errors import SourceError
from sfumato.policy.records import Order


@pytest.fixture(scope="module")
def server() -> PostgresServer:
    return postgres_server.running()


def lookup(
    keys: tuple[str, ...], fields: tuple[str, ...], entries: list[tuple[str | None, ...]]
) -> Lookup:
    names = [f"key:{key}" for key in keys] + [f"new:{name}" for name in fields]
    columns = {
        name: np.array([entry[i] for entry in entries], object) for i, name in enumerate(names)
    }
    return Lookup(keys=keys, fields=fields, batches=lambda: iter([columns]))


def test_lookups_are_hashed(server: PostgresServer) -> None:
    """Never a nested loop, although null equals null: by one key, by several, and for what is
    dropped."""
    rows = [(f"{i % 97}", f"{i % 31}" if i % 5 else None, str(i)) for i in range(5_000)]
    one = [(f"{i}", f"n{i}") for i in range(97)]
    two = sorted({(a, b, "x") for a, b, _ in rows}, key=str)
    ids = [(c, f"p{c}") for *_, c in rows]
    plan = WritePlan(
        fields=("a", "b", "c"),
        lookups=(
            lookup(("a",), ("a",), one),
            lookup(("a", "b"), ("b",), two),
            lookup(("c",), ("c",), ids),
        ),
        drop=lookup(("b",), (), [("3",)]),
    )
    with open_source(server.uri(), table=server.table(("a", "b", "c"), rows)) as engine:
        assert isinstance(engine, PostgresEngine)
        with engine.releasing(plan, "nowhere") as (session, query):
            steps = [
                row[0]
                for row in session._connection.execute(b"EXPLAIN ANALYZE " + session._sql(query))
            ]
    assert sum("Hash Left Join" in step or "Hash Right Join" in step for step in steps) == 3
    assert any("Hash Anti Join" in step or "Hash Right Anti Join" in step for step in steps)
    assert not any("Nested Loop" in step for step in steps)


def test_keys_that_are_whole_numbers(server: PostgresServer, tmp_path: Path) -> None:
    """As numbers where the field is one, as text where it is not; null stays null, and moves by its
    own days."""
    name = server.new_name()
    server.run(
        f"CREATE TABLE {name} (who int, same text, day date)",
        f"INSERT INTO {name} VALUES (-1, '-1', '2020-01-01'), (2, '2', '2020-01-02'), "
        "(NULL, NULL, '2020-01-03')",
    )
    days = {
        "key:who": np.array(["-1", "2", None], object),
        "new:days": np.array([1, 2, 0], np.int64),
    }
    with open_source(server.uri(), table=name) as engine:
        numbers = engine.numbers("who", start=100)
        assert [batch["key:0"].tolist().count(None) for batch in numbers.batches()] == [1]
        plan = WritePlan(
            fields=("who", "same", "day"),
            lookups=(numbers.lookup("who"), numbers.lookup("same")),
            moved=(
                ShiftedDates(
                    fields=("day",),
                    lookup=Lookup(keys=("who",), fields=(), batches=lambda: iter([days])),
                ),
            ),
            order=Order.KEEP,
        )
        engine.write(plan, tmp_path / "out.csv")
        found = engine.witnesses(("day", "same"), person="who", k=2)
        assert (found.values[1], sorted(found.person_of.tolist())) == (("-1", "2", None), [-1, 2])
    rows = [line.split(",") for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert [row[0] for row in rows] == [row[1] for row in rows]
    assert {row[0] for row in rows} == {"101", "102", ""}
    assert [row[2] for row in rows] == ["2020-01-02", "2020-01-04", "2020-01-03"]


def test_more_bins_than_a_number_tells_apart(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(str(i % 7), str(i % 5), str(i % 3)) for i in range(40)]
    with open_source(server.uri(), table=server.table(("a", "b", "who"), rows)) as engine:
        fast = engine.witnesses(("a", "b"), person="who", k=2)
        monkeypatch.setattr("sfumato.engines.postgres.people.LARGEST", 10)
        slow = engine.witnesses(("a", "b"), person="who", k=2)
    assert (fast.values, fast.codes.tolist()) == (slow.values, slow.codes.tolist())
    assert fast.rows.tolist() == slow.rows.tolist()
    assert fast.bin_of.tolist() == slow.bin_of.tolist()
    pairs = [
        set(zip(found.bin_of.tolist(), found.person_of.tolist(), strict=True))
        for found in (fast, slow)
    ]
    assert pairs[0] == pairs[1]


def test_kept_order_is_the_order_of_the_rows(server: PostgresServer, tmp_path: Path) -> None:
    """Also where the server would share the work out, or join a scan that is under way."""
    name = server.new_name()
    server.run(
        f"CREATE TABLE {name} AS SELECT lpad(i::text, 6, '0') a, repeat('x', 50) b FROM "
        "generate_series(1, 60000) i",
        f"ALTER TABLE {name} SET (parallel_workers = 4)",
        f"ANALYZE {name}",
    )
    eager = ("parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size")
    options = "&options=" + "%20".join(f"-c%20{setting}%3D0" for setting in eager)
    plan = WritePlan(fields=("a",), drop=lookup(("a",), (), [("000007",)]), order=Order.KEEP)
    with open_source(server.uri(more=options), table=name) as engine:
        engine.write(plan, tmp_path / "o.csv")
    found = (tmp_path / "o.csv").read_text().split()[1:]
    assert found == sorted(found)
    assert len(found) == 59_999


def test_nothing_is_kept_in_the_session(server: PostgresServer, tmp_path: Path) -> None:
    with open_source(
        server.uri(), table=server.table(("a", "b"), [("x", "1"), (None, "2")])
    ) as engine:
        assert isinstance(engine, PostgresEngine)
        engine.frequencies(("a",), sensitive=("b",))
        next(engine.distinct(("a",)))
        engine.write(
            WritePlan(fields=("a",), lookups=(lookup(("a",), ("a",), [("x", "y")]),)),
            tmp_path / "out.csv",
        )
        stage = engine.staged(WritePlan(fields=("a",)))
        stage.close()
        assert engine._session.asked("SELECT relname FROM pg_class WHERE relname ~ '^kept_'") == []


def test_an_engine_whose_lookup_is_interrupted_can_go_on(
    server: PostgresServer, tmp_path: Path
) -> None:
    def batches() -> Iterator[dict[str, np.ndarray[Any, Any]]]:
        raise KeyboardInterrupt
        yield {}

    with open_source(server.uri(), table=server.table(("a",), [("x",)])) as engine:
        plan = WritePlan(
            fields=("a",), lookups=(Lookup(keys=("a",), fields=("a",), batches=batches),)
        )
        with pytest.raises(KeyboardInterrupt):
            engine.write(plan, tmp_path / "out.csv")
        assert engine.count_rows() == 1


def test_text_with_nul_is_the_key_of_no_row_and_no_label(
    server: PostgresServer, tmp_path: Path
) -> None:
    with open_source(server.uri(), table=server.table(("a",), [("x",)])) as engine:
        known = lookup(("a",), ("a",), [("x\0", "no"), ("x", "yes")])
        engine.write(WritePlan(fields=("a",), lookups=(known,)), tmp_path / "out.csv")
        assert (tmp_path / "out.csv").read_text() == "a\nyes\n"
        for plan in (
            WritePlan(fields=("a",), lookups=(lookup(("a",), ("a",), [("x", "\0")]),)),
            WritePlan(fields=("a",), constants={"a": "\0 FROM nothing"}),
        ):
            with pytest.raises(SourceError, match="holds the character NUL"):
                engine.write(plan, tmp_path / "other.csv")
    assert not (tmp_path / "other.csv").exists()


def test_closing_twice(server: PostgresServer) -> None:
    engine = open_source(server.uri(), table=server.table(("a",), [("x",)]))
    engine.close()
    engine.close()
    with pytest.raises(SourceError, match="connection to the server was lost"):
        engine.count_rows()
