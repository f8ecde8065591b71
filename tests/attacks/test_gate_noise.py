"""Noisy numbers: spelt again they are the same, and all that they may cost, spent on one target,
gains little."""

from __future__ import annotations

import pytest
from gate_attackers import averaging
from gate_noise import surer
from gate_world import FIELDS as PLAIN
from gate_world import POLICY, TOWNS, World, asking, people

from sfumato.errors import NotAdmitted
from sfumato.gate.settings import Asker, Budget, Mode, Terms

EVERYBODY = people()
EVE, MALLORY = (Asker(name=name, profile="public") for name in ("eve", "mallory"))
NOISY = Terms(mode=Mode.NOISY)
DOMAINS = {
    "age": {"least": 0, "most": 120}, "town": list(TOWNS), "sex": ["F", "M"], "arrived": {"least": 1990, "most": 2014},
}  # fmt: skip
FIELDS = {
    name: {**field, **({"domain": DOMAINS[name]} if name in DOMAINS else {})}
    for name, field in PLAIN.items()
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """With declared domains: by those the gate sees that two conditions mean the same people."""
    return World(EVERYBODY, tmp_path_factory.mktemp("gate"), policy={**POLICY, "fields": FIELDS})


@pytest.mark.parametrize("accounts", [1, 3])
def test_everything_spent_on_one_target_gains_little(world, accounts):
    """Three accounts spend what noise may cost for everybody together."""
    assert 0 < surer(world, EVERYBODY[0], accounts=accounts) < 0.1


def test_more_would_gain_more(world):
    """The attacker is good: with some fifty times the budget they are nearly certain."""
    terms = Terms(budget=Budget(query=2.0, person=24.0, table=24.0))
    assert surer(world, EVERYBODY[0], accounts=1, terms=terms) > 0.9


def test_forty_spellings_of_one_question_are_one_number(world):
    target = EVERYBODY[0]
    with world.ours(terms=NOISY) as keeper:
        told = []
        ask = asking(keeper)

        def noted(sql):
            told.append((sql, ask(sql)))
            return told[-1][1]

        averaging(noted, target)
        assert len(told) == 40
        assert len({sql for sql, _ in told}) == 40
        assert len({str(rows) for _, rows in told}) == 2
        statement = keeper.budget(EVE, "people")
        assert float(statement.rho_spent / NOISY.budget.question_rho) == pytest.approx(2)


def test_another_account_gets_the_same_noise_for_the_same_question(world):
    sql = "SELECT COUNT(*) FROM people WHERE test = 1 AND NOT age = 30"
    with world.ours(terms=NOISY) as keeper:
        first, second = keeper.ask(EVE, sql), keeper.ask(MALLORY, f"{sql} AND age < 900")
    assert first.rows == second.rows


def test_a_product_that_could_overflow_is_refused_by_the_query_alone(world):
    """An overflow would tell that a noisy number is large; no noise is drawn for what cannot be
    worked out."""
    sql = f"SELECT {' * '.join(['COUNT(*)'] * 16)} FROM people WHERE test = 1"
    with world.ours(terms=NOISY) as keeper:
        for _ in range(3):
            with pytest.raises(NotAdmitted):
                keeper.ask(EVE, sql)
        assert keeper.budget(EVE, "people")[0] == 0


def test_noisy_groups_are_sorted_and_chosen_by_what_was_told(world):
    with world.ours(
        terms=Terms(mode=Mode.NOISY, budget=Budget(query=1.0, person=5.0, table=5.0))
    ) as keeper:
        rows = keeper.ask(
            EVE, "SELECT town, COUNT(*) AS n FROM people WHERE test = 1 GROUP BY town ORDER BY n"
        ).rows
        assert [row[1] for row in rows] == sorted(row[1] for row in rows)
        again = keeper.ask(
            EVE,
            "SELECT 2 * COUNT(*) AS m, town FROM people WHERE test = 1 GROUP BY town ORDER BY m",
        )
        assert again.rows == [(2 * n, town) for town, n in rows]
        few = keeper.ask(
            EVE, "SELECT town FROM people WHERE test = 1 GROUP BY town HAVING COUNT(*) > 1000"
        )
        assert few.rows == []
        assert few.noise  # A number that only chooses groups is a noisy one, too.
        with pytest.raises(NotAdmitted, match="no bounds"):
            keeper.ask(EVE, "SELECT COUNT(*) FROM people WHERE test = 1 HAVING SUM(cost) > 5")


@pytest.mark.parametrize("clamp", [False, True])
def test_an_average_outside_the_bounds_of_its_field_is_marked_and_clamped_if_the_terms_say_so(
    world, clamp
):
    """With noise of a hundred times the bounds, an average of few people may be anywhere."""
    budget = Budget(query=0.001, person=0.25, table=5.0)
    terms = Terms(mode=Mode.NOISY, budget=budget, bounds={"cost": (0.0, 10_000.0)}, clamp=clamp)
    with world.ours(terms=terms) as keeper:
        asked = [
            f"SELECT AVG(cost) AS mean FROM people WHERE age < {40 + age}" for age in range(12)
        ]
        answers = [keeper.ask(EVE, sql) for sql in asked]
    notes = [(answer.rows[0][0], answer.marked()[1][0][-1]) for answer in answers]
    odd = "clamped" if clamp else "average outside its bounds"
    assert any(odd in note for _, note in notes)
    for number, note in notes:
        assert clamp or (odd in note) == (not 0 <= number <= 10_000)
        assert not clamp or 0 <= number <= 10_000
        assert (odd in note) or not clamp or 0 < number < 10_000
