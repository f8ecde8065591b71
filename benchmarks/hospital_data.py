"""The made-up hospital database at any size: a folder with a Parquet file for each table, made
once."""

from __future__ import annotations

import tomllib
from contextlib import ExitStack
from pathlib import Path

import duckdb

from sfumato.datasets import HOSPITAL_DATABASE_POLICY, HOSPITAL_DATABASE_TYPES, hospital_tables
from sfumato.policy import policy_as_toml, policy_from_table

from .data import CACHE


def hospital(visits: int) -> Path:
    """The folder with so many visits; its policy lies beside it."""
    folder = CACHE / f"hospital-{visits}"
    if not (folder / "done").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder, visits)
        (folder / "done").touch()
    return folder


def policy(folder: Path) -> Path:
    """The policy that comes with the database, but for the dates of visits, which are shifted with
    their patient.

    Pairs of dates under k^m are some three hundred for each patient, which would take longer than
    all else together."""
    path = folder.with_suffix(".policy.toml")
    table = tomllib.loads(HOSPITAL_DATABASE_POLICY)
    fields = table["tables"]["visits"]["fields"]
    fields |= {
        name: {"role": "insensitive", "shift": {"days": 30}} for name in ("admitted", "discharged")
    }
    table["require"]["k_m"] = [
        asked for asked in table["require"]["k_m"] if asked["field"] != "admitted"
    ]
    path.write_text(policy_as_toml(policy_from_table(table)), encoding="utf-8")
    return path


def _write(folder: Path, visits: int) -> None:
    """Batches go into a database file, which then writes each table: Parquet cannot be added to."""
    scratch = folder / "scratch.duckdb"
    with ExitStack() as stack:
        stack.callback(scratch.unlink, missing_ok=True)
        database = stack.enter_context(duckdb.connect(str(scratch)))
        database.execute("SET preserve_insertion_order = false; SET memory_limit = '4GB'")
        for name, fields in HOSPITAL_DATABASE_TYPES.items():
            database.execute(
                f"CREATE TABLE {name} ({', '.join(f'{f} {kind}' for f, kind in fields.items())})"
            )
        for name, columns in hospital_tables(visits=visits):
            database.register("batch", columns)
            database.execute(f"INSERT INTO {name} SELECT * FROM batch")
            database.unregister("batch")
        for name in HOSPITAL_DATABASE_TYPES:
            database.execute(f"COPY {name} TO '{folder / name}.parquet' (FORMAT parquet)")
