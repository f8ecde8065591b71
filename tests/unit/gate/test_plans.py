"""Plans: questions decided together, answered once, one plan per project."""

from __future__ import annotations

from pathlib import Path

import pytest
from gates import ANN, POLICY, a_gate, people

from sfumato.errors import NotAdmitted, Refused
from sfumato.gate.accounts import GateAccount, Right
from sfumato.gate.decide.exposure import Exposure
from sfumato.gate.gate_opener import Gate
from sfumato.gate.plans import PlanOutcome, PlanStatus, QuestionPlans, decide_plan, propose_plan
from sfumato.gate.settings import Budget, Mode, Terms

RECIPIENT = GateAccount(name="ann", right=Right.RECIPIENT, groups=("study",))
STEWARD = GateAccount(name="sue", right=Right.STEWARD)
EXACT = Terms(mode=Mode.EXACT)
FINE = "SELECT age, sex, COUNT(*) FROM people GROUP BY age, sex"
TABLES = [
    FINE,
    "SELECT town, COUNT(*) FROM people GROUP BY town",
    "SELECT town, sex, COUNT(*) FROM people GROUP BY town, sex",
    "SELECT sex, AVG(cost) FROM people GROUP BY sex",
]


def outcomes(gate: Gate, questions: list[str]) -> list[PlanOutcome]:
    plan = propose_plan(gate, RECIPIENT, questions, project="study")
    assert plan.status is PlanStatus.OPEN
    return [each.outcome for each in plan.outcomes]


def in_turn(gate: Gate, questions: list[str]) -> int:
    """How many are answered as asked where the first comes first."""
    found = 0
    for sql in questions:
        try:
            found += gate.keeper.ask(ANN, sql).as_asked
        except Refused:
            continue
    return found


def test_a_plan_answers_more_than_first_come_first_served(tmp_path: Path) -> None:
    rows = people(1400)
    with a_gate(tmp_path / "one", rows, terms=EXACT) as gate:
        served = in_turn(gate, TABLES)
    with a_gate(tmp_path / "two", rows, terms=EXACT) as gate:
        planned = outcomes(gate, TABLES)
        assert planned.count(PlanOutcome.EXACT) > served
        assert PlanOutcome.REFUSED not in planned[1:]


def test_what_was_planned_is_reserved(tmp_path: Path) -> None:
    """Whatever others ask meanwhile, the planned tables are answered again as before."""
    with a_gate(tmp_path, people(700), terms=EXACT) as gate:
        plan = propose_plan(gate, RECIPIENT, TABLES, project="study")
        asker = RECIPIENT.asker()
        before = {
            each.sql: gate.keeper.ask(asker, each.sql, shape=each.shape).rows
            for each in plan.outcomes
            if each.outcome is not PlanOutcome.REFUSED
        }
        for sql in (
            "SELECT age, test FROM people",
            "SELECT town, age, COUNT(*) FROM people GROUP BY town, age",
        ):
            try:
                gate.keeper.ask(ANN, sql)
            except Refused:
                continue
        for each in plan.outcomes:
            if each.outcome is not PlanOutcome.REFUSED:
                again = gate.keeper.ask(asker, each.sql, shape=each.shape)
                assert sorted(again.rows, key=str) == sorted(before[each.sql], key=str)


def test_a_coarser_answer_of_a_plan_is_found_without_its_shape(tmp_path: Path) -> None:
    with a_gate(tmp_path, people(700), terms=EXACT) as gate:
        plan = propose_plan(gate, RECIPIENT, TABLES, project="study")
        coarser = [each for each in plan.outcomes if each.outcome is PlanOutcome.COARSER]
        assert coarser
        for each in coarser:
            again = gate.keeper.ask(RECIPIENT.asker(), each.sql)
            assert again.remembered
            assert not again.as_asked
            assert again.rows == gate.keeper.ask(RECIPIENT.asker(), each.sql, shape=each.shape).rows


def test_a_plan_is_counted_as_shown(tmp_path: Path) -> None:
    with a_gate(tmp_path, people(700), terms=EXACT) as gate:
        propose_plan(gate, RECIPIENT, TABLES, project="study")
        for audience in ("person ann", "group study", "everyone"):
            packed = gate.state.exposure(audience, "people")
            assert packed is not None
            assert Exposure.unpacked(packed).classes > 4


def test_a_rehearsal_shows_nothing(tmp_path: Path) -> None:
    with a_gate(tmp_path, people(700), terms=EXACT) as gate:
        gate.keeper.rehearsal.of_all(ANN, TABLES)
        assert gate.state.exposure("everyone", "people") is None


def test_noise_is_shared_out(tmp_path: Path) -> None:
    """Ten noisy tables have the budget of four."""
    terms = Terms(mode=Mode.NOISY, budget=Budget(query=0.1, person=0.4, table=0.4), least=5)
    policy = "membership = 'protected'\n" + POLICY
    sql = [f"SELECT COUNT(*) FROM people WHERE test = 1 AND age > {age}" for age in range(20, 30)]
    with a_gate(tmp_path, people(700), policy=policy, terms=terms) as gate:
        plan = propose_plan(gate, RECIPIENT, sql)
        assert {each.outcome for each in plan.outcomes} == {PlanOutcome.NOISY}
        assert {round(each.epsilon, 6) for each in plan.outcomes} == {0.04}
        assert all(min(each.within.values()) > 0 for each in plan.outcomes)
        left = gate.keeper.budget(ANN, "people").rho_left
        assert gate.keeper.ask(RECIPIENT.asker(), sql[3]).remembered
        assert gate.keeper.budget(ANN, "people").rho_left == left
        assert left < terms.budget.question_rho / 100


def test_another_plan_waits_for_a_steward(tmp_path: Path) -> None:
    with a_gate(tmp_path, people(700), terms=EXACT) as gate:
        propose_plan(gate, RECIPIENT, TABLES[1:2], project="study")
        waits = propose_plan(gate, RECIPIENT, TABLES[2:3], project="study", why="More.")
        assert waits.status is PlanStatus.PROPOSED
        assert not waits.outcomes
        with pytest.raises(NotAdmitted, match="waits for a steward"):
            propose_plan(gate, RECIPIENT, TABLES[3:], project="study")
        with pytest.raises(NotAdmitted, match="A steward"):
            decide_plan(gate, RECIPIENT, waits.project, approve=True)
        opened = decide_plan(gate, STEWARD, waits.project, approve=True)
        assert opened.status is PlanStatus.OPEN
        assert opened.outcomes[0].outcome is PlanOutcome.EXACT
        statuses = [each.status for each in QuestionPlans(gate.state).of("group study")]
        assert statuses == [PlanStatus.CLOSED, PlanStatus.OPEN]
        third = propose_plan(gate, RECIPIENT, TABLES[3:], project="study")
        assert decide_plan(gate, STEWARD, third.project, approve=False).status.value == "rejected"
    with a_gate(tmp_path, people(700), terms=EXACT) as gate:
        assert len(QuestionPlans(gate.state).all()) == 3


def test_wrong_questions_are_named(tmp_path: Path) -> None:
    with a_gate(tmp_path, people(700), terms=EXACT) as gate:
        plan = propose_plan(gate, RECIPIENT, ["SELECT nothing FROM people", TABLES[1]])
        assert [each.outcome for each in plan.outcomes] == [PlanOutcome.REFUSED, PlanOutcome.EXACT]
        assert "nothing" in plan.outcomes[0].why
        with pytest.raises(NotAdmitted, match="group that you belong to"):
            propose_plan(gate, RECIPIENT, TABLES, project="other")
