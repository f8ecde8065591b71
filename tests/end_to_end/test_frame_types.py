"""Types of frames that a data scientist brings: kept where a field is unchanged, or refused by name."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import NoRecodingFound, PolicyError, SourceError

SEX = ["f", "m"] * 6
SPANS = [timedelta(days=45, seconds=3, microseconds=7), -timedelta(hours=2), timedelta(0)] * 4


def released(values: Any, kind: str = "pandas") -> Any:
    """The kept field of a release, in the kind of frame that came in."""
    columns = {"sex": SEX, "kept": values}
    made = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[kind](columns)
    return sf.release(made, quasi=["sex"], insensitive=["kept"], k=3).frame["kept"]


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_spans_of_pandas_stay_spans(unit):
    spans = pd.Series(pd.to_timedelta([*SPANS[:11], None])).dt.as_unit(unit)
    kept = released(spans)
    assert kept.dtype == spans.dtype
    assert sorted(kept.dropna()) == sorted(SPANS[:11])


def test_spans_of_polars_and_arrow_stay_spans():
    kept = released(pl.Series(SPANS), "polars")
    assert (kept.dtype, sorted(kept)) == (pl.Duration("us"), sorted(SPANS))
    spans = released(pa.array(SPANS, pa.duration("us")), "arrow")
    assert (spans.type, sorted(spans.to_pylist())) == (pa.duration("us"), sorted(SPANS))


def test_a_recoded_span_is_text():
    frame = pd.DataFrame({"sex": SEX, "stay": pd.to_timedelta(range(12), unit="D")})
    assert set(sf.release(frame, quasi=["sex", "stay"], k=3).frame["stay"]) == {"*"}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([b"a\x00"] * 12, bytes),
        ([[1, 2]] * 12, list),
        ([{"a": 1}] * 12, dict),
        ([Decimal("1.50")] * 12, Decimal),
    ],
)
def test_objects_of_pandas_are_those_that_came_in(values, kind):
    kept = released(values)
    assert {type(cell) for cell in kept} == {kind}
    assert kept.tolist() == values


def test_text_of_pandas_with_a_missing_value_keeps_its_type():
    kept = released(pd.array(["a", None] * 6, dtype="string"))
    assert kept.dtype == "string"


def test_wide_numbers_of_a_relation_stay_apart():
    """DuckDB's sum is a number of 128 bits, which its Parquet rounds: two people became one."""
    connection = duckdb.connect()
    rows = connection.sql(
        "SELECT * FROM (VALUES ('f', 9007199254740992), ('f', 9007199254740993)) t(sex, id)"
    )
    wide = rows.project("sex, id::HUGEINT AS id")
    made = sf.release(wide, quasi=["sex"], insensitive=["id"], k=2)
    assert sorted(int(id) for _, id in made.frame.fetchall()) == [2**53, 2**53 + 1]
    widest = rows.project("sex, (id::UHUGEINT * 18889465931478580854784) AS id")
    texts = sf.release(widest, quasi=["sex"], insensitive=["id"], k=2).frame.fetchall()
    assert len(set(texts)) == 2


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"sex": SEX, "odd one": pd.cut(range(12), 3)}),
        pd.DataFrame({"sex": SEX, "odd one": pd.period_range("2020-01", periods=12, freq="M")}),
        pd.DataFrame({"sex": SEX, "odd one": [1j] * 12}),
        pd.DataFrame({"sex": SEX, "odd one": pd.arrays.SparseArray([0, 1] * 6)}),
        pl.DataFrame({"sex": SEX, "odd one": pl.Series([object()] * 12, dtype=pl.Object)}),
        pl.LazyFrame({"sex": SEX, "odd one": pl.Series([1] * 12, dtype=pl.Int128)}),
        pa.table({"sex": SEX, "odd one": pa.array([Decimal(1)] * 12, pa.decimal256(50, 2))}),
    ],
)
def test_a_column_that_is_not_read_is_named(frame):
    with pytest.raises(SourceError, match=r"1 column of a type that is not read") as told:
        sf.release(frame, k=3)
    assert "odd one" in str(told.value)
    assert "sex" not in str(told.value)


def test_numbers_of_numpy_are_numbers():
    frame = pd.DataFrame({"age": list(range(30, 42)), "sex": SEX})
    k = frame["age"].value_counts().max() + 2
    made = sf.release(frame, quasi=["age", "sex"], k=k, max_suppression=np.float32(0.5))
    assert made.policy.require.k == 3
    widths = {"age": {"numbers": {"widths": np.array([10, 20])}}}
    made = sf.release(frame, quasi=["age", "sex"], k=np.int8(3), hierarchies=widths)
    assert made.outcome == "pass"
    with pytest.raises(PolicyError, match="a number with a fraction"):
        sf.release(frame, quasi=["age"], k=np.float64(3))


def test_one_row_is_offered_no_k_of_one():
    with pytest.raises(NoRecodingFound) as told:
        sf.release(pd.DataFrame({"age": [34]}), quasi=["age"], k=3)
    assert told.value.attempt == "a table with more rows."


def test_problems_of_the_rows_name_the_policy():
    frame = pd.DataFrame({"age": list(range(12)), "years": list(range(12)), "sex": SEX})
    with pytest.raises(PolicyError, match=r"^The policy has 1 problem:"):
        sf.release(frame, quasi=["age"], insensitive=["years", "sex"], k=12)
