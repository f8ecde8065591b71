"""A made-up hospital database of any size: patients, physicians, visits, diagnoses, procedures and
medications.

Its shape is that of the paediatric records of Sweeney 1997 (section 3.8, Table 7), with the skew
that is reported there; see `hospital_people`. It is made block by block, each from the seed and its
number. Memory does not grow with the size, and batches of any length hold the same rows."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import Mistake

from .hospital_database_policy import hospital_database_policy
from .hospital_people import TEAM, Columns, make_patients, make_physicians
from .hospital_visits import make_visits

VISITS, COMING, WITHOUT = (
    7_617,
    294,
    6,
)  # The visits of the paper's 300 patients; a few of ours never came.
BLOCK = 10_000  # Patients whose visits, about 260,000, are made at a time.

HOSPITAL_DATABASE_TYPES = {
    "physicians": {"physician_id": "BIGINT", "name": "VARCHAR", "specialty": "VARCHAR"},
    "patients": {
        "patient_id": "BIGINT", "name": "VARCHAR", "ssn": "VARCHAR", "birth": "DATE", "sex": "VARCHAR",
        "ethnicity": "VARCHAR", "zip": "VARCHAR", "registered": "DATE",
    },
    "visits": {
        "visit_id": "BIGINT", "patient_id": "BIGINT", "physician_id": "BIGINT", "admitted": "DATE",
        "discharged": "DATE", "ward": "VARCHAR", "principal_diagnosis": "VARCHAR", "charges": "DECIMAL(12, 2)",
    },
    "diagnoses": {"visit_id": "BIGINT", "position": "BIGINT", "code": "VARCHAR"},
    "procedures": {"visit_id": "BIGINT", "position": "BIGINT", "code": "VARCHAR"},
    "medications": {"visit_id": "BIGINT", "drug": "VARCHAR", "charges": "DECIMAL(12, 2)"},
}  # fmt: skip
"""The tables, each after those that it links to, with the SQL type that every column is meant to
have."""


def hospital_tables(
    *, visits: int = VISITS, seed: int = 1997, chunk: int = 1_000_000
) -> Iterator[tuple[str, Columns]]:
    """The database in batches of at most `chunk` rows: the name of a table and its next columns.

    Rows follow those that they link to. The same seed and number of visits give the same rows,
    whatever the chunk. Columns are NumPy arrays that DuckDB reads as they are. Keys and positions
    are 64-bit integers (masked where null), dates are by the second (NaT where null). Charges are
    floats of whole cents, and text is objects (None where null)."""
    if visits < 1 or chunk < 1:
        raise Mistake(
            "A made-up hospital database was asked for.",
            found=f"visits is {visits} and chunk is {chunk}.",
            attempt="a number of 1 or more for both.",
        )
    for table, columns in _blocks(visits, seed=seed):
        rows = len(next(iter(columns.values())))
        for start in range(0, rows, chunk):
            yield table, {name: column[start : start + chunk] for name, column in columns.items()}


def write_hospital_database(folder: Path, *, visits: int = VISITS, seed: int = 1997) -> Path:
    """Write one CSV file per table, and a policy for them, into `folder`; the same seed gives the
    same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    for table, types in HOSPITAL_DATABASE_TYPES.items():
        with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerow(types)
    for table, columns in hospital_tables(visits=visits, seed=seed):
        types = HOSPITAL_DATABASE_TYPES[table]
        with (folder / f"{table}.csv").open("a", encoding="utf-8", newline="") as file:
            cells = [_texts(columns[name], kind=kind) for name, kind in types.items()]
            csv.writer(file).writerows(zip(*cells, strict=True))
    (folder / "hospital.policy.toml").write_text(hospital_database_policy(visits), encoding="utf-8")
    return folder


def _blocks(visits: int, *, seed: int) -> Iterator[tuple[str, Columns]]:
    coming = max(1, round(visits * COMING / VISITS))
    without = max(1, round(coming * WITHOUT / COMING))
    physicians = TEAM * max(1, round(coming / COMING))
    blocks = -(-coming // BLOCK)
    yield "physicians", make_physicians(_generator(seed, 0), physicians)
    for block in range(blocks):
        generator = _generator(seed, block + 1)
        (came, until), (none, no_more), (start, end) = (
            (whole * block // blocks, whole * (block + 1) // blocks)
            for whole in (coming, without, visits)
        )
        patients = make_patients(
            generator, came + none, coming=until - came, without=no_more - none, visits=end - start
        )
        yield "patients", patients.columns
        yield from make_visits(
            generator, patients, start, first_patient=came + none, physicians=physicians
        )


def _generator(seed: int, block: int) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64([seed, block]))


def _texts(column: NDArray[Any], *, kind: str) -> list[Any]:
    """The cells of a column as CSV holds them, None where null."""
    if kind == "DATE":
        return [None if day is None else day.date().isoformat() for day in column.tolist()]
    if kind.startswith("DECIMAL"):
        return [f"{charge:.2f}" for charge in column.tolist()]
    cells: list[Any] = column.tolist()
    return cells
