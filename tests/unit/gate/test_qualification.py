"""A plain query is brought into the very form in which sqlglot's optimizer leaves it."""

from __future__ import annotations

from unittest import mock

import pytest
from example_counts import example_count
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import NotAdmitted
from sfumato.gate.sql import Question, admit, qualification
from sfumato.gate.sql.admission import QueryableTable

PEOPLE = {
    "people": QueryableTable(known=("age", "town"), unknown=("test", "cost"), never=("name",))
}
FIELDS = ("age", "town", "test", "COST", '"cost"', "p.age", "people.town", "person", "*", "n")
NUMBERS = (
    "COUNT(*)",
    "COUNT(1)",
    "COUNT(DISTINCT person)",
    "SUM(cost)",
    "AVG(p.cost)",
    "ROUND(AVG(cost), 1)",
    "SUM(n)",
)
TABLES = (
    "people",
    "people AS p",
    "public.people",
    "PEOPLE p",
    '"people"',
    "(people)",
    "people AS p(a, b)",
)
CONDITIONS = (
    "age > 30", "town IN ('a', 'b')", "NOT (test = 1 OR test IS NULL)", "people.age BETWEEN 3 AND 4", "p.test = '1'",
    "n > 3", "town LIKE 'A%'", "cost <> CAST('3' AS INT)", "age = 3 AND test = 1", "-3 < age",
)  # fmt: skip
ENDS = (
    "",
    "",
    "",
    " LIMIT 3",
    " ORDER BY age",
    " ORDER BY 1",
    " LIMIT 2 OFFSET 1",
    " HAVING COUNT(*) > 2",
)
ALIASES = ("", "", "", " AS n", " AS m", " AS age", ' AS "Town"')


@st.composite
def queries(draw: st.DrawFn) -> str:
    columns = st.tuples(st.sampled_from((*FIELDS, *NUMBERS)), st.sampled_from(ALIASES)).map("".join)
    shown = draw(st.lists(columns, min_size=1, max_size=3))
    where = draw(st.lists(st.sampled_from(CONDITIONS), max_size=2))
    group = draw(st.lists(st.sampled_from(("age", "town", "p.town", "1", "n")), max_size=2))
    parts = [f"SELECT {', '.join(shown)} FROM {draw(st.sampled_from(TABLES))}"]
    parts += [f"WHERE {' AND '.join(where)}"] if where else []
    parts += [f"GROUP BY {', '.join(group)}"] if group else []
    return " ".join(parts) + draw(st.sampled_from(ENDS))


def _admitted(sql: str) -> tuple[object, ...]:
    try:
        found = admit(sql, PEOPLE)
    except NotAdmitted as refused:
        return (refused.code, refused.asked)
    return _facts(found)


def _facts(found: Question) -> tuple[object, ...]:
    return (
        found.told(),
        found.known,
        found.unknown,
        found.groups,
        found.aggregates,
        found.columns,
        repr(found.about),
    )


@settings(max_examples=example_count(150), deadline=None)
@given(queries())
def test_a_query_is_understood_as_the_optimizer_does(sql):
    quickly = _admitted(sql)
    with mock.patch.object(qualification, "_is_plain", return_value=False):
        assert quickly == _admitted(sql)


@pytest.mark.parametrize(
    ("sql", "plain"),
    {
        "SELECT COUNT(*) AS n FROM people WHERE test = 1 AND age > 3": True,
        "SELECT p.town, SUM(p.cost) FROM people p GROUP BY p.town LIMIT 3": True,
        "SELECT COUNT(DISTINCT person) FROM people": True,
        "SELECT * FROM people": False,
        "SELECT age AS town, town AS age FROM people WHERE age > 3": False,
        "SELECT town, COUNT(*) FROM people GROUP BY 1": False,
        "SELECT town FROM people ORDER BY town": False,
        "SELECT town FROM (SELECT town FROM people) AS x": False,
        "WITH a AS (SELECT town FROM people) SELECT town FROM a": False,
    }.items(),
)
def test_the_optimizer_is_asked_where_names_may_mean_something_else(sql, plain):
    with mock.patch.object(qualification, "qualify", side_effect=qualification.qualify) as asked:
        admit(sql, PEOPLE)
    assert asked.called is not plain


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT RACE, COUNT(*) AS n FROM Patients GROUP BY race ORDER BY n DESC", ("RACE", "n")),
        ("SELECT UPPER(Race) AS r, COUNT(*) FROM patients GROUP BY r ORDER BY 1", ("r", "count")),
        ("WITH q AS (SELECT RACE FROM Patients) SELECT COUNT(*) FROM q", ("count",)),
        ('SELECT q."RACE" FROM (SELECT * FROM "Patients") AS q LIMIT 3', ("RACE",)),
        ("SELECT RACE, RANK() OVER (ORDER BY COUNT(*)) FROM patients GROUP BY RACE", None),
    ],
)
def test_names_of_the_source_may_have_capitals(sql, columns):
    """Many hospitals write them so. Without quotes, case is irrelevant."""
    table = QueryableTable(known=("RACE", "ZIP_Code"), unknown=("Cost",))
    question = admit(sql, {"Patients": table})
    assert set(question.known) <= {"RACE", '= UPPER("RACE")'}
    assert columns is None or question.columns == columns
