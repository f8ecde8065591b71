"""Noisy tables of a plan: measured together, they are nearer at the same cost, and agree."""

from __future__ import annotations

from itertools import combinations
from math import prod
from pathlib import Path

import numpy as np
import pytest
from gates import ANN, BOB, POLICY, a_gate, people

from sfumato.gate.accounts import GateAccount, Right
from sfumato.gate.noise.marginal_strategy import MarginalStrategy
from sfumato.gate.plans import PlanOutcome, propose_plan
from sfumato.gate.settings import Budget, Mode, Terms

RECIPIENT = GateAccount(name="ann", right=Right.RECIPIENT)
TERMS = Terms(mode=Mode.NOISY, budget=Budget(query=0.2, person=1.0, table=1.0), least=5)
DECLARED = "membership = 'protected'\n" + POLICY.replace(
    "[fields.sex]\n", "[fields.sex]\ndomain = ['F', 'M']\n"
).replace("[fields.test]\n", "[fields.test]\ndomain = [0, 1]\n").replace(
    "[fields.town]\n", "[fields.town]\ndomain = ['Aberdeen', 'Bergen', 'Cadiz']\n"
)  # Delphi is not declared: its people are in no group of a town, and in those of a sex.
TABLES = [
    "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex ORDER BY sex",
    "SELECT town, COUNT(*) AS n FROM people GROUP BY town ORDER BY town",
    "SELECT sex, town, COUNT(*) AS n FROM people GROUP BY sex, town ORDER BY sex, town",
    "SELECT test, sex, COUNT(*) AS n FROM people GROUP BY test, sex ORDER BY test, sex",
]
SIZES = {"a": 2, "b": 3, "c": 4, "d": 5}
WANTED = [frozenset(each) for each in ("ab", "ac", "bc", "d", "ad")]


def matrix(fields: frozenset[str]) -> np.ndarray:
    """The marginal of some fields as a matrix over all cells."""
    out = np.ones((1, 1))
    for name, size in SIZES.items():
        out = np.kron(out, np.eye(size) if name in fields else np.ones((1, size)))
    return out


def test_expected_errors_and_estimates_are_those_of_least_squares() -> None:
    strategy = MarginalStrategy.chosen(SIZES, WANTED)
    information = sum(s * matrix(f).T @ matrix(f) for f, s in strategy.shares.items())
    inverse = np.linalg.pinv(information)
    draw = np.random.default_rng(1)
    cells = draw.poisson(30, prod(SIZES.values())).astype(float)
    measured = {f: matrix(f) @ cells + draw.normal(0, 3, len(matrix(f))) for f in strategy.shares}
    best = inverse @ sum(s * matrix(f).T @ measured[f] for f, s in strategy.shares.items())
    orders = {f: [name for name in SIZES if name in f] for f in {*strategy.shares, *WANTED}}
    shaped = {
        f: (orders[f], numbers.reshape([SIZES[name] for name in orders[f]]))
        for f, numbers in measured.items()
    }
    for wanted in WANTED:
        variance = np.diag(matrix(wanted) @ inverse @ matrix(wanted).T)
        assert variance == pytest.approx(strategy.variance(wanted))
        estimate = strategy.reconstructed(orders[wanted], shaped).ravel()
        assert estimate == pytest.approx(matrix(wanted) @ best)


def test_no_table_is_worse_than_by_itself_and_most_are_better() -> None:
    sizes = {"sex": 3, "age": 20, "race": 6, "region": 9, "school": 8}
    wanted = [frozenset(each) for each in combinations(sizes, 2)] + [frozenset(["sex"])]
    strategy = MarginalStrategy.chosen(sizes, wanted)
    ratios = [strategy.variance(each) / len(wanted) for each in wanted]
    assert max(ratios) <= 1 + 1e-9
    assert np.mean(ratios) < 0.8
    assert sum(strategy.shares.values()) == pytest.approx(1)


def test_a_plan_costs_as_much_and_is_nearer(tmp_path: Path) -> None:
    rows = people(2000)
    with a_gate(tmp_path / "one", rows, policy=DECLARED, terms=TERMS) as gate:
        alone = [max(gate.keeper.ask(ANN, sql).noise.values()) for sql in TABLES]
        cost = gate.keeper.budget(ANN, "people").rho_spent
    with a_gate(tmp_path / "two", rows, policy=DECLARED, terms=TERMS) as gate:
        plan = propose_plan(gate, RECIPIENT, TABLES)
        assert {each.outcome for each in plan.outcomes} == {PlanOutcome.NOISY}
        together = [max(each.within.values()) for each in plan.outcomes]
        spent = gate.keeper.budget(ANN, "people").rho_spent
        assert float(spent) == pytest.approx(float(cost), rel=1e-3)
        assert spent <= cost
        assert all(now < before for now, before in zip(together, alone, strict=True))
        assert {each.epsilon for each in plan.outcomes} == {0.2}
        answers = [gate.keeper.ask(ANN, sql) for sql in TABLES]
        assert all(each.remembered for each in answers)
        assert gate.keeper.budget(ANN, "people").rho_spent == spent
        for sql, answer, off in zip(TABLES, answers, together, strict=True):
            names = sql.split("GROUP BY ")[1].split(" ORDER")[0].split(", ")
            for row in answer.rows:
                labels = [str(cell) for cell in row[:-1]]
                truth = sum([str(each[name]) for name in names] == labels for each in rows)
                assert abs(row[-1] - truth) < 3 * off, sql
        by_test = {row[1]: 0 for row in answers[3].rows}
        for row in answers[3].rows:  # Everybody has a declared test or none: both tables agree.
            by_test[row[1]] += row[2]
        for sex, count in answers[0].rows:
            assert abs(by_test[sex] - count) <= 3 * together[3]


def test_tables_of_a_plan_are_unbiased_beside_values_that_are_not_declared(tmp_path: Path) -> None:
    """A quarter of the people live in a town that is not declared; the count by sex has them."""
    rows = people(2000)
    loud = Terms(mode=Mode.NOISY, budget=Budget(query=20.0, person=100.0, table=100.0), least=5)
    with a_gate(tmp_path, rows, policy=DECLARED, terms=loud) as gate:
        propose_plan(gate, RECIPIENT, TABLES)
        for sex, count in gate.keeper.ask(ANN, TABLES[0]).rows:
            assert abs(count - sum(row["sex"] == sex for row in rows)) < 15
        for sex, town, count in gate.keeper.ask(ANN, TABLES[2]).rows:
            truth = sum(row["sex"] == sex and row["town"] == town for row in rows)
            assert abs(count - truth) < 15


def test_tables_that_somebody_has_are_not_paid_for_again(tmp_path: Path) -> None:
    """Neither those of another recipient of the same audience, nor another spelling."""
    spelt = "SELECT COUNT(*) AS n, town FROM people WHERE 1 = 1 GROUP BY town"
    with a_gate(tmp_path, people(400), policy=DECLARED, terms=TERMS) as gate:
        theirs = gate.keeper.ask(BOB, TABLES[0])
        plan = propose_plan(gate, RECIPIENT, [*TABLES[:3], spelt])
        assert {each.outcome for each in plan.outcomes} == {PlanOutcome.NOISY}
        spent = gate.keeper.budget(ANN, "people").rho_spent
        assert float(spent / TERMS.budget.question_rho) == pytest.approx(2, rel=1e-6)
        assert gate.keeper.ask(ANN, TABLES[0]).rows == theirs.rows
        assert plan.outcomes[0].epsilon == plan.outcomes[3].epsilon == 0
