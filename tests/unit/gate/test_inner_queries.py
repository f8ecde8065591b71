"""Inner queries, written as one: DuckDB gives the same rows for both."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import duckdb
import pytest
import sqlglot
from gates import ANN, a_gate, people
from sqlglot import exp

from sfumato.errors import NotAdmitted
from sfumato.gate.settings import Mode, Terms
from sfumato.gate.sql import admit
from sfumato.gate.sql.inner_queries import as_one_query
from sfumato.gate.sql.queryable_table import QueryableTable

VISITS = """
CREATE TABLE visits AS SELECT * FROM (VALUES
    ('a', 'north', 1, 10.0), ('a', 'north', 2, 20.0), ('a', 'south', 1, 5.0), ('b', 'south', 3, 7.5),
    ('b', NULL, 2, 8.0), ('c', 'north', 2, 1.0), ('c', 'south', NULL, 2.0), (NULL, 'north', 4, 9.0)
) AS made(ward, region, nights, cost)
"""
CATALOGUE = {
    "visits": QueryableTable(known=("ward", "region"), unknown=("nights", "cost"), never=("id",)),
    "people": QueryableTable(known=("age",), unknown=(), never=("id",), person_key="id"),
}
ABOVE = (exp.From, exp.Join)
GROUPED = "(SELECT ward, COUNT(*) AS n, SUM(cost) AS total FROM visits GROUP BY ward) AS t"
WRITTEN = (
    f"SELECT MAX(n) - MIN(n) AS spread, AVG(t.n) AS mean, COUNT(*) AS wards FROM {GROUPED}",
    f"SELECT SUM(total) / SUM(n) AS mean FROM {GROUPED} WHERE n > 1",
    f"SELECT * FROM {GROUPED} WHERE n > 1 OR ward = 'b'",
    f"SELECT ward, total / n AS mean FROM {GROUPED} ORDER BY mean DESC, ward LIMIT 2",
    f"SELECT t.ward AS n FROM {GROUPED} ORDER BY t.n, n",
    f"SELECT ward, total * 100 / SUM(total) OVER () AS percent FROM {GROUPED} WHERE n > 1",
    "SELECT d, n FROM (SELECT nights % 2 AS d, COUNT(*) AS n FROM visits GROUP BY d HAVING n > 1) AS t WHERE d = 0",
    "SELECT d * 10 AS d10 FROM (SELECT nights + 1 AS d, COUNT(*) AS n FROM visits GROUP BY 1) AS t",
    "WITH t AS (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) SELECT AVG(n) AS m FROM t",
    "WITH visits AS (SELECT COUNT(*) AS n FROM visits) SELECT n FROM visits",
    "SELECT (SELECT COUNT(*) FROM visits WHERE nights > 1) * 1.0 / (SELECT COUNT(*) FROM visits) AS share",
    "SELECT a.n * 1.0 / b.n AS odds FROM (SELECT COUNT(*) AS n FROM visits WHERE nights > 1) AS a, "
    "(SELECT COUNT(*) AS n FROM visits) AS b",
    "SELECT ward, COUNT(*) * 100.0 / s.n AS share FROM visits, (SELECT COUNT(*) AS n FROM visits) AS s "
    "GROUP BY ward, s.n",
    "SELECT ward, COUNT(*) AS n FROM visits, (SELECT COUNT(*) AS n FROM visits) AS s GROUP BY ward ORDER BY n LIMIT 1",
    "WITH s AS (SELECT AVG(cost) AS mean FROM visits) SELECT COUNT(*) AS n FROM visits CROSS JOIN s WHERE cost > mean",
    "SELECT ward, region, COUNT(*) AS n FROM visits GROUP BY ROLLUP (ward, region)",
    "SELECT ward, region, COUNT(*) AS n FROM visits GROUP BY CUBE (ward, region) HAVING COUNT(*) > 1",
    "SELECT COALESCE(ward, 'all') AS w, SUM(cost) AS s FROM visits GROUP BY GROUPING SETS ((ward), (nights % 2), ())",
    "SELECT region, ward, COUNT(ward) AS n FROM visits GROUP BY region, ROLLUP (ward)",
    "SELECT SUM(IF(nights > 1, 1, 0)) AS n FROM visits",
)
LEFT_ALONE = (
    "SELECT MAX(n) AS m FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward LIMIT 2) AS t",
    f"SELECT n, COUNT(*) AS wards FROM {GROUPED} GROUP BY n",
    f"SELECT COUNT(DISTINCT n) AS m FROM {GROUPED}",
    f"SELECT COUNT(*) FILTER (WHERE n > 1) AS m FROM {GROUPED}",
    "SELECT x FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) AS t(x, y)",
    "SELECT ward FROM (SELECT ward, RANK() OVER (ORDER BY COUNT(*)) AS r FROM visits GROUP BY ward) AS t WHERE r = 1",
    "SELECT AVG(n) AS m FROM (SELECT id, COUNT(*) AS n FROM people GROUP BY id) AS t",
    "SELECT COUNT(*) AS n FROM visits LEFT JOIN (SELECT COUNT(*) AS n FROM visits) AS s ON s.n = nights",
)


@pytest.mark.parametrize("sql", WRITTEN)
def test_both_have_the_same_rows(sql: str) -> None:
    one = as_one_query(sqlglot.parse_one(sql, read="postgres"), CATALOGUE)
    inner = [each for each in one.find_all(exp.Subquery) if isinstance(each.parent, ABOVE)]
    assert not inner
    assert one.find(exp.Rollup, exp.Cube, exp.GroupingSets) is None
    written = one.sql("duckdb")
    with duckdb.connect() as rows:
        rows.execute(VISITS)
        before, after = (rows.execute(each).fetchall() for each in (sql, written))
    assert Counter(before) == Counter(after)
    assert before == after or "ORDER" not in sql


@pytest.mark.parametrize("sql", LEFT_ALONE)
def test_others_stay_as_they_are(sql: str) -> None:
    tree = sqlglot.parse_one(sql, read="postgres")
    assert as_one_query(tree.copy(), CATALOGUE).sql() == tree.sql()


def test_a_word_of_an_inner_query_is_never_dropped() -> None:
    for inner in (
        "(SELECT DISTINCT ward, COUNT(*) AS n FROM visits GROUP BY ward)",
        "(SELECT ward, COUNT(*) AS n FROM visits TABLESAMPLE BERNOULLI (10) GROUP BY ward)",
        "(SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward FOR UPDATE)",
    ):
        with pytest.raises(NotAdmitted):
            admit(f"SELECT MAX(n) AS m FROM {inner} AS t", CATALOGUE)
    with pytest.raises(NotAdmitted):
        admit("SELECT ward, COUNT(*) FROM visits GROUP BY ROLLUP (ward) ORDER BY 1", CATALOGUE)


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT COUNT(*) FROM visits GROUP BY CUBE ({', '.join(['ward', 'region'] * 20)})",
        f"SELECT COUNT(*) FROM visits GROUP BY GROUPING SETS ({', '.join(['(ward)'] * 11)})",
        "WITH a0 AS (SELECT COUNT(*) AS n FROM visits)"
        + "".join(
            f", a{at + 1} AS (SELECT SUM(x.n + y.n) AS n FROM a{at} AS x, a{at} AS y)"
            for at in range(30)
        )
        + " SELECT n FROM a30",
        f"SELECT {', '.join(['n'] * 900)} FROM (SELECT ward, SUM(COALESCE({', '.join(['cost'] * 900)})) "
        "AS n FROM visits GROUP BY ward) AS t",
    ],
    ids=["cube", "sets", "common tables", "columns"],
)
def test_a_short_query_never_becomes_a_long_one(sql: str) -> None:
    with pytest.raises(NotAdmitted) as refused:
        admit(sql, CATALOGUE)
    assert refused.value.code == "too-long"


def test_a_window_is_over_numbers_of_groups() -> None:
    """Without a number of each group, rows would be asked for, which may come in coarser groups."""
    with pytest.raises(NotAdmitted, match="numbers of groups"):
        admit("SELECT ward, COUNT(*) OVER () AS n FROM visits GROUP BY ward", CATALOGUE)
    wards = "SELECT COUNT(*) AS n FROM (SELECT ward FROM visits GROUP BY ward) AS t"
    assert admit(wards, CATALOGUE).is_aggregate


OF_TOWNS = "SELECT MAX(n) AS most FROM (SELECT town, COUNT(*) AS n FROM people GROUP BY town) AS t"


def test_numbers_of_all_groups_are_exact_or_refused(tmp_path: Path) -> None:
    """Groups of noisy numbers may be empty or left out, which one number for all would hide."""
    rows = people(600)
    most = max(Counter(row["town"] for row in rows).values())
    with a_gate(tmp_path, rows, terms=Terms(mode=Mode.EXACT)) as gate:
        assert gate.keeper.ask(ANN, OF_TOWNS).rows == [(most,)]
        none = OF_TOWNS.replace("MAX(n)", "COUNT(*) + 1 AS one, MAX(n)") + " WHERE n > 999"
        assert gate.keeper.ask(ANN, none).rows == [(1, None)]
    with a_gate(tmp_path / "noisy", rows, terms=Terms(mode=Mode.NOISY)) as gate:
        # The noisy groups, which somebody has then, make no number of all of them.
        assert gate.keeper.ask(ANN, "SELECT town, COUNT(*) AS n FROM people GROUP BY town").rows
        with pytest.raises(NotAdmitted, match="all groups of an inner query"):
            gate.keeper.ask(ANN, OF_TOWNS)


def test_parts_of_a_rollup_are_answered_one_below_the_other(tmp_path: Path) -> None:
    rows = people(600)
    women = sum(row["sex"] == "F" for row in rows)
    sql = "SELECT sex, COUNT(*) AS n FROM people GROUP BY ROLLUP (sex)"
    with a_gate(tmp_path, rows, terms=Terms(mode=Mode.EXACT)) as gate:
        found = gate.keeper.ask(ANN, sql)
        assert Counter(found.rows) == {("F", women): 1, ("M", 600 - women): 1, (None, 600): 1}
