"""What a noisy question states itself: the values of its groups, and the bounds of its numbers. Both
follow from the query and the policy, and no row is read for them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from gates import ANN, POLICY, a_gate, people

from sfumato.errors import NotAdmitted
from sfumato.gate.settings import Audience, Budget, Mode, Terms

FIRST = date(2020, 1, 1)
ROWS = [
    each
    | {
        "score": number % 7,
        "came": (FIRST + timedelta(days=number % 700)).isoformat(),
        "seen": (FIRST + timedelta(days=number % 700)).isoformat(),
        "left": (FIRST + timedelta(days=number % 700 + number % 11)).strftime("%m/%d/%Y"),
    }
    for number, each in enumerate(people(700, seed=5))
]
FIELDS = """
domain = { least = 0, most = 999 }
[fields.score]
role = "sensitive"
domain = { least = 0, most = 6 }
[fields.came]
role = "insensitive"
[fields.left]
role = "insensitive"
[fields.seen]
role = "quasi"
hierarchy = { dates = ["month", "year"] }
[require]
"""
TERMS = Terms(
    mode=Mode.NOISY,
    audience=Audience.PERSON,
    budget=Budget(query=60.0, person=3000.0, table=3000.0),
)
NIGHTS = "TO_DATE(left, 'MM/DD/YYYY') - CAST(came AS DATE)"


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    policy = POLICY.replace("[require]\n", FIELDS).replace("left", '"left"')
    with a_gate(tmp_path_factory.mktemp("gate"), ROWS, policy=policy, terms=TERMS) as opened:
        yield opened.keeper


def asked(gate, sql):
    answer = gate.ask(ANN, sql)
    assert answer.noise
    assert answer.threshold == 0
    return answer


def groups(gate, sql):
    return {row[0]: row[1] for row in asked(gate, sql).rows}


def count(condition):
    return pytest.approx(sum(map(condition, ROWS)), abs=15)


def test_a_condition_lists_the_groups(gate):
    sql = "SELECT town, COUNT(*) FROM people WHERE town IN ('Cadiz', 'Nowhere') AND cost > 100 GROUP BY town"
    found = groups(gate, sql)
    assert found.keys() == {"Cadiz", "Nowhere"}
    assert found["Nowhere"] == pytest.approx(0, abs=15)
    assert found["Cadiz"] == count(lambda row: row["town"] == "Cadiz" and row["cost"] > 100)


def test_constants_of_a_number_are_numbers(gate):
    found = groups(gate, "SELECT age, COUNT(*) FROM people WHERE age IN (30, 31.0) GROUP BY age")
    assert found.keys() == {30.0, 31.0}


def test_a_condition_removes_declared_groups(gate):
    sql = "SELECT score, COUNT(*) FROM people WHERE score >= 5 AND sex = 'F' GROUP BY score"
    assert groups(gate, sql).keys() == {5, 6}


@pytest.mark.parametrize(
    ("expression", "outcomes"),
    [
        ("CASE WHEN sex = 'F' THEN 'women' WHEN sex = 'X' THEN 'others' END", {"women", "others", None}),
        ("town = 'Cadiz'", {"true", "false", None}),
        ("town IS NULL", {"true", "false"}),
        ("EXTRACT(QUARTER FROM CAST(came AS DATE))", {1, 2, 3, 4, None}),
    ],
)  # fmt: skip
def test_an_expression_states_its_outcomes(gate, expression, outcomes):
    answer = asked(gate, f"SELECT {expression} AS part, COUNT(*) FROM people GROUP BY 1")
    assert {row[0] for row in answer.rows} == outcomes
    assert not any("in no group" in note for note in answer.marks.notes)


YEAR = "EXTRACT(YEAR FROM CAST(came AS DATE))"


@pytest.mark.parametrize(
    ("expression", "condition", "outcomes"),
    [
        (YEAR, f"{YEAR} BETWEEN 2020 AND 2022", {2020, 2021, 2022}),
        (YEAR, f"{YEAR} > 2019 AND {YEAR} < 2022 AND sex = 'F'", {2020, 2021}),
        (f"WIDTH_BUCKET({NIGHTS}, 0, 12, 3)", "sex = 'F'", {0, 1, 2, 3, 4, None}),
        (f"FLOOR(({NIGHTS}) / 5)", f"{NIGHTS} BETWEEN 0 AND 14", {0, 1, 2}),
    ],
)
def test_a_query_bounds_whole_numbers(gate, expression, condition, outcomes):
    sql = f"SELECT {expression} AS part, COUNT(*) FROM people WHERE {condition} GROUP BY 1"
    answer = asked(gate, sql)
    assert {row[0] for row in answer.rows} == outcomes
    truth = len(ROWS) / 2 if "sex" in condition else len(ROWS)
    assert sum(row[1] for row in answer.rows) == pytest.approx(truth, abs=120)


@pytest.mark.parametrize(
    ("expression", "outcomes"),
    [
        ("EXTRACT(YEAR FROM seen)", {2020, 2021}),
        ("EXTRACT(YEAR FROM seen) * 100 + EXTRACT(MONTH FROM seen)", {202011, 202012, 202101, 202102}),
        ("TO_CHAR(CAST(seen AS DATE), 'YYYY-MM')", {"2020-11", "2020-12", "2021-01", "2021-02"}),
    ],
)  # fmt: skip
def test_a_query_bounds_days(gate, expression, outcomes):
    span = "seen >= '2020-11-15' AND seen < '2021-02-02'"
    answer = asked(
        gate, f"SELECT {expression} AS part, COUNT(*) FROM people WHERE {span} GROUP BY 1"
    )
    assert {row[0] for row in answer.rows} == outcomes
    truth = sum("2020-11-15" <= row["seen"] < "2021-02-02" for row in ROWS)
    assert sum(row[1] for row in answer.rows) == pytest.approx(truth, abs=60)


def test_days_without_a_last_one_have_no_groups_of_their_own(gate):
    sql = "SELECT EXTRACT(YEAR FROM seen) AS y, COUNT(*) FROM people WHERE seen > '2020-11-15' GROUP BY y"
    assert gate.ask(ANN, sql).threshold > 0


def test_where_no_group_is_shown_the_answer_says_how_to_have_them(gate):
    answer = gate.ask(ANN, "SELECT town, COUNT(*) FROM people WHERE cost < -1 GROUP BY town")
    assert "groups that WHERE lists" in answer.marks.notes[0]


def test_an_undeclared_field_has_no_groups_of_its_own(gate):
    assert gate.ask(ANN, "SELECT town, COUNT(*) FROM people GROUP BY town").threshold > 0


def test_a_domain_is_what_a_field_is_summed_between(gate):
    (row,) = asked(gate, "SELECT AVG(score) FROM people").rows
    assert row[0] == pytest.approx(sum(row["score"] for row in ROWS) / len(ROWS), abs=0.3)


@pytest.mark.parametrize(
    ("sql", "truth"),
    [
        (f"SELECT SUM(LEAST(GREATEST({NIGHTS}, 2), 9)) FROM people", [min(max(n % 11, 2), 9) for n in range(700)]),
        (f"SELECT SUM({NIGHTS}) FROM people WHERE {NIGHTS} BETWEEN 0 AND 8",
         [n % 11 for n in range(700) if n % 11 <= 8]),
        (f"SELECT SUM(CASE WHEN {NIGHTS} > 5 THEN 5 WHEN {NIGHTS} < 0 THEN 0 ELSE {NIGHTS} END) FROM people",
         [min(n % 11, 5) for n in range(700)]),
        ("SELECT SUM(score) FROM people WHERE score <= 2", [n % 7 for n in range(700) if n % 7 <= 2]),
    ],
)  # fmt: skip
def test_a_query_states_bounds(gate, sql, truth):
    answer = asked(gate, sql)
    assert answer.rows[0][0] == pytest.approx(sum(truth), abs=100)
    assert max(answer.noise.values()) < 20


@pytest.mark.parametrize(
    "inner",
    [
        NIGHTS,
        "EXTRACT(DAY FROM CAST(left AS TIMESTAMP) - CAST(came AS TIMESTAMP))",  # Of a span: not 1 to 31.
        f"LEAST({NIGHTS}, 9)",
        f"CASE WHEN {NIGHTS} > 5 THEN 5 ELSE {NIGHTS} END",
    ],
)
def test_other_numbers_have_no_bounds(gate, inner):
    with pytest.raises(NotAdmitted, match="no bounds") as refused:
        gate.ask(ANN, f"SELECT AVG({inner}) FROM people")
    assert "BETWEEN" in refused.value.attempt


def test_a_truth_as_a_number_is_one_or_zero(gate):
    answer = asked(gate, "SELECT SUM(CAST(score > 2 AS INT)) AS n FROM people")
    assert abs(answer.rows[0][0] - sum(row["score"] > 2 for row in ROWS)) < 20
    assert max(answer.noise.values()) < 20


@pytest.mark.parametrize(
    "made",
    [
        "100.0 * COUNT(*) / SUM(COUNT(*)) OVER ()",
        "COUNT(*) / NULLIF(COUNT(*) FILTER (WHERE sex = 'F'), 0)",
        "LN(AVG(score) + 1)",
        "1.5 * RANK() OVER (ORDER BY COUNT(*))",
        "CASE WHEN COUNT(*) > 10 THEN AVG(score) END",
    ],
)
def test_what_is_made_of_noisy_numbers_states_its_error(gate, made):
    answer = asked(gate, f"SELECT score, {made} AS made FROM people GROUP BY score")
    columns, rows = answer.marked()
    errors = [row[columns.index("made_within")] for row in rows]
    assert all(error is not None for error in errors)
    if "RANK" not in made:
        assert all(0 < error < 5 for error in errors)


def test_the_error_of_a_share_covers_it(gate):
    sql = "SELECT score, 1.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM people WHERE cost > {} GROUP BY score"
    near = []
    for least in range(0, 200, 20):
        columns, rows = asked(gate, sql.format(least)).marked()
        those = [row["score"] for row in ROWS if row["cost"] > least]
        within = columns.index("share_within")
        near += [abs(row[1] - those.count(row[0]) / len(those)) <= 3 * row[within] for row in rows]
    assert all(near)


def test_both_fields_of_a_correlation_are_cut(gate):
    sql = "SELECT CORR(score, LEAST(GREATEST(cost, 0), 500)) FROM people"
    assert [each for each in asked(gate, sql).cuts if "cut to" in each] == [
        "score is cut to 0 to 6 and rounded to steps of 1",
        'LEAST(GREATEST("cost", 0), 500) is cut to 0 to 500 and rounded to steps of 1',
    ]
