"""Two tables about the same people, joined on an amount that is in both.

The attacker knows everybody's age and ward, asks each table for its rows, puts the rows of both
together where the amounts agree, and names a diagnosis wherever all rows that fit somebody have the
same. Against two gates that each know one table they are right about dozens; a gate with both
leaves nothing to claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest

from sfumato.errors import Refused
from sfumato.gate.settings import Asker, Mode

from ..unit.gate.linked import linked_gate, write_table

ANN = Asker(name="ann", profile="public")
COUNT = 600
PATIENTS = """
entity = "id"
[fields.id]
role = "direct"
[fields.age]
role = "quasi"
hierarchy = { numbers = { widths = [5, 10, 20] } }
[fields.amount]
role = "insensitive"
[require]
k = 5
"""
STAYS = """
entity = "id"
[fields.id]
role = "direct"
[fields.ward]
role = "quasi"
[fields.amount]
role = "insensitive"
[fields.diagnosis]
role = "sensitive"
[require]
k = 5
l_diversity = { l = 2 }
"""


def _hospital(count: int = COUNT) -> list[dict[str, Any]]:
    draw = np.random.default_rng(7)
    return [
        {
            "id": f"p{number}",
            "age": int(draw.integers(20, 80)),
            "ward": f"ward {draw.integers(0, 20)}",
            "amount": int(amount),
            "diagnosis": f"illness {draw.integers(0, 6)}",
        }
        for number, amount in enumerate(draw.permutation(count * 10)[:count])
    ]


def _tables(folder, everybody, *, rule: str = STAYS):
    rows = [{name: each[name] for name in ("id", "age", "amount")} for each in everybody]
    stays = [
        {name: each[name] for name in ("id", "ward", "amount", "diagnosis")} for each in everybody
    ]
    return [
        write_table(folder, "patients", rows, PATIENTS),
        write_table(folder, "stays", stays, rule),
    ]


def _claims(gates: Mapping[str, Any], everybody) -> list[bool]:
    """For each person of whom the attacker is sure: whether they are right."""
    ages = gates["patients"].keeper.ask(ANN, "SELECT age, amount FROM patients")
    stays = gates["stays"].keeper.ask(ANN, "SELECT ward, amount, diagnosis FROM stays")
    age_of = {amount: age for age, amount in ages.rows}
    ages_fit = {age: _fits(age) for age in set(age_of.values())}
    out = []
    for each in everybody:
        found = {
            diagnosis
            for ward, amount, diagnosis in stays.rows
            if ward in (each["ward"], "*") and each["age"] in ages_fit[age_of[amount]]
        }
        if len(found) == 1:
            out.append(found == {each["diagnosis"]})
    return out


def _fits(label: Any) -> range:
    """The ages that a label means: one, or those between its ends."""
    text = str(label).strip("[]()").replace(" to ", "-").replace("–", "-")
    if text == "*":
        return range(200)
    low, _, high = text.partition("-")
    return range(int(low), int(high or low) + 1)


def test_an_amount_in_two_tables_leads_nowhere(tmp_path):
    everybody = _hospital()
    tables = _tables(tmp_path, everybody)
    with ExitStack() as opened:
        apart = {
            table.name: opened.enter_context(linked_gate(tmp_path / table.name, [table]))
            for table in tables
        }
        broken = _claims(apart, everybody)
    assert len(broken) > 50
    assert all(broken)
    with linked_gate(tmp_path, tables) as gate:
        assert _claims({"patients": gate, "stays": gate}, everybody) == []


def _alike(rows: list[tuple[Any, ...]], pairs: list[tuple[Any, ...]]) -> int:
    """How many ages lead to one diagnosis alone, by amounts that were shown beside both."""
    diagnosis_of = dict(pairs)
    found: dict[Any, set[str]] = {}
    for age, amount in rows:
        found.setdefault(age, set()).add(diagnosis_of[amount])
    return sum(len(each) == 1 for each in found.values())


def test_values_that_were_shown_of_everybody_lead_nowhere(tmp_path):
    """All diagnoses beside their amounts and nothing known first, then amounts by age: the first
    answer has one class, and is tied to the second all the same."""
    everybody = [{**each, "age": 20 + place // 5} for place, each in enumerate(_hospital())]
    everybody = [
        {**each, "diagnosis": f"illness {each['age'] % 6}"} if each["age"] % 7 == 0 else each
        for each in everybody
    ]
    tables = _tables(tmp_path, everybody)

    def asked(first, second):
        pairs = first.keeper.ask(ANN, "SELECT amount, diagnosis FROM stays").rows
        rows = second.keeper.ask(ANN, "SELECT age, amount FROM patients").rows
        return _alike(rows, pairs)

    with ExitStack() as opened:
        apart = [
            opened.enter_context(linked_gate(tmp_path / table.name, [table])) for table in tables
        ]
        assert asked(apart[1], apart[0]) > 5
    with linked_gate(tmp_path, tables) as gate:
        assert asked(gate, gate) == 0


GAINED = STAYS.replace("l_diversity = { l = 2 }", "confidence_gain = { gain = 0.1, facts = 2 }")
BOB = Asker(name="bob", profile="public")


def _shown(gate: Any, asker: Asker, sql: str) -> list[tuple[Any, ...]]:
    try:
        return gate.keeper.ask(asker, sql, mode=Mode.EXACT).rows
    except Refused:
        return []


def _gained(gates: Mapping[str, Any], everybody, first: str) -> tuple[float, float]:
    """Of two accounts, one asks each table; for everybody they name the diagnosis that most rows
    have that fit. Their gain over the best guess without a gate, and the upper end of its 95 %
    interval."""
    asked = {
        "patients": (ANN, "SELECT age, amount FROM patients"),
        "stays": (BOB, "SELECT ward, amount, diagnosis FROM stays"),
    }
    shown = {name: _shown(gates[name], *asked[name]) for name in sorted(asked, key=first.__ne__)}
    rows, age_of = shown["stays"], {amount: age for age, amount in shown["patients"]}
    ages_fit = {age: _fits(age) for age in set(age_of.values())}
    usual = Counter(each["diagnosis"] for each in everybody).most_common(1)[0]
    right = []
    for each in everybody:
        fitting = Counter(
            diagnosis
            for ward, amount, diagnosis in rows
            if ward in (each["ward"], "*")
            and (amount not in age_of or each["age"] in ages_fit[age_of[amount]])
        )
        guess = fitting.most_common(1)[0][0] if fitting else usual[0]
        right.append(guess == each["diagnosis"])
    base = usual[1] / len(everybody)
    mean, error = np.mean(right), np.std(right) / np.sqrt(len(right))
    return (mean - base) / (1 - base), (mean + 1.96 * error - base) / (1 - base)


@pytest.mark.parametrize("first", ["patients", "stays"])
def test_two_accounts_over_two_tables_gain_little(tmp_path, first):
    """1,200 targets, each known by age and ward."""
    everybody = _hospital(1200)
    with ExitStack() as opened:
        apart = {
            table.name: opened.enter_context(linked_gate(tmp_path / table.name, [table]))
            for table in _tables(tmp_path, everybody)
        }
        assert _gained(apart, everybody, first)[0] > 0.3
    tables = _tables(tmp_path, everybody, rule=GAINED)
    with linked_gate(tmp_path, tables) as gate:
        gain, upper = _gained({"patients": gate, "stays": gate}, everybody, first)
        assert gain <= upper < 0.1
