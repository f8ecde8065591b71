"""Waiting: an attacker who spends every period's budget on one target, for years.

Everybody's count is told exactly; everybody's but the target's comes with noise, in another spelling
each time, so that the noise is another one. Where budgets renew, the mean of enough answers is the
truth. At our gate a period is a rate limit inside a lifetime that never renews."""

from __future__ import annotations

import numpy as np
import pytest
from gate_world import World, people

from sfumato.errors import Refused
from sfumato.gate.noise.budgets import Budgets
from sfumato.gate.settings import Asker, Budget, Mode, Terms

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
        keeper.__dict__["_budgets"] = budgets
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
