"""Tables of counts: python -m benchmarks tabulate. Private counts of a million made-up people, and
classical tables of Adult and of other tables in the folder that SFUMATO_DATA names."""

from __future__ import annotations

import csv
import os
import resource
import tempfile
import time
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import sfumato

PEOPLE, STATES, COUNTIES, TRACTS = 1_000_000, 50, 300, 3_000
CUTS = [10, 20, 30, 40, 50, 60, 70, 80, 90]
ADULT = (
    ("education",),
    ("education", "race"),
    ("education", "race", "sex"),
    ("marital-status", "race", "sex", "salary-class"),
    ("native-country", "education"),
)


def areas_of(folder: Path) -> list[tuple[str, str, str]]:
    rows = [
        (f"s{n * STATES // TRACTS:02d}", f"c{n * COUNTIES // TRACTS:03d}", f"t{n:04d}")
        for n in range(TRACTS)
    ]
    with (folder / "areas.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("state", "county", "tract"), *rows])
    return rows


def people_of(folder: Path, rows: list[tuple[str, str, str]]) -> dict[str, np.ndarray[Any, Any]]:
    """Skewed areas and cells, as a census has them."""
    import pandas

    chance = np.random.default_rng(7)
    weights = chance.lognormal(0, 0.8, len(rows))
    columns = {
        "tract": np.array([row[2] for row in rows])[
            chance.choice(len(rows), PEOPLE, p=weights / weights.sum())
        ],
        "sex": chance.choice(["F", "M"], PEOPLE),
        "age": np.minimum(99, chance.gamma(4, 10, PEOPLE).astype(int)),
        "origin": chance.choice(list("abcde"), PEOPLE, p=[0.7, 0.15, 0.1, 0.04, 0.01]),
    }
    pandas.DataFrame(columns).to_parquet(folder / "people.parquet")
    return columns


def private(folder: Path) -> None:
    rows = areas_of(folder)
    people = people_of(folder, rows)
    start = time.process_time()
    made = sfumato.tabulate(
        folder / "people.parquet",
        method="private",
        epsilon=1.0,
        delta=1e-9,
        levels=["state", "county", "tract"],
        areas=str(folder / "areas.csv"),
        domains={
            "sex": ["F", "M"],
            "age": {"cuts": CUTS},
            "origin": list("abcde"),
        },
        to=folder / "private",
    )
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| private | {made.cells:,} counts | {seconds:.1f} CPU s, {memory:.0f} MB |")
    start = time.process_time()
    bad = [check.claim for check in sfumato.verify(made.folder) if check.outcome == "fail"]
    assert not bad, bad
    print(f"| verify | every sum recounted | {time.process_time() - start:.1f} CPU s |")
    _errors(made.folder, people, made.manifest)


def _errors(folder: Any, people: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """True errors of the whole and of the tracts, beside the sigma of plain noise."""
    import pandas

    released = pandas.read_csv(folder / "counts.csv")
    truth = pandas.DataFrame(people)
    edges = [-1, *(cut - 1 for cut in CUTS), 1_000]
    names = [
        f"under {CUTS[0]}",
        *(f"{a} to under {b}" for a, b in pairwise(CUTS)),
    ]
    truth["age"] = pandas.cut(truth["age"], edges, labels=[*names, f"{CUTS[-1]} and over"])
    keys = ["sex", "age", "origin"]
    sigmas = {
        line["what"].rpartition(" ")[2]: line["sigma"]
        for line in facts["account"]["measurements"]
        if line["what"].startswith("counts of cells")
    }
    for level, by in (("Total", keys), ("tract", ["area", *keys])):
        table = released[released["level"] == level]
        true = truth.rename(columns={"tract": "area"}).groupby(by, observed=False).size()
        joined = table.merge(true.rename("true").reset_index(), on=by, how="left").fillna(
            {"true": 0}
        )
        errors = joined["count"] - joined["true"]
        print(
            f"| {level} | root mean square error {np.sqrt((errors**2).mean()):.2f}, plain noise "
            f"{sigmas[level]:.2f} | empty cells {errors[joined['true'] == 0].mean():+.2f}, cells of "
            f"20 and more {errors[joined['true'] >= 20].mean():+.2f} |"
        )


def classical(folder: Path, data: Path) -> None:
    adult = data / "adult" / "adult.parquet"
    for fields in ADULT:
        _line(
            folder, adult, "Adult, " + " by ".join(fields), method="suppress", fields=list(fields)
        )
    others = data / "real"
    _line(
        folder,
        others / "ibm_attrition.csv",
        "IBM attrition, income",
        method="suppress",
        fields=["JobRole", "EducationField", "Gender"],
        measure="MonthlyIncome",
        p_percent=10,
        dominance={"n": 2, "k": 80},
        threshold=3,
    )
    _line(
        folder,
        others / "titanic3.csv",
        "Titanic, linked tables",
        method="suppress",
        tables=[["pclass", "sex", "survived"], ["embarked", "pclass"], ["sibsp", "sex"]],
    )
    more = {"fields": ["education", "race", "sex"]}
    for method in ("round", "cell_key"):
        _line(folder, adult, f"Adult, {method}", method=method, **more)


def _line(folder: Path, source: Path, name: str, **policy: Any) -> None:
    start = time.process_time()
    made = sfumato.tabulate(source, to=folder / "made", replace=True, **policy)
    seconds = time.process_time() - start
    bad = [check.claim for check in sfumato.verify(made.folder) if check.outcome == "fail"]
    assert not bad, bad
    shown = [f"{what}: {found}" for what, found in made.findings if "left out" not in what]
    print(
        f"| {name} | {made.cells:,} cells, {made.suppressed:,} suppressed | {seconds:.1f} CPU s |"
    )
    for words in shown:
        print(f"    {words}")


def main() -> None:
    data = Path(os.environ.get("SFUMATO_DATA", "data"))
    with tempfile.TemporaryDirectory() as name:
        private(Path(name))
        classical(Path(name), data)


if __name__ == "__main__":
    main()
