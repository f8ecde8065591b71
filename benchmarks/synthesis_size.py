"""Private synthesis of large made-up tables from Parquet to Parquet, by the command line: python -m
benchmarks synthesis_size. Each run is a process of its own, of which CPU seconds and the largest
memory are printed; so are those of 40,000 rows of 100 listed fields. Of these, the distance of pairs is
printed too, beside that of private independent marginals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas

from sfumato.accounting import PrivacyAccount, PrivacyLimit
from sfumato.synthesis import BudgetShares, CodedTable, DomainField, synthesise

from .synthesis import INDEPENDENT

ROWS = (1_000_000, 10_000_000)
TABLE = """
SELECT (18 + 70 * pow(u, 1.5))::INT AS age, (u * 4)::INT AS class, floor(v * 5 + u * 3)::INT AS ward,
  CASE WHEN w < .4 + .2 * u THEN 'F' ELSE 'M' END AS sex,
  'city ' || floor(200 * pow(v, 3))::INT AS city, 'code ' || floor(60 * u * w)::INT AS code,
  round(exp(9 + 2 * u + random()), 2) AS income, round(exp(3 + 4 * v * u), 2) AS costs,
  DATE '2015-01-01' + floor(3000 * w)::INT AS admitted,
  DATE '1930-01-01' + floor(30000 * (1 - u))::INT AS born,
  floor(10 * w)::INT AS a, floor(8 * v)::INT AS b, floor(6 * u * v)::INT AS c,
  floor(5 * random())::INT AS d, floor(20 * pow(w, 2))::INT AS e, floor(7 * (u + v) / 2)::INT AS f,
  floor(4 * u * random())::INT AS g, floor(12 * v * w)::INT AS h, floor(3 * w)::INT AS i,
  floor(30 * u * random())::INT AS j
FROM (SELECT random() AS u, random() AS v, random() AS w FROM range({rows}))
"""
DOMAINS = {
    "age": {"least": 0, "most": 110},
    "class": ["0", "1", "2", "3", "4"],
    "ward": {"least": 0, "most": 9},
    "sex": ["F", "M"],
    "income": {"least": 0, "most": 500_000, "step": 0.01},
    "costs": {"least": 0, "most": 2_000, "step": 0.01},
    "admitted": {"least": "2014-01-01", "most": "2024-12-31"},
    "born": {"least": "1925-01-01", "most": "2020-12-31"},
} | {name: {"least": 0, "most": 31} for name in "abcdefghij"}
PROGRAM = """
import json, sys, sfumato
policy = json.loads(sys.argv[3])
sfumato.synthesize(sys.argv[1], {"synthesis": policy}, to=sys.argv[2], file_format="parquet")
"""


def large(rows: int, folder: Path) -> tuple[float, float]:
    """CPU seconds and megabytes of one run."""
    source = folder / "people.parquet"
    with duckdb.connect() as connection:
        query = TABLE.format(rows=rows)
        connection.execute(f"COPY ({query}) TO '{source}' (FORMAT parquet)")
    return run(source, {"epsilon": 1.0, "domains": DOMAINS, "select": ["city", "code"]})


def of_many_fields(table: CodedTable, folder: Path) -> tuple[float, float]:
    """The same for a table in memory, each of whose fields is a list of values."""
    source = folder / "fields.parquet"
    names = [spec.name for spec in table.fields]
    frame = pandas.DataFrame(dict(zip(names, table.codes, strict=True)))
    frame.to_parquet(source)
    domains = {spec.name: [str(code) for code in range(spec.size)] for spec in table.fields}
    return run(source, {"epsilon": 1.0, "domains": domains})


def run(source: Path, policy: dict[str, Any]) -> tuple[float, float]:
    """CPU seconds and megabytes of the synthesis of a file, in a process of its own."""
    made = source.with_suffix(".made")
    asked = [sys.executable, "-c", PROGRAM, str(source), str(made), json.dumps(policy)]
    child = subprocess.Popen(asked)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        raise RuntimeError(f"the run of {source.name} ended with {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def wide(rows: int = 40_000, fields: int = 100) -> CodedTable:
    """Fields of two to twelve values that follow ten hidden ones."""
    chance = np.random.default_rng(7)
    hidden = chance.random((10, rows))
    columns, specs = [], []
    for n in range(fields):
        size = 2 + n % 11
        mixed = 0.6 * hidden[n % 10] + 0.4 * chance.random(rows)
        columns.append(np.minimum((mixed * size).astype(np.int64), size - 1))
        specs.append(DomainField(name=f"f{n}", size=size, ordered=n % 2 == 0))
    return CodedTable(fields=tuple(specs), codes=tuple(columns))


def pair_distance(table: CodedTable, made: CodedTable, pairs: int = 500) -> float:
    chance = np.random.default_rng(3)
    chosen = list(combinations(range(len(table.fields)), 2))
    far = []
    for place in chance.choice(len(chosen), pairs, replace=False):
        one, other = (each.counts(chosen[place]) / max(each.rows, 1) for each in (table, made))
        far.append(np.abs(one - other).sum() / 2)
    return float(np.mean(far))


def main() -> None:
    for rows in ROWS:
        with tempfile.TemporaryDirectory() as place:
            seconds, memory = large(rows, Path(place))
        print(f"{rows:,} x 20: {seconds:.1f} CPU s, {memory:,.0f} MB", flush=True)
    table = wide()
    with tempfile.TemporaryDirectory() as place:
        seconds, memory = of_many_fields(table, Path(place))
    print(f"40,000 x 100, from and to Parquet: {seconds:.1f} CPU s, {memory:,.0f} MB", flush=True)
    for epsilon in (1.0, 10.0):
        for name, shares in (("model", BudgetShares()), ("independent", INDEPENDENT)):
            limit = PrivacyLimit(epsilon=epsilon, delta=1e-9)
            start = time.process_time()
            made = synthesise(table, PrivacyAccount(limit=limit), rho=limit.rho(), shares=shares)
            drawn = CodedTable(fields=table.fields, codes=made.codes)
            seconds = time.process_time() - start
            print(
                f"40,000 x 100, epsilon {epsilon:g}, {name}: tvd2 {pair_distance(table, drawn):.4f}, "
                f"{seconds:.1f} CPU s",
                flush=True,
            )
