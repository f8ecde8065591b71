"""Budgets in rho: one account for all tables about the same people, charged before noise, that never
renews."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from gates import ANN, BOB, a_gate, people
from hypothesis import given, settings
from hypothesis import strategies as some

from sfumato.accounting import ChargedMeasurement, Measurement, epsilon_of, rho_of
from sfumato.errors import Bug, NotAdmitted, PolicyError
from sfumato.gate.gate_opener import open_gate
from sfumato.gate.noise.budgets import Budgets
from sfumato.gate.settings import Budget, HeldTable, Lifetime, Mode, Settings, Terms
from sfumato.gate.settings_file import settings_from_table
from sfumato.gate.state import GateState
from sfumato.gate.terms_in_force import read_terms

TERMS = Terms(mode=Mode.NOISY, budget=Budget(query=0.1, person=0.5, table=2.0))
DAY = 86_400


@pytest.fixture
def state(tmp_path):
    made = GateState(tmp_path / "state.db")
    yield made
    made.close()


def line(terms: Terms = TERMS, part: Fraction = Fraction(1)) -> Measurement:
    sigma = float((1 / (2 * terms.budget.question_rho * part)) ** Fraction(1, 2)) * (1 + 1e-12)
    return Measurement(what="noisy answer", fields=("age",), cells=1, sigma=sigma)


def paid(budgets: Budgets, asker=ANN, terms: Terms = TERMS) -> bool:
    try:
        budgets.charge(asker, "people", terms, [line(terms)])
    except NotAdmitted:
        return False
    return True


@pytest.mark.parametrize(("query", "person"), [(0.05, 0.25), (0.1, 0.5), (0.1, 0.3), (2.0, 24.0)])
def test_a_recipient_has_as_many_answers_as_the_terms_say(state, query, person):
    """Also where the floating-point numbers would leave one less, as 0.3 and 0.1 would."""
    terms = replace(TERMS, budget=Budget(query=query, person=person, table=100.0))
    budgets, count = Budgets(state=state), round(person / query)
    assert budgets.answers_left(ANN, "people", terms) == count
    assert [paid(budgets, ANN, terms) for _ in range(count + 1)] == [True] * count + [False]
    statement = budgets.statement(ANN, "people", terms)
    assert statement.spent == pytest.approx(person, rel=1e-6)
    assert statement.spent <= person


def test_what_everybody_may_spend_is_the_epsilon_of_the_table(state):
    """Four recipients and more, until nothing is left: the total is below the limit, at its
    delta."""
    budgets = Budgets(state=state)
    answers = 0
    for number in range(100):
        answers += sum(paid(budgets, replace(ANN, name=f"eve {number}")) for _ in range(6))
    total = budgets.spent_by_all("people")
    assert answers > 20
    assert epsilon_of(total, TERMS.budget.delta / 2) <= 2.0
    assert total + TERMS.budget.question_rho > rho_of(2.0, TERMS.budget.delta / 2)


def test_a_lifetime_holds_over_all_profiles_and_periods(state):
    """Periods renew, and what they cost together does not."""
    today = [0.0]
    terms = replace(
        TERMS, budget=Budget(query=0.01, person=5.0, table=5.0, period=0.2, period_days=7)
    )
    life = Lifetime(epsilon=0.5)
    budgets = Budgets(state=state, lifetime=life, now=lambda: today[0])
    weeks = []
    for week in range(40):
        today[0] = 7 * DAY * week
        weeks.append(sum(paid(budgets, asker, terms) for _ in range(9) for asker in (ANN, BOB)))
    assert weeks[0] > 0
    assert weeks[0] < sum(weeks)
    assert sum(weeks[20:]) == 0
    assert epsilon_of(budgets.spent_by_all("people"), life.delta / 2) <= life.epsilon


def test_a_period_is_a_rate_limit(state):
    today = [0.0]
    budget = Budget(query=0.1, person=0.5, table=2.0, period=0.25, period_days=1)
    terms = replace(TERMS, budget=budget)
    budgets = Budgets(state=state, now=lambda: today[0])
    first = sum(paid(budgets, ANN, terms) for _ in range(9))
    assert 0 < first < 5
    assert not paid(budgets, ANN, terms)
    assert paid(budgets, BOB, terms)
    today[0] = DAY
    assert paid(budgets, ANN, terms)


def test_a_state_of_before_keeps_what_it_spent(state):
    """Sums of pure epsilon are taken off every limit, and deltas off the half for thresholds."""
    budgets = Budgets(state=state)
    whole = budgets.left(ANN, "people", TERMS)
    state.all("INSERT INTO spent VALUES ('everyone of people', 1.9)")
    assert 0 < budgets.left(ANN, "people", TERMS) < whole
    assert budgets.statement(ANN, "people", TERMS).spent == 0
    state.all("INSERT INTO spent VALUES ('person ann of people', 0.3)")
    assert budgets.statement(ANN, "people", TERMS).spent == 0.3
    state.all("INSERT INTO spent VALUES ('delta: everyone of people', 1e-6)")
    assert budgets.left(ANN, "people", TERMS) == 0
    assert state.was_charged("everyone of people")


def test_a_selection_beyond_the_half_of_delta_is_refused(state):
    budgets = Budgets(state=state)
    wide = replace(
        line(), mechanism="discrete Gaussian, values above a threshold", cells=0, threshold=30
    )
    assert wide.delta > Fraction(TERMS.budget.delta)
    with pytest.raises(NotAdmitted, match="used up") as refused:
        budgets.charge(ANN, "people", TERMS, [wide])
    assert refused.value.code == "budget"
    assert budgets.spent_by_all("people") == 0
    assert budgets.spent_delta("people") == 0


def test_noise_is_drawn_once_for_each_charge(state):
    (charged,) = Budgets(state=state).charge(ANN, "people", TERMS, [line()])
    charged.add_noise([7])
    with pytest.raises(Bug):
        charged.add_noise([7])


def test_a_gate_that_stops_between_charge_and_noise_has_charged(tmp_path, monkeypatch):
    """Nobody can draw again and again by making the gate stop."""

    class Stopped(BaseException):
        pass

    def stop(self: ChargedMeasurement, counts: object) -> None:
        raise Stopped

    with a_gate(tmp_path, people(), terms=TERMS) as gate:
        with monkeypatch.context() as patched:
            patched.setattr(ChargedMeasurement, "add_noise", stop)
            with pytest.raises(Stopped):
                gate.keeper.ask(ANN, "SELECT COUNT(*) AS n FROM people")
        assert gate.keeper.budget(ANN, "people").answers_left == 4
    with a_gate(tmp_path, people(), terms=TERMS) as gate:
        assert gate.keeper.budget(ANN, "people").answers_left == 4
        assert not gate.keeper.ask(ANN, "SELECT COUNT(*) AS n FROM people").remembered


@settings(max_examples=60, deadline=None)
@given(some.lists(some.tuples(some.integers(0, 2), some.integers(0, 400)), max_size=30))
def test_what_is_left_to_everybody_never_rises(tmp_path_factory, moves):
    """Whoever pays and however the clock goes, also backwards."""
    state = GateState(tmp_path_factory.mktemp("state") / "state.db")
    today = [0.0]
    budget = Budget(query=0.1, person=0.5, table=0.6, period=0.2, period_days=30)
    terms = replace(TERMS, budget=budget)
    life = Lifetime(epsilon=0.55)
    budgets = Budgets(state=state, lifetime=life, now=lambda: today[0])
    before = budgets.spent_by_all("people")
    for who, day in moves:
        today[0] = day * DAY
        paid(budgets, replace(ANN, name=f"eve {who}"), terms)
        after = budgets.spent_by_all("people")
        assert before <= after
        assert epsilon_of(after, life.delta / 2) <= life.epsilon
        before = after
    state.close()


# ---------------------------------------------------------------- gate.toml


def read(**parts: object) -> Settings:
    tables = {"people": {"source": "people.csv", "policy": "policy.toml"}}
    return settings_from_table({"tables": tables, **parts})


def test_a_lifetime_and_a_period_are_read():
    budget = {"query": 0.1, "person": 0.5, "table": 1, "period": 0.3, "period_days": 30}
    found = read(lifetime={"epsilon": 1, "delta": 1e-9}, terms={"public": {"budget": budget}})
    assert found.lifetime == Lifetime(epsilon=1.0, delta=1e-9)
    assert found.terms_of("public").budget == Budget(
        query=0.1, person=0.5, table=1.0, period=0.3, period_days=30
    )
    assert read(lifetime={"epsilon": 2}).lifetime == Lifetime(epsilon=2.0, delta=1e-6)
    assert read().lifetime is None


@pytest.mark.parametrize(
    "parts",
    [
        {"lifetime": {}},
        {"lifetime": {"epsilon": 0}},
        {"lifetime": {"epsilon": 1, "delta": 0.5}},
        {"lifetime": {"epsilon": 1, "days": 3}},
        {"terms": {"public": {"budget": {"period": 0.2}}}},
        {"terms": {"public": {"budget": {"period_days": 7}}}},
        {"terms": {"public": {"budget": {"period": 0.01, "period_days": 7}}}},
        {"terms": {"public": {"budget": {"person": 5, "table": 5, "query": 1}}}}
        | {"lifetime": {"epsilon": 1}},
    ],
)
def test_half_a_lifetime_or_period_is_refused(parts):
    with pytest.raises(PolicyError):
        read(**parts)


def test_a_longer_lifetime_waits_and_a_shorter_one_holds(tmp_path: Path):
    with a_gate(tmp_path, people(300), terms=TERMS):
        pass
    table = HeldTable(
        name="people", source=str(tmp_path / "people.csv"), policy=tmp_path / "policy.toml"
    )
    given = Settings(folder=tmp_path / "state", tables={"people": table}, terms={"public": TERMS})
    for asked, holds, waits in (
        (Lifetime(epsilon=1.0), Lifetime(epsilon=1.0), False),
        (Lifetime(epsilon=2.0), Lifetime(epsilon=1.0), True),
        (None, Lifetime(epsilon=1.0), True),
        (Lifetime(epsilon=0.5), Lifetime(epsilon=0.5), False),
        (Lifetime(epsilon=0.5, delta=1e-5), Lifetime(epsilon=0.5), True),
    ):
        with open_gate(replace(given, lifetime=asked)) as gate:
            assert gate.keeper.settings.lifetime == holds
            known = read_terms(gate.state)
            assert (known.changed == ("lifetime",)) == waits
