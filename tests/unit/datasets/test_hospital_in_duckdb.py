"""DuckDB reads the batches of the made-up hospital database as they are: values, types and
nulls."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

from sfumato.datasets import HOSPITAL_DATABASE_TYPES, hospital_tables, write_hospital_database

VISITS = 9_000


@pytest.fixture(scope="module")
def loaded():
    connection = duckdb.connect()
    for table, types in HOSPITAL_DATABASE_TYPES.items():
        fields = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
        connection.execute(f"CREATE TABLE {table} ({fields})")
    for table, columns in hospital_tables(visits=VISITS, chunk=4_000):
        connection.register("batch", columns)
        connection.execute(f"INSERT INTO {table} SELECT * FROM batch")
        connection.unregister("batch")
    return connection


@pytest.mark.parametrize("table", HOSPITAL_DATABASE_TYPES)
def test_the_batches_and_the_files_are_the_same_table(loaded, table, tmp_path):
    folder = write_hospital_database(tmp_path, visits=VISITS)
    types = {name: kind.replace(", ", ",") for name, kind in HOSPITAL_DATABASE_TYPES[table].items()}
    loaded.from_csv_auto(str(folder / f"{table}.csv"), dtype=types).create_view(
        "file", replace=True
    )
    for one, other in ((table, "file"), ("file", table)):
        assert loaded.execute(
            f"SELECT count(*) FROM (FROM {one} EXCEPT ALL FROM {other})"
        ).fetchall() == [(0,)]
    assert loaded.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0] > 0


def test_nulls_arrive_as_nulls(loaded, tables_of):
    tables = tables_of(visits=VISITS)
    for table, field in (
        ("visits", "physician_id"),
        ("visits", "discharged"),
        ("patients", "ethnicity"),
    ):
        expected = sum(value is None for value in tables[table][field].tolist())
        found = loaded.execute(f"SELECT count(*) FILTER ({field} IS NULL) FROM {table}").fetchall()
        assert found == [(expected,)]
        assert expected > 0


def test_values_arrive_as_they_are(loaded, tables_of):
    visits = tables_of(visits=VISITS)["visits"]
    read = loaded.execute(
        "SELECT visit_id, admitted, charges, ward FROM visits ORDER BY visit_id"
    ).fetchall()
    assert [row[0] for row in read] == visits["visit_id"].tolist()
    assert [np.datetime64(row[1], "s") for row in read] == list(np.asarray(visits["admitted"]))
    assert [f"{row[2]}" for row in read] == [
        f"{charge:.2f}" for charge in visits["charges"].tolist()
    ]
    assert [row[3] for row in read] == visits["ward"].tolist()
