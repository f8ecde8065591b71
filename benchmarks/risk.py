"""Every bin-based measure of risk on ten million made-up rows beside DuckDB's own group-by over the
same fields.

Measured is the whole of `measure_risks`, counting the bins included, but for the copula model,
which is fitted to 20,000 rows and takes the same seconds whatever the table.
`SFUMATO_RISK_ROWS=1000000` for another size."""

from __future__ import annotations

import os
import time
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

from sfumato.assessment.risk import measure_risks
from sfumato.assessment.risk.copula import copula_uniqueness
from sfumato.engines import open_source
from sfumato.measures.subject import Subject

from .data import CACHE
from .measuring import python

ROWS = int(os.environ.get("SFUMATO_RISK_ROWS", "10000000"))
FIELDS = ("age", "sex", "zip", "marital", "education", "race")
SENSITIVE = "diagnosis"
ZIPS = (20, 120)  # codes: few, and so many that four rows in ten have a bin of their own
MAKE = """
import duckdb, sys
target, rows, zips = sys.argv[1:]
duckdb.sql("SELECT setseed(0.5)")
duckdb.sql(f'''COPY (SELECT
    (18 + 60 * power(random(), 1.5))::INTEGER AS age,
    CASE WHEN random() < 0.5 THEN 'f' ELSE 'm' END AS sex,
    (2000 + {zips} * power(random(), 2))::INTEGER::VARCHAR AS zip,
    (5 * power(random(), 2))::INTEGER AS marital,
    (15 * power(random(), 1.3))::INTEGER AS education,
    (5 * power(random(), 3))::INTEGER AS race,
    'I' || (12 * power(random(), 2))::INTEGER AS diagnosis
    FROM range({rows})) TO '{target}' (FORMAT parquet)''')
"""
MEASURED = (
    ("prosecutor risk, uniqueness table", {}, ()),
    ("with a sampling fraction: all probabilities and estimators", {"sampling_fraction": 0.1}, ()),
    ("and what can be inferred of a sensitive field", {"sampling_fraction": 0.1}, (SENSITIVE,)),
)


def main() -> None:
    table = Table(
        title=f"{ROWS:,} rows, {len(FIELDS)} known fields: CPU seconds beside DuckDB's group-by"
    )
    for heading in (
        "measures",
        "bins",
        "counting CPU s",
        "all CPU s",
        "DuckDB's group-by",
        "ratio",
    ):
        table.add_column(heading, justify="left" if heading == "measures" else "right")
    for zips in ZIPS:
        path = _made(zips)
        with open_source(path) as engine:
            for name, settings, sensitive in MEASURED:
                bare = _group_by(path, (*FIELDS, *sensitive))
                subject = Subject(release=engine, known=FIELDS, sensitive=sensitive, **settings)
                started = time.process_time()
                bins = subject.released
                counting = time.process_time() - started
                measure_risks(subject, copula=False)
                seconds = time.process_time() - started
                found = (
                    f"{counting:.2f}",
                    f"{seconds:.2f}",
                    f"{bare:.2f}",
                    f"{seconds / bare:.2f}",
                )
                table.add_row(name, f"{len(bins):,}", *found)
            started = time.process_time()
            copula_uniqueness(bins, ROWS * 10, subject.generator("copula"))
            table.add_row(
                "the copula model alone", "", "", f"{time.process_time() - started:.2f}", "", ""
            )
    Console(width=130).print(table)


def _made(zips: int) -> Path:
    CACHE.mkdir(exist_ok=True)
    path = CACHE / f"risk_{ROWS}_{zips}.parquet"
    if not path.exists():
        python(MAKE, str(path), str(ROWS), str(zips))
    return path


def _group_by(path, fields) -> float:
    """DuckDB's own CPU time to group by the fields and fetch the counts, best of two."""
    names = ", ".join(f'"{name}"' for name in fields)
    best = float("inf")
    for _ in range(2):
        with duckdb.connect() as connection:
            started = time.process_time()
            connection.execute(f"SELECT {names}, count(*) FROM '{path}' GROUP BY ALL").fetchnumpy()
            best = min(best, time.process_time() - started)
    return best
