"""Waiting: an attacker who spends every period's budget on one target, for years.

Everybody's count is told exactly; everybody's but the target's comes with noise, in another spelling
each time, so that the noise is another one. Where budgets renew, the mean of enough answers is the
truth. At our gate a period is a rate limit inside a lifetime that never renews.

And returning: people who joined later bring budget of their own, so somebody leaves and returns in
order to be a newcomer each time. At our gate they are recognised."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from gate_world import World, people

from sfumato.errors import Refused
from sfumato.gate.gate_opener import open_gate
from sfumato.gate.noise.budgets import Budgets
from sfumato.gate.reload import reload_tables
from sfumato.gate.settings import Asker, Budget, HeldTable, Mode, Settings, Terms

EVERYBODY = people()
DAY, WEEKS = 86_400, 300
TERMS = Terms(
    mode=Mode.EITHER, budget=Budget(query=0.25, person=1.0, table=1.0, period=0.5, period_days=7)
)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(EVERYBODY, tmp_path_factory.mktemp("gate"))


def sigmas_of_years(world: World) -> list[float]:
    """The noise of every answer that the attacker gets."""
    target, out = EVERYBODY[0], []
    with world.ours(terms=TERMS) as keeper:
        today = [0.0]
        budgets = Budgets(state=keeper.state, now=lambda: today[0])
        keeper.noisy.__dict__["budgets"] = budgets
        for week in range(WEEKS):
            today[0] = 7.0 * DAY * week
            eve = Asker(name="eve", profile="public")
            sql = (
                f"SELECT COUNT(*) FROM people WHERE NOT ({target.alone}) AND test = 1 AND "
                f"cost >= -{week}"
            )
            try:
                answer = keeper.ask(eve, sql, mode=Mode.NOISY)
            except Refused:
                continue
            out.append((max(answer.noise.values()) - 0.5) / 1.959964)
    return out


def surer(sigmas: list[float]) -> float:
    """How far beliefs are from a half, doubled, by Bayes' rule on all answers together."""
    scales = np.array(sigmas)
    noise = np.random.default_rng(0).normal(0, scales, (20_000, len(scales)))
    odds = (((noise + 1) ** 2 - noise**2) / (2 * scales**2)).sum(axis=1)
    return float(np.tanh(np.abs(odds) / 2).mean())


def test_waiting_adds_nothing(world):
    found = sigmas_of_years(world)
    assert len(found) == 4
    assert surer(found) < 0.1


@pytest.mark.long("the control of the attack; that waiting adds nothing stays")
def test_the_attack_works_where_budgets_renew(world, monkeypatch):
    """A planted fault: only the present period counts."""
    real = Budgets._limits
    monkeypatch.setattr(
        Budgets,
        "_limits",
        lambda self, *of: [each for each in real(self, *of) if "period" in each.scope],
    )
    found = sigmas_of_years(world)
    assert len(found) == WEEKS
    assert surer(found) > 0.5


POLICY = """
membership = "protected"
entity = "id"
[fields.id]
role = "direct"
[fields.age]
role = "quasi"
domain = { least = 0, most = 99 }
[require]
k = 5
"""
LIFETIME = Budget(query=0.1, person=0.2, table=0.2)


def charged_to_a_returner(folder: Path, *, months: int) -> Fraction:
    """What was charged to one person who leaves and returns with every other reload, while the
    attacker asks everybody and all newcomers whatever is answered."""
    draw, spent = np.random.default_rng(2), Fraction(0)
    rows = {f"p{number}": int(draw.integers(20, 80)) for number in range(40)}
    folder.mkdir(exist_ok=True)
    (folder / "policy.toml").write_text(POLICY)
    source = folder / "people.csv"

    def write(there: bool) -> None:
        lines = [f"{key},{age}" for key, age in rows.items() if there or key != "p0"]
        source.write_text("\n".join(["id,age", *lines]))

    write(there=True)
    table = HeldTable(name="people", source=str(source), policy=folder / "policy.toml")
    terms = Terms(mode=Mode.NOISY, budget=LIFETIME, rows_per_person=1)
    settings = Settings(folder=folder / "state", tables={"people": table}, terms={"public": terms})
    eve = Asker(name="eve", profile="public")
    with open_gate(settings) as gate:
        for month in range(months):
            for name in gate.keeper.catalogue(eve):
                there = gate.keeper.table(name).person_keys
                for age in range(3):
                    sql = f"SELECT COUNT(*) FROM {name} WHERE age > {age + 3 * month}"
                    try:
                        gate.keeper.ask(eve, sql)
                    except Refused:
                        break
                    spent += LIFETIME.question_rho if "p0" in there else 0
            rows |= {f"q{month} {number}": int(draw.integers(20, 80)) for number in range(20)}
            write(there=bool(month % 2))
            at = 86_400.0 * 31 * (month + 1)
            reload_tables(gate, "people", by="steward", clock=lambda at=at: at)
    return spent


def test_leaving_and_returning_brings_no_budget(tmp_path: Path) -> None:
    spent = charged_to_a_returner(tmp_path, months=5)
    assert LIFETIME.question_rho <= spent <= LIFETIME.person_rho


def test_the_returner_is_charged_again_where_nobody_remembers_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sfumato.gate.reload.read_past_people", lambda *of: frozenset())
    assert charged_to_a_returner(tmp_path, months=5) > LIFETIME.person_rho
