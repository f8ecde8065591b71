"""What attackers gain where the gate once had a hole: joins, tables together, states, erasures, plans,
renewal, membership, and noise spent on one target. Each with the upper end of its 95 % interval,
beside a gate without the rule that closes the hole.

    python tests/attacks/gate_holes.py [--only joins] [--replays 2000]

The attacks are those of the tests of the same names, over more targets: 1,200 people or more, or
replays of the noise. Everything is asked in this process."""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), *(str(ROOT / "tests" / each) for each in ("unit/gate", "services"))]

import test_gate_renewal as renewal  # noqa: E402
from gate_attackers import ATTACKS  # noqa: E402
from gate_many import ACCOUNTS, all_noise  # noqa: E402
from gate_replays import interval  # noqa: E402
from gate_world import World, held, pairs, people  # noqa: E402
from tests.attacks import (  # noqa: E402
    test_gate_joins,
    test_gate_linked_tables,
    test_gate_membership,
    test_gate_plans,
    test_gate_states,
)

from sfumato.gate.decide.cohorts import StateChange  # noqa: E402
from sfumato.gate.decide.exposure import Exposure  # noqa: E402
from sfumato.gate.noise.budgets import Budgets  # noqa: E402
from sfumato.gate.settings import Budget, Mode, Terms  # noqa: E402

Score = tuple[str, float, float, float]
"""On whom it was tried, what a gate without the rule gives, what ours gives, and the upper end."""
MIXING = ("difference", "difference_respelt", "general_tracker", "individual_tracker")
GENEROUS = Terms(least=5, budget=Budget(query=4.0, person=400.0, table=400.0))


def joins(folder: Path) -> Iterator[tuple[str, Score]]:
    score = test_gate_joins.gained_over(folder / "ours", gates=6)
    control = test_gate_joins.gained_over(folder / "loud", gates=1, terms=test_gate_joins.LOUD)
    yield "a join: who is in psychiatry", ("1,200 people", control[0], *score)


def tables(folder: Path) -> Iterator[tuple[str, Score]]:
    module = test_gate_linked_tables
    everybody = module._hospital(1200)
    for first in ("patients", "stays"):
        place = folder / first
        with ExitStack() as opened:
            apart = {
                table.name: opened.enter_context(
                    module.linked_gate(place / "apart" / table.name, [table])
                )
                for table in module._tables(place / "apart", everybody)
            }
            control = module._gained(apart, everybody, first)[0]
        held_tables = module._tables(place, everybody, rule=module.GAINED)
        with module.linked_gate(place, held_tables) as gate:
            score = module._gained({"patients": gate, "stays": gate}, everybody, first)
        yield (
            f"two accounts, two tables, {first} first",
            ("1,200 people", control, *map(float, score)),
        )


def states(folder: Path) -> Iterator[tuple[str, Score]]:
    module = test_gate_states
    with ExitStack() as broken:
        for name, change in (
            ("able_to_leave", lambda self, leaving: dict(leaving)),
            ("able_to_join", lambda self, kept, coming: dict(coming)),
        ):
            broken.enter_context(patch.object(StateChange, name, change))
        broken.enter_context(patch.object(Exposure, "moved", _forgotten))
        town = module.Town(folder / "taken")
        control = module.improvement(module.guesses(town, reloads=12, number=1))[0]
    found = module.guesses(module.Town(folder / "ours"), reloads=4, number=100)
    yield (
        "a state subtracted from the one before",
        (f"{len(found):,} people", control, *module.improvement(found)),
    )


def erasures(folder: Path) -> Iterator[tuple[str, Score]]:
    module = test_gate_states
    with (
        patch.object(StateChange, "with_companions", lambda self, leaving, chance: dict(leaving)),
        patch.object(Exposure, "moved", _forgotten),
    ):
        control = module.improvement(module.guesses_of_erased(folder / "alone", gates=1))[0]
        alone = np.array(module.guesses_of_erased_numbers(folder / "pay alone", gates=1), float)
    found = module.guesses_of_erased(folder / "ours", gates=110)
    yield (
        "the value of the erased",
        (f"{len(found):,} people", control, *module.improvement(found)),
    )
    each = np.array(module.guesses_of_erased_numbers(folder / "pay", gates=310), float)
    gained = each[:, 0] - each[:, 1]
    upper = gained.mean() + 1.96 * gained.std() / math.sqrt(len(gained))
    yield (
        "the pay of the erased",
        (
            f"{len(each):,} people",
            float((alone[:, 0] - alone[:, 1]).mean()),
            float(gained.mean()),
            float(upper),
        ),
    )


def plans(folder: Path) -> Iterator[tuple[str, Score]]:
    module = test_gate_plans
    control = module.gained_interval(4, None)
    score = module.gained_interval(42, folder)
    yield "the outcome of a plan", (f"{42 * module.MOST // 2:,} people", control[0], *score)


def waiting(folder: Path) -> Iterator[tuple[str, Score]]:
    world = World(renewal.EVERYBODY, folder / "world")
    ours = renewal.surer(renewal.sigmas_of_years(world))
    real = Budgets._limits

    def renewed(self: Budgets, *of: object) -> object:
        return [each for each in real(self, *of) if "period" in each.scope]  # type: ignore[arg-type]

    with patch.object(Budgets, "_limits", renewed):
        control = renewal.surer(renewal.sigmas_of_years(world))
    # Belief follows from the noise by Bayes' rule: 20,000 draws leave no interval to speak of.
    yield "300 weeks of waiting", ("20,000 replays", control, ours, ours + 1.96 / 20_000**0.5)


def membership(folder: Path) -> Iterator[tuple[str, Score]]:
    module = test_gate_membership
    rules = module.policy(domain=True, membership="protected")
    target = module.Target(age=33, test=1)
    tables_of = [
        held(module.written(folder / f"{name}.csv", who, each=20), rules)
        for name, who in (("with", target), ("without", None))
    ]
    generous = Terms(mode=Mode.NOISY, budget=Budget(query=8.0, person=8.0, table=8.0))
    found = [module.replies(table, module.NOISY, module.REPLIES) for table in tables_of]
    loud = [module.replies(table, generous, 400) for table in tables_of]
    yield (
        "whether somebody is in the table",
        (f"{module.REPLIES:,} replays", module.advantage(*loud)[0], *module.advantage(*found)),
    )


def noise(folder: Path, *, times: int) -> Iterator[tuple[str, Score]]:
    towns = pairs(people(), 10, folder / "towns")
    told = f"10 people, {times:,} replays"
    for name in MIXING:

        def attack(asks, target, name=name):  # type: ignore[no-untyped-def]
            return ATTACKS[name](asks[0], target)

        loud = interval(attack, towns[1:3], terms=GENEROUS, times=100)[0]
        score = interval(attack, towns, times=times)
        yield name.replace("_", " "), (told, loud, *score)
    loud = interval(all_noise, towns[:1], accounts=ACCOUNTS, terms=GENEROUS, times=20)[0]
    score = interval(all_noise, towns, accounts=ACCOUNTS, times=times)
    yield "all noise on one target, three accounts", (told, loud, *score)


def _forgotten(self: Exposure, source: np.ndarray, cohorts: object) -> Exposure:
    return Exposure.nothing(len(source), self.tied)


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--only", action="append", default=[], metavar="HOLE", help="repeatable")
    reader.add_argument("--replays", type=int, default=2_000)
    options = reader.parse_args()
    holes: dict[str, Callable[[Path], Iterator[tuple[str, Score]]]] = {
        each.__name__: each
        for each in (joins, tables, states, erasures, plans, waiting, membership)
    }
    holes["noise"] = lambda folder: noise(folder, times=options.replays)
    table = Table("attack", "on", "without the rule", "ours", "upper end of 95 %")
    with tempfile.TemporaryDirectory() as name:
        for hole, attack in holes.items():
            if options.only and hole not in options.only:
                continue
            folder = Path(name) / hole
            folder.mkdir()
            for told, (on, *numbers) in attack(folder):
                row = (told, on, *(f"{each:.3f}" for each in numbers))
                Console(stderr=True).print(*row)
                table.add_row(*row)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
