"""One small table about nobody, as a frame of each kind: nulls, dates, categories, a name."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

KINDS = ("pandas", "polars", "lazy polars", "arrow", "duckdb relation")
ROWS = 48
NAMES = ("Ann Miller", "Bob Jones", "Carla Smith", "Dan Brown", "Eve Clark", "Fay Green")
PROBLEMS = ("flu", "asthma", "gout")


def columns() -> dict[str, list[Any]]:
    return {
        "name": [f"{NAMES[n % 6].split()[0]} {NAMES[n // 6 % 6].split()[1]}" for n in range(ROWS)],
        "age": [20 + (n * 7) % 40 for n in range(ROWS)],
        "zip": [f"021{n % 4}{n % 2}" for n in range(ROWS)],
        "sex": ["f" if n % 2 else "m" for n in range(ROWS)],
        "problem": [PROBLEMS[n % 3] for n in range(ROWS)],
        "seen": [date(2024, 1, 1) + timedelta(days=n % 5) for n in range(ROWS)],
        "weight": [None if n % 6 == 0 else 60.5 + n % 4 for n in range(ROWS)],
        "visits": [n % 3 for n in range(ROWS)],
    }


def frame(kind: str) -> Any:
    found = columns()
    if kind == "pandas":
        return pd.DataFrame(found).astype({"sex": "category"})
    if kind == "polars":
        return pl.DataFrame(found)
    if kind == "lazy polars":
        return pl.DataFrame(found).lazy()
    if kind == "arrow":
        return pa.table(found)
    connection = duckdb.connect()
    connection.register("given", pa.table(found))
    connection.execute("CREATE TABLE people AS SELECT * FROM given")
    return connection.table("people")


def rows(given: Any) -> list[dict[str, Any]]:
    """The rows of a frame of any kind."""
    if isinstance(given, pd.DataFrame):
        return given.astype(object).where(given.notna(), None).to_dict("records")
    if isinstance(given, pl.LazyFrame):
        return given.collect().to_dicts()
    if isinstance(given, pl.DataFrame):
        return given.to_dicts()
    if isinstance(given, pa.Table):
        return given.to_pylist()
    return [dict(zip(given.columns, row, strict=True)) for row in given.fetchall()]
