"""Checking protection on 3.6 million rows beside DuckDB's own group-by over the same fields, in one
run."""

from __future__ import annotations

import time

import duckdb
from rich.console import Console
from rich.table import Table

from sfumato.bins import Bins
from sfumato.engines import open_source
from sfumato.protection import (
    AverageRisk,
    BetaLikeness,
    ConfidenceGain,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    MaximumRisk,
    NonUniqueness,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    reference_of,
)

from .data import have, repeated

TIMES = 3
SENSITIVE = "EDUC"


def main() -> None:
    if not have("ihis_like"):
        return
    path = repeated("ihis_like", TIMES)
    with open_source(path) as engine:
        fields = tuple(info.name for info in engine.fields() if info.name != SENSITIVE)
        plain, with_values = _group_by(path, fields), _group_by(path, (*fields, SENSITIVE))
        started = time.perf_counter()
        counted = Bins.count(engine, fields)
        counting = time.perf_counter() - started
        started = time.perf_counter()
        valued = Bins.count(engine, fields, sensitive=(SENSITIVE,))
        counting_values = time.perf_counter() - started
    table = Table(
        title=f"{counted.rows:,} rows, {len(counted):,} bins over 8 fields: seconds to count and "
        "judge"
    )
    for heading in ("check", "count s", "judge s", "DuckDB's group-by s", "ratio"):
        table.add_column(heading, justify="right")
    for model in _models(valued):
        needs = bool(getattr(model, "needs", ()))
        bins, cost, bare = (
            (valued, counting_values, with_values) if needs else (counted, counting, plain)
        )
        started = time.perf_counter()
        model.failing(bins)
        judging = time.perf_counter() - started
        ratio = (cost + judging) / bare
        table.add_row(model.name, f"{cost:.2f}", f"{judging:.3f}", f"{bare:.2f}", f"{ratio:.2f}")
    Console(width=110).print(table)


def _group_by(path, fields) -> float:
    """DuckDB's own time to group by the fields and fetch the counts, best of two."""
    names = ", ".join(f'"{name}"' for name in fields)
    best = float("inf")
    for _ in range(2):
        with duckdb.connect() as connection:
            started = time.perf_counter()
            connection.execute(f"SELECT {names}, count(*) FROM '{path}' GROUP BY ALL").fetchnumpy()
            best = min(best, time.perf_counter() - started)
    return best


def _models(bins):
    fields = bins.fields
    reference = reference_of(bins, SENSITIVE)
    about = {"fields": fields, "sensitive": SENSITIVE}
    return (
        KAnonymity(k=5, fields=fields),
        MaximumRisk(threshold=0.2, fields=fields),
        AverageRisk(threshold=0.2, fields=fields),
        NonUniqueness(fields=fields, sensitive=(SENSITIVE,)),
        DistinctLDiversity(l=3, **about),
        EntropyLDiversity(l=2, **about),
        RecursiveCLDiversity(c=2, l=2, **about),
        TCloseness(t=0.2, reference=reference, **about),
        PSensitiveKAnonymity(p=2, k=5, fields=fields, sensitive=(SENSITIVE,)),
        DeltaDisclosure(delta=1, reference=reference, **about),
        BetaLikeness(beta=1, reference=reference, **about),
        ConfidenceGain(gain=0.2, facts=1, reference=reference, **about),
    )
