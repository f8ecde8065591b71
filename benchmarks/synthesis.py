"""Private synthesis of Adult, scored by the scorer that lies beside the data: python -m benchmarks
synthesis. Also prints private independent marginals of the same budget."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from sfumato.accounting import PrivacyAccount, PrivacyLimit
from sfumato.synthesis import BudgetShares, CodedTable, DomainField, synthesise

EPSILONS = (0.1, 1.0, 10.0)
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
            with tempfile.TemporaryDirectory() as place:
                file = Path(place) / "made.csv"
                seconds = made(table, epsilon, shares, file)
                asked = [sys.executable, str(folder / "score_synthesis.py"), str(file)]
                said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
            print(f"epsilon {epsilon:g}, {name}: {seconds:.1f} CPU s")
            print("  " + said.strip().replace("\n", "\n  "), flush=True)
