"""Which sources hold several tables where nothing says which one is meant."""

from __future__ import annotations

import sqlite3

import duckdb
import pandas
import pytest

from sfumato.engines import open_several

PEOPLE = pandas.DataFrame({"id": [1, 2], "sex": ["f", "m"]})
VISITS = pandas.DataFrame({"id": [1, 1], "ward": ["a", "b"]})


def names(source, **options):
    found = open_several(source, **options)
    if found is None:
        return None
    with found as database:
        return database.tables()


def test_a_folder_of_csv_files(tmp_path):
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    assert names(tmp_path) is None
    PEOPLE.to_csv(tmp_path / "also.csv", index=False)
    assert names(tmp_path) == ("also", "people")
    assert names(tmp_path, engine="reference") == ("also", "people")
    assert names(tmp_path / "people.csv") is None


def test_parquet_files_with_the_same_fields_are_one_table_in_parts(tmp_path):
    for name in ("part-0", "part-1"):
        PEOPLE.to_parquet(tmp_path / f"{name}.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert names(tmp_path) is None
    VISITS.to_parquet(tmp_path / "visits.parquet")
    assert names(tmp_path) == ("part-0", "part-1", "visits")


def test_folders_of_parquet_files_are_tables(tmp_path):
    for name in ("people", "more"):
        (tmp_path / name).mkdir()
        PEOPLE.to_parquet(tmp_path / name / "part-0.parquet")
    assert names(tmp_path) == ("more", "people")


def test_database_files_unless_one_table_is_named(tmp_path):
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE people AS SELECT 1 AS id")
        assert names(tmp_path / "nothing.csv") is None
        database.execute("CREATE TABLE visits AS SELECT 1 AS id")
    assert names(path) == ("people", "visits")
    assert names(path, table="visits") is None


@pytest.mark.parametrize(
    ("tables", "expected"), [(("people",), None), (("people", "visits"), ("people", "visits"))]
)
def test_sqlite_files(tmp_path, tables, expected):
    database = sqlite3.connect(tmp_path / "clinic.sqlite")
    for table in tables:
        database.execute(f"CREATE TABLE {table} (id TEXT)")
    database.commit()
    database.close()
    assert names(tmp_path / "clinic.sqlite") == expected


def test_mappings_of_frames_and_single_frames():
    assert names({"people": PEOPLE, "visits": VISITS}) == ("people", "visits")
    assert names({"people": PEOPLE}) is None
    assert names(PEOPLE) is None
    assert names("spark:clinic.visits") is None
