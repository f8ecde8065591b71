"""Sensitive numbers: reading the largest one, and subtracting one's own from a sum.

In half of the towns one person earns far more than all others. Everybody knows who. The *reader* asks
for the maximum, the first of the sorted rows, or those above an amount. The *colleague*, who earns
second most, subtracts their own pay from their town's sum and claims that the rest is the rich
person's, right where that is within 10 % of it. The gate answers neither; without its rules both are
right about every such town."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from gate_world import Rows

from sfumato.errors import PolicyError, Refused
from sfumato.gate import question_rules as rules_module
from sfumato.gate.decide.confidentiality import Conditions
from sfumato.gate.decide.sensitive_numbers import Dominance
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import Asker, Mode, Terms

from ..unit.gate.gates import a_gate

EVE = Asker(name="eve", profile="public")
EXACT = Terms(mode=Mode.EXACT)
TOWNS, EACH = 20, 30
POLICY = """
[fields.town]
role = "quasi"
[fields.pay]
role = "sensitive"
[require]
k = 5
"""
CLOSE = POLICY + "value_spread = { width = 500, share = 0.5 }\n"


def people() -> list[dict[str, Any]]:
    draw = np.random.default_rng(5)
    rows = []
    for town in range(TOWNS):
        pay = draw.integers(1_000, 20_000, EACH)
        if town % 2:
            pay[0] = 4_000_000 + 1_000 * town
        rows += [{"town": f"town {town}", "pay": int(each)} for each in pay]
    return rows


ROWS = people()
PAY = {f"town {town}": [] for town in range(TOWNS)}
for each in ROWS:
    PAY[each["town"]].append(each["pay"])
RICH = {name: max(pay) for name, pay in PAY.items() if max(pay) > 1_000_000}


def asked(keeper: GateKeeper, sql: str) -> Rows:
    try:
        answer = keeper.ask(EVE, sql)
    except Refused:
        return []
    return [] if answer.noise or not answer.as_asked else answer.rows


def read(keeper: GateKeeper) -> set[str]:
    """The towns whose largest pay the reader has seen."""
    largest = asked(keeper, "SELECT town, MAX(pay) AS m FROM people GROUP BY town")
    out = {name for name, most in largest if most == RICH.get(name)}
    rows = asked(keeper, "SELECT town, pay FROM people ORDER BY pay DESC")
    out |= {name for name, pay in rows if pay == RICH.get(name)}
    for name, most in RICH.items():
        found = asked(
            keeper, f"SELECT town, COUNT(*) AS n FROM people WHERE pay = {most} GROUP BY town"
        )
        out |= {name} if [name, 1] in map(list, found) else set()
    return out


def subtracted(keeper: GateKeeper) -> set[str]:
    """The towns whose largest pay the colleague tells from the sum and their own."""
    out = set()
    for name, total in asked(keeper, "SELECT town, SUM(pay) AS s FROM people GROUP BY town"):
        largest, second = sorted(PAY[name], reverse=True)[:2]
        if name in RICH and abs((total - second) - largest) < 0.1 * largest:
            out.add(name)
    return out


def without_rules() -> Iterator[Any]:
    """A gate that takes sensitive numbers for any other field."""
    yield patch.object(Conditions, "is_open", lambda self, question: True)
    yield patch.object(rules_module, "check_shown_numbers", lambda *_: None)
    yield patch.object(Dominance, "failing", lambda self, bins: np.zeros(len(bins), bool))


@pytest.mark.parametrize("attack", [read, subtracted])
@pytest.mark.parametrize("terms", [EXACT, Terms()])
@pytest.mark.parametrize("policy", [POLICY, CLOSE])
def test_nobody_learns_the_largest_number(tmp_path, attack, terms, policy):
    with a_gate(tmp_path, ROWS, policy=policy, terms=terms) as gate:
        assert attack(gate.keeper) == set()


@pytest.mark.parametrize("attack", [read, subtracted])
@pytest.mark.parametrize("policy", [POLICY, CLOSE])
def test_the_attack_works_without_the_rules(tmp_path, attack, policy):
    with ExitStack() as patched:
        for each in without_rules():
            patched.enter_context(each)
        with a_gate(tmp_path, ROWS, policy=policy, terms=EXACT) as gate:
            assert attack(gate.keeper) == set(RICH)


def test_a_sum_that_nobody_dominates_is_exact_under_a_closeness_rule(tmp_path):
    sql = "SELECT AVG(pay) AS mean, COUNT(*) AS n FROM people"
    with a_gate(tmp_path / "close", ROWS, policy=CLOSE, terms=EXACT) as gate:
        ((mean, count),) = asked(gate.keeper, sql)
        assert count == len(ROWS)
        assert mean == pytest.approx(np.mean([each["pay"] for each in ROWS]))
    with a_gate(tmp_path / "open", ROWS, policy=POLICY, terms=EXACT) as gate:
        assert asked(gate.keeper, sql) == []


@pytest.mark.parametrize("rule", ["l_diversity = { l = 3 }", "value_spread = { width = 0.001 }"])
def test_a_rule_that_any_answer_meets_opens_no_gate(tmp_path, rule):
    rows = [{**each, "pay": each["pay"] + place / 1000} for place, each in enumerate(ROWS)]
    with pytest.raises(PolicyError), a_gate(tmp_path, rows, policy=f"{POLICY}{rule}\n"):
        pass


SPLIT = POLICY.replace("[require]", '[fields.desk]\nrole = "insensitive"\n[require]')
BY_DESK = (
    "SELECT town, desk, SUM(pay) AS s FROM people GROUP BY town, desk",
    "SELECT SUM(pay) AS s FROM people WHERE desk = 3 AND town = 'town 1'",
    "SELECT town, SUM(pay) FILTER (WHERE desk = 3) AS s FROM people GROUP BY town",
    "SELECT town, SUM(CASE WHEN desk = 3 THEN pay END) AS s FROM people GROUP BY town",
    "SELECT town, AVG(pay * desk) AS s FROM people GROUP BY town",
)


@pytest.mark.parametrize("sql", BY_DESK)
def test_another_protected_field_splits_no_class_of_sensitive_numbers(tmp_path, sql):
    """The *neighbour* knows at which desk somebody works, and asks for the sum of that desk."""
    rows = [{**row, "desk": place % EACH} for place, row in enumerate(ROWS)]
    policy = SPLIT + "value_spread = { width = 500, share = 0.5 }\n"
    with a_gate(tmp_path, rows, policy=policy, terms=EXACT) as gate:
        assert asked(gate.keeper, sql) == []
        assert asked(gate.keeper, "SELECT COUNT(*) AS n, SUM(pay) AS s FROM people")


def test_the_neighbour_reads_every_pay_where_classes_may_be_split(tmp_path):
    rows = [{**row, "desk": place % EACH} for place, row in enumerate(ROWS)]
    policy = SPLIT + "value_spread = { width = 500, share = 0.5 }\n"
    with (
        patch("sfumato.gate.decide.confidentiality.adds_up", lambda *_: True),
        a_gate(
            tmp_path, rows, policy=policy.replace('"quasi"', '"insensitive"'), terms=EXACT
        ) as gate,
    ):
        found = asked(gate.keeper, BY_DESK[0])
    assert len(found) == len(rows)


@pytest.mark.parametrize("cell", ["refused", ">200000", "27499 EUR"])
def test_one_cell_that_is_no_number_opens_nothing(tmp_path, cell):
    """One word among numbers makes a column of text; whoever counts its values reads them all."""
    rows = [{**row, "pay": str(row["pay"])} for row in ROWS]
    rows[0]["pay"] = cell
    with a_gate(tmp_path, rows, policy=POLICY, terms=EXACT) as gate:
        assert asked(gate.keeper, "SELECT town, pay FROM people") == []
        counted = "SELECT pay, COUNT(*) AS n FROM people GROUP BY pay"
        assert asked(gate.keeper, counted) == []
        assert asked(gate.keeper, "SELECT MAX(pay) AS m FROM people") == []
    with (
        patch("sfumato.gate.decide.sensitive_numbers._looks_measured", lambda _: False),
        a_gate(tmp_path / "broken", rows, policy=POLICY, terms=EXACT) as gate,
    ):
        assert len(asked(gate.keeper, counted)) > 500
