"""Validations as an oracle: somebody asks the real table, through claims about a copy, for one person.

The attacker knows the age of a target, who is the only one of that age in the ward, and wants to know
whether they tested positive. They may state any value, margin and confidence, so they try to make the
gate draw new noise, to bisect the margin, and to subtract claims about everybody and everybody else.
Noise is the only thing that may differ between two hospitals that differ in the target; what the noise
hides is bounded by the budget, however it is spent. A gate that forgets its answers is averaged out."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.accounting import ChargedMeasurement
from sfumato.errors import Mistake, Refused
from sfumato.gate.gate_opener import Gate, open_gate
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import (
    Asker,
    Audience,
    Budget,
    HeldTable,
    Mode,
    Settings,
    Terms,
    ValidationTerms,
)
from sfumato.gate.validation.claims import ValidationClaim

EVE = Asker(name="eve", profile="public")
BUDGET = Budget(query=0.25, person=1.0, table=1.0, most=1.0)
TERMS = Terms(
    mode=Mode.NOISY,
    audience=Audience.PERSON,
    budget=BUDGET,
    bounds={"test": (0, 1), "cost": (0, 1000)},
    validation=ValidationTerms(allowed=True, epsilon=0.25),
)
POLICY = """
membership = "protected"
[fields.age]
role = "quasi"
domain = { least = 0, most = 100 }
[fields.ward]
role = "quasi"
domain = ["A", "B"]
[fields.test]
role = "sensitive"
domain = [0, 1]
[fields.cost]
role = "insensitive"
domain = { least = 0, most = 1000 }
[require]
k = 5
"""
TARGET = 97
"""The target's age, which nobody else has."""
CLAIMS = (
    "SELECT SUM(test) FROM people WHERE age = 97",
    "SELECT SUM(test) FROM people WHERE ward = 'A'",
    "SELECT SUM(test) FROM people WHERE ward = 'A' AND age < 97",
    "SELECT AVG(test) FROM people WHERE age > 96",
    "SELECT COUNT(*) FROM people WHERE test = 1 AND age = 97",
    "SELECT AVG(cost) FILTER (WHERE test = 1) - AVG(cost) FILTER (WHERE test = 0) FROM people WHERE age > 90",
    "SELECT CORR(cost, test) FROM people WHERE age >= 97",
)


@contextmanager
def hospital(folder: Path, *, positive: int, present: bool = True) -> Iterator[Gate]:
    draw = np.random.default_rng(4)
    rows = [
        f"{age},{ward},{test},{cost}"
        for age, ward, test, cost in zip(
            draw.integers(20, 90, 400), draw.choice(["A", "B"], 400),
            (draw.random(400) < 0.3).astype(int), draw.integers(0, 1000, 400), strict=True,
        )
    ]  # fmt: skip
    rows += [f"{TARGET},A,{positive},{1000 * positive}"] if present else []
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "people.csv").write_text("\n".join(["age,ward,test,cost", *rows]) + "\n")
    (folder / "policy.toml").write_text(POLICY)
    with open_gate(settings_of(folder)) as gate:
        yield gate


def settings_of(folder: Path) -> Settings:
    table = HeldTable(
        name="people", source=str(folder / "people.csv"), policy=folder / "policy.toml"
    )
    return Settings(folder=folder / "state", tables={"people": table}, terms={"public": TERMS})


def told(gate: Gate, claims: Any, *, who: Asker = EVE) -> list[Any]:
    """Everything that the gate says to claims: a forecast of each question, verdicts, refusals."""
    out: list[Any] = []
    for number, claim in enumerate(claims):
        both = (gate.validator.forecast, gate.validator.validate)
        for does in both if number % 8 == 0 else both[1:]:
            try:
                out.append(replace(does(who, claim), **_timeless(does)))
            except (Refused, Mistake) as refused:
                out.append(str(refused))
    return out


def _timeless(does: Any) -> dict[str, str]:
    """Each gate has its own secret, and was opened at its own time."""
    return {"query": "", **({"as_of": ""} if does.__name__ == "validate" else {})}


def probes(sql: str) -> list[ValidationClaim]:
    tried = ((-1, 0.01), (0, 0.5), (0.5, 3), (1, 0.5), (1, 100), (30, 3), (30, 0.5), (19, 200))
    return [
        ValidationClaim(sql=sql, value=value, margin=margin, confidence=(0.8, 0.95, 0.999)[n % 3])
        for n, (value, margin) in enumerate(tried)
    ]


# ------------------------------------------------- verdicts depend on people through noise alone


def test_two_hospitals_with_the_same_noisy_numbers_get_the_same_words(tmp_path, monkeypatch):
    """Values, margins and confidences are tried in both; only what noise was added to differs."""
    monkeypatch.setattr(
        ChargedMeasurement, "add_noise", lambda self, numbers: np.full(len(numbers), 20, np.int64)
    )
    monkeypatch.setattr("sfumato.gate.noise.budgets.Budgets._rest", lambda *_, **__: 10**6)
    seen = []
    for positive, present in ((0, True), (1, True), (0, False)):
        with hospital(
            tmp_path / f"{positive}{present}", positive=positive, present=present
        ) as gate:
            seen.append(told(gate, [each for sql in CLAIMS for each in probes(sql)]))
    assert seen[0] == seen[1] == seen[2]
    assert len({str(each) for each in seen[0]}) > 20


def test_the_attack_reads_the_target_where_there_is_no_noise(tmp_path, monkeypatch):
    monkeypatch.setattr(ChargedMeasurement, "add_noise", lambda self, numbers: numbers)
    seen = []
    for positive in (0, 1):
        with hospital(tmp_path / str(positive), positive=positive) as gate:
            found = [
                gate.validator.validate(EVE, ValidationClaim(sql=sql, value=0, margin=1)).number
                for sql in CLAIMS[1:3]
            ]
            seen.append(round(found[0] - found[1]))
    assert seen == [0, 1]


# ------------------------------------------------- differencing with the whole budget


def test_the_whole_budget_spent_on_one_target_gains_less_than_a_tenth(tmp_path, monkeypatch):
    """The gain of the best attacker there is: all noisy numbers together are one Gaussian vector,
    which is shifted by the target. What is charged for it bounds the shift by its noise."""
    drawn: list[tuple[float, Any]] = []

    def listening(self: ChargedMeasurement, numbers: Any) -> Any:
        drawn.append((self.line.sigma, np.array(numbers, float)))
        return np.asarray(numbers)

    monkeypatch.setattr(ChargedMeasurement, "add_noise", listening)
    worlds, spent = [], []
    for number, (positive, present) in enumerate(((1, True), (0, True), (0, False))):
        drawn.clear()
        with hospital(tmp_path / str(number), positive=positive, present=present) as gate:
            claims = [ValidationClaim(sql=sql, value=1.0, margin=0.5) for sql in CLAIMS]
            refused = [each for each in told(gate, claims) if isinstance(each, str)]
            assert any("used up" in each for each in refused)
            spent.append(gate.keeper.budget(EVE, "people").rho_spent)
        worlds.append(list(drawn))
    assert all(BUDGET.person_rho * 99 / 100 <= each <= BUDGET.person_rho for each in spent)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        parts = zip(worlds[one], worlds[other], strict=True)
        shifts = [float(((a - b) ** 2).sum()) / sigma**2 for (sigma, a), (_, b) in parts]
        shift = math.sqrt(sum(shifts))
        gain = math.erf(shift / 2 / math.sqrt(2))
        assert gain < 0.1
        assert shift <= math.sqrt(2 * float(BUDGET.person_rho)) * (
            2 if one == 0 and other == 1 else 1
        )
    assert max(len(each) for each in worlds) >= 4


# ------------------------------------------------- averaging, and bisection of the margin

SPELLINGS = (
    "SELECT SUM(test) FROM people WHERE age = 97",
    "select sum(p.test) as s from people p where p.age = 97 and true",
    "SELECT SUM(test) AS x FROM people WHERE age >= 97 AND age <= 97",
    "SELECT SUM(test) + 0 FROM people WHERE 97 = age",
    "SELECT 2 * SUM(test) / 2 FROM people WHERE age IN (97)",
    "SELECT SUM(test) FROM people WHERE age BETWEEN 97 AND 97 OR age = 97",
)


def asked_over_and_over(gate: Gate) -> list[float]:
    return [
        gate.validator.validate(EVE, claim).number for sql in SPELLINGS for claim in probes(sql)
    ]


def test_another_value_margin_or_spelling_draws_no_new_noise(tmp_path):
    with hospital(tmp_path, positive=1) as gate:
        assert len({round(each, 9) for each in asked_over_and_over(gate)}) == 1
        spent = gate.keeper.budget(EVE, "people").rho_spent
        assert BUDGET.question_rho * 99 / 100 < spent <= BUDGET.question_rho


@pytest.mark.long("the control of the attack; that another spelling draws no new noise stays")
def test_the_attack_averages_the_noise_of_a_gate_that_forgets(tmp_path, monkeypatch):
    monkeypatch.setattr(GateKeeper, "_known", lambda *_, **__: None)
    monkeypatch.setattr("sfumato.gate.noise.budgets.Budgets._rest", lambda *_, **__: 10**6)
    with hospital(tmp_path, positive=1) as gate:
        found = [each for _ in range(4) for each in asked_over_and_over(gate)]
        assert len(set(found)) > 20
        claim = ValidationClaim(sql=SPELLINGS[0], value=0, margin=1, confidence=0.95)
        stated = gate.validator.validate(EVE, claim)
        sigma = (stated.high - stated.low) / 2 / 1.96
        error = 5 * sigma / math.sqrt(len(found))  # Chance exceeds it less than once in a million.
        assert abs(np.mean(found) - 1) < error < sigma / 2


def test_bisecting_the_margin_finds_the_one_noisy_number_and_nothing_else(tmp_path):
    sql = CLAIMS[0]
    with hospital(tmp_path, positive=1) as gate:
        first = gate.validator.validate(EVE, ValidationClaim(sql=sql, value=0, margin=1))
        low, high = 0.0, 1e6
        for _ in range(60):  # The least margin around 0 that agrees.
            middle = (low + high) / 2
            claim = ValidationClaim(sql=sql, value=0, margin=middle)
            agrees = gate.validator.validate(EVE, claim).agreement.value == "agrees"
            low, high = (low, middle) if agrees else (middle, high)
        assert high == pytest.approx(max(abs(first.low), abs(first.high)))
        assert gate.keeper.budget(EVE, "people").rho_spent <= BUDGET.question_rho


def test_a_larger_epsilon_is_charged_for_all_of_it(tmp_path):
    with hospital(tmp_path, positive=1) as gate:
        for epsilon in (0.25, 0.5):
            claim = ValidationClaim(sql=CLAIMS[0], value=0, margin=1, epsilon=epsilon)
            gate.validator.validate(EVE, claim)
        assert gate.keeper.budget(EVE, "people").rho_spent > 2.9 * BUDGET.question_rho
        spent = gate.keeper.budget(EVE, "people").rho_spent
        beyond = gate.validator.validate(EVE, replace(claim, epsilon=1.0))
        assert (beyond.remembered, gate.keeper.budget(EVE, "people").rho_spent) == (True, spent)


# ------------------------------------------------- kill -9

KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from sfumato.accounting import ChargedMeasurement
from sfumato.gate.gate_opener import open_gate
from sfumato.gate.validation.claims import ValidationClaim
from tests.attacks.test_gate_validation import CLAIMS, EVE, settings_of
die = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[3] == "before":
    ChargedMeasurement.add_noise = die
with open_gate(settings_of(Path(sys.argv[1]))) as gate:
    found = gate.validator.validate(EVE, ValidationClaim(sql=CLAIMS[0], value=0, margin=1))
    print(repr(found.number), flush=True)
    die()
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_killed_gate_has_charged_and_keeps_the_noise_it_gave(tmp_path, when):
    with hospital(tmp_path, positive=1):
        pass
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), root, when],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": root},
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr
    with open_gate(settings_of(tmp_path)) as gate:
        before = gate.keeper.budget(EVE, "people").rho_spent
        assert before > BUDGET.question_rho * 99 / 100
        claim = ValidationClaim(sql=CLAIMS[0], value=5, margin=9)
        found = gate.validator.validate(EVE, claim)
        after = gate.keeper.budget(EVE, "people").rho_spent
        if when == "after":
            assert (repr(found.number), after) == (done.stdout.strip(), before)
        else:
            assert done.stdout == ""
            assert after > 1.9 * BUDGET.question_rho
