"""Attacks that mix exact and noisy answers, at the terms of a gate whose file names none (mode
`either`).

What they gain is averaged over hundreds of draws of noise for each of a few targets: see
gate_replays. The same through real clients, with noise as it comes and hundreds of targets, is in
gate_many; docs/gate-attacks.md has its table."""

from __future__ import annotations

import pytest
from gate_attackers import ATTACKS
from gate_many import ACCOUNTS, Score, all_noise
from gate_replays import improvement
from gate_world import pairs, people

from sfumato.gate.settings import Budget, Mode, Terms

LIMIT = 0.1
GENEROUS = Terms(least=5, budget=Budget(query=4.0, person=400.0, table=400.0))
MIXING = ("difference", "difference_respelt", "general_tracker", "individual_tracker")


@pytest.fixture(scope="module")
def towns(tmp_path_factory):
    return pairs(people(), 3, tmp_path_factory.mktemp("gate"))


def test_a_file_without_terms_means_either():
    assert Terms().mode is Mode.EITHER


@pytest.mark.parametrize("name", [name for name in ATTACKS if name != "averaging"])
def test_exact_and_noisy_answers_together_give_nobody_away(towns, name):
    times = 500 if name in MIXING else 10  # The others see no noise.
    assert (
        improvement(lambda asks, target: ATTACKS[name](asks[0], target), towns, times=times) < LIMIT
    )


@pytest.mark.long("a control for each attack; one stays", but=("difference",))
@pytest.mark.parametrize("name", MIXING)
def test_with_hardly_any_noise_they_would(towns, name):
    """The attackers are good, and the score sees it."""
    found = improvement(
        lambda asks, target: ATTACKS[name](asks[0], target), towns[1:], terms=GENEROUS, times=100
    )
    assert found > 0.5


@pytest.mark.long("two whole budgets; the attacks on a gate of either mode stay in this file")
def test_three_accounts_who_spend_everything_on_one_target(towns):
    assert improvement(all_noise, towns, accounts=ACCOUNTS, times=400) < LIMIT
    assert improvement(all_noise, towns[:1], accounts=ACCOUNTS, terms=GENEROUS, times=20) > 0.9


def test_an_interval_is_wide_where_little_was_seen():
    few, many = Score.of_said([(0, 1), (1, 0)] * 5), Score.of_said([(0, 1), (1, 0)] * 500)
    assert few.mean == many.mean == 0
    assert few.upper > 0.5 > LIMIT > many.upper
    assert Score.of_said([(None, 1), (0, None)]).mean == 1.0 - 0.5
