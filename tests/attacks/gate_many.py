"""Every attack on the gate that a user gets who names no terms, through real clients, with
intervals.

    python tests/attacks/gate_many.py [--targets 400] [--towns 12]
    python tests/attacks/gate_many.py --only "other functions" --targets 1200

Mode is `either`: numbers are exact where that is safe and noisy where it is not, so that luck
decides what an attacker says. Each target lives in a town of their own, and in two worlds that
differ in their test; all questions go through psycopg, link mode and whole answers through httpx,
both over sockets. Told are the mean of what is gained and the upper end of its 95 % interval. A
refusal is taken for whichever answer it helps more, so that means lean upwards."""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import gate_reconstruction as reconstruction
import numpy as np
from gate_attackers import ATTACKS, count
from gate_clients import Web, a_gate, beside, by_web, by_wire, wire_of
from gate_noise import SPELLINGS
from gate_sets import (
    KNOWN,
    all_but,
    colluding,
    cut_short,
    gained,
    knowing,
    labels_of,
    made_up,
    minimal_nodes,
    near_duplicates,
    one,
    row_order,
    rows_by_label,
)  # fmt: skip
from gate_world import Ask, Person, World, most, people
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from sfumato.errors import Refused
from sfumato.gate.decide.confidentiality import Conditions
from sfumato.gate.decide.protected_table import ProtectedTable
from sfumato.gate.gate_opener import Gate

ACCOUNTS = ("eve", "mallory", "trudy")
ROOMS = 9
"""Gates at a time; no multiple of two, so that each has targets of every attack."""
NOISY = ("difference", "difference_respelt", "general_tracker", "individual_tracker")
"""Attacks whose answers are partly noisy."""
ALL_NOISE = "all noise, three accounts"
Said = tuple[object, object]
"""What an attacker says in the world where the test is 0, and in that where it is 1."""
WHOLE = {
    "all minimal nodes": minimal_nodes, "homogeneity": knowing(0), "one fact": knowing(1), "two facts": knowing(2),
    "two accounts": colluding, "row order": row_order, "cut short": cut_short,
}  # fmt: skip


@dataclass(frozen=True)
class Score:
    mean: float
    upper: float

    @classmethod
    def of(cls, numbers: Sequence[float] | NDArray[np.float64]) -> Score:
        found = np.asarray(numbers, float)
        mean, spread = float(found.mean()), float(found.std(ddof=1)) if len(found) > 1 else 0.0
        return cls(mean, mean + 1.96 * spread / math.sqrt(len(found)))

    @classmethod
    def of_said(cls, said: Sequence[Said]) -> Score:
        """What is neither 0 nor 1 counts as the one that helps the attacker more."""
        return max(
            (cls.of([_said(b, to) - _said(a, to) for a, b in said]) for to in (0, 1)),
            key=lambda s: s.mean,
        )


def _said(word: object, otherwise: int) -> int:
    return int(word) if word in (0, 1) else otherwise  # type: ignore[call-overload]


def all_noise(asks: Sequence[Ask], target: Person) -> int | None:
    """Everybody but the target again and again, until no account has anything left; the total is
    told exactly."""
    whole = count(asks[0])
    found: list[float] = []
    refused = 0
    for spelling, (number, ask) in product(SPELLINGS, enumerate(asks)):
        rows = ask(
            f"SELECT COUNT(*) FROM people WHERE NOT ({target.alone}) AND ({spelling}) AND "
            f"cost >= -{number}"
        )
        if rows:
            found.append(float(rows[0][0]))
        refused += not rows
        if refused > len(asks):
            break
    if whole is None or not found:
        return None
    return int((whole - np.array(found) - 0.5).sum() > 0)  # The odds, for noise of one sigma.


@dataclass(eq=False)
class Room:
    """A gate with one table, which is put back to what nobody has asked anything of, with other
    tests."""

    gate: Gate
    everybody: Sequence[Person]
    rows: NDArray[np.int64]
    base: ProtectedTable
    _known: dict[tuple[int, int], Conditions] = field(default_factory=dict)

    def target(self, seed: int) -> Person:
        return self.everybody[(seed * 37) % len(self.everybody)]

    def afresh(self, seed: int, test: int) -> None:
        """The town of this seed, in which the target's test is as said."""
        if (seed, test) not in self._known:
            if len(self._known) > 1:
                self._known.clear()
            holding = self._town(seed, test)
            self._known[seed, test] = Conditions(holding=holding, policy=holding.policy)
        conditions = self._known[seed, test]
        for table in ("exposures", "spent", "records"):
            self.gate.state.all(f"DELETE FROM {table}")
        self.gate.keeper.change_holding("people", lambda _: conditions.holding)
        self.gate.keeper.tables.__dict__["conditions"] = {
            "people": conditions
        }  # Counted once for all attacks.

    def _town(self, seed: int, test: int) -> ProtectedTable:
        held = self.base.fields["test"]
        values = np.array([held.values.index("0"), held.values.index("1")], np.int32)
        tests = (np.random.default_rng([7, seed]).random(len(self.everybody)) < 0.5).astype(
            np.int64
        )
        tests[self.target(seed).place] = test
        codes = held.codes.copy()
        codes[self.rows] = values[tests]
        return beside(self.base, "people", test=codes)


@contextmanager
def a_room(folder: Path) -> Iterator[Room]:
    world = World(people(), folder / "people")
    rows = np.array([world.row_of(each) for each in world.everybody])
    with a_gate(world.path, folder / "gate", accounts=ACCOUNTS) as gate:
        yield Room(gate, world.everybody, rows, gate.keeper.holdings["people"])


def said_in(folder: Path, seeds: Sequence[int], only: Sequence[str] = ()) -> dict[str, list[Said]]:
    """What the attackers of gate_attackers say, and those who spend all noise on one target,
    through psycopg; and those who bring records, through httpx. Those who see no noise have one
    target in four, averaging one in sixteen; attacks that are named in `only` have every target,
    and are the only ones."""
    out: dict[str, list[Said]] = {}
    with ExitStack() as opened:
        room = opened.enter_context(a_room(folder))
        where = opened.enter_context(wire_of(room.gate))
        asks = [opened.enter_context(by_wire(where, name=name)) for name in ACCOUNTS]
        web = opened.enter_context(by_web(room.gate))
        for seed in seeds:
            target = room.target(seed)
            for name, says in _attacks(0 if only else seed, asks, web, room).items():
                if only and name not in only:
                    continue
                both = []
                for test in (0, 1):
                    room.afresh(seed, test)
                    both.append(says(target))
                out.setdefault(name, []).append((both[0], both[1]))
    return out


def _attacks(
    seed: int, asks: Sequence[Ask], web: Web, room: Room
) -> dict[str, Callable[[Person], object]]:
    out: dict[str, Callable[[Person], object]] = {ALL_NOISE: lambda target: all_noise(asks, target)}
    for name, attack in ATTACKS.items():
        if seed % (1 if name in NOISY else 16 if name == "averaging" else 4) == 0:
            out[name.replace("_", " ")] = lambda target, attack=attack: attack(asks[0], target)
    if seed % 4 == 0:
        brings: dict[str, Callable[[Person], list[list[dict[str, str | None]]]]] = {
            "fillers": lambda target: [[target.record, *made_up(target, 9)]],
            "near-duplicates": lambda target: [near_duplicates(target, room.everybody)],
            "left out": lambda target: [
                [each.record for each in room.everybody],
                all_but(target, room.everybody),
            ],
        }
        for kind, brought in brings.items():
            out[f"link probing: {kind}"] = lambda target, brought=brought: _linked(
                web, target, brought(target)
            )
    return out


def by_targets(folder: Path, targets: int, only: Sequence[str] = ()) -> dict[str, Score]:
    """Several gates at a time: replies leave at round times, so that one gate is mostly waiting."""
    with ThreadPoolExecutor(ROOMS) as pool:
        parts = [
            pool.submit(said_in, folder / f"room {number}", range(number, targets, ROOMS), only)
            for number in range(ROOMS)
        ]
        said: dict[str, list[Said]] = {}
        for part in parts:
            for name, each in part.result().items():
                said.setdefault(name, []).extend(each)
    return {f"{name} ({len(each)})": Score.of_said(each) for name, each in said.items()}


def _linked(web: Web, target: Person, brought: Sequence[list[dict[str, str | None]]]) -> object:
    tests = []
    for records in brought:
        try:
            answer = web.link(next(one()), "people", records, on=KNOWN, show=["test"])
        except Refused:
            return None
        rows = rows_by_label(answer).get(labels_of(answer, target, web), {})  # type: ignore[arg-type]
        tests.append([int(str(row[0])) for row, times in rows.items() for _ in range(times)])
    return most(tests[0]) if len(tests) == 1 else int(sum(tests[0]) - sum(tests[1]) > 0.5)


def by_towns(folder: Path, towns: int) -> dict[str, Score]:
    """Whole answers put together, through httpx: what is believed of everybody in a town."""
    scores: dict[str, list[float]] = {name: [] for name in WHOLE}
    for seed, name in product(range(towns), WHOLE):
        world = World(people(seed=100 + seed), folder / f"{seed} {name}")
        with a_gate(world.path, folder / f"gate {seed} {name}") as gate, by_web(gate) as web:
            scores[name].append(gained(WHOLE[name](web, world.everybody, one()), world.everybody))  # type: ignore[arg-type]
    return {name: Score.of(each) for name, each in scores.items()}


def by_linear_program(folder: Path, towns: int, *, queries: int) -> dict[str, Score]:
    """A thousand counts of random people, through psycopg and three accounts; some towns at a
    time."""

    def solved(seed: int) -> float:
        tests, path = reconstruction.seats(seed=seed), folder / f"seats {seed}" / "people.csv"
        reconstruction.write(path, tests)
        with reconstruction.by_clients(path, folder / f"gate seats {seed}") as count:
            return reconstruction.gained(
                reconstruction.reconstructed(count, len(tests), queries=queries), tests
            )

    with ThreadPoolExecutor(6) as pool:
        return {
            f"linear program, {queries:,} counts": Score.of(list(pool.map(solved, range(towns))))
        }


def scores(options: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Score]]:
    yield from by_targets(folder, options.targets, options.only).items()
    if options.only:
        return
    yield from by_towns(folder, options.towns).items()
    yield from by_linear_program(folder, options.towns, queries=options.queries).items()


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("targets", 400), ("towns", 12), ("queries", 1000)):
        reader.add_argument(f"--{name}", type=int, default=usual)
    reader.add_argument("--only", action="append", default=[], metavar="ATTACK", help="repeatable")
    options = reader.parse_args()
    table = Table(
        title="Confidence gained at the default policy and terms: 0 is guessing, 1 is knowing"
    )
    for heading in ("attack", "mean", "upper end of 95 %"):
        table.add_column(heading, justify="left" if heading == "attack" else "right")
    with tempfile.TemporaryDirectory() as name:
        for attack, score in scores(options, Path(name)):
            table.add_row(attack, f"{score.mean:.3f}", f"{score.upper:.3f}")
            Console(stderr=True).print(attack, f"{score.mean:.3f} {score.upper:.3f}")
    Console().print(table)


if __name__ == "__main__":
    main()
