"""The kind of a frame is told from its class, also of one that is made from a library's own."""

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.engines import FrameKind, frame_kind, open_source, read_released_frame


class OwnFrame(pd.DataFrame):
    """As geopandas makes one."""


GIVEN = {
    "pandas": pd.DataFrame({"a": [1]}),
    "own": OwnFrame({"a": [1]}),
    "polars": pl.DataFrame({"a": [1]}),
    "lazy": pl.LazyFrame({"a": [1]}),
    "arrow": pa.table({"a": [1]}),
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("pandas", FrameKind.PANDAS),
        ("own", FrameKind.PANDAS),
        ("polars", FrameKind.POLARS),
        ("lazy", FrameKind.POLARS),
        ("arrow", FrameKind.ARROW),
    ],
)
def test_frames_are_known_by_their_class(name, kind):
    assert frame_kind(GIVEN[name]) is kind


def test_other_things_are_no_frames():
    assert [frame_kind(each) for each in ("a.csv", {"a": [1]}, [1], None)] == [None] * 4


def test_a_relation_of_another_connection_is_read():
    connection = duckdb.connect()
    relation = connection.sql("SELECT 1 AS a, NULL AS b UNION ALL SELECT 2, 'x'")
    assert frame_kind(relation) is FrameKind.DUCKDB
    with open_source(relation) as engine:
        assert [info.name for info in engine.fields()] == ["a", "b"]
        assert engine.count_rows() == 2


def test_types_come_back_only_where_every_value_fits(tmp_path):
    file = tmp_path / "release.parquet"
    duckdb.sql("SELECT '30-39' AS age, 'x' AS ward, 7 AS n").write_parquet(str(file))
    like = pd.DataFrame({"age": [34], "ward": ["x"], "n": [7]}).astype(
        {"ward": "category", "n": "int16"}
    )
    found = read_released_frame(file, like)
    assert found["age"].tolist() == ["30-39"]
    assert found["ward"].dtype == "category"
    assert found["n"].dtype == "int16"


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("like", [None, pd.DataFrame(), pl.DataFrame(), pa.table({})])
def test_a_folder_of_parts_is_one_frame(tmp_path, suffix, like):
    folder = tmp_path / f"release{suffix}"
    folder.mkdir()
    for place, zips in enumerate((["02138", None], ["02139"])):
        part = folder / f"part-{place}{suffix}"
        frame = pl.DataFrame({"zip": zips, "a b": ["x"] * len(zips)})
        (frame.write_csv if suffix == ".csv" else frame.write_parquet)(part)
    with open_source(read_released_frame(folder, like)) as engine:
        assert engine.frequencies(["zip"]).values == (("02138", "02139", None),)
        assert [info.name for info in engine.fields()] == ["zip", "a b"]
        assert engine.count_rows() == 3
