"""Regressions: coefficients of noisy sums, with their error, and none where too little is left."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gates import ANN, POLICY, a_gate, people

from sfumato.errors import NotAdmitted
from sfumato.gate.result_marks import NOTE, WITHIN
from sfumato.gate.settings import Budget, Mode, Terms

BOUNDS = {"age": (20.0, 80.0), "cost": (0.0, 1000.0)}
TERMS = Terms(
    mode=Mode.NOISY,
    budget=Budget(query=2.0, most=4.0, person=8.0, table=8.0),
    bounds=BOUNDS,
    least=5,
)
PUBLIC = "membership = 'public'\n" + POLICY
LINE = (
    "SELECT REGR_SLOPE(cost, age) AS slope, REGR_INTERCEPT(cost, age) AS base, "
    "REGR_R2(cost, age) AS r2, REGR_COUNT(cost, age) AS n, REGR_AVGX(cost, age) AS age "
    "FROM people"
)


def a_trend(count: int) -> list[dict[str, object]]:
    """The cost grows by 8 a year, with a spread of 40."""
    noise = np.random.default_rng(7).normal(0, 40, count)
    return [
        {**row, "cost": int(8 * row["age"] + 100 + off)}
        for row, off in zip(people(count), noise, strict=True)
    ]


def test_coefficients_are_within_their_stated_error(tmp_path: Path) -> None:
    rows = a_trend(4000)
    age, cost = (np.array([row[name] for row in rows], float) for name in ("age", "cost"))
    slope, base = np.polyfit(age, cost, 1)
    truth = [slope, base, np.corrcoef(age, cost)[0, 1] ** 2, len(rows), age.mean()]
    with a_gate(tmp_path, rows, policy=PUBLIC, terms=TERMS) as gate:
        answer = gate.keeper.ask(ANN, LINE)
        columns, marked = answer.marked()
        within = [marked[0][columns.index(f"{name}{WITHIN}")] for name in answer.columns]
        for number, exact, off in zip(answer.rows[0], truth, within, strict=True):
            assert abs(number - exact) <= 3 * off
        assert within[0] < 2.0  # A quarter of the slope: it says something.


def test_one_question_is_charged_for_all_numbers_of_a_regression(tmp_path: Path) -> None:
    with a_gate(tmp_path, a_trend(500), policy=PUBLIC, terms=TERMS) as gate:
        before = gate.keeper.budget(ANN, "people").rho_left
        gate.keeper.ask(ANN, LINE)
        spent = before - gate.keeper.budget(ANN, "people").rho_left
        assert spent <= TERMS.budget.question_rho


def test_too_few_people_have_no_coefficient(tmp_path: Path) -> None:
    rows = a_trend(400)
    sql = "SELECT sex, REGR_SLOPE(cost, age) FROM people WHERE age > 76 GROUP BY sex"
    few = [row for row in rows if row["age"] <= 76 or row["sex"] == "F"]
    few += [row for row in rows if row["age"] > 76 and row["sex"] == "M"][:6]
    terms = Terms(
        mode=Mode.NOISY, budget=Budget(query=40.0, person=80.0, table=80.0), bounds=BOUNDS, least=1
    )
    with a_gate(tmp_path, few, policy=PUBLIC, terms=terms) as gate:
        answer = gate.keeper.ask(ANN, sql)
        columns, marked = answer.marked()
        rows_by_sex = {row[0]: dict(zip(columns, row, strict=True)) for row in marked}
        assert rows_by_sex["M"]["regr_slope"] is None
        assert "too few to fit" in rows_by_sex["M"][NOTE]


def test_protected_fields_are_regressed_with_noise_alone(tmp_path: Path) -> None:
    with (
        a_gate(tmp_path, a_trend(500), policy=PUBLIC, terms=Terms(mode=Mode.EXACT)) as gate,
        pytest.raises(NotAdmitted, match="only with noise"),
    ):
        gate.keeper.ask(ANN, LINE)


def test_fields_without_bounds_are_not_regressed(tmp_path: Path) -> None:
    terms = Terms(mode=Mode.NOISY, bounds={"age": (20.0, 80.0)})
    with (
        a_gate(tmp_path, a_trend(500), policy=PUBLIC, terms=terms) as gate,
        pytest.raises(NotAdmitted, match="no bounds"),
    ):
        gate.keeper.ask(ANN, LINE)


SEVERAL = (
    "SELECT COUNT(*) AS n, SUM(age - 50) AS a, SUM(stay - 6) AS b, SUM(cost - 500) AS y, "
    "SUM((age - 50) * (age - 50)) AS aa, SUM((age - 50) * (stay - 6)) AS ab, "
    "SUM((stay - 6) * (stay - 6)) AS bb, SUM((age - 50) * (cost - 500)) AS ay, "
    "SUM((stay - 6) * (cost - 500)) AS by FROM people"
)


def solved(numbers: dict[str, float]) -> np.ndarray:
    n, a, b, y = (numbers[name] for name in "naby")
    left = [[n, a, b], [a, numbers["aa"], numbers["ab"]], [b, numbers["ab"], numbers["bb"]]]
    return np.linalg.solve(left, [y, numbers["ay"], numbers["by"]])


def test_several_regressors_follow_from_sums_of_products(tmp_path: Path) -> None:
    """As docs/gate.md says: one charge, and errors from drawing the sums again."""
    draw = np.random.default_rng(3)
    rows = [{**row, "stay": int(draw.integers(0, 13))} for row in people(4000)]
    for row in rows:
        row["cost"] = int(np.clip(4 * row["age"] + 20 * row["stay"] + draw.normal(0, 30), 0, 1000))
    policy = PUBLIC.replace("[require]", "[fields.stay]\nrole = 'insensitive'\n[require]")
    terms = replace(TERMS, bounds={**BOUNDS, "stay": (0.0, 12.0)})
    sides = np.array([[1, row["age"] - 50, row["stay"] - 6] for row in rows], float)
    truth = np.linalg.lstsq(sides, np.array([row["cost"] - 500.0 for row in rows]), rcond=None)[0]
    with a_gate(tmp_path, rows, policy=policy, terms=terms) as gate:
        columns, marked = gate.keeper.ask(ANN, SEVERAL).marked()
        found = dict(zip(columns, marked[0], strict=True))
        left = gate.keeper.budget(ANN, "people").answers_left
    again = [
        solved({k: found[k] + draw.normal(0, found[f"{k}{WITHIN}"] / 1.96) for k in columns[:9]})
        for _ in range(200)
    ]
    errors = np.std(again, axis=0)
    assert np.all(np.abs(solved(found) - truth) <= 5 * errors)
    assert errors[1] < 1.0  # A quarter of the slope of 4 a year.
    assert errors[2] < 5.0
    assert left == int(TERMS.budget.person_rho / TERMS.budget.question_rho) - 1
