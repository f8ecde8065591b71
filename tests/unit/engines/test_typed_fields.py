"""Typed columns as canonical text, as docs/engines.md says, and the same text in what is
written."""

from __future__ import annotations

import csv
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

from sfumato.engines import WritePlan, open_source
from sfumato.engines.engine import FieldKind
from sfumato.engines.reference.engine import ReferenceEngine
from sfumato.policy.records import Order

# Values of one field, its kind and their canonical text; null is everywhere the second of three.
TYPED: dict[str, tuple[Any, FieldKind, list[str]]] = {
    "text": (pyarrow.array(["b", None, "a"]), FieldKind.TEXT, ["b", "a"]),
    "large text": (
        pyarrow.array(["b", "", "a"], pyarrow.large_string()),
        FieldKind.TEXT,
        ["b", "a"],
    ),
    "text view": (pyarrow.array(["b", "", "a"], pyarrow.string_view()), FieldKind.TEXT, ["b", "a"]),
    "dictionary": (pyarrow.array(["b", None, "a"]).dictionary_encode(), FieldKind.TEXT, ["b", "a"]),
    "integer": (pyarrow.array([-2, None, 10]), FieldKind.INTEGER, ["-2", "10"]),
    "small": (pyarrow.array([-2, None, 10], pyarrow.int8()), FieldKind.INTEGER, ["-2", "10"]),
    "unsigned": (
        pyarrow.array([0, None, 2**64 - 1], pyarrow.uint64()),
        FieldKind.INTEGER,
        ["0", "18446744073709551615"],
    ),
    "real": (pyarrow.array([0.1, None, 1e20]), FieldKind.REAL, ["0.1", "1e+20"]),
    "whole real": (pyarrow.array([-0.0, None, 3.0]), FieldKind.REAL, ["-0.0", "3.0"]),
    "tiny real": (
        pyarrow.array([1e-7, None, 123456789.125]),
        FieldKind.REAL,
        ["1e-07", "123456789.125"],
    ),
    "no number": (
        pyarrow.array([float("nan"), None, float("-inf")]),
        FieldKind.REAL,
        ["nan", "-inf"],
    ),
    "single": (pyarrow.array([0.1, None, 2.5], pyarrow.float32()), FieldKind.REAL, ["0.1", "2.5"]),
    "decimal": (
        pyarrow.array([Decimal("1.50"), None, Decimal("-20.00")]),
        FieldKind.REAL,
        ["1.50", "-20.00"],
    ),
    "boolean": (pyarrow.array([True, None, False]), FieldKind.BOOLEAN, ["true", "false"]),
    "date": (
        pyarrow.array([date(2020, 2, 29), None, date(987, 1, 5)]),
        FieldKind.DATE,
        ["2020-02-29", "0987-01-05"],
    ),
    "timestamp": (
        pyarrow.array(
            [datetime(2020, 2, 29, 1, 2, 3), None, datetime(2020, 2, 29, 1, 2, 3, 450_000)]
        ),
        FieldKind.TIMESTAMP,
        ["2020-02-29 01:02:03", "2020-02-29 01:02:03.45"],
    ),
    "zoned": (
        pyarrow.array(
            [
                datetime(2020, 2, 29, 1, tzinfo=timezone(timedelta(hours=2))),
                None,
                datetime(2020, 7, 1, tzinfo=UTC),
            ],
            pyarrow.timestamp("us", "Europe/Paris"),
        ),
        FieldKind.TIMESTAMP,
        ["2020-02-28 23:00:00+00", "2020-07-01 00:00:00+00"],
    ),
    "time": (
        pyarrow.array([time(1, 2, 3), None, time(23, 0)]),
        FieldKind.OTHER,
        ["01:02:03", "23:00:00"],
    ),
    "nothing": (pyarrow.nulls(3), FieldKind.TEXT, []),
}
each_type = pytest.mark.parametrize("name", TYPED)


@pytest.mark.long("every type of three kinds of frame; every type of Arrow stays", but=("arrow-*",))
@each_type
@pytest.mark.parametrize("frame", ["arrow", "polars", "pandas"])
def test_canonical_text(name: str, frame: str) -> None:
    if frame == "polars" and name == "nothing":
        pytest.skip("the same column as in Arrow")
    values, kind, texts = TYPED[name]
    table = pyarrow.table({"a": values})
    source = (
        table
        if frame == "arrow"
        else polars.from_arrow(table)
        if frame == "polars"
        else _pandas(values)
    )
    with open_source(source) as engine:
        assert engine.fields()[0].kind is kind
        assert engine.frequencies(("a",)).values == ((*sorted(texts), None),)


def _pandas(values: pyarrow.Array) -> pandas.DataFrame:
    """With pandas' Arrow types, which keep null apart from NaN."""
    return pandas.DataFrame(
        {"a": pandas.Series(pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array([values])))}
    )


@pytest.mark.long("a file for each type and format; each third stays", every=3)
@each_type
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_what_is_written_counts_as_the_same_text(tmp_path: Path, name: str, suffix: str) -> None:
    values, _, texts = TYPED[name]
    target = tmp_path / f"out{suffix}"
    with open_source(pyarrow.table({"a": values, "b": ["x", "y", "z"]})) as engine:
        engine.write(WritePlan(fields=("a", "b"), order=Order.KEEP), target)
        before = engine.frequencies(("a", "b"))
    with open_source(target) as again:
        after = again.frequencies(("a", "b"))
    assert (before.values, before.codes.tolist()) == (after.values, after.codes.tolist())
    assert set(before.values[0]) == {*texts, None}


def test_a_constant_and_a_key_are_compared_as_text(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"day": [date(2020, 1, 5), None], "n": [1, 2]})
    with open_source(frame) as engine:
        engine.write(
            WritePlan(fields=("n", "day"), constants={"day": "*"}, order=Order.KEEP),
            tmp_path / "out.csv",
        )
    with (tmp_path / "out.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["n", "day"], ["1", "*"], ["2", ""]]


def test_sorted_by_what_the_field_is(tmp_path: Path) -> None:
    with open_source(pandas.DataFrame({"n": [10, 9, 100]})) as engine:
        engine.write(WritePlan(fields=("n",), order=Order.SORTED), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().split() == ["n", "9", "10", "100"]


@pytest.mark.parametrize(
    ("series", "kind", "values"),
    [
        (pandas.Series([1, None, 2]), FieldKind.REAL, ("1.0", "2.0", None)),
        (pandas.Series([1, None, 2], dtype="Int64"), FieldKind.INTEGER, ("1", "2", None)),
        (
            pandas.Series(["x", None, float("nan"), pandas.NA], dtype=object),
            FieldKind.TEXT,
            ("x", None),
        ),
        (pandas.Series(pandas.Categorical(["b", "a", None, ""])), FieldKind.TEXT, ("a", "b", None)),
        (pandas.Series(pandas.Categorical([3, 1, None])), FieldKind.REAL, ("1.0", "3.0", None)),
        (
            pandas.Series(pandas.to_datetime(["2020-01-05", None])),
            FieldKind.TIMESTAMP,
            ("2020-01-05 00:00:00", None),
        ),
        (pandas.Series([date(2020, 1, 5), None]), FieldKind.DATE, ("2020-01-05", None)),
        (pandas.Series([1, "x", None], dtype=object), FieldKind.TEXT, ("1", "x", None)),
        (
            pandas.Series([True, None, False], dtype="boolean"),
            FieldKind.BOOLEAN,
            ("false", "true", None),
        ),
        (pandas.Series([Decimal("1.5"), None]), FieldKind.REAL, ("1.5", None)),
        (
            pandas.Series([None] * 4_000 + ["x"] + [None] * 4_000, dtype=object),
            FieldKind.TEXT,
            ("x", None),
        ),
    ],
)
def test_pandas_own_types(
    series: pandas.Series, kind: FieldKind, values: tuple[str | None, ...]
) -> None:
    with open_source(pandas.DataFrame({"a": series})) as engine:
        assert (engine.fields()[0].kind, engine.frequencies(("a",)).values[0]) == (kind, values)


def test_polars_categories() -> None:
    kinds = (polars.Categorical, polars.Enum(["z", "a"]))
    frame = polars.DataFrame(
        {f"c{i}": polars.Series(["z", None, "a"], dtype=kind) for i, kind in enumerate(kinds)}
    )
    with open_source(frame) as engine:
        assert {info.kind for info in engine.fields()} == {FieldKind.TEXT}
        assert engine.frequencies(("c0", "c1")).values == (("a", "z", None), ("a", "z", None))


def test_the_session_time_zone_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    stamps = pyarrow.array([datetime(2020, 7, 1, tzinfo=UTC)], pyarrow.timestamp("us", "UTC"))
    with open_source(pyarrow.table({"a": stamps})) as engine:
        assert engine.frequencies(("a",)).values == (("2020-07-01 00:00:00+00",),)


@pytest.mark.parametrize(
    "value",
    [
        *(-2, 0.1, 1e20, 1e-7, True, Decimal("1.50")),
        *(date(2020, 2, 29), datetime(2020, 2, 29, 1, 2), datetime(2020, 2, 29, 1, 2, 3, 450_000)),
    ],
)
def test_the_reference_engine_writes_the_same_text(value: object) -> None:
    with open_source(pyarrow.table({"a": [value]})) as engine:
        assert (
            engine.frequencies(("a",)).values
            == ReferenceEngine([{"a": value}]).frequencies(("a",)).values
        )
