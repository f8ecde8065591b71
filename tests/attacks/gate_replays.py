"""Attacks played again and again with other noise: what they gain on average, without luck.

The gate is asked once, without noise, and tells how much noise there would be; then the attacker is
told the same numbers with noise drawn anew, hundreds of times in each of two worlds. Spellings of
one question have the same noise, as at the gate. Draws are fixed by a seed, so that a test gives
the same outcome every time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
from gate_world import Ask, Pair, Person, Rows

from sfumato.accounting import ChargedMeasurement
from sfumato.errors import Mistake, Refused
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import Asker, Terms

Asked = tuple[str, Rows | None, float]
"""The number of a question, its rows without noise, and the sigma of the noise."""


class Replayed:
    """A gate without noise, and noise beside it."""

    def __init__(self, keeper: GateKeeper, draw: np.random.Generator) -> None:
        self._keeper, self._draw = keeper, draw
        self._told: dict[tuple[str, str], Asked] = {}
        self._noise: dict[str, int] = {}

    def again(self) -> None:
        """Another run: other noise."""
        self._noise.clear()

    def asking(self, name: str = "eve") -> Ask:
        def ask(sql: str) -> Rows | None:
            if (name, sql) not in self._told:
                self._told[name, sql] = self._asked(name, sql)
            query, rows, scale = self._told[name, sql]
            if not rows or not scale:
                return rows
            if query not in self._noise:
                self._noise[query] = round(self._draw.normal(0, scale))
            return [(rows[0][0] + self._noise[query],)]

        return ask

    def _asked(self, name: str, sql: str) -> Asked:
        try:
            answer = self._keeper.ask(Asker(name=name, profile="public"), sql)
        except (Refused, Mistake):
            return "", None, 0.0
        if answer.noise and answer.rows:
            assert len(answer.rows) == len(answer.rows[0]) == 1
        return (
            answer.query,
            answer.rows,
            (max(answer.noise.values()) - 0.5) / 1.959964 if answer.noise else 0.0,
        )


@contextmanager
def without_noise() -> Iterator[None]:
    with patch.object(ChargedMeasurement, "add_noise", lambda self, numbers: numbers):
        yield


def improvement(
    attack: Callable[[Sequence[Ask], Person], object],
    over: Sequence[Pair],
    *,
    terms: Terms | None = None,
    accounts: Sequence[str] = ("eve",),
    times: int = 1_000,
) -> float:
    """The confidence gained on average: 0 for guessing, 1 for knowing."""
    return interval(attack, over, terms=terms, accounts=accounts, times=times)[0]


def interval(
    attack: Callable[[Sequence[Ask], Person], object],
    over: Sequence[Pair],
    *,
    terms: Terms | None = None,
    accounts: Sequence[str] = ("eve",),
    times: int = 1_000,
) -> tuple[float, float]:
    """The confidence gained on average, and the upper end of its 95 % interval over the draws of noise.
    What is neither 0 nor 1 is taken for the one that helps more."""
    said = np.zeros((2, 2, len(over)))
    for place, pair in enumerate(over):
        for test, world in enumerate(pair.worlds):
            with without_noise(), world.ours(terms=terms) as keeper:
                gate = Replayed(keeper, np.random.default_rng([place, test]))
                for _ in range(times):
                    gate.again()
                    word = attack([gate.asking(name) for name in accounts], pair.target)
                    for otherwise in (0, 1):
                        said[otherwise, test, place] += word if word in (0, 1) else otherwise  # type: ignore[operator]
    rates = max((each / times for each in said), key=lambda each: float((each[1] - each[0]).mean()))
    gained = float((rates[1] - rates[0]).mean())
    error = np.sqrt((rates * (1 - rates)).sum() / times) / len(over)
    return gained, gained + 1.96 * float(error)
