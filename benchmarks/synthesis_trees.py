"""Synthesis by trees: Adult scored by the scorer beside the data, and how often 95 % intervals of the
combining rules cover the truth in 1,000 simulations: python -m benchmarks synthesis_trees.

In a simulation a source of 1,000 people is drawn from a known population in which trees are a correct
model (few values, each field dependent on those before it); copies are drawn, analysed and combined.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sfumato.synthesis import (
    RAAB,
    RAGHUNATHAN,
    REITER,
    CodedTable,
    CombiningRule,
    DomainField,
    combined,
    draw_by_trees,
)

from .synthesis import adult

RUNS, PEOPLE = 1_000, 1_000
COPIES = {REITER: 5, RAGHUNATHAN: 20, RAAB: 5}
LEAST_ROWS = 20
FIELDS = (
    DomainField(name="sex", size=2),
    DomainField(name="ward", size=3),
    DomainField(name="ill", size=2),
    DomainField(name="stay", size=12, ordered=True),
)
Estimates = dict[str, tuple[float, float]]


def population(chance: np.random.Generator, people: int) -> np.ndarray:
    sex, ward = chance.integers(0, 2, people), chance.integers(0, 3, people)
    ill = (chance.random(people) < np.array([0.2, 0.3, 0.5])[ward] + 0.1 * sex).astype(int)
    stay = np.clip(chance.poisson(2 + 2 * ill + sex), 0, 11)
    return np.stack([sex, ward, ill, stay])


def estimates(codes: np.ndarray) -> Estimates:
    """Named estimands with their variances: a share, a mean, a difference of means, a slope."""
    sex, ward, ill, stay = codes
    people = len(sex)
    one, other = stay[ill == 1], stay[ill == 0]
    inputs = np.stack([np.ones(people), sex, ill, ward == 1, ward == 2], axis=1).astype(float)
    inverse = np.linalg.inv(inputs.T @ inputs)
    slopes = inverse @ (inputs.T @ stay)
    left = stay - inputs @ slopes
    spread = inverse @ (inputs.T @ (inputs * (left**2)[:, None])) @ inverse
    return {
        "share of ill people": (ill.mean(), ill.var() / people),
        "mean stay": (stay.mean(), stay.var(ddof=1) / people),
        "stay of ill against other people": (
            one.mean() - other.mean(),
            one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other),
        ),
        "slope of stay on sex": (slopes[1], spread[1, 1]),
    }


def coverage(name: str, runs: int, seed: int, copies: int) -> tuple[dict[str, float], float]:
    """The share of intervals that cover the truth, by estimand; and how often a rule's variance was
    negative."""
    truth = estimates(population(np.random.default_rng(1), 2_000_000))
    hits, notes = dict.fromkeys(truth, 0), 0
    chance = np.random.default_rng(seed)
    rule = CombiningRule(name=name, copies=copies, rows=PEOPLE, source_rows=PEOPLE)
    for _ in range(runs):
        table = CodedTable(fields=FIELDS, codes=tuple(population(chance, PEOPLE)))
        found = [
            estimates(
                np.stack(
                    draw_by_trees(
                        table,
                        rows=PEOPLE,
                        chance=chance,
                        kept=(0, 1) if name == REITER else (),
                        least_rows=LEAST_ROWS,
                        resampled=name != RAAB,
                    ).codes
                )
            )
            for _ in range(copies)
        ]
        for key, (true, _) in truth.items():
            both = combined(
                rule, [each[key][0] for each in found], [each[key][1] for each in found]
            )
            hits[key] += both.low <= true <= both.high
            notes += bool(both.note)
    return {key: hit / runs for key, hit in hits.items()}, notes / runs / len(truth)


def score_adult(folder: Path, show: Callable[[str], None]) -> None:
    table = adult(folder)
    start = time.process_time()
    made = draw_by_trees(table, rows=table.rows, chance=np.random.default_rng())
    show(f"Adult by trees: {time.process_time() - start:.1f} CPU s")
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "made.csv"
        with file.open("w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow([spec.name for spec in table.fields])
            writer.writerows(zip(*(column.tolist() for column in made.codes), strict=True))
        asked = [sys.executable, str(folder / "score_synthesis.py"), str(file)]
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    show("  " + said.strip().replace("\n", "\n  "))


def main() -> None:
    data = os.environ.get("SFUMATO_DATA")
    if data and (Path(data) / "synthesis").is_dir():
        score_adult(Path(data) / "synthesis", lambda words: print(words, flush=True))
    for name, copies in COPIES.items():
        found, notes = coverage(name, RUNS, seed=len(name), copies=copies)
        shares = ", ".join(f"{key} {share:.1%}" for key, share in found.items())
        print(f"{name}, {copies} copies: {shares}; negative variance {notes:.1%}", flush=True)
