"""Subqueries that are one number: answered first, then a constant of the query around them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from gates import ANN, POLICY, a_gate, people

from sfumato.errors import NotAdmitted
from sfumato.gate.result_marks import NOTE, WITHIN
from sfumato.gate.settings import Budget, Mode, Terms

SHARE = (
    "SELECT sex, COUNT(*) * 100.0 / (SELECT COUNT(*) FROM people) AS share "
    "FROM people GROUP BY sex ORDER BY sex"
)
ABOVE = "SELECT COUNT(*) AS n FROM people WHERE age > (SELECT AVG(age) FROM people)"
NOISY = Terms(mode=Mode.NOISY, budget=Budget(query=0.5, person=5.0, table=5.0), least=5)
PUBLIC = "membership = 'public'\n" + POLICY
EXACT = Terms(mode=Mode.EXACT)


def test_shares_of_a_total_are_exact_where_both_are(tmp_path: Path) -> None:
    rows = people(600)
    with a_gate(tmp_path, rows, terms=EXACT) as gate:
        answer = gate.keeper.ask(ANN, SHARE)
        assert answer.as_asked
        women = sum(row["sex"] == "F" for row in rows)
        assert [row[1] for row in answer.rows] == pytest.approx([women / 6, 100 - women / 6])


def test_a_condition_compares_with_a_mean(tmp_path: Path) -> None:
    rows = people(3000)
    mean = sum(row["age"] for row in rows) / len(rows)
    with a_gate(tmp_path, rows, terms=EXACT) as gate:
        answer = gate.keeper.ask(ANN, ABOVE)
        assert answer.rows == [(sum(row["age"] > mean for row in rows),)]


def test_a_noisy_total_is_in_the_error_of_each_share(tmp_path: Path) -> None:
    rows = people(2000)
    with a_gate(tmp_path, rows, policy=PUBLIC, terms=NOISY) as gate:
        before = gate.keeper.budget(ANN, "people").answers_left
        answer = gate.keeper.ask(ANN, SHARE)
        columns, marked = answer.marked()
        assert gate.keeper.budget(ANN, "people").answers_left == before - 2
        women = sum(row["sex"] == "F" for row in rows) / 20
        assert abs(marked[0][1] - women) <= 2 * marked[0][columns.index(f"share{WITHIN}")]
        alone = gate.keeper.ask(ANN, "SELECT COUNT(*) FROM people")  # It was paid for.
        assert alone.remembered
        own = gate.keeper.ask(
            ANN, "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex ORDER BY sex"
        )
        count, total = own.rows[0][1], alone.rows[0][0]
        assert marked[0][1] == pytest.approx(100 * count / total)
        assert "subquery" in marked[0][columns.index(NOTE)]
        assert gate.keeper.ask(ANN, SHARE).rows == answer.rows


def test_nothing_is_charged_where_the_outer_query_may_not_be_asked(tmp_path: Path) -> None:
    with a_gate(tmp_path, people(600), policy=PUBLIC, terms=NOISY) as gate:
        with pytest.raises(NotAdmitted):
            gate.keeper.ask(ANN, SHARE.replace("sex", "shoe"))
        assert gate.keeper.budget(ANN, "people").rho_spent == 0


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SUM(test) / (SELECT COUNT(*) FROM people) FROM people",
        "SELECT MIN(age) - (SELECT COUNT(*) FROM people) FROM people",
        "SELECT COUNT(*) * (SELECT COUNT(*) FROM people) / (SELECT SUM(test) FROM people) FROM people",
        "SELECT COUNT(*) / (SELECT SUM(test / (SELECT COUNT(*) FROM people)) FROM people) FROM people",
        SHARE,
    ],
)
def test_a_refusal_by_the_query_alone_is_not_charged(tmp_path: Path, sql: str) -> None:
    """Missing bounds, a function, one of two subqueries, a nested one, and an epsilon: all of it is
    known before any noise."""
    with a_gate(tmp_path, people(200), policy=PUBLIC, terms=NOISY) as gate:
        with pytest.raises(NotAdmitted):
            gate.keeper.ask(ANN, sql, epsilon=99.0 if sql == SHARE else None)
        assert gate.keeper.budget(ANN, "people").rho_spent == 0


def test_a_query_is_not_begun_that_cannot_be_paid_to_its_end(tmp_path: Path) -> None:
    one = replace(NOISY, budget=Budget(query=0.5, person=0.6, table=0.6))
    with a_gate(tmp_path, people(200), policy=PUBLIC, terms=one) as gate:
        with pytest.raises(NotAdmitted, match="used up"):
            gate.keeper.ask(ANN, SHARE)
        assert gate.keeper.budget(ANN, "people").rho_spent == 0
        assert gate.keeper.ask(ANN, "SELECT COUNT(*) FROM people").noise


@pytest.mark.parametrize(
    ("sql", "is_stated"),
    [
        ("SELECT COUNT(*) - {} AS n FROM people", True),
        ("SELECT COUNT(*) AS n FROM people HAVING COUNT(*) > {} - 999", True),
        ("SELECT COUNT(*) AS n FROM people WHERE cost > {}", False),
        ("SELECT SUM(cost - {}) AS n FROM people", False),
        ("SELECT COUNT(*) FILTER (WHERE cost > {}) AS n FROM people", False),
        ("SELECT COUNT(*) AS n FROM (SELECT age FROM people WHERE cost > {}) AS q", False),
    ],
)
def test_an_error_is_stated_only_where_it_is_known(
    tmp_path: Path, sql: str, is_stated: bool
) -> None:
    """In a condition or inside an aggregate, nobody knows what the noise of a mean does."""
    terms = replace(NOISY, bounds={"cost": (0.0, 1000.0)})
    sql = sql.format("(SELECT AVG(cost) FROM people)")
    with a_gate(tmp_path, people(200), policy=PUBLIC, terms=terms) as gate:
        answer = gate.keeper.ask(ANN, sql)
        assert answer.marks is not None
        assert (answer.marks.within[0] != (None,)) == is_stated
        assert ("by an unknown amount" in answer.marks.notes[0]) != is_stated


def test_an_exact_number_beside_a_noisy_one_states_the_error(tmp_path: Path) -> None:
    """The number of a few people is noisy, that of everybody exact."""
    rows = people(600)
    one = rows[0]
    few = (
        f"SELECT COUNT(*) FROM people WHERE age = {one['age']} AND town = '{one['town']}' "
        f"AND sex = '{one['sex']}'"
    )
    made = (
        f"COUNT(*) - ({few}) AS a, 2 * (999 + ({few})) / COUNT(*) AS b, ROUND(({few}) * 1.5 + COUNT(*)) AS c, "
        f"(COUNT(*) + ({few})) / COUNT(*) AS d, COUNT(*) / (({few}) - ({few})) AS e"
    )
    terms = Terms(budget=Budget(query=0.5, person=5.0, table=5.0), least=1)
    with a_gate(tmp_path, rows, policy=PUBLIC, terms=terms) as gate:
        alone = gate.keeper.ask(ANN, few)
        answer = gate.keeper.ask(ANN, f"SELECT {made} FROM people")
        assert alone.noise
        assert answer.marks is not None
        ((a, b, c, d, e),) = zip(*answer.marks.within.values(), strict=True)
    assert alone.marks is not None
    (within,) = alone.marks.within[0]
    assert a == pytest.approx(within)
    assert b == pytest.approx(2 * within / 600, rel=1e-5)
    assert c == pytest.approx(1.5 * within, abs=1.01)
    assert (d, e) == (None, None)  # Both sides are unknown; a divisor may be zero.


@pytest.mark.parametrize(
    "inner",
    [
        "(SELECT AVG(age) FROM people AS q WHERE q.sex = people.sex)",
        "(SELECT age FROM people LIMIT 1)",
        "(SELECT MAX(age) FROM people)",
        "(SELECT COUNT(*) FROM elsewhere)",
        "(SELECT COUNT(*) FROM people GROUP BY sex)",
        "(SELECT AVG(age) FROM people LIMIT 0)",
        "(SELECT AVG(age) FROM people OFFSET 1)",
        "(SELECT AVG(age) FROM people HAVING COUNT(*) < 10)",
    ],
)
def test_other_subqueries_are_refused_with_an_offer(tmp_path: Path, inner: str) -> None:
    sql = f"SELECT COUNT(*) FROM people WHERE age > {inner}"
    with a_gate(tmp_path, people(100), terms=EXACT) as gate:
        with pytest.raises(NotAdmitted) as refused:
            gate.keeper.ask(ANN, sql)
        assert refused.value.attempt or "There are" in refused.value.found
        with pytest.raises(NotAdmitted, match="no preview"):
            gate.keeper.look(ANN, ABOVE)
