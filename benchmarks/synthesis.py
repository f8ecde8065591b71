"""Private synthesis of Adult, scored by the scorer that lies beside the data: python -m benchmarks
synthesis. Five runs for each epsilon, also of private independent marginals of the same budget."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from sfumato.accounting import PrivacyAccount, PrivacyLimit
from sfumato.synthesis import BudgetShares, CodedTable, DomainField, synthesise

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
RUNS = 5
DELTA = 1e-9
ORDERED = {
    "age",
    "fnlwgt",
    "education-num",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
}
INDEPENDENT = BudgetShares(
    fields=0.997, first_look=1e-3, pairs=1e-3, second_look=1e-3, noise_price=1e9
)


def adult(folder: Path) -> CodedTable:
    """The training rows, by the sizes that are declared beside them."""
    sizes = json.loads((folder / "adult_domain.json").read_text())
    with (folder / "adult_train.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return CodedTable(
        fields=tuple(
            DomainField(name=name, size=size, ordered=name in ORDERED)
            for name, size in sizes.items()
        ),
        codes=tuple(np.array([int(row[name]) for row in rows], np.int64) for name in sizes),
    )


def made(table: CodedTable, epsilon: float, shares: BudgetShares, file: Path) -> float:
    """Write synthetic codes; CPU seconds of synthesis."""
    limit = PrivacyLimit(epsilon=epsilon, delta=DELTA)
    start = time.process_time()
    rows = synthesise(table, PrivacyAccount(limit=limit), rho=limit.rho(), shares=shares)
    seconds = time.process_time() - start
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow([spec.name for spec in table.fields])
        writer.writerows(zip(*(column.tolist() for column in rows.codes), strict=True))
    return seconds


def main() -> None:
    data = os.environ.get("SFUMATO_DATA")
    if not data or not (Path(data) / "synthesis").is_dir():
        print("synthesis: left out, as SFUMATO_DATA names no folder with synthesis/")
        return
    folder = Path(data) / "synthesis"
    table = adult(folder)
    for epsilon in EPSILONS:
        for name, shares in (("model", BudgetShares()), ("independent", INDEPENDENT)):
            scores: dict[str, list[float]] = {}
            for _ in range(RUNS):
                for key, value in scored(table, epsilon, shares, folder).items():
                    scores.setdefault(key, []).append(value)
            means = ", ".join(
                f"{key} {np.mean(values):.4f} ({min(values):.4f} to {max(values):.4f})"
                for key, values in scores.items()
            )
            print(f"epsilon {epsilon:g}, {name}: {means}", flush=True)


def scored(
    table: CodedTable, epsilon: float, shares: BudgetShares, folder: Path
) -> dict[str, float]:
    """Scores of one run by the scorer beside the data, and its CPU seconds."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "made.csv"
        seconds = made(table, epsilon, shares, file)
        asked = [sys.executable, str(folder / "score_synthesis.py"), str(file)]
        # Threads of a small model wait for one another more than they work.
        alone = os.environ | {"OMP_NUM_THREADS": "1"}
        said = subprocess.run(asked, capture_output=True, text=True, check=True, env=alone).stdout
    found = {
        f"{name} to {whom}": float(value)
        for line in re.findall(r"(tvd\d) to training ([\d.]+)  to holdout ([\d.]+)", said)
        for name, whom, value in ((line[0], "training", line[1]), (line[0], "holdout", line[2]))
    }
    found["AUC loss"] = float(re.findall(r"loss (-?[\d.]+)", said)[0])
    return found | {"CPU s": seconds}
