"""From a source in Spark to a release: the same rows, verdicts and manifest as from DuckDB, but for
engine and time."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
import pytest
import spark_local

import sfumato
from sfumato.cli import main
from sfumato.datasets import (
    HOSPITAL_DATABASE_TYPES,
    HOSPITAL_POLICY,
    write_hospital,
    write_hospital_database,
)
from sfumato.releases import Key

KEY = Key(bytes(range(32)))
ENGINES_OWN = {"engine", "files"}
"""What a manifest says otherwise: the engine, and the digest and size of the table, whose rows are
in random order."""


def parquet(csv_file: Path, folder: Path, *, parts: int = 1) -> Path:
    """The rows of a CSV file as a folder of Parquet files."""
    folder.mkdir(parents=True)
    duckdb.sql(
        "CREATE OR REPLACE TEMP TABLE rows AS SELECT *, row_number() OVER () AS n FROM "
        f"'{csv_file}'"
    )
    for part in range(parts):
        only = f"SELECT * EXCLUDE n FROM rows WHERE n % {parts} = {part}"
        duckdb.sql(f"COPY ({only}) TO '{folder / f'part-{part}.parquet'}' (FORMAT parquet)")
    duckdb.sql("DROP TABLE rows")
    return folder


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    write_hospital(folder / "patients.csv", rows=1_500)
    parquet(folder / "patients.csv", folder / "patients", parts=3)
    (folder / "policy.toml").write_text(HOSPITAL_POLICY, encoding="utf-8")
    return folder


def released(folder: Path, target: Path, engine: str, *, policy: Path | None = None) -> Any:
    spark_local.running()
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    source = folder / "patients"
    return sfumato.release(
        source,
        policy or folder / "policy.toml",
        to=target,
        engine=engine,
        file_format="parquet",
        key=KEY,
        clock=lambda: moment,
    )


@pytest.fixture(scope="module")
def by_spark(people: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One release by Spark. Read only: who changes it copies it."""
    return released(people, tmp_path_factory.mktemp("made") / "spark", "spark")


def rows_of(table: Path) -> Counter[tuple[Any, ...]]:
    files = sorted(table.rglob("*.parquet")) if table.is_dir() else [table]
    return Counter(duckdb.read_parquet([str(file) for file in files]).fetchall())


def test_one_table_leaves_spark_as_it_leaves_duckdb(
    people: Path, by_spark: Any, tmp_path: Path
) -> None:
    ours, theirs = by_spark, released(people, tmp_path / "duckdb", "duckdb")
    assert (ours.outcome, ours.rows, ours.rows_suppressed) == (
        theirs.outcome,
        theirs.rows,
        theirs.rows_suppressed,
    )
    assert rows_of(ours.table) == rows_of(theirs.table)
    assert [str(verdict) for verdict in ours.verdicts] == [
        str(verdict) for verdict in theirs.verdicts
    ]
    documents = [json.loads((made.folder / "manifest.json").read_text()) for made in (ours, theirs)]
    for one in documents:
        del one["tables"]["release"]["sha256"], one["tables"]["release"]["bytes"]
    told = [
        {name: fact for name, fact in one.items() if name not in ENGINES_OWN} for one in documents
    ]
    assert told[0] == told[1]
    assert {check.outcome for check in sfumato.verify(ours.folder)} == {"pass", "review"}
    left = [path.name for path in ours.folder.rglob("*") if path.name.startswith((".", "_"))]
    assert left == []


def test_a_folder_that_was_changed_afterwards_does_not_verify(
    by_spark: Any, tmp_path: Path
) -> None:
    shutil.copytree(by_spark.folder, tmp_path / "out")
    part = next((tmp_path / "out" / by_spark.table.name).glob("*.parquet"))
    pyarrow.parquet.write_table(pyarrow.parquet.read_table(part).slice(1), part)
    assert "fail" in {check.outcome for check in sfumato.verify(tmp_path / "out")}


@pytest.mark.long("a second release of Spark; the first stays in this file")
def test_too_many_bins_are_rolled_up_in_spark(people: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(HOSPITAL_POLICY + "max_bins = 300\n", encoding="utf-8")
    made = released(people, tmp_path / "out", "spark", policy=policy)
    assert made.outcome == "pass"
    assert any("too many to search" in warning for warning in made.manifest["warnings"])


# --------------------------------------------------------------------------------------------------
# several tables


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_hospital_database(tmp_path_factory.mktemp("hospital"), visits=1_000)
    for table in HOSPITAL_DATABASE_TYPES:
        parquet(folder / f"{table}.csv", folder / "parquet" / table)
    return folder


@pytest.fixture
def catalog(hospital: Path) -> Iterator[str]:
    spark = spark_local.running()
    spark.sql("CREATE DATABASE hospital")
    for table in HOSPITAL_DATABASE_TYPES:
        spark.read.parquet(str(hospital / "parquet" / table)).write.saveAsTable(f"hospital.{table}")
    yield "spark:hospital"
    spark.sql("DROP DATABASE hospital CASCADE")


@pytest.mark.long("it starts clusters of its own; one release of Spark stays in this file")
def test_a_database_of_the_catalog_through_the_command_line(
    hospital: Path, catalog: str, tmp_path: Path
) -> None:
    words = [
        "release",
        catalog,
        "--policy",
        str(hospital / "hospital.policy.toml"),
        "--to",
        str(tmp_path / "out"),
    ]
    assert main(words) == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["snapshot"]["kind"] == "spark"
    theirs = sfumato.release(
        hospital / "parquet", hospital / "hospital.policy.toml", to=tmp_path / "duckdb"
    )
    assert set(manifest["tables"]) == set(HOSPITAL_DATABASE_TYPES) == set(theirs.tables)
    assert manifest["outcome"] == theirs.outcome == "pass"
    for name, said in manifest["tables"].items():
        assert set(said["fields"]) == set(
            theirs.manifest["tables"][name]["fields"]
        )  # Chance drops rows, not fields.
    judged = [
        [verdict["model"] for verdict in one["verdicts"]] for one in (manifest, theirs.manifest)
    ]
    assert judged[0] == judged[1]
    assert main(["verify", str(tmp_path / "out")]) in (0, 3)
