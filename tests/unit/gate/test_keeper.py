"""The gate-keeper: what leaves, in which shape, and what it remembers."""

from __future__ import annotations

import pytest
from gates import ANN, BOB, a_gate, people

from sfumato.errors import NotAdmitted, NotAnswered, SourceError
from sfumato.gate.audit import entries, verify_chain
from sfumato.gate.settings import Audience, Budget, Mode, Terms

EXACT = Terms(mode=Mode.EXACT)
OWN = Terms(mode=Mode.EXACT, audience=Audience.PERSON)


@pytest.fixture
def gate(tmp_path):
    with a_gate(tmp_path, people(), terms=EXACT) as gate:
        yield gate


def test_identifiers_never_leave(gate):
    answer = gate.keeper.ask(ANN, "SELECT * FROM people")
    assert "name" not in answer.columns
    with pytest.raises(NotAdmitted, match="is never released"):
        gate.keeper.ask(ANN, "SELECT name FROM people")
    with pytest.raises(NotAdmitted, match="is never released"):
        gate.keeper.ask(ANN, "SELECT age FROM people WHERE name = 'Person 7'")


def test_an_answer_has_groups_of_k_people_at_least(gate):
    answer = gate.keeper.ask(ANN, "SELECT age, town, sex, test FROM people")
    sizes: dict[tuple[object, ...], int] = {}
    for *known, _ in answer.rows:
        sizes[tuple(known)] = sizes.get(tuple(known), 0) + 1
    assert len(answer.rows) == 2000
    assert min(sizes.values()) >= 5


def test_the_shapes_are_the_most_specific_ones_and_none_is_above_another(gate):
    shapes = gate.keeper.look(ANN, "SELECT age, town, sex, test FROM people").shapes
    assert len(shapes) > 1
    for one in shapes:
        for other in shapes:
            assert one is other or any(one.levels[name] < other.levels[name] for name in one.levels)


def test_a_chosen_shape_is_the_one_that_is_shown(gate):
    sql = "SELECT age, town, sex, test FROM people"
    last = gate.keeper.look(ANN, sql).shapes[-1]
    assert gate.keeper.ask(ANN, sql, shape=last.name).levels == last.levels
    with pytest.raises(NotAnswered):
        gate.keeper.ask(BOB, sql, shape="age=0,town=0,sex=0")


def test_a_condition_widens_to_a_group_that_is_large_enough(tmp_path):
    rows = [row for row in people() if row["age"] != 37 or row["town"] != "Cadiz"]
    rows += [{**rows[0], "name": "Someone", "age": 37, "town": "Cadiz"}]
    with a_gate(tmp_path, rows, terms=EXACT) as gate:
        answer = gate.keeper.ask(ANN, "SELECT test FROM people WHERE age = 37 AND town = 'Cadiz'")
    assert answer.widened
    assert len(answer.rows) >= 5


def test_one_person_less_is_not_told_apart(tmp_path):
    """Two questions whose people differ by one: the second must not split the first."""
    rows = [row for row in people() if (row["age"], row["town"], row["sex"]) != (50, "Bergen", "F")]
    rows += [{"name": "Target", "age": 50, "town": "Bergen", "sex": "F", "test": 1, "cost": 1}]
    asked = "SELECT COUNT(*) FROM people WHERE test = 1"
    with a_gate(tmp_path, rows, terms=EXACT) as gate:
        assert gate.keeper.ask(ANN, asked).as_asked
        with pytest.raises(NotAnswered):
            gate.keeper.ask(ANN, f"{asked} AND NOT (age = 50 AND town = 'Bergen' AND sex = 'F')")


SPELLINGS = (
    "SELECT test, age FROM people WHERE age BETWEEN 30 AND 49 AND test = 1",
    "select test, age from people where age >= 30 and age <= 49 and test = 1",
    "SELECT p.test, p.age FROM people p WHERE 49 >= p.age AND (30 <= p.age) AND 1 = test",
    "SELECT test, age FROM people WHERE NOT (age < 30 OR age > 49) AND NOT test <> 1",
    "SELECT test, age FROM (SELECT * FROM people WHERE test IN (1)) AS x WHERE age > 29 "
    "AND age < 50",
    "WITH y AS (SELECT age, test FROM people) SELECT test, age FROM y WHERE test = 1.0 AND "
    "age > 29.5 AND age < 49.5",
)


def test_spellings_of_one_question_are_one_question(gate):
    answers = [gate.keeper.ask(ANN, sql) for sql in SPELLINGS]
    assert len({answer.query for answer in answers}) == 1
    assert [answer.remembered for answer in answers] == [False] + [True] * (len(SPELLINGS) - 1)
    assert all(answer.rows == answers[0].rows for answer in answers)


def test_a_condition_that_everybody_meets_is_none(gate):
    """Which people are meant decides, whichever of the fields that a question names its condition
    is about."""
    asked = (
        "SELECT age, town, COUNT(*) AS n FROM people GROUP BY age, town",
        "SELECT age, town, COUNT(*) AS n FROM people WHERE age > 0 GROUP BY age, town",
        "SELECT age, town, COUNT(*) AS n FROM people WHERE town <> 'Nowhere' AND age < 999 "
        "GROUP BY age, town",
    )
    other = "SELECT age, town, COUNT(*) AS n FROM people WHERE town <> 'Bergen' GROUP BY age, town"
    assert len({gate.keeper.look(ANN, sql).query for sql in asked}) == 1
    assert gate.keeper.look(ANN, other).query != gate.keeper.look(ANN, asked[0]).query


def test_what_one_was_shown_counts_for_all_where_the_terms_say_so(tmp_path):
    first = "SELECT age, test FROM people"
    second = "SELECT town, sex, age, test FROM people"
    with a_gate(tmp_path / "shared", people(), terms=EXACT) as gate:
        gate.keeper.ask(ANN, first)
        shared = gate.keeper.look(BOB, second).shapes
    with a_gate(tmp_path / "own", people(), terms=OWN) as gate:
        gate.keeper.ask(ANN, first)
        own = gate.keeper.look(BOB, second).shapes
    assert {shape.name for shape in shared} != {shape.name for shape in own}


def test_noise_costs_and_ends(tmp_path):
    terms = Terms(mode=Mode.NOISY, budget=Budget(query=0.5, person=1.0, table=10.0))
    with a_gate(tmp_path, people(), terms=terms) as gate:
        ask = gate.keeper.ask
        first = ask(ANN, "SELECT town, COUNT(*) AS n FROM people WHERE test = 1 GROUP BY town")
        assert sorted(row[0] for row in first.rows) == ["Aberdeen", "Bergen", "Cadiz", "Delphi"]
        assert all(abs(row[1] - 150) < 150 for row in first.rows)
        again = ask(ANN, "SELECT town, COUNT(*) AS n FROM people WHERE NOT test <> 1 GROUP BY town")
        assert again.remembered
        assert again.rows == first.rows
        assert gate.keeper.look(ANN, "SELECT COUNT(*) FROM people").left == 1
        ask(ANN, "SELECT COUNT(*) FROM people")
        with pytest.raises(NotAdmitted, match="used up"):
            ask(ANN, "SELECT COUNT(*) FROM people WHERE sex = 'F'")
        ask(BOB, "SELECT COUNT(*) FROM people WHERE sex = 'F'")


def test_every_question_has_its_line_and_no_line_has_a_cell(gate, tmp_path):
    gate.keeper.ask(ANN, "SELECT age, test FROM people")
    with pytest.raises(NotAdmitted):
        gate.keeper.ask(ANN, "DROP TABLE people")
    path = gate.audit.path
    kinds = [entry["kind"] for entry in entries(path) if entry["kind"] != "state changed"]
    assert kinds == ["policy in force", "opened", "answered", "not admitted"]
    verify_chain(path)
    assert "Person" not in path.read_text()


def test_exposure_budget_and_answers_outlive_the_gate(tmp_path):
    sql = "SELECT age, town, test FROM people"
    with a_gate(tmp_path, people(), terms=EXACT) as gate:
        before = gate.keeper.ask(ANN, sql)
        fine = gate.keeper.look(ANN, "SELECT sex, age, test FROM people").shapes
    with a_gate(tmp_path, people(), terms=EXACT) as gate:
        after = gate.keeper.ask(ANN, sql)
        assert [
            s.name for s in gate.keeper.look(ANN, "SELECT sex, age, test FROM people").shapes
        ] == [s.name for s in fine]
        assert verify_chain(gate.audit.path).lines > 4
    assert after.remembered
    assert after.rows == before.rows


def test_a_table_that_changed_after_it_was_shown_is_another_table(tmp_path):
    """Where the gate keeps no rows; where it does, it answers from them."""
    with a_gate(tmp_path, people(), terms=EXACT, reload=False):
        pass
    with a_gate(tmp_path, people()[2:], terms=EXACT, reload=False) as gate:
        gate.keeper.ask(ANN, "SELECT age, test FROM people")
    with (
        pytest.raises(SourceError, match="not the one"),
        a_gate(tmp_path, people()[1:], terms=EXACT, reload=False),
    ):
        pass
