"""An attacker who spends everything that noise may cost on one target: Bayes' rule on all noisy
numbers together.

Everybody's count is told exactly, and everybody's but the target's with noise. How much surer that
makes on average follows from how many numbers there were and how much noise each had: it need not
be counted how often they are right."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from gate_world import Person, World

from sfumato.errors import Refused
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import Asker, Mode, Terms

SPELLINGS = (
    "test = 1", "test > 0", "test >= 1", "test <> 0", "test > 0.5", "test = 1 AND test > 0", "test > 0.25",
    "test > 0.75", "test = 1 AND test < 2", "test <> 0 AND test < 3", "test = 1 OR test > 5", "test >= 0.9",
)  # fmt: skip
"""Conditions on a protected field that mean the same here. The gate may not know that: it would
tell which values are there."""


def spent_on(keeper: GateKeeper, target: Person, *, accounts: int) -> Iterator[tuple[float, float]]:
    """Noisy counts of everybody but the target, and the sigma of their noise, until nothing is left
    to any account."""
    refused = 0
    for spelling, number in itertools.product(SPELLINGS, range(accounts)):
        asker = Asker(name=f"eve {number}", profile="public")
        sql = (
            f"SELECT COUNT(*) FROM people WHERE NOT ({target.alone}) AND ({spelling}) AND cost "
            f">= -{number}"
        )
        try:
            answer = keeper.ask(asker, sql, mode=Mode.NOISY)
        except Refused:
            refused += 1
            if refused > 1:
                return
            continue
        if answer.noise:
            yield float(answer.rows[0][0]), (max(answer.noise.values()) - 0.5) / 1.959964


def surer(
    world: World, target: Person, *, accounts: int, terms: Terms | None = None, draws: int = 20_000
) -> float:
    """The confidence gained by noisy numbers alone, on average: how far beliefs are from a half,
    doubled."""
    with world.ours(terms=terms) as keeper:
        scales = np.array([scale for _, scale in spent_on(keeper, target, accounts=accounts)])
    noise = np.random.default_rng(0).normal(0, scales, (draws, len(scales)))
    odds = (((noise + 1) ** 2 - noise**2) / (2 * scales**2)).sum(axis=1)
    return float(np.tanh(np.abs(odds) / 2).mean())
