"""Scrubbed text is the same whichever engine holds the tables: every row with the same words, told
in the same way."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import postgres_server
import psycopg
import pytest
import spark_local

from sfumato.policy import policy_from_table
from sfumato.releases import Key, Release
from sfumato.releases.pipeline import release

NAMES = ("Ada Stone", "Ben Hall", "Clara Okafor", "Diego Rossi", "Emma Ünal", "Felix O'Brien")
HASH = {"role": "direct", "replace": "hash"}
POLICY = {
    "entity": "people.id",
    "tables": {
        "people": {
            "key": "id",
            "fields": {
                "id": HASH,
                "name": "direct",
                "born": {"role": "quasi", "hierarchy": {"dates": ["10 years"]}},
                "life": "text",
            },
        },
        "visits": {
            "links": {"person": "people.id"},
            "row_counts": {"linking": 0.0},
            "fields": {
                "person": HASH,
                "day": {"role": "insensitive", "shift": {"days": 30}},
                "note": {
                    "role": "text",
                    "scrub": {"method": "tag", "methods": {"date": "surrogate"}},
                },
            },
        },
        "wards": {"key": "ward", "fields": {"ward": HASH, "about": "text"}},
    },
    "require": {"k": 2},
}


def tables() -> dict[str, list[dict[str, str]]]:
    people, visits = [], []
    for n in range(12):
        name, born = NAMES[n % 6], f"195{n % 6}-0{1 + n % 9}-1{n % 9}"
        life = (
            ""
            if n == 5
            else f'"{name}", born {born}, grew up in Boston.\nSaid: “well; 100 %, \\N, it\'s fine”'
        )
        people.append({"id": f"{n:02}", "name": f"{name}", "born": born, "life": life})
        for visit in range(n % 3):
            day = f"2001-05-{10 + n + visit}"
            told = f"{name.split()[1]} came on May {10 + n}, 2001; tel. 617-555-01{n:02}."
            note = "Seen today." if visit else told
            visits.append({"person": f"{n:02}", "day": day, "note": note})
    wards = [
        {"ward": f"w{n}", "about": f"Head nurse: {NAMES[n]}, 617-555-02{n:02}."} for n in range(3)
    ]
    return {"people": people, "visits": visits, "wards": wards}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("clinic") / "source"
    out.mkdir()
    for name, rows in tables().items():
        with (out / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    return out


def _parquet(folder: Path) -> Path:
    spark_local.running()
    out = folder.parent / "parquet"
    if not out.exists():
        out.mkdir()
        for name in tables():
            read = f"read_csv('{folder / name}.csv', header=true, all_varchar=true)"
            duckdb.sql(f"COPY (SELECT * FROM {read}) TO '{out / name}.parquet'")
    return out


@cache
def _loaded(folder: Path) -> str:
    server = postgres_server.running()
    name = server.new_name()
    server.run(f"CREATE DATABASE {name}")
    with psycopg.connect(server.uri(name), autocommit=True) as connection:
        for table, rows in tables().items():
            connection.execute(
                f"CREATE TABLE {table} ({', '.join(f'{field} text' for field in rows[0])})"
            )
            with connection.cursor().copy(
                f"COPY {table} FROM STDIN (FORMAT csv, HEADER true)"
            ) as into:
                into.write((folder / f"{table}.csv").read_bytes())
    return server.uri(name)


WAYS: dict[str, Callable[[Path], Any]] = {
    "reference": lambda folder: folder,
    "duckdb": lambda folder: folder,
    "postgres": _loaded,
    "spark": _parquet,
}


@pytest.fixture(scope="module")
def made(folder, tmp_path_factory) -> Callable[[str], Release]:
    @cache
    def make(way: str) -> Release:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sfumato.releases.tables.flow.render_tables", lambda facts: "")
            return release(
                WAYS[way](folder),
                policy_from_table(POLICY),
                to=tmp_path_factory.mktemp("made") / "release",
                engine=way,
                file_format="parquet" if way == "spark" else "csv",
                key=Key(bytes(range(32))),
                clock=lambda: datetime(2026, 1, 1, tzinfo=UTC),
            )

    return make


def rows_of(found: Release, table: str) -> Counter[tuple[str, ...]]:
    place = found.tables[table]
    files = [str(file) for file in place.glob("*.parquet")] if place.is_dir() else [str(place)]
    read = (
        f"read_csv({files}, header=true, all_varchar=true)"
        if place.is_file()
        else f"read_parquet({files})"
    )
    rows = duckdb.sql(f"SELECT coalesce(CAST(COLUMNS(*) AS TEXT), '') FROM {read}")
    return Counter(
        tuple(row[rows.columns.index(name)] for name in sorted(rows.columns))
        for row in rows.fetchall()
    )


@pytest.mark.long("a quarter of a minute on each engine; one stays", but=("duckdb",))
@pytest.mark.parametrize("way", [way for way in WAYS if way != "reference"])
def test_every_engine_scrubs_alike(made, way):
    expected, found = made("reference"), made(way)
    assert found.outcome == expected.outcome == "review"
    assert found.verdicts == expected.verdicts
    assert found.manifest["texts"] == expected.manifest["texts"]
    assert found.manifest["warnings"] == expected.manifest["warnings"]
    for table in expected.tables:
        assert rows_of(found, table) == rows_of(expected, table)


def test_what_the_reference_made_has_none_of_the_people(made):
    """Two rows without a text stay so; every other text has nothing of anybody."""
    found = made("reference")
    texts = [
        cell for table in found.tables for row in rows_of(found, table).elements() for cell in row
    ]
    assert not [text for text in texts for name in NAMES for part in name.split() if part in text]
    assert not [
        text for text in texts if "617-555" in text or "195" in text.replace("1950-1959", "")
    ]
    assert len(rows_of(found, "people")) == 12
    assert sum(row.count("") for row in rows_of(found, "people")) == 1
    notes = [row for row in rows_of(found, "visits").elements() if "[NAME 1] came on" in row[1]]
    assert len(notes) == 8
