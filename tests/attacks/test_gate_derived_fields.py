"""Expressions as a tool: cutting a class by CASE until one person is left, and reading refusals.

The *cutter* knows everything about the target that others may know. They cut the target out by an
expression, in a group, a condition, an aggregate or FILTER, and subtract. The *reader of refusals*
asks for the same protected field with one cut after the other, and notes which are refused: were each
cut judged by itself, refusals would say in which groups values are alike (the attack that the rules
about all groups of a node answer). Both are proven on a gate that is broken for them."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from sfumato.errors import Refused
from sfumato.gate import queried_tables as tables_module
from sfumato.gate.decide.derived_table import derived_table
from sfumato.gate.settings import Asker, Mode, Terms

from ..unit.gate.gates import POLICY, a_gate, people

EVE = Asker(name="eve", profile="public")
EXACT = Terms(mode=Mode.EXACT)
ROWS = people(600, seed=11)
TARGET = ROWS[0]
IS_TARGET = f"age = {TARGET['age']} AND town = '{TARGET['town']}' AND sex = '{TARGET['sex']}'"
L_DIVERSE = POLICY + 'l_diversity = { kind = "distinct", l = 2 }\n'
CUTS = (
    f"SELECT CASE WHEN {IS_TARGET} THEN 1 ELSE 0 END AS x, COUNT(*) AS n, SUM(test) AS s FROM people GROUP BY 1",
    f"SELECT COUNT(*) FILTER (WHERE {IS_TARGET} AND test = 1) AS n FROM people",
    f"SELECT SUM(CASE WHEN {IS_TARGET} THEN test END) AS n FROM people",
    f"SELECT SUM(CASE WHEN {IS_TARGET} THEN 0 ELSE test END) AS n FROM people",
    f"SELECT COUNT(*) AS n FROM people WHERE ({IS_TARGET}) OR test = 5",
    f"SELECT COUNT(*) AS n FROM people WHERE CASE WHEN {IS_TARGET} THEN test ELSE 0 END = 1",
    f"SELECT MAX(age * 0 + CASE WHEN {IS_TARGET} THEN test ELSE 0 END) AS n FROM people",
)  # fmt: skip


def answered(keeper, sql):
    try:
        return keeper.ask(EVE, sql)
    except Refused:
        return None


@pytest.mark.parametrize("sql", CUTS, ids=range(len(CUTS)))
def test_no_expression_cuts_one_person_out(tmp_path, sql):
    with a_gate(tmp_path, ROWS, terms=EXACT) as gate:
        assert answered(gate.keeper, sql) is None


def test_the_cutter_is_right_without_k(tmp_path):
    with a_gate(tmp_path, ROWS, policy=POLICY.replace("k = 5", "k = 1"), terms=EXACT) as gate:
        found = [answered(gate.keeper, sql) for sql in CUTS]
    assert all(answer is not None for answer in found)
    alone = [row for row in ROWS if all(row[n] == TARGET[n] for n in ("age", "town", "sex"))]
    assert found[1].rows == [(sum(row["test"] for row in alone),)]


def refusals(folder) -> set[bool]:
    """Whether each cut between steps of 5, and of no wider step, is refused."""
    rows = [{**row, "test": 1 if row["age"] < 25 else row["test"]} for row in ROWS]
    out = set()
    for number, cut in enumerate(range(25, 80, 20)):
        with a_gate(folder / str(number), rows, policy=L_DIVERSE, terms=EXACT) as gate:
            sql = f"SELECT CASE WHEN age < {cut} THEN 0 ELSE 1 END AS x, test, COUNT(*) AS n FROM people GROUP BY 1, 2"
            out.add(answered(gate.keeper, sql) is None)
    return out


def test_a_refusal_tells_no_cut_from_another(tmp_path):
    """Cuts are judged by the level that they are made of, so that each level is one bit."""
    assert len(refusals(tmp_path)) == 1


def test_refusals_would_tell_where_values_are_alike(tmp_path):
    def by_itself(*given, whole_groups, **named):
        return derived_table(*given, whole_groups=False, **named)

    with patch.object(tables_module, "derived_table", by_itself):
        assert len(refusals(tmp_path)) == 2
