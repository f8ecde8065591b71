"""Counts of a field that the policy says are public."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from gates import ANN, POLICY, a_gate, people

from sfumato.errors import NotAnswered
from sfumato.gate.settings import Mode, Terms

PUBLIC = "membership = 'public'\n" + POLICY.replace(
    "[fields.age]\n", "[fields.age]\npublic = true\n"
)
EXACT = Terms(mode=Mode.EXACT)
BY_AGE = "SELECT age, COUNT(*) AS n FROM people GROUP BY age"


def test_they_cost_nothing_and_claim_no_k(tmp_path: Path) -> None:
    rows = people(200)
    with a_gate(tmp_path, rows, policy=PUBLIC, terms=EXACT) as gate:
        answer = gate.keeper.ask(ANN, BY_AGE)
        assert dict(answer.rows) == Counter(row["age"] for row in rows)
        assert min(dict(answer.rows).values()) < 5
        assert (answer.public, answer.as_asked) == ("age", True)
        assert gate.state.exposure("everyone", "people") is None
        some = gate.keeper.ask(ANN, "SELECT COUNT(*) FROM people WHERE age > 40")
        assert some.rows == [(sum(row["age"] > 40 for row in rows),)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT age, sex, COUNT(*) FROM people GROUP BY age, sex",
        "SELECT age, COUNT(*) FROM people WHERE test = 1 GROUP BY age",
        "SELECT age, SUM(cost) FROM people GROUP BY age",
        "SELECT age, COUNT(*) FROM people WHERE town = 'Cadiz' GROUP BY age",
    ],
)
def test_anything_beside_the_count_is_judged(tmp_path: Path, sql: str) -> None:
    with (
        a_gate(tmp_path, people(200), policy=PUBLIC, terms=EXACT) as gate,
        pytest.raises(NotAnswered),
    ):
        gate.keeper.ask(ANN, sql)


def test_rows_of_people_with_several_are_not_public(tmp_path: Path) -> None:
    rows = [{**row, "name": f"p{place // 2}"} for place, row in enumerate(people(200))]
    policy = "entity = 'name'\n" + PUBLIC
    with a_gate(tmp_path, rows, policy=policy, terms=EXACT) as gate:
        with pytest.raises(NotAnswered):
            gate.keeper.ask(ANN, BY_AGE)
        found = gate.keeper.ask(ANN, "SELECT age, COUNT(DISTINCT person) FROM people GROUP BY age")
        assert found.public == "age"


def test_other_fields_are_not(tmp_path: Path) -> None:
    with a_gate(tmp_path, people(200), policy=PUBLIC, terms=EXACT) as gate:
        assert not gate.keeper.ask(ANN, "SELECT sex, COUNT(*) FROM people GROUP BY sex").public
