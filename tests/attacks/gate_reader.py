"""A reader who learns: from thousands of towns whose tests they know, what everything beside the
answers says of one.

    python tests/attacks/gate_reader.py [--towns 2000]

The same people live in every town, and half of them have a positive test, other ones each time. The
reader is told which shapes are offered before and after some answers, which numbers are exact, how
many questions are left, and how many of the target's group are positive (see
gate_oracles.features). A logistic regression and a forest learn the target's test from four fifths
of the towns and guess it in the others. Told is what they gain over guessing, and half the width of
its 95 % interval. Needs scikit-learn."""

from __future__ import annotations

import argparse
import math
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from gate_oracles import features
from gate_world import World, keeping, people
from rich.console import Console

PLACE = 101
"""Where the target stands."""


def read(towns: int, folder: Path) -> tuple[list[dict[str, float]], list[int]]:
    """What is told in each town, and the target's test there."""
    world = World(people(), folder / "people")
    rows = np.array([world.row_of(each) for each in world.everybody])
    held = world.holding.fields["test"]
    values = np.array([held.values.index("0"), held.values.index("1")], np.int32)
    told, tests = [], []
    for seed in range(towns):
        positive = np.random.default_rng([11, seed]).permutation(len(rows)) < len(rows) // 2
        codes = held.codes.copy()
        codes[rows] = values[positive.astype(int)]
        holding = replace(
            world.holding, fields={**world.holding.fields, "test": replace(held, codes=codes)}
        )
        with keeping(holding, folder / str(seed)) as keeper:
            told.append(features(keeper, world.everybody[PLACE]))
        tests.append(int(positive[PLACE]))
    return told, tests


def learned(told: list[dict[str, float]], tests: list[int]) -> dict[str, float]:
    """What each learner gains."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict

    table = DictVectorizer(sparse=False).fit_transform(told)
    learners = {
        "logistic regression": LogisticRegression(C=0.05, max_iter=1_000),
        "forest": RandomForestClassifier(100, min_samples_leaf=20, random_state=0),
    }
    return {
        name: float(2 * (cross_val_predict(each, table, tests, cv=5) == tests).mean() - 1)
        for name, each in learners.items()
    }


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--towns", type=int, default=2_000)
    towns = reader.parse_args().towns
    with tempfile.TemporaryDirectory() as folder:
        told, tests = read(towns, Path(folder))
    for name, gain in learned(told, tests).items():
        Console().print(f"{name}: {gain:.3f}, within {1.96 / math.sqrt(towns):.3f}")


if __name__ == "__main__":
    main()
