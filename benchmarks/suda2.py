"""SUDA2 beside sdcMicro's C++, and how it grows with rows, fields and the largest size, in CPU
seconds of one thread.

sdcMicro's figures are those of the same data on a machine like ours (8 keys, all sizes): 0.46 at
30,000 rows, 2.6 at 300,000. The larger tables are Adult ten times over, each cell with a chance of
one in ten that it is drawn anew from its column: plain copies would have no unique left, and be
easier. "all drawn" draws every cell anew, so that fields are independent and nearly every record is
unique: the hardest table of that size with Adult's columns."""

from __future__ import annotations

from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from sfumato.assessment.risk import suda2
from sfumato.bins import Bins, group
from sfumato.engines import open_source

from .data import DATA, have
from .lattice_growth import people

KEYS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
)
SDCMICRO = {30_162: 0.46, 301_620: 2.6}
FIELDS = (4, 8, 12, 16, 20)
SIZES = (1, 2, 3, 4, 5)


def adult() -> Bins:
    with open_source(DATA / "adult" / "adult.parquet") as engine:
        return Bins.count(engine, KEYS)


def larger(bins: Bins, times: int, *, drawn: float, seed: int = 1) -> Bins:
    """The rows `times` over, each cell drawn anew from its column with the chance `drawn`."""
    chance = np.random.default_rng(seed)
    rows = np.repeat(bins.codes, bins.counts, axis=0)
    out = np.tile(rows, (times, 1))
    for column in range(out.shape[1]):
        anew = chance.random(len(out)) < drawn
        out[anew, column] = chance.choice(rows[:, column], int(anew.sum()))
    groups, first = group(out, [len(names) for names in bins.labels])
    return Bins(bins.fields, bins.labels, np.ascontiguousarray(out[first]), np.bincount(groups))


def timed(bins: Bins, *, largest: int | None = None, runs: int = 3) -> tuple[float, int, int]:
    """The best of some runs: seconds, minimal uniques, records that they single out."""
    seconds = []
    for _ in range(runs):
        started = process_time()
        found = suda2(bins, largest=largest)
        seconds.append(process_time() - started)
    return min(seconds), sum(found.by_size), found.singled_out


def main() -> None:
    console = Console(width=130)
    if have("adult"):
        console.print(_adult())
    console.print(
        _grown(
            "fields, 30,000 made-up rows, up to 4 at once",
            [(30_000, fields, 4) for fields in FIELDS],
        )
    )
    console.print(
        _grown(
            "the largest size, 30,000 made-up rows, 20 fields",
            [(30_000, 20, size) for size in SIZES],
        )
    )


def _adult() -> Table:
    bins = adult()
    table = Table(title="Adult, 8 keys, all sizes; CPU seconds of one thread")
    for heading in (
        "rows",
        "made",
        "bins",
        "minimal uniques",
        "records",
        "CPU s",
        "sdcMicro",
        "ratio",
    ):
        table.add_column(heading, justify="left" if heading == "made" else "right")
    cases = [
        (1, 0.0, "as it is"),
        (10, 0.1, "one cell in ten drawn"),
        (10, 1.0, "all drawn"),
        (33, 0.1, "one in ten"),
    ]
    for times, drawn, made in cases:
        wide = bins if times == 1 else larger(bins, times, drawn=drawn)
        seconds, uniques, records = timed(wide)
        peer = SDCMICRO.get(wide.rows)
        table.add_row(
            f"{wide.rows:,}", made, f"{len(wide):,}", f"{uniques:,}", f"{records:,}", f"{seconds:.2f}",
            f"{peer}" if peer else "", f"{seconds / peer:.2f}" if peer else "",
        )  # fmt: skip
    return table


def _grown(title: str, cases: list[tuple[int, int, int]]) -> Table:
    table = Table(title=f"Growth with {title}")
    for heading in ("fields", "largest", "bins", "minimal uniques", "records", "CPU s", ""):
        table.add_column(heading, justify="left" if not heading else "right")
    for rows, fields, largest in cases:
        bins, _ = people(rows, fields)
        seconds, uniques, records = timed(bins, largest=largest, runs=1)
        table.add_row(
            str(fields), str(largest), f"{len(bins):,}", f"{uniques:,}", f"{records:,}", f"{seconds:.2f}",
            "█" * max(1, round(8 * np.log10(1 + 100 * seconds))),
        )  # fmt: skip
    return table
