"""Noisy numbers: how much noise there is, what marks it, and towards whom it protects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import NormalDist

import pytest
from gates import ANN, POLICY, a_gate, people

from sfumato.accounting import ChargedMeasurement
from sfumato.errors import NotAdmitted, NotAnswered
from sfumato.gate.membership import promise_in_words
from sfumato.gate.noise.gaussian import Noise, Threshold
from sfumato.gate.settings import Budget, Mode, Terms
from sfumato.policy.toml_file import policy_from_table

BUDGET = Budget(query=0.05, person=5.0, table=5.0)
TERMS = Terms(mode=Mode.NOISY, budget=BUDGET)
VISITS = POLICY.replace("[fields.name]", 'entity = "name"\n[fields.name]', 1)
CONSTANT = VISITS.replace("[fields.sex]\n", "[fields.sex]\nconstant_per_person = true\n")
RHO = BUDGET.question_rho
ONE, FEW, TEN = (Noise(rho=RHO, squared=squared).usually_within for squared in (1, 10, 100))
"""Of one count; of ten counts that one person is in once each; of ten rows in one count."""


def visits() -> list[dict[str, object]]:
    return [{**row, "name": f"Person {number % 900}"} for number, row in enumerate(people(1800))]


@pytest.mark.parametrize(
    ("policy", "sql", "within"),
    [
        (VISITS, "SELECT COUNT(DISTINCT person) AS n FROM people", ONE),
        (VISITS, "SELECT COUNT(DISTINCT person) AS n FROM people WHERE test = 1 AND age > 40", ONE),
        (VISITS, "SELECT COUNT(*) AS n FROM people", TEN),
        (VISITS, "SELECT sex, COUNT(DISTINCT person) AS n FROM people GROUP BY sex", FEW),
        (CONSTANT, "SELECT sex, COUNT(DISTINCT person) AS n FROM people GROUP BY sex", ONE),
        (
            CONSTANT,
            "SELECT sex, town, COUNT(DISTINCT person) AS n FROM people GROUP BY sex, town",
            FEW,
        ),
        (POLICY, "SELECT town, COUNT(DISTINCT person) AS n FROM people GROUP BY town", ONE),
    ],
)
def test_people_are_counted_with_the_noise_of_one_where_one_is_the_most_they_add(
    tmp_path, policy, sql, within
):
    with a_gate(
        tmp_path, visits() if policy is not POLICY else people(), policy=policy, terms=TERMS
    ) as gate:
        assert gate.keeper.ask(ANN, sql).noise == {
            "count(*)" if "*" in sql else "count(distinct person)": pytest.approx(within)
        }


def test_sensitivity_is_declared_and_never_seen_from_rows(tmp_path):
    """Everybody has one row here, and the policy says that they may have several: noise covers the
    most of them."""
    with a_gate(tmp_path, people(), policy=VISITS, terms=TERMS) as gate:
        assert gate.keeper.ask(ANN, "SELECT COUNT(*) AS n FROM people").noise[
            "count(*)"
        ] == pytest.approx(TEN)


def test_a_field_that_is_not_as_constant_as_declared_still_counts_everybody_once(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(ChargedMeasurement, "add_noise", lambda self, numbers: numbers)
    with a_gate(tmp_path, visits(), policy=CONSTANT, terms=TERMS) as gate:
        rows = gate.keeper.ask(
            ANN, "SELECT sex, COUNT(DISTINCT person) AS n FROM people GROUP BY sex"
        ).rows
    assert sum(row[1] for row in rows) == 900


def test_a_count_below_zero_stays_and_is_marked(tmp_path, monkeypatch):
    monkeypatch.setattr(ChargedMeasurement, "add_noise", lambda self, numbers: numbers - 5)
    sql = "SELECT COUNT(*) AS n FROM people WHERE age = 3"
    for clamp, said in ((False, (-5, "noisy; below zero")), (True, (0, "noisy; clamped"))):
        with a_gate(tmp_path / str(clamp), people(), terms=replace(TERMS, clamp=clamp)) as gate:
            columns, rows = gate.keeper.ask(ANN, sql).marked()
            assert columns == ("n", "n_within", "answered_as")
            assert (rows[0][0], rows[0][2]) == said


def test_the_first_few_by_a_noisy_number_have_error_bars_and_an_uncertain_order(tmp_path):
    sql = (
        "SELECT town, COUNT(*) AS n, 2 * COUNT(*) AS twice FROM people GROUP BY town ORDER BY "
        "n DESC LIMIT 2"
    )
    with a_gate(tmp_path, people(), terms=TERMS) as gate:  # Towns of 500 each, and noise of 60.
        columns, rows = gate.keeper.ask(ANN, sql).marked()
    assert columns == ("town", "n", "twice", "n_within", "twice_within", "answered_as")
    assert len(rows) == 2
    assert all("order uncertain" in row[-1] for row in rows)
    assert [row[3] for row in rows] == pytest.approx([ONE, ONE], abs=1e-3)
    assert [row[4] for row in rows] == pytest.approx([2 * ONE, 2 * ONE], abs=1e-3)


def test_an_order_that_noise_cannot_have_changed_is_not_called_uncertain(tmp_path):
    sure = replace(TERMS, budget=Budget(query=4.0, person=8.0, table=8.0))
    rows = [row for row in people() if row["sex"] == "F" or row["age"] < 30]
    with a_gate(tmp_path, rows, terms=sure) as gate:
        _, told = gate.keeper.ask(
            ANN, "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex ORDER BY n"
        ).marked()
    assert [row[0] for row in told] == ["M", "F"]
    assert not any("uncertain" in row[-1] for row in told)


@pytest.mark.parametrize(("groups", "squared", "widest"), [(1, 1, 1), (10, 100, 10), (10, 10, 1)])
def test_a_threshold_costs_what_it_says(groups, squared, widest):
    """One person alone in a group passes it with a chance of delta at the most, by the tail of the
    noise."""
    noise = Noise(rho=RHO, squared=squared, widest=widest)
    line = Threshold(noise=noise, delta=1e-6, groups=groups).line(("town",))
    tail = NormalDist().cdf(-(line.threshold - widest) / noise.sigma)
    assert groups * tail <= 1e-6
    assert groups * tail > 0.5e-6  # And it is not much higher than it must be.
    assert line.rho <= RHO
    least = Threshold(noise=noise, delta=1e-6, groups=groups, least=10_000)
    assert least.line(("town",)).threshold == 10_000


def test_a_policy_that_protects_membership_makes_every_number_noisy(tmp_path):
    protected = f'membership = "protected"\n{POLICY}'
    with a_gate(
        tmp_path / "either", people(), policy=protected, terms=Terms(mode=Mode.EITHER)
    ) as gate:
        assert gate.keeper.ask(ANN, "SELECT COUNT(*) FROM people", mode=Mode.EXACT).noise
        with pytest.raises(NotAdmitted, match="the gate shows no rows"):
            gate.keeper.ask(ANN, "SELECT age FROM people")
    with (
        a_gate(
            tmp_path / "exact", people(), policy=protected, terms=Terms(mode=Mode.EXACT)
        ) as gate,
        pytest.raises(NotAdmitted, match="only exact answers"),
    ):
        gate.keeper.ask(ANN, "SELECT COUNT(*) FROM people")


def test_a_promise_names_those_it_does_not_hold_towards():
    policy = policy_from_table(
        {
            "fields": {"age": "quasi"},
            "require": {"k": 5},
            "recipient": {"public": {}, "clinic": {}},
        },
        folder=Path(),
    )
    terms = {"public": Terms(mode=Mode.NOISY), "clinic": Terms(mode=Mode.EITHER)}
    noisy, exact = (
        promise_in_words(policy, name, lambda each: terms.get(each, Terms())) for name in terms
    )
    assert noisy.startswith(
        "Differential privacy holds for everybody in this table towards recipients of profile"
    )
    assert "epsilon 0.5, delta 1e-06" in noisy
    assert "'clinic'" in noisy.partition("It does not hold towards recipients of ")[2]
    assert exact.startswith(
        "No differential privacy holds for anybody in this table towards recipients of profile 'cl"
    )


def test_a_noisy_number_of_too_few_people_is_refused_and_costs_nothing(tmp_path):
    """Where membership is public and fewer than `least` people are meant: there was an empty table,
    and it cost."""
    public = f'membership = "public"\n{POLICY}'
    with a_gate(tmp_path, people(), policy=public, terms=TERMS) as gate:
        with pytest.raises(NotAnswered, match="whole groups"):
            gate.keeper.ask(
                ANN, "SELECT COUNT(*) AS n FROM people WHERE age = 33 AND town = 'Cadiz'"
            )
        assert gate.keeper.budget(ANN, "people")[0] == 0


@pytest.mark.parametrize(
    ("policy", "sql", "said"),
    [
        (POLICY, "SELECT COUNT(*) AS n FROM people", ()),
        (
            POLICY,
            "SELECT SUM(cost) AS n FROM people",
            ("cost is cut to 0 to 10 and rounded to steps of 1",),
        ),
        (VISITS, "SELECT COUNT(*) AS n FROM people", ("at most 1 row of each person is counted",)),
        (VISITS, "SELECT COUNT(DISTINCT person) AS n FROM people", ()),
        (
            VISITS,
            "SELECT AVG(cost) AS n, COUNT(DISTINCT person) AS m FROM people",
            (
                "at most 1 row of each person is counted",
                "cost is cut to 0 to 10 and rounded to steps of 1",
            ),
        ),
    ],
)
def test_what_is_cut_before_noise_is_said_and_follows_from_the_policy(tmp_path, policy, sql, said):
    """Neither the table with several rows each nor the one with one each, all within bounds, may
    say anything else."""
    terms = replace(TERMS, rows_per_person=1, bounds={"cost": (0.0, 10.0)})
    within = [{**row, "cost": row["cost"] % 10} for row in people(1800)]
    for name, rows in (("beyond", visits() if policy is VISITS else people()), ("within", within)):
        with a_gate(tmp_path / name, rows, policy=policy, terms=terms) as gate:
            answer = gate.keeper.ask(ANN, sql)
            again = gate.keeper.ask(ANN, sql)
            assert answer.cuts == again.cuts == said
            notes = answer.marked()[1][0][-1].split("; ")
            assert notes[: len(said) + 1] == ["noisy", *said]
            assert again.marked() == answer.marked()


def test_values_that_are_rounded_to_steps_are_said_to_be(tmp_path):
    rows = [{**row, "cost": row["cost"] / 4} for row in people()]
    terms = replace(TERMS, bounds={"cost": (0.0, 100.0)}, steps={"cost": 10.0})
    with a_gate(tmp_path, rows, terms=terms) as gate:
        cuts = gate.keeper.ask(ANN, "SELECT SUM(cost) AS n FROM people").cuts
    assert cuts == ("cost is cut to 0 to 100 and rounded to steps of 10",)
