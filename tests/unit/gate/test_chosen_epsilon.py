"""The epsilon of a question, chosen within the limits of a steward."""

from __future__ import annotations

from pathlib import Path

import pytest
from gates import ANN, POLICY, a_gate, people

from sfumato.errors import NotAdmitted
from sfumato.gate.settings import Budget, Mode, Terms
from sfumato.gate.strictness import loosened_terms

PROTECTED = "membership = 'protected'\n" + POLICY
BUDGET = Budget(query=0.05, person=0.4, table=0.4, most=0.2)
TERMS = Terms(mode=Mode.NOISY, budget=BUDGET, least=5)
SQL = "SELECT COUNT(*) FROM people WHERE test = 1"


def test_more_epsilon_is_less_noise_and_more_budget(tmp_path: Path) -> None:
    with a_gate(tmp_path, people(400), policy=PROTECTED, terms=TERMS) as gate:
        usual = gate.keeper.look(ANN, SQL).cost
        chosen = gate.keeper.look(ANN, SQL, epsilon=0.2).cost
        assert usual is not None
        assert chosen is not None
        assert chosen.rho == pytest.approx(4 * usual.rho)
        (within,) = chosen.within.values()
        assert within < 0.6 * next(iter(usual.within.values()))
        first = gate.keeper.ask(ANN, SQL)
        assert (first.epsilon, first.left) == (0.05, 7)
        better = gate.keeper.ask(ANN, SQL, epsilon=0.2)
        assert not better.remembered
        assert max(better.noise.values()) < max(first.noise.values())
        assert (better.epsilon, better.left) == (0.2, 3)
        again = gate.keeper.ask(ANN, SQL, epsilon=0.1)
        assert again.remembered
        assert (again.rows, again.epsilon, again.left) == (better.rows, 0.0, 3)
        assert gate.keeper.ask(ANN, SQL).remembered


@pytest.mark.parametrize("epsilon", [0.0001, 0.21, 5.0])
def test_limits_are_the_stewards(tmp_path: Path, epsilon: float) -> None:
    with a_gate(tmp_path, people(100), policy=PROTECTED, terms=TERMS) as gate:
        with pytest.raises(NotAdmitted, match="chosen for a question"):
            gate.keeper.ask(ANN, SQL, epsilon=epsilon)
        assert gate.keeper.budget(ANN, "people").rho_spent == 0


def test_what_is_left_is_offered(tmp_path: Path) -> None:
    terms = Terms(mode=Mode.NOISY, budget=Budget(query=0.1, person=0.15, table=0.15), least=5)
    with a_gate(tmp_path, people(400), policy=PROTECTED, terms=terms) as gate:
        gate.keeper.ask(ANN, SQL)
        with pytest.raises(NotAdmitted, match="used up") as refused:
            gate.keeper.ask(ANN, "SELECT COUNT(*) FROM people")
        assert "epsilon 0.05" in str(refused.value)
        gate.keeper.ask(ANN, "SELECT COUNT(*) FROM people", epsilon=0.049)


def test_a_larger_most_is_looser() -> None:
    assert loosened_terms(Terms(), Terms(budget=Budget(most=0.1)))
    assert not loosened_terms(Terms(budget=Budget(most=0.2)), Terms(budget=Budget(most=0.1)))
