"""Typed fields in Spark as canonical text, as docs/engines.md says: the same as DuckDB's over the
same file."""

from __future__ import annotations

import random
import struct
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import spark_local

from sfumato.engines import Engine, WritePlan, open_source
from sfumato.engines.engine import FieldKind
from sfumato.errors import SourceError
from sfumato.policy.records import Order

pytestmark = pytest.mark.long("Spark takes long; tests/contracts/test_kept_cells.py stays on Spark")

# Values of one field, its kind and their canonical text; null is everywhere the second of three.
TYPED: dict[str, tuple[Any, FieldKind, list[str]]] = {
    "text": (pyarrow.array(["b", None, "a"]), FieldKind.TEXT, ["b", "a"]),
    "large text": (
        pyarrow.array(["b", "", "a"], pyarrow.large_string()),
        FieldKind.TEXT,
        ["b", "a"],
    ),
    "dictionary": (pyarrow.array(["b", None, "a"]).dictionary_encode(), FieldKind.TEXT, ["b", "a"]),
    "integer": (pyarrow.array([-2, None, 10]), FieldKind.INTEGER, ["-2", "10"]),
    "small": (pyarrow.array([-2, None, 10], pyarrow.int8()), FieldKind.INTEGER, ["-2", "10"]),
    "unsigned": (
        pyarrow.array([0, None, 2**64 - 1], pyarrow.uint64()),
        FieldKind.REAL,
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
    "single": (
        pyarrow.array([0.1, None, 1e10], pyarrow.float32()),
        FieldKind.REAL,
        ["0.1", "10000000000.0"],
    ),
    "decimal": (
        pyarrow.array([Decimal("1.50"), None, Decimal("-20.00")]),
        FieldKind.REAL,
        ["1.50", "-20.00"],
    ),
    "tiny decimal": (
        pyarrow.array([Decimal("1e-9"), None], pyarrow.decimal128(12, 9)),
        FieldKind.REAL,
        ["0.000000001"],
    ),
    "boolean": (pyarrow.array([True, None, False]), FieldKind.BOOLEAN, ["true", "false"]),
    "date": (
        pyarrow.array([date(2020, 2, 29), None, date(987, 1, 5)]),
        FieldKind.DATE,
        ["2020-02-29", "0987-01-05"],
    ),
    "timestamp": (
        pyarrow.array(
            [datetime(2020, 2, 29, 1, 2, 3), None, datetime(987, 2, 28, 1, 2, 3, 450_000)]
        ),
        FieldKind.TIMESTAMP,
        ["2020-02-29 01:02:03", "0987-02-28 01:02:03.45"],
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
    "bytes": (
        pyarrow.array([b"a\\\xff'", None, b"~ \0"]),
        FieldKind.OTHER,
        ["a\\x5C\\xFF\\x27", "~ \\x00"],
    ),
    "list": (pyarrow.array([[1, 2], None, [3]]), FieldKind.OTHER, ["[1, 2]", "[3]"]),
}
SPARK_ONLY = {
    "structure": (pyarrow.array([{"a": 1, "b": "x"}, None]), FieldKind.OTHER, ['{"a":1,"b":"x"}']),
    "nothing": (pyarrow.nulls(3), FieldKind.INTEGER, []),
}


def opened(values: Any, folder: Path, *, engine: str = "spark") -> Engine:
    pyarrow.parquet.write_table(pyarrow.table({"a": values}), folder / "typed.parquet")
    spark_local.running()
    return open_source(folder / "typed.parquet", engine=engine)


def test_every_type_has_its_text(tmp_path: Path) -> None:
    """All in one table, because each look at Spark takes its time."""
    typed = TYPED | SPARK_ONLY
    longest = max(len(values) for values, _, _ in typed.values())
    columns = {name: pad(values, longest) for name, (values, _, _) in typed.items()}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "typed.parquet")
    spark_local.running()
    with open_source(tmp_path / "typed.parquet", engine="spark") as engine:
        kinds = {info.name: info.kind for info in engine.fields()}
        found = engine.frequencies(tuple(typed))
    assert kinds == {name: kind for name, (_, kind, _) in typed.items()}
    assert dict(zip(typed, found.values, strict=True)) == {
        name: (*sorted(texts), None) for name, (_, _, texts) in typed.items()
    }
    with open_source(tmp_path / "typed.parquet") as duckdb:
        theirs = duckdb.frequencies(tuple(TYPED))
    assert theirs.values == found.values[: len(TYPED)]


def pad(values: Any, length: int) -> Any:
    values = values.combine_chunks() if isinstance(values, pyarrow.ChunkedArray) else values
    if pyarrow.types.is_dictionary(values.type):
        values = values.cast(pyarrow.string())
    return pyarrow.concat_arrays([values, pyarrow.nulls(length - len(values), values.type)])


def test_what_is_written_counts_as_the_same_text(tmp_path: Path) -> None:
    """Read back by DuckDB, which recounts what any engine wrote; from Parquet and from CSV."""
    columns = {name: pad(values, 3) for name, (values, _, _) in TYPED.items()}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "typed.parquet")
    spark_local.running()
    with open_source(tmp_path / "typed.parquet", engine="spark") as engine:
        plan = WritePlan(fields=tuple(TYPED), order=Order.KEEP)
        before = engine.frequencies(tuple(TYPED))
        written = [tmp_path / f"out{suffix}" for suffix in (".parquet", ".csv")]
        assert [engine.write(plan, target) for target in written] == [3, 3]
    for target in written:
        with open_source(target) as again:
            after = again.frequencies(tuple(TYPED))
        assert (before.values, before.codes.tolist()) == (after.values, after.codes.tolist())


def numbers() -> list[float]:
    """Of every size, with many digits and few, and what is at the edges of how they are written."""
    chance = random.Random(11)
    edges = [
        0.0,
        -0.0,
        1e7,
        1e16,
        9999999999999998.0,
        1e-3,
        1e-4,
        9.9e-5,
        1e22,
        1e23,
        -1e23,
        123456789.125,
    ]
    edges += [
        1.7976931348623157e308,
        2.2250738585072014e-308,
        4.77e21,
        6.237637134974739e18,
        1234567.0,
        0.3,
    ]
    powers = [chance.uniform(-1, 1) * 10.0 ** chance.randint(-30, 22) for _ in range(1_000)]
    money = [round(chance.uniform(0, 1e6), 2) for _ in range(500)]
    return [*edges, *powers, *money]


def test_real_numbers_are_written_as_python_writes_them(tmp_path: Path) -> None:
    found = numbers()
    with opened(pyarrow.array(found), tmp_path) as engine:
        assert set(engine.frequencies(("a",)).values[0]) == {repr(number) for number in found}


def test_single_numbers_are_written_with_the_fewest_digits(tmp_path: Path) -> None:
    found = [single(number) for number in numbers() if 1e-30 < abs(number) < 1e30]
    with opened(pyarrow.array(found, pyarrow.float32()), tmp_path) as engine:
        texts = engine.frequencies(("a",)).values[0]
    assert {single(float(text or "")) for text in texts} == set(found)
    for text in texts:
        digits = (text or "").split("e")[0].strip("-").replace(".", "").strip("0")
        assert len(digits) <= 9
        shorter = f"{float(text or ''):.{max(len(digits) - 2, 0)}e}"
        assert len(digits) < 2 or single(float(shorter)) != single(float(text or ""))


def single(number: float) -> float:
    """The nearest number of 32 bits."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


@pytest.mark.parametrize(
    "values",
    [
        pyarrow.array([datetime(2020, 1, 1)], pyarrow.timestamp("ns")),
        pyarrow.array([Decimal("1.5")], pyarrow.decimal256(50, 2)),
        pyarrow.array(np.array([1.5], np.float16)),
    ],
)
def test_types_that_spark_does_not_read_are_refused(values: Any, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"typed\.parquet cannot be read\.\n  It has a"):
        opened(values, tmp_path)
