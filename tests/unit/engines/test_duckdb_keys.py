"""Keys as bits: the same answers as by hashing."""

from pathlib import Path

import duckdb
import pytest

from sfumato.engines.duckdb.database import DuckDBDatabase
from sfumato.engines.sql.database import SqlDatabase


def folder(tmp_path: Path, keys: list[int | None], links: list[int | None]) -> Path:
    for name, values in (("parents", keys), ("children", links)):
        rows = ", ".join(f"({'NULL' if value is None else value})" for value in values)
        duckdb.sql(
            f"COPY (SELECT CAST(v AS BIGINT) AS id FROM (VALUES {rows}) AS t(v)) TO "
            f"'{tmp_path / name}.parquet'"
        )
    return tmp_path


@pytest.mark.parametrize(
    ("keys", "links"),
    [
        ([1, 2, 3], [1, 2, 3, 3]),
        ([5, 7, 9, None], [5, 6, None, 10, 4, 9]),
        ([-3, -1, 4], [-3, -2, 4, 5, -4]),
        ([1, 1, 2], [2, 3]),
        ([1, 10**15], [1, 10**15, 7]),
        ([None], [1, None]),
        ([-(2**63), 2**63 - 1], [0, 2**63 - 1]),
    ],
)
def test_bits_say_what_hashing_says(tmp_path, keys, links):
    with DuckDBDatabase(folder(tmp_path, keys, links)) as found:
        assert found.repeated("parents", "id") == SqlDatabase.repeated(found, "parents", "id")
        for nulls in (True, False):
            told = found.loose("children", "id", to="parents", key="id", nulls=nulls)
            assert told == SqlDatabase.loose(
                found, "children", "id", to="parents", key="id", nulls=nulls
            )
