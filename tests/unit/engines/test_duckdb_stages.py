"""Texts of a stage as enumerations: a file that is written from it tells no label of a row that
went."""

import subprocess
import sys

import duckdb
import numpy as np

from sfumato.engines import Lookup, TableView, WritePlan
from sfumato.engines.duckdb.database import DuckDBDatabase


def staged(database):
    gone = {"key:who": np.array(["p3"], object)}
    drop = Lookup(keys=("who",), fields=(), batches=lambda: iter([gone]))
    view = database.view(TableView(table="visits"))
    return view.staged(WritePlan(fields=("who", "ward"), drop=drop, shuffled=True))


def test_parquet_keeps_no_place_for_a_label_that_only_a_row_left_out_had(tmp_path):
    wards = (
        "SELECT 'p' || (v % 4) AS who, CASE WHEN v % 4 = 3 THEN 'a ward apart' ELSE 'ward' END "
        "AS ward"
    )
    duckdb.sql(f"COPY ({wards} FROM range(40) AS t(v)) TO '{tmp_path / 'visits.parquet'}'")
    with DuckDBDatabase(tmp_path) as database:
        stage = staged(database)
        assert {info.name: info.declared for info in stage.fields()} == {
            "who": "ENUM",
            "ward": "ENUM",
        }
        assert stage.write(WritePlan(fields=("ward",)), tmp_path / "out.parquet") == 30
    assert b"a ward apart" not in (tmp_path / "out.parquet").read_bytes()
    assert duckdb.sql(f"SELECT DISTINCT ward FROM '{tmp_path / 'out.parquet'}'").fetchall() == [
        ("ward",)
    ]


def test_labels_that_are_all_in_use_are_written_as_they_are(tmp_path):
    duckdb.sql(
        "COPY (SELECT 'p' || (v % 3) AS who, 'w' AS ward FROM range(9) t(v)) TO "
        f"'{tmp_path / 'visits.parquet'}'"
    )
    with DuckDBDatabase(tmp_path) as database:
        staged(database).write(WritePlan(fields=("who", "ward")), tmp_path / "out.parquet")
    assert (
        len(duckdb.sql(f"SELECT DISTINCT who, ward FROM '{tmp_path / 'out.parquet'}'").fetchall())
        == 3
    )


SETS = """
import sys

sys.modules["pandas"] = None  # As where only the core is installed.
from sfumato.engines import TableView, WritePlan
from sfumato.engines.duckdb.database import DuckDBDatabase

with DuckDBDatabase(sys.argv[1]) as database:
    view = database.view(TableView(table="visits"))
    stage = view.staged(WritePlan(fields=("who", "ward"), shuffled=True))
    assert {info.declared for info in stage.fields()} == {"ENUM"}
    found = stage.itemsets("who", "ward", m=2)
print(*found.values, *found.people.tolist())
"""


def test_sets_of_enumerated_values_are_counted_without_pandas(tmp_path):
    """DuckDB hands out an enumeration as a column of pandas, and fails where that is missing."""
    duckdb.sql(
        "COPY (SELECT 'p' || (v % 3) AS who, 'w' || (v % 2) AS ward FROM range(9) t(v)) TO "
        f"'{tmp_path / 'visits.parquet'}'"
    )
    done = subprocess.run(
        [sys.executable, "-c", SETS, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "w0 w1 3 3 3\n"), done.stderr
