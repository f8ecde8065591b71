"""Questions for no rows: clients learn what columns there are, and nobody is shown anything."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
import sqlglot
from wires import Wire, a_wire

from sfumato.gate.wire.execute import only_columns


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with a_wire(tmp_path_factory.mktemp("gate")) as found:
        yield found


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM people WHERE 0 = 1",
        "SELECT * FROM (SELECT age, town, sex, test, cost FROM people) q01 WHERE (0 = 1)",
        "SELECT * FROM public.people LIMIT 0",
        "SELECT * FROM people WHERE age > 30 AND 1 <> 1",
        "SELECT * FROM people WHERE FALSE",
    ],
)
@pytest.mark.parametrize("prepare", [False, True])
def test_columns_are_told_and_nothing_is_shown(wire: Wire, sql: str, *, prepare: bool) -> None:
    before = wire.told().count("answered")
    with psycopg.connect(wire.uri(), autocommit=True) as connection:
        found = connection.execute(sql, prepare=prepare)  # type: ignore[arg-type]
        assert [column.name for column in found.description or ()] == [
            "age",
            "town",
            "sex",
            "test",
            "cost",
        ]
        assert found.fetchall() == []
    assert wire.told().count("answered") == before


def test_a_limit_that_is_bound(wire: Wire) -> None:
    with psycopg.connect(wire.uri(), autocommit=True) as connection:
        assert connection.execute("SELECT sex FROM people LIMIT %s", (0,)).fetchall() == []
        assert len(connection.execute("SELECT sex FROM people LIMIT %s", (2,)).fetchall()) == 2


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t",
        "SELECT a FROM t WHERE 1 = 1",
        "SELECT a FROM t WHERE a = 1 OR 0 = 1",
        "SELECT a FROM t WHERE 'a' = 'b'",
        "SELECT count(*) FROM t WHERE 0 = 1",
        "SELECT a FROM t LIMIT 10",
        "SELECT a FROM t OFFSET 0",
    ],
)
def test_what_asks_for_rows_is_asked(sql: str) -> None:
    assert only_columns(sqlglot.parse_one(sql, read="postgres")) is None
