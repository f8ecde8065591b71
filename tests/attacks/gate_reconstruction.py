"""Reconstruction (Dinur and Nissim 2003): many counts of random people, and from them the test of
each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import numpy as np
from gate_clients import Web, a_gate, by_web
from gate_world import held, keeping
from numpy.typing import NDArray
from scipy.optimize import linprog

from sfumato.errors import Refused
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import Asker, Terms

WIDTHS = (10, 50)
POLICY = {
    "fields": {
        "seat": {"role": "quasi", "hierarchy": {"numbers": {"widths": list(WIDTHS)}}},
        "test": {"role": "sensitive"},
    },
    "require": {"k": 5, "confidence_gain": {"gain": 0.1, "facts": 2}},
}
POLICY_FILE = f"""
[fields]
seat = {{ role = "quasi", hierarchy = {{ numbers = {{ widths = {list(WIDTHS)} }} }} }}
test = {{ role = "sensitive" }}

[require]
k = 5
confidence_gain = {{ gain = 0.1, facts = 2 }}
"""
Told = tuple[NDArray[np.bool_], float, float]
"""Who was counted, how many were, and how far off the number may be."""
Count = Callable[[Sequence[int]], Told | None]


def seats(count: int = 100, *, seed: int = 5) -> NDArray[np.int64]:
    """The tests of people who sit in a row."""
    return (np.random.default_rng(seed).random(count) < 0.5).astype(np.int64)


def write(path: Path, tests: NDArray[np.int64]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("seat,test\n" + "".join(f"{seat},{test}\n" for seat, test in enumerate(tests)))


def sql(chosen: Sequence[int]) -> str:
    return f"SELECT COUNT(*) FROM people WHERE seat IN ({', '.join(map(str, chosen))}) AND test = 1"


def plain(path: Path) -> Count:
    rows = duckdb.connect()
    rows.execute(f"CREATE TABLE people AS FROM '{path}'")
    size = rows.execute("SELECT COUNT(*) FROM people").fetchall()[0][0]

    def count(chosen: Sequence[int]) -> Told | None:
        found = rows.execute(sql(chosen)).fetchall()[0][0] if len(chosen) >= 5 else None
        return None if found is None else (np.isin(np.arange(size), chosen), found, 0.0)

    return count


@contextmanager
def ours(path: Path, *, terms: Terms | None = None, accounts: int = 3) -> Iterator[Count]:
    """Ours; the attacker has some accounts."""
    holding = held(path, POLICY)
    with keeping(holding, path.parent / "gate", terms=terms) as keeper:
        yield counting(keeper, len(holding), [f"eve {number}" for number in range(accounts)])


def counting(keeper: GateKeeper | Web, size: int, accounts: Sequence[str]) -> Count:
    """The attacker's way to ours, who reads in the answer which people were counted in fact."""
    turns = itertools.cycle(accounts)

    def count(chosen: Sequence[int]) -> Told | None:
        try:
            answer = keeper.ask(Asker(name=next(turns), profile="public"), sql(chosen))
        except Refused:
            return None
        counted = counted_at(answer.levels, chosen, size)
        return counted, float(answer.rows[0][0]), max(answer.noise.values(), default=0.0)

    return count


@contextmanager
def by_clients(
    path: Path, folder: Path, *, accounts: Sequence[str] = ("eve", "mallory", "trudy")
) -> Iterator[Count]:
    """Ours through httpx, with the terms that a user gets who names none."""
    with (
        a_gate(path, folder, policy=POLICY_FILE, accounts=accounts) as gate,
        by_web(gate, accounts=accounts) as web,
    ):
        yield counting(web, len(gate.keeper.holdings["people"]), accounts)


def counted_at(levels: Mapping[str, int], chosen: Sequence[int], size: int) -> NDArray[np.bool_]:
    """Who is counted where a condition has widened to whole groups."""
    width = (1, *WIDTHS, size)[levels.get("seat", 0)]
    return np.isin(np.arange(size) // width, np.unique(np.asarray(chosen) // width))


def reconstructed(count: Count, size: int, *, queries: int, seed: int = 1) -> NDArray[np.int64]:
    """The tests that fit all counts best: the least sum of absolute errors, by linear
    programming."""
    draw = np.random.default_rng(seed)
    told: list[Told] = []
    for _ in range(queries):
        found = count(np.flatnonzero(draw.random(size) < 0.5).tolist())
        if found is not None:
            told.append(found)
    if not told:
        return draw.integers(0, 2, size)
    who = np.array([each[0] for each in told], float)
    numbers = np.array([each[1] for each in told])
    weights = 1 / np.array([1 + each[2] for each in told])
    errors = np.eye(len(told))
    found = linprog(
        np.r_[np.zeros(size), weights],
        A_ub=np.block([[who, -errors], [-who, -errors]]),
        b_ub=np.r_[numbers, -numbers],
        bounds=[(0, 1)] * size + [(0, None)] * len(told),
        method="highs",
    )
    return np.asarray(found.x[:size] > 0.5, np.int64)


def gained(guessed: NDArray[np.int64], tests: NDArray[np.int64]) -> float:
    """The confidence gained over the best guess."""
    best = max(tests.mean(), 1 - tests.mean())
    return float(((guessed == tests).mean() - best) / (1 - best))
