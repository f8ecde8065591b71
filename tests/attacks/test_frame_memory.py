"""A stranger gets the frame that a release hands out, in any form in which frames travel, and looks
through its bytes for what was not released.

The source holds one word wherever frames keep values: in a suppressed row, in a direct field, in
the index, in attributes and metadata, in categories, and in rows that a slice cut off."""

from __future__ import annotations

import io
import pickle
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf

WORD = "Zyxomma"
COUNT = 24
AGES = [30, 31] * (COUNT // 2) + [95]
WARDS = ["a", "b"] * (COUNT // 2) + [WORD]
NAMES = [f"Ann {WORD}{n}" for n in range(COUNT + 1)]
NESTED = [[each] for each in WARDS]
ASKED = {
    "quasi": ["age"],
    "direct": ["name"],
    "insensitive": ["ward", "wards", "record"],
    "hierarchies": {"age": {"numbers": {"widths": [10]}}},
    "k": 3,
    "max_suppression": 0.1,
}


def pandas_frame() -> Any:
    frame = pd.DataFrame(
        {
            "name": NAMES,
            "age": AGES,
            "ward": pd.Categorical(WARDS, categories=[WORD, "b", "a"], ordered=True),
            "wards": pd.Series(WARDS, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
            "record": WARDS,
        },
    )
    frame.index = pd.Index([WORD] * len(frame), name=WORD)
    frame.columns.name = WORD
    frame.attrs["owner"] = WORD
    return frame


def polars_frame() -> Any:
    labels = pl.Enum([WORD, "a", "b"])
    return pl.DataFrame(
        {
            "name": NAMES,
            "age": AGES,
            "ward": pl.Series(WARDS, dtype=pl.Categorical),
            "wards": pl.Series(NESTED, dtype=pl.List(labels)),
            "record": pl.Series([{"at": each} for each in WARDS], dtype=pl.Struct({"at": labels})),
        }
    )


def arrow_table() -> Any:
    inner = pa.field("at", pa.large_string(), metadata={"who": WORD})
    table = pa.table(
        {
            "name": [*NAMES, WORD],
            "age": [*AGES, 96],
            "ward": pa.array([*WARDS, WORD]).dictionary_encode(),
            "wards": pa.array([*NESTED, [WORD]], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
            "record": pa.array([{"at": each} for each in [*WARDS, WORD]], pa.struct([inner])),
        }
    )
    return table.replace_schema_metadata({"owner": WORD}).slice(0, COUNT + 1)


def relation() -> Any:
    connection = duckdb.connect()
    connection.register("given", arrow_table())
    connection.execute(f"CREATE TYPE wards AS ENUM ('{WORD}', 'a', 'b')")
    connection.execute(
        "CREATE TABLE people AS SELECT * REPLACE (CAST(ward AS wards) AS ward) FROM given"
    )
    return connection.table("people")


def arrow_bytes(table: pa.Table) -> bytes:
    """Every byte that a table holds on to, also outside its rows, and the file of it."""

    def held(array: Any) -> bytes:
        parts = [buffer.to_pybytes() for buffer in array.buffers() if buffer is not None]
        if pa.types.is_dictionary(array.type):
            parts.append(held(array.dictionary))
        return b"".join(parts)

    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    chunks = [held(chunk) for column in table.columns for chunk in column.chunks]
    return b"".join([*chunks, sink.getvalue(), pickle.dumps(table), str(table.schema).encode()])


def frame_bytes(frame: Any) -> bytes:
    """A frame in every form in which it could be handed on."""
    sink = io.BytesIO()
    if isinstance(frame, pd.DataFrame):
        frame.to_pickle(sink)
        frame.to_parquet(sink)
        return sink.getvalue() + str((frame.dtypes, frame.attrs, frame.index)).encode()
    if isinstance(frame, pl.DataFrame):
        frame.write_ipc(sink)
        frame.write_parquet(sink)
        whole = sink.getvalue() + frame.serialize() + pickle.dumps(frame)
        return whole + str(frame.schema).encode() + arrow_bytes(frame.to_arrow())
    if isinstance(frame, pa.Table):
        return arrow_bytes(frame)
    frame.write_parquet("relation.parquet")
    facts = frame.query("r", "SELECT * FROM duckdb_types()").fetchall()
    tables = frame.query("r", "SHOW ALL TABLES").fetchall()
    with open("relation.parquet", "rb") as file:
        return file.read() + str((facts, tables, frame.types)).encode()


@pytest.mark.long("the memory of each kind of frame; each second stays", every=2)
@pytest.mark.parametrize(
    "source", [pandas_frame, polars_frame, arrow_table, relation], ids=lambda each: each.__name__
)
def test_no_byte_of_a_frame_is_from_outside_the_release(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = sf.release(source(), **ASKED)
    assert (made.outcome, made.rows) == ("pass", COUNT)
    assert WORD.encode() not in frame_bytes(made.frame)


def test_a_slice_of_arrow_keeps_nothing_of_the_whole():
    """What the attack rests on: a slice as pyarrow makes it does hold the rows that it cut off."""
    assert WORD.encode() in arrow_bytes(arrow_table().select(["age", "ward"]).slice(0, 2))


def test_rows_are_in_the_order_of_the_file_and_not_of_the_source(tmp_path):
    given = pd.DataFrame({"age": [30, 31] * 40, "number": range(80)})
    made = sf.release(given, quasi=["age"], insensitive=["number"], k=3)
    made.save(tmp_path / "release")
    numbers = made.frame["number"].tolist()
    assert numbers == pd.read_parquet(tmp_path / "release" / "release.parquet")["number"].tolist()
    assert numbers != list(range(80))
