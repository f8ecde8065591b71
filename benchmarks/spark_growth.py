"""How Spark on this machine grows with rows: counting bins and writing a release beside Spark's own
copy of the file.

One Java process with two workers. The copy reads and writes every row once: the limit of any
release that is a file. The release recodes two fields by lookups that are sent to every worker,
gives every person a new number by a lookup that is sorted and merged (a fifth as long as the
table), and puts the rows in random order. `one sort` is the same release ordered by one draw over
all rows, which Sfumato does not do.

    python -m benchmarks spark_growth              1 and 10 million rows
    SFUMATO_BENCH_ROWS=100000000 python -m benchmarks spark_growth
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from sfumato.engines import Lookup, WritePlan, open_source
from sfumato.engines.spark.engine import SparkEngine
from sfumato.engines.sql.queries import Queries
from sfumato.hierarchies import Dates, Prefix
from sfumato.releases.lookups import level_lookup

from .data import CACHE

ROWS = tuple(
    int(rows) for rows in os.environ.get("SFUMATO_BENCH_ROWS", "1000000,10000000").split(",")
)
QUASI = ("zip", "born", "sex")
FIELDS = ("who", *QUASI, "diagnosis")
MEMORY = "4GB"
ONE_SORT_ROWS = 10_000_000
_MAKE = """
COPY (
  SELECT (hash(n, 1) % {people})::BIGINT AS who,
         lpad((hash(n % {people}, 2) % 1000)::VARCHAR, 5, '0') AS zip,
         DATE '1920-01-01' + (hash(n % {people}, 3) % 30000)::INTEGER AS born,
         CASE WHEN hash(n % {people}, 4) % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
         'D' || (hash(n, 5) % 500)::VARCHAR AS diagnosis
  FROM range({rows}) AS made(n)
) TO '{file}' (FORMAT parquet)
"""


@dataclass(frozen=True, kw_only=True)
class Measured:
    rows: int
    bins: int
    seconds: dict[str, float]
    cpu: dict[str, float]
    java: float
    python: float


STEPS = ("copy", "bins", "numbers", "write", "one sort")


def main() -> None:
    table = Table(
        title=f"Spark on this machine, local[2], {MEMORY} of memory, against its own copy of the "
        "file"
    )
    headings = (
        "rows",
        "bins",
        *(f"{step} s" for step in STEPS),
        "ratio",
        "CPU ratio",
        "Java",
        "Python",
    )
    for heading in headings:
        table.add_column(heading, justify="right")
    with open_source(made(100_000), engine="spark", master="local[2]", memory=MEMORY) as warm:
        assert isinstance(warm, SparkEngine)
        measure(warm, made(100_000))
        for rows in ROWS:
            with open_source(made(rows), engine="spark") as engine:
                assert isinstance(engine, SparkEngine)
                found = measure(engine, made(rows))
            seconds = (
                f"{found.seconds[step]:.1f}" if step in found.seconds else "" for step in STEPS
            )
            ratios = (f"{_ratio(took):.2f}" for took in (found.seconds, found.cpu))
            memory = (f"{found.java:,.0f} MB", f"{found.python:,.0f} MB")
            table.add_row(f"{rows:,}", f"{found.bins:,}", *seconds, *ratios, *memory)
    Console(width=130).print(table)


def _ratio(took: dict[str, float]) -> float:
    return (took["bins"] + took["numbers"] + took["write"]) / took["copy"]


def made(rows: int) -> Path:
    """A file of made-up visits of a fifth as many people, made once."""
    CACHE.mkdir(exist_ok=True)
    file = CACHE / f"visits-{rows}.parquet"
    if not file.exists():
        duckdb.sql(_MAKE.format(rows=rows, people=max(rows // 5, 1), file=file))
    return file


def measure(engine: SparkEngine, source: Path) -> Measured:
    seconds: dict[str, float] = {}
    cpu: dict[str, float] = {}
    processes = [
        psutil.Process(),
        *(p for p in psutil.Process().children(recursive=True) if p.name() == "java"),
    ]
    target = CACHE / "spark-copy.parquet"

    def timed(name: str, work: Callable[[], object]) -> None:
        shutil.rmtree(target, ignore_errors=True)
        started, used = time.perf_counter(), _cpu(processes)
        work()
        seconds[name], cpu[name] = time.perf_counter() - started, _cpu(processes) - used

    spark = engine._session.spark
    for _ in range(2):  # The first time Java is still compiling.
        timed("copy", lambda: spark.read.parquet(str(source)).write.parquet(str(target)))
    found = []
    timed("bins", lambda: found.append(engine.frequencies(QUASI)))
    numbers = []
    timed("numbers", lambda: numbers.append(engine.numbers("who", start=0)))
    lookups = (numbers[0].lookup("who"), *recoded(engine))
    plan = WritePlan(fields=FIELDS, lookups=lookups)
    timed("write", lambda: engine.write(plan, target))
    if engine.count_rows() <= ONE_SORT_ROWS:
        timed("one sort", lambda: _one_sort(engine, plan, target))
    shutil.rmtree(target, ignore_errors=True)
    python, java = (_peak(process) for process in processes)
    rows, bins = engine.count_rows(), len(found[0].counts)
    return Measured(rows=rows, bins=bins, seconds=seconds, cpu=cpu, java=java, python=python)


def _cpu(processes: list[psutil.Process]) -> float:
    return sum(used.user + used.system for used in (process.cpu_times() for process in processes))


def recoded(engine: SparkEngine) -> Iterator[Lookup]:
    """Three characters of the zip, the year of birth."""
    for name, spec in (("zip", Prefix((3,))), ("born", Dates(("year",)))):
        values = tuple(np.concatenate([batch[name] for batch in engine.distinct((name,))]))
        yield level_lookup(name, spec.bind(values), 1)


def _one_sort(engine: SparkEngine, plan: WritePlan, target: Path) -> None:
    """The same release as Queries orders it for other engines."""
    spread = type(engine._queries).in_order
    type(engine._queries).in_order = Queries.in_order  # type: ignore[method-assign]
    try:
        engine.write(plan, target)
    finally:
        type(engine._queries).in_order = spread  # type: ignore[method-assign]


def _peak(process: psutil.Process) -> float:
    """The most memory that a process had, in MB."""
    status = Path(f"/proc/{process.pid}/status")
    if not status.exists():
        return process.memory_info().rss / 1024**2
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
