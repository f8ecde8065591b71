"""One run of `local_adult` in a process of its own: prints what it measured as JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.bins import Bins, LabelledRecoding
from sfumato.engines import open_source
from sfumato.hierarchies import CsvHierarchy, Hierarchy
from sfumato.protection import DistinctLDiversity, Model, TCloseness, reference_of
from sfumato.solvers.local import Local

LOWEST, HIGHEST = 17, 90
NOISY = ("education", "occupation")


def main(fields: str, labels: str, penalty: str, model: str, times: str, folder: str) -> None:
    names = tuple(fields.split(","))
    with open_source(Path(folder) / "adult.parquet") as engine:
        bins = Bins.count(engine, names, sensitive=("occupation",) if model else ())
    bins = grown(bins, int(times))
    bounds = {
        n: CsvHierarchy.read(Path(folder) / f"hierarchy_{n}.csv").bind(bins.labels[f])
        for f, n in enumerate(names)
    }
    solver = Local(
        k=5, models=_models(bins, model), labels=labels, penalty=penalty, numeric=("age",)
    )
    started = time.process_time()
    recoding = solver.solve(bins, bounds).recoding
    cpu = time.process_time() - started
    assert recoding.apply(bins, bounds).smallest >= 5
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    ncp, gcp = measured(bins, bounds, recoding)
    print(
        json.dumps(
            {"rows": bins.rows, "bins": len(bins), "ncp": ncp, "gcp": gcp, "cpu": cpu, "mb": peak}
        )
    )


def _models(bins: Bins, name: str) -> tuple[Model, ...]:
    about: dict[str, Any] = {"fields": bins.fields, "sensitive": "occupation"}
    if name == "distinct":
        return (DistinctLDiversity(l=3, **about),)
    if name == "closeness":
        return (TCloseness(t=0.2, reference=reference_of(bins, "occupation"), **about),)
    return ()


def grown(bins: Bins, times: int) -> Bins:
    """Adult `times` over, each copy but the first with noise."""
    if times == 1:
        return bins
    random = np.random.default_rng(0)
    rows = np.repeat(np.arange(len(bins)), bins.counts)
    parts = [bins.codes[rows]]
    for _ in range(times - 1):
        codes = bins.codes[rows].copy()
        age = bins.column("age")
        codes[:, age] = np.clip(
            codes[:, age] + random.integers(-3, 4, len(rows)), 0, len(bins.labels[age]) - 1
        )
        for name in NOISY:
            f = bins.column(name)
            drawn = random.random(len(rows)) < 0.2
            codes[drawn, f] = random.choice(codes[:, f], int(drawn.sum()))
        parts.append(codes)
    codes = np.concatenate(parts)
    return Bins(bins.fields, bins.labels, codes, np.ones(len(codes), np.int64)).project(bins.fields)


def measured(bins: Bins, bounds: dict[str, Hierarchy], recoding: Any) -> tuple[float, float]:
    """NCP, and GCP in percent, read from the released labels: how many leaves each covers, or how
    many years."""
    labels, codes = recoding.cells(bins, bounds)
    ncp, gcp = [], []
    for f, name in enumerate(bins.fields):
        hierarchy = bounds[name]
        leaves = len(hierarchy.labels[0])
        under = [covered(label, hierarchy) for label in labels[f]]
        size = np.array([len(found) for found in under], float)
        if name == "age":
            years = [sorted(min(max(int(v), LOWEST), HIGHEST) for v in found) for found in under]
            width = np.array([(found[-1] - found[0]) / (HIGHEST - LOWEST) for found in years])
            ranged = isinstance(recoding, LabelledRecoding)
            ncp.append(
                float((width if ranged else (size - 1) / (leaves - 1))[codes[:, f]] @ recoding.rows)
            )
            gcp.append(float(width[codes[:, f]] @ recoding.rows))
        else:
            ncp.append(float(((size - 1) / (leaves - 1))[codes[:, f]] @ recoding.rows))
            gcp.append(float(np.where(size > 1, size / leaves, 0.0)[codes[:, f]] @ recoding.rows))
    cells = bins.rows * len(bins.fields)
    return sum(ncp) / cells, 100 * sum(gcp) / cells


def covered(label: str | None, hierarchy: Hierarchy) -> set[str]:
    """The values of level 0 that a label stands for."""
    assert label is not None
    if label in hierarchy.level_of_label:
        level = hierarchy.level_of_label[label]
        code = hierarchy.labels[level].index(label)
        return {
            str(hierarchy.labels[0][leaf]) for leaf in np.flatnonzero(hierarchy.up[level] == code)
        }
    if label.startswith("{"):
        return set(label.strip("{}").split(", "))
    low, high = label.split("..")
    return {low, high}


if __name__ == "__main__":
    main(*sys.argv[1:])
