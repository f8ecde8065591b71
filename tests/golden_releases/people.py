"""Made-up people for the golden releases: one table, several rows each, linked tables. One seed,
the same bytes."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from random import Random

import duckdb
import openpyxl

Row = dict[str, object]

ZIPS = ("02138", "02139", "02140", "02141", "02142", "02151", "02155", "02176", "02180", "02478")
JOBS = ("nurse", "clerk", "driver", "teacher", "cook", "baker", "welder", "judge", "pilot", "diver")
JOB_SHARES = (20, 18, 16, 14, 10, 9, 6, 4, 2, 1)
ILLS = ("flu", "asthma", "gout", "angina", "migraine", "eczema", "ulcer", "HIV")
ILL_SHARES = (24, 20, 16, 12, 10, 8, 6, 4)
CODES = ("J45", "J20", "J18", "I10", "I21", "E11", "E66", "K25", "K29", "G43")
GRADES = ("none", "primary", "secondary", "higher")
WARDS = ("north", "south", "east")
FIRST = ("Ada", "Ben", "Cleo", "Dov", "Eva", "Finn", "Gia", "Hugo", "Ida", "Jon", "Kim", "Leo")
LAST = (
    "Abel",
    "Brook",
    "Crane",
    "Dunn",
    "Ellis",
    "Frost",
    "Grant",
    "Hale",
    "Irwin",
    "Joyce",
    "Kerr",
    "Lowe",
)
TYPES = {
    "birth": "DATE", "seen": "DATE", "age": "INTEGER", "income": "INTEGER", "weight": "INTEGER", "lat": "DOUBLE",
    "lon": "DOUBLE", "cost": "DECIMAL(9,2)",
}  # fmt: skip
"""The fields that are not text, in formats that have types."""


def people(rows: int, *, seed: int) -> list[Row]:
    """One row for each person, in families of one to four who share a zip."""
    chance, out = Random(seed), []
    while len(out) < rows:
        family, zip_code, last = f"F{1000 + len(out)}", chance.choice(ZIPS), chance.choice(LAST)
        for _ in range(min(chance.randint(1, 4), rows - len(out))):
            born = date(1930, 1, 1) + timedelta(days=int(chance.random() * 28_000))
            out.append(
                {
                    "id": f"P{10_000 + 7 * len(out)}",
                    "family": family,
                    "name": f"{chance.choice(FIRST)} {last}",
                    "birth": born.isoformat(),
                    "age": (date(2020, 1, 1) - born).days * 4 // 1461,
                    "sex": chance.choices(("f", "m", None), (50, 48, 2))[0],
                    "zip": zip_code,
                    "job": chance.choices(JOBS, JOB_SHARES)[0],
                    "grade": chance.choices(GRADES, (1, 4, 5, 3))[0],
                    "income": int(chance.lognormvariate(10, 0.5)),
                    "weight": chance.randint(1, 20),
                    "lat": round(42.3 + chance.random() / 5, 5),
                    "lon": round(-71.2 + chance.random() / 5, 5),
                    "ill": chance.choices(ILLS, ILL_SHARES)[0],
                    "seen": (date(2019, 1, 1) + timedelta(days=chance.randrange(365))).isoformat(),
                }
            )
    return out


def visits(persons: Sequence[Row], *, seed: int) -> list[Row]:
    """One to four visits of each person, and a few people with many."""
    chance, out = Random(seed), []
    for person in persons:
        for _ in range(chance.choices((1, 2, 3, 4, 9), (8, 6, 4, 2, 0.3))[0]):
            out.append(
                {
                    "visit": f"V{100_000 + 3 * len(out)}",
                    "id": person["id"],
                    "doctor": f"D{chance.randrange(6)}",
                    "ward": chance.choice(WARDS),
                    "code": chance.choices(CODES, (9, 8, 7, 7, 5, 5, 4, 3, 2, 1))[0],
                    "seen": (date(2019, 1, 1) + timedelta(days=chance.randrange(365))).isoformat(),
                    "cost": f"{chance.lognormvariate(5, 0.7):.2f}",
                }
            )
    return out


def visits_with_people(persons: Sequence[Row], *, seed: int) -> list[Row]:
    """One table in which a person has several rows."""
    known = {person["id"]: person for person in persons}
    keep = ("family", "birth", "sex", "zip", "job", "weight")
    return [
        visit | {name: known[visit["id"]][name] for name in keep}
        for visit in visits(persons, seed=seed)
    ]


def doctors() -> list[Row]:
    return [
        {"doctor": f"D{number}", "name": f"Dr. {LAST[number]}", "field": GRADES[number % 4]}
        for number in range(6)
    ]


# ---------------------------------------------------------------------------------------------------------
# formats


def write_table(
    rows: Sequence[Row],
    path: Path,
    *,
    separator: str = ",",
    encoding: str = "utf-8",
    table: str = "people",
) -> Path:
    """Write rows as the ending of the path says; a file that holds tables gets another one called
    `table`."""
    names = list(rows[0])
    if path.suffix in (".csv", ".tsv"):
        with path.open("w", encoding=encoding, newline="") as file:
            writer = csv.DictWriter(
                file, names, delimiter="\t" if path.suffix == ".tsv" else separator
            )
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(list(rows)), encoding="utf-8")
    elif path.suffix == ".xlsx":
        book = openpyxl.load_workbook(path) if path.exists() else openpyxl.Workbook()
        sheet = book.create_sheet(table) if path.exists() else book.active
        sheet.title = table
        for line in [names, *([row[name] for name in names] for row in rows)]:
            sheet.append(line)
        book.save(path)
    elif path.suffix == ".sqlite":
        _write_sqlite(names, rows, path, table)
    else:
        _write_with_duckdb(names, rows, path, table)
    return path


def _write_sqlite(names: Sequence[str], rows: Iterable[Row], path: Path, table: str) -> None:
    kinds = {"INTEGER": "INTEGER", "DOUBLE": "REAL"}
    columns = ", ".join(f"{name} {kinds.get(TYPES.get(name, ''), 'TEXT')}" for name in names)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"CREATE TABLE {table} ({columns})")
        marks = ", ".join("?" * len(names))
        database.executemany(
            f"INSERT INTO {table} VALUES ({marks})", [[row[name] for name in names] for row in rows]
        )
    database.close()


def _write_with_duckdb(names: Sequence[str], rows: Sequence[Row], path: Path, table: str) -> None:
    """Parquet, or a table in a file of DuckDB, with the types that the fields are meant to have."""
    columns = ", ".join(f"'{name}': '{TYPES.get(name, 'VARCHAR')}'" for name in names)
    plain = write_table(rows, path.with_suffix(".part.csv"))
    read = f"SELECT * FROM read_csv('{plain}', header=true, columns={{{columns}}})"
    if path.suffix == ".parquet":
        duckdb.sql(f"COPY ({read}) TO '{path}'")
    else:
        with duckdb.connect(str(path)) as database:
            database.execute(f"CREATE TABLE {table} AS {read}")
    plain.unlink()
