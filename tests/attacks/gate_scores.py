"""Prints what every attack gains against a plain gate and against ours: python
tests/attacks/gate_scores.py [--all].

With --all also the two that take minutes: a thousand random counts, and reading refusals.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import gate_reconstruction as reconstruction
import gate_refusals as refusals
import numpy as np
from gate_attackers import ATTACKS
from gate_noise import surer
from gate_sets import (
    colluding,
    cut_short,
    gained,
    knowing,
    many,
    minimal_nodes,
    one,
    probing,
    row_order,
    scored,
)
from gate_world import ONLY_K, World, against_ours, against_plain, improvement, pairs, people
from rich.console import Console
from rich.table import Table

from sfumato.gate.settings import Audience, Budget, Mode, Terms

EXACT = Terms(mode=Mode.EXACT)
FORGETFUL = Terms(mode=Mode.EXACT, audience=Audience.PERSON)
GENEROUS = Terms(budget=Budget(query=2.0, person=24.0, table=24.0))
WHOLE = {
    "all minimal nodes": minimal_nodes, "homogeneity": knowing(0), "one fact": knowing(1), "two facts": knowing(2),
    "two accounts": colluding,
}  # fmt: skip


def main(words: list[str]) -> None:
    table = Table(title="Confidence gained: 0 is guessing, 1 is knowing")
    for heading in ("attack", "plain gate", "ours"):
        table.add_column(heading, justify="left" if heading == "attack" else "right")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        towns = pairs(people(), 8, folder / "towns")
        for attack, asks in ATTACKS.items():
            over = towns[:2] if attack == "averaging" else towns
            scores = (
                improvement(against_plain(asks), over),
                improvement(against_ours(asks, terms=EXACT), over),
            )
            table.add_row(attack.replace("_", " "), *(f"{score:.2f}" for score in scores))
        for kind in ("fillers", "near-duplicates", "left out"):
            scores = (
                improvement(probing(kind, ours=False), towns),
                improvement(probing(kind, ours=True), towns),
            )
            table.add_row(f"link probing: {kind}", *(f"{score:.2f}" for score in scores))
        world, only_k = towns[0].worlds[0], World(people(), folder / "only-k", policy=ONLY_K)
        for attack, whole in WHOLE.items():
            scores = (
                scored(whole, only_k, many, terms=FORGETFUL),
                scored(whole, world, one, terms=EXACT),
            )
            table.add_row(attack, *(f"{score:.2f}" for score in scores))
        for order in (row_order, cut_short):
            known = gained([person.test for person in world.everybody], world.everybody)
            table.add_row(
                order.__name__.replace("_", " "),
                f"{known:.2f}",
                f"{scored(order, world, one, terms=EXACT):.2f}",
            )
        generous = surer(world, world.everybody[0], accounts=1, terms=GENEROUS)
        for accounts in (1, 3):
            score = surer(world, world.everybody[0], accounts=accounts)
            table.add_row(
                f"all noise on one target, {accounts} accounts", f"{generous:.2f}", f"{score:.2f}"
            )
        table.add_row(
            "linear program", *linear_program(folder, queries=1000 if "--all" in words else 60)
        )
        if "--all" in words:
            table.add_row("refusals read, sign known", *read_refusals(world))
    Console().print(table)


def linear_program(folder: Path, *, queries: int) -> tuple[str, str]:
    tests = reconstruction.seats()
    path = folder / "seats.csv"
    reconstruction.write(path, tests)
    won = reconstruction.reconstructed(
        reconstruction.plain(path), len(tests), queries=queries + 100
    )
    with reconstruction.ours(path) as count:
        lost = reconstruction.reconstructed(count, len(tests), queries=queries)
    return f"{reconstruction.gained(won, tests):.2f}", f"{reconstruction.gained(lost, tests):.2f}"


def read_refusals(world: World) -> tuple[str, str]:
    """Against a gate that judges each group by itself, and against ours."""
    rows = np.array([world.row_of(each) for each in world.everybody])
    marks = refusals.groups(world.everybody)
    alone = marks, refusals.judged_alone(world.conditions, marks, rows)
    by_nodes = refusals.told_by_looks(world.conditions, rows)
    scores = [
        refusals.gained(world.everybody, shown, found, chains=4, sweeps=1000)
        for found, shown in (alone, by_nodes)
    ]
    return f"{scores[0]:.2f}", f"{scores[1]:.2f}"


if __name__ == "__main__":
    main(sys.argv[1:])
