"""Expressions over PostgreSQL's protocol: columns have the names that HTTP gives them, with and
without parameters."""

from __future__ import annotations

import psycopg
import pytest
from wires import a_wire

SQL = {
    "SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*), 2.5 * COUNT(*) FROM people GROUP BY 1 ORDER BY 1": (
        "decade", "count", "column_3",
    ),
    "SELECT CASE WHEN age >= 65 THEN 'old' END AS old, COUNT(*) FILTER (WHERE sex = 'F') FROM people GROUP BY 1": (
        "old", "count",
    ),
    "SELECT town, RANK() OVER (ORDER BY COUNT(*) DESC) FROM people GROUP BY town": ("town", "rank"),
}  # fmt: skip
OLD = "SELECT CASE WHEN age >= %s THEN 'old' ELSE 'young' END AS old, COUNT(*) AS n FROM people GROUP BY 1"


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    with a_wire(tmp_path_factory.mktemp("gate")) as found:
        yield found


@pytest.mark.parametrize(("sql", "names"), SQL.items(), ids=range(len(SQL)))
def test_columns_are_called_as_over_http(wire, sql, names):
    with psycopg.connect(wire.uri(), autocommit=True) as connection:
        cursor = connection.execute(sql)
        assert tuple(column.name for column in cursor.description)[: len(names)] == names
        assert cursor.fetchall()


def test_a_parameter_may_stand_in_an_expression(wire):
    with psycopg.connect(wire.uri(), autocommit=True) as connection:
        rows = connection.execute(OLD, (65,)).fetchall()
    assert {row[0] for row in rows} == {"old", "young"}
