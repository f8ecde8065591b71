"""What may pass the gate: a list, and everything else does not."""

from __future__ import annotations

import pytest

from sfumato.errors import NotAdmitted
from sfumato.gate.sql import admit
from sfumato.gate.sql.admission import QueryableTable

PEOPLE = {
    "people": QueryableTable(known=("age", "town"), unknown=("test", "cost"), never=("name",))
}

ADMITTED = (
    "SELECT * FROM people",
    "SELECT age, test FROM people WHERE age > 30 ORDER BY age LIMIT 5",
    "SELECT town, COUNT(*) AS n, AVG(cost) FROM people GROUP BY town HAVING COUNT(*) > 3 "
    "ORDER BY n DESC",
    "WITH a AS (SELECT * FROM people WHERE age > 3) SELECT town FROM a WHERE test = 1",
    "SELECT DISTINCT town FROM (SELECT town, test FROM people) AS x WHERE test IS NOT NULL",
    "SELECT AGE FROM People p WHERE p.TOWN LIKE 'A%'",
    "SELECT ROUND(AVG(cost), 2) FROM public.people",
    "SELECT 1 / (CASE WHEN test = 1 THEN 0 ELSE 1 END) FROM people",
    "SELECT age FROM people WHERE test / 0 = 1",
    "SELECT COUNT(*) FILTER (WHERE test = 1) FROM people",
    "SELECT age FROM people WHERE age + 1 = 30",
    "SELECT AVG(cost + 1) FROM people",
    "SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) FROM people GROUP BY 1 ORDER BY 1",
    "SELECT town, COUNT(*) / SUM(COUNT(*)) OVER () FROM people GROUP BY town",
    "SELECT COUNT(*) FROM people WHERE age = 30 OR test = 1",
)
REFUSED = {
    "SELECT name FROM people": "never-shown",
    "SELECT age FROM people ORDER BY name": "never-shown",
    "SELECT agee FROM people": "unknown-field",
    "SELECT age FROM peple": "unknown-table",
    "SELECT age FROM pg_catalog.pg_class": "unknown-table",
    "SELECT 1": "unknown-table",
    "SELECT age FROM people; SELECT 1": "several",
    "": "several",
    "SELECT FROM WHERE": "syntax",
    "COPY people TO '/tmp/x'": "not-a-question",
    "ATTACH 'x.db' AS y": "syntax",
    "INSERT INTO people VALUES (1)": "not-a-question",
    "DROP TABLE people": "not-a-question",
    "CALL pragma_version()": "not-a-question",
    "EXPLAIN SELECT age FROM people": "not-a-question",
    "SELECT age FROM people UNION SELECT age FROM people": "not-a-question",
    "SELECT * FROM read_csv('/etc/passwd')": "not-listed",
    "SELECT * FROM people, generate_series(1, 1000000000)": "join",
    "SELECT pg_sleep(10) FROM people": "not-listed",
    "SELECT age FROM people a JOIN people b ON a.age = b.age": "join",
    "SELECT SUM(cost) OVER (PARTITION BY age) FROM people": "not-listed",
    "SELECT age FROM people TABLESAMPLE SYSTEM (1)": "not-listed",
    "SELECT age FROM people ORDER BY RANDOM()": "not-listed",
    "SELECT age FROM people WHERE age = test": "mixed-condition",
    "SELECT CASE WHEN age > 30 THEN test END FROM people": "mixed-condition",
    "SELECT ROW_NUMBER() OVER (ORDER BY age) FROM people": "not-listed",
    "SELECT town, COUNT(*) FROM people": "not-grouped",
    "SELECT REPEAT(town, 1000000) FROM people": "not-listed",
    "SELECT age FROM people WHERE age BETWEEN SYMMETRIC 40 AND 30": "not-listed",
    "SELECT p.town FROM people AS p (town, age) WHERE p.town = 'x'": "not-listed",
    "SELECT DISTINCT ON (town) age FROM people": "not-listed",
    "SELECT DATE_TRUNC('month', town, 'UTC') FROM people": "not-listed",
    "SELECT COUNT(*) FROM people GROUP BY ROLLUP (town)": "not-listed",
    "SELECT age FROM people FETCH FIRST 3 ROWS WITH TIES": "not-listed",
    "SELECT age + AGE(town) FROM people": "not-listed",
    "SELECT STRING_AGG(town, ',') FROM people": "not-listed",
    "SELECT age FROM people WHERE age IN (SELECT age FROM people)": "too-deep",
    "SELECT age FROM people WHERE age = (SELECT MAX(age) FROM people)": "not-listed",
    "SELECT age FROM people WHERE age = 30 OR test = 1": "mixed-condition",
    "SELECT age FROM people WHERE " + " AND ".join(["age > 1"] * 3000): "too-long",
    "SELECT age FROM people WHERE " + "(" * 3000 + "age > 1" + ")" * 3000: "too-deep",
}


@pytest.mark.parametrize("sql", ADMITTED)
def test_questions_pass(sql):
    assert admit(sql, PEOPLE).table == "people"


@pytest.mark.parametrize(("sql", "code"), REFUSED.items(), ids=[sql[:50] for sql in REFUSED])
def test_everything_else_does_not(sql, code):
    with pytest.raises(NotAdmitted) as refused:
        admit(sql, PEOPLE)
    assert refused.value.code == code


def test_the_place_of_a_mistake_is_told():
    with pytest.raises(NotAdmitted, match="line 2, column"):
        admit("SELECT age\nFRM people", PEOPLE)


def test_the_nearest_name_is_told():
    with pytest.raises(NotAdmitted, match='Did you mean "town"'):
        admit("SELECT twon FROM people", PEOPLE)


def test_conditions_are_kept_apart_by_what_they_are_about():
    question = admit(
        "SELECT cost FROM people WHERE (age > 3 AND test = '1') AND (town = 'A' OR age = 7)", PEOPLE
    )
    assert question.about is not None
    assert question.about.fields() == {"age", "town"}
    assert question.having is not None
    assert question.having.fields() == {"test"}
    assert question.unknown == ("test", "cost")


def test_people_are_counted_and_in_no_other_way_named():
    counted = admit("SELECT town, COUNT(DISTINCT person) AS n FROM people GROUP BY town", PEOPLE)
    assert [each.canonical() for each in counted.aggregates] == ["count(distinct person)"]
    assert "person" not in (*counted.known, *counted.unknown)
    assert "person" not in admit("SELECT * FROM people", PEOPLE).columns
    for sql in (
        "SELECT person FROM people",
        "SELECT DISTINCT person FROM people",
        "SELECT MAX(person) FROM people",
        "SELECT COUNT(person) FROM people",
        "SELECT age FROM people WHERE person = 3",
        "SELECT x FROM (SELECT person AS x FROM people) AS y",
        "SELECT * FROM people HAVING COUNT(DISTINCT person) > 1",
    ):
        with pytest.raises(NotAdmitted):
            admit(sql, PEOPLE)


@pytest.mark.parametrize("always", ["1 = 1", "TRUE", "('x' = 'x')"])
def test_what_always_holds_says_nothing(always):
    plain = admit("SELECT age, test FROM people WHERE age > 30", PEOPLE)
    said = admit(f"SELECT age, test FROM people WHERE {always} AND (age > 30)", PEOPLE)
    assert said.canonical() == plain.canonical()
    assert admit(f"SELECT age FROM people WHERE {always}", PEOPLE).about is None


def test_people_are_counted_where_their_key_is_called_person():
    """It is never released, and is counted all the same."""
    tables = {"visits": QueryableTable(known=("age",), unknown=("test",), never=("person",))}
    counted = admit("SELECT age, COUNT(DISTINCT person) AS n FROM visits GROUP BY age", tables)
    assert [each.field for each in counted.aggregates] == ["person"]
    with pytest.raises(NotAdmitted, match="is never released"):
        admit("SELECT person FROM visits", tables)


def test_not_like_is_not_like():
    conditions = (
        "town NOT LIKE 'A%'",
        "NOT town LIKE 'A%'",
        "town !~~ 'A%'",
        "NOT (town LIKE 'A%')",
    )
    found = {
        admit(f"SELECT age FROM people WHERE {each}", PEOPLE).about.canonical()
        for each in conditions
    }
    assert found == {"not ('town' like 'A%')"}
    assert (
        admit("SELECT age FROM people WHERE NOT town NOT ILIKE 'a%'", PEOPLE).about.canonical()
        == "'town' ilike 'a%'"
    )


def test_people_are_not_counted_where_a_field_has_their_name():
    table = {"people": QueryableTable(known=("person", "age"), unknown=())}
    with pytest.raises(NotAdmitted, match="means two things"):
        admit("SELECT COUNT(DISTINCT person) FROM people", table)
