"""A stopwatch at the gate's doors: whether the time of a reply, over a socket, says what the reply
does not.

    python tests/attacks/gate_stopwatch.py [--times 200] [--people 400]

One table, one state: an answer was given, and now questions are refused because a group is too
small, because values are too alike, because of what was shown before, or before any row is looked
at; others are answered. The attacker knows the times of half of the replies and chooses the limit
between short and long that tells two kinds apart best; their advantage over guessing is counted on
the other half: 0 is guessing, 1 is knowing. In the same way for one question in two worlds that
differ in one person's test."""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import combinations, product
from pathlib import Path

import httpx
import numpy as np
import psycopg
from gate_clients import PASSWORD, a_gate, beside, of_table, web_of, wire_of
from gate_world import World, people
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from sfumato.gate.decide.protected_table import ProtectedTable
from sfumato.gate.gate_opener import Gate
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import Asker

ROWS = "SELECT age, town, sex, arrived, test FROM people WHERE test < {n}"
Ask = Callable[[str, str], str]
"""Asks a query in a shape, and says how it went."""
Kinds = Mapping[str, tuple[str, str]]
"""For each kind of reply a query and a shape; {n} makes every question a new one."""
REFUSALS = ("too few", "too alike", "shown before")


def kinds_of(keeper: GateKeeper) -> dict[str, tuple[str, str]]:
    """Questions of every kind, in the state after one answer."""
    before = Asker(name="somebody before", profile="public")
    offered = [shape.name for shape in keeper.look(before, ROWS.format(n=5)).shapes]
    alike = next(name for name in large_enough(keeper.holdings["people"]) if name not in offered)
    keeper.ask(before, ROWS.format(n=5), shape=offered[0])
    left = [shape.name for shape in keeper.look(before, ROWS.format(n=5)).shapes]
    return {
        "too few": (ROWS, "age=0,town=0,sex=0,arrived=0"),
        "too alike": (ROWS, alike),
        "shown before": (ROWS, next(name for name in offered if name not in left)),
        "not admitted": (ROWS.replace("SELECT", "SELEKT"), ""),
        "answered": ("SELECT COUNT(*) FROM people WHERE test < {n}", ""),
    }


def large_enough(holding: ProtectedTable, *, least: int = 22) -> Iterator[str]:
    """The most specific shapes whose groups are all so large that only values can speak against
    them."""
    for levels in sorted(
        product(*(range(holding.top(name) + 1) for name in holding.known)), key=sum
    ):
        groups = np.zeros(len(holding), np.int64)
        for name, level in zip(holding.known, levels, strict=True):
            hierarchy = holding.hierarchies[name]
            groups = groups * 1_000 + hierarchy.up[level][holding.fields[name].codes]
        if np.unique(groups, return_counts=True)[1].min() >= least:
            yield ",".join(
                f"{name}={level}" for name, level in zip(holding.known, levels, strict=True)
            )


@contextmanager
def by_psycopg(gate: Gate, *, table: str = "people") -> Iterator[Ask]:
    with wire_of(gate) as where, psycopg.connect(f"{where} user=eve", autocommit=True) as client:

        def ask(sql: str, shape: str) -> str:
            client.execute("SELECT set_config('sfumato.shape', %s, false)", [shape])
            started = time.perf_counter()
            try:
                client.execute(of_table(sql, table)).fetchall()  # type: ignore[arg-type]
                word = "answered"
            except psycopg.Error as error:
                word = str(error.sqlstate)
            return f"{word} {time.perf_counter() - started}"

        yield ask


@contextmanager
def by_httpx(gate: Gate, *, table: str = "people") -> Iterator[Ask]:
    account = gate.accounts.check("eve", PASSWORD)
    headers = {"Authorization": f"Bearer {gate.accounts.new_token(account, days=1)}"}
    with (
        web_of(gate) as address,
        httpx.Client(base_url=address, headers=headers, timeout=600) as client,
    ):

        def ask(sql: str, shape: str) -> str:
            body = {"sql": of_table(sql, table), **({"shape": shape} if shape else {})}
            started = time.perf_counter()
            reply = client.post("/api/v1/ask", json=body)
            taken = time.perf_counter() - started
            return f"{'answered' if reply.status_code == 200 else reply.json()['code']} {taken}"

        yield ask


DOORS = {"psycopg": by_psycopg, "httpx": by_httpx}
Times = dict[str, NDArray[np.float64]]


def times_of(ask: Ask, kinds: Kinds, *, times: int, seed: int = 1) -> Times:
    """The seconds of each kind, asked in a random order, every question a new one."""
    order = [kind for kind in kinds for _ in range(times)]
    random.Random(seed).shuffle(order)
    out: dict[str, list[float]] = {kind: [] for kind in kinds}
    for number, kind in enumerate(order):
        sql, shape = kinds[kind]
        word, taken = ask(sql.format(n=1_000 * seed + number + 10), shape).split()
        assert (word == "answered") == kind.startswith("answered"), (kind, word)
        out[kind].append(float(taken))
    return {kind: np.array(each) for kind, each in out.items()}


def advantage(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """How much better than guessing the best limit of one half tells the other half apart, and the
    other way round."""
    return float(
        np.mean(
            [_advantage(one[a::2], other[a::2], one[1 - a :: 2], other[1 - a :: 2]) for a in (0, 1)]
        )
    )


def _advantage(one: NDArray, other: NDArray, tested: NDArray, against: NDArray) -> float:  # type: ignore[type-arg]
    def told(limit: float, a: NDArray, b: NDArray) -> float:  # type: ignore[type-arg]
        return float((a > limit).mean() - (b > limit).mean())

    limits = np.unique(np.r_[one, other])
    leans = [told(limit, one, other) for limit in limits]
    best = int(np.argmax(np.abs(leans)))
    return float(np.sign(leans[best]) * told(limits[best], tested, against))


def a_world(folder: Path, *, count: int) -> World:
    return World(people(count), folder)


@contextmanager
def two_worlds(folder: Path, *, count: int) -> Iterator[tuple[Gate, str]]:
    """A gate with the same people twice, as `none` and `one`; and a condition that means the
    target."""
    world = a_world(folder / "town", count=count)
    target = world.everybody[0]
    with a_gate(world.path, folder / "gate") as gate:
        base = gate.keeper.holdings["people"]
        held = base.fields["test"]
        for test, table in (("0", "none"), ("1", "one")):
            codes = held.codes.copy()
            codes[world.row_of(target)] = held.values.index(test)
            gate.keeper.holdings[table] = beside(base, table, test=codes)
        gate.keeper.change_holding("people", lambda holding: holding)
        yield gate, target.alone


ABOUT_ONE: Sequence[str] = (
    "SELECT test FROM {table} WHERE {alone} AND test < {n}",
    "SELECT test FROM {table} WHERE NOT ({alone}) AND test < {n}",
    "SELECT age, town, test FROM {table} WHERE test < {n}",
)


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("times", 200), ("people", 400)):
        reader.add_argument(f"--{name}", type=int, default=usual)
    options = reader.parse_args()
    table = Table(
        title=f"A stopwatch's advantage over guessing, {options.times} replies of each kind"
    )
    for heading in ("distinguished", *DOORS):
        table.add_column(heading, justify="left" if heading == "distinguished" else "right")
    columns: list[dict[str, float]] = []
    for door in DOORS.values():
        with tempfile.TemporaryDirectory() as name, ExitStack() as opened:
            folder = Path(name)
            gate = opened.enter_context(
                a_gate(a_world(folder / "town", count=options.people).path, folder / "gate")
            )
            kinds = kinds_of(gate.keeper)
            found = times_of(opened.enter_context(door(gate)), kinds, times=options.times)
            scores = {
                f"{a} / {b}": advantage(found[a], found[b]) for a, b in combinations(kinds, 2)
            }
        with tempfile.TemporaryDirectory() as name, ExitStack() as opened:
            both, alone = opened.enter_context(two_worlds(Path(name), count=options.people))
            ask = opened.enter_context(door(both))
            for place, sql in enumerate(ABOUT_ONE):
                asked = {
                    f"answered {table}": (
                        sql.replace("{alone}", alone).replace("{table}", table),
                        "",
                    )
                    for table in ("none", "one")
                }
                seen = times_of(ask, asked, times=options.times // 2, seed=2 + place)
                scores[f"one test, question {place + 1}"] = advantage(*seen.values())
        columns.append(scores)
    for each in columns[0]:
        table.add_row(each, *(f"{scores[each]:.2f}" for scores in columns))
    Console().print(table)


if __name__ == "__main__":
    main()
