"""Private synthesis of small tables beside private independent marginals of the same budget: python -m
benchmarks synthesis_fallback. Where pairs are not worth their noise, the model must be as good as
independent fields; within 2 % is the goal."""

from __future__ import annotations

import csv
import os
from itertools import combinations
from pathlib import Path

import numpy as np

from sfumato.accounting import PrivacyAccount, PrivacyLimit
from sfumato.synthesis import BudgetShares, CodedTable, DomainField, synthesise

from .synthesis import DELTA, INDEPENDENT

CASES = {
    "titanic3": {0.1: 40, 0.3: 40, 1.0: 10},
    "diabetic_data": {0.1: 40, 0.3: 40, 1.0: 30, 3.0: 6},
    "maires_fr": {0.1: 100, 0.3: 12},
    "tse_candidatos_rj": {0.1: 20, 0.3: 20, 1.0: 10},
    "adventureworks_customers": {0.1: 10},
    "ibm_attrition": {0.1: 20, 1.0: 20, 3.0: 12, 10.0: 4},
    "compas": {0.1: 20, 0.3: 6, 1.0: 4},
    "wapo_shootings": {0.1: 40, 0.3: 10, 1.0: 4},
    "student_mat": {0.1: 40, 1.0: 40},
}
"""Tables of the folder real/ by epsilon, with the number of runs."""
FEW, MANY, CELLS = 20, 60, 40


def coded(file: Path) -> CodedTable:
    """Fields of few values by value, fields of numbers in even cells, all others left out."""
    with file.open(newline="", encoding="latin-1") as lines:
        separator = ";" if lines.readline().count(";") > FEW / 4 else ","
        lines.seek(0)
        header, *rows = csv.reader(lines, delimiter=separator)
    specs, codes = [], []
    for name, cells in zip(header, zip(*rows, strict=True), strict=True):
        values = sorted(set(cells))
        numbers = np.array([_number(cell) for cell in cells])
        if len(values) > FEW and np.isfinite(numbers).mean() > 0.7:
            low, high = np.nanmin(numbers), np.nanmax(numbers)
            place = np.nan_to_num((numbers - low) / (high - low) * CELLS, nan=CELLS)
            column = np.where(np.isfinite(numbers), np.clip(place, 0, CELLS - 1), CELLS)
            specs.append(DomainField(name=name, size=CELLS + 1, ordered=True, rare=(CELLS,)))
        elif 1 < len(values) <= MANY:
            known = {value: code for code, value in enumerate(values)}
            column = np.array([known[cell] for cell in cells])
            specs.append(DomainField(name=name, size=len(values)))
        else:
            continue
        codes.append(column.astype(np.int64))
    return CodedTable(fields=tuple(specs), codes=tuple(codes))


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return float("nan")


def distances(table: CodedTable, epsilon: float, shares: BudgetShares, runs: int) -> np.ndarray:
    """The mean total variation of pairs of some runs."""
    limit = PrivacyLimit(epsilon=epsilon, delta=DELTA)
    out = []
    for _ in range(runs):
        made = synthesise(table, PrivacyAccount(limit=limit), rho=limit.rho(), shares=shares)
        drawn = CodedTable(fields=table.fields, codes=made.codes)
        far = [
            np.abs(table.counts(pair) / table.rows - drawn.counts(pair) / drawn.rows).sum() / 2
            for pair in combinations(range(len(table.fields)), 2)
        ]
        out.append(float(np.mean(far)))
    return np.array(out)


def main() -> None:
    folder = Path(os.environ.get("SFUMATO_DATA", "")) / "real"
    if not folder.is_dir():
        print("synthesis_fallback: left out, as SFUMATO_DATA names no folder with real/")
        return
    for name, cases in CASES.items():
        table = coded(folder / f"{name}.csv")
        for epsilon, runs in cases.items():
            model, alone = (
                distances(table, epsilon, shares, runs) for shares in (BudgetShares(), INDEPENDENT)
            )
            ratio = model.mean() / alone.mean()
            error = np.hypot(*(far.std(ddof=1) / far.mean() for far in (model, alone)))
            print(
                f"{name} ({table.rows:,} x {len(table.fields)}), epsilon {epsilon:g}: tvd2 "
                f"{model.mean():.4f}, independent {alone.mean():.4f}, ratio {ratio:.3f} "
                f"(standard error {error / np.sqrt(runs):.3f}, {runs} runs)",
                flush=True,
            )
