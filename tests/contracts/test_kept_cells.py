"""Kept cells stay: in every file that an engine writes, the canonical text of a cell is that of the
source.

Types are asked of every engine that has types, and of every format that it writes; values are
Hypothesis's."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import postgres_server
import pyarrow
import pyarrow.parquet
import pytest
import spark_local
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.engines import Engine, WritePlan, open_source
from sfumato.engines.duckdb.parquet import is_held
from sfumato.errors import TargetError
from sfumato.policy.records import Order

QUICK = settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
FORMATS = ("csv", "parquet")


def texts(engine: Engine, name: str = "v") -> Counter[str | None]:
    """How often each canonical text occurs in a field."""
    return Counter(
        cell for batch in engine.cells((name,)) for cell in batch[f"cell:{name}"].tolist()
    )


def assert_kept(
    engine: Engine, folder: Path, file_format: str, *, fields: tuple[str, ...] = ("v",)
) -> None:
    """Write fields as they are, read them afresh, compare."""
    target = folder / f"out.{file_format}"
    assert (
        engine.write(WritePlan(fields=fields, order=Order.SCRAMBLE), target) == engine.count_rows()
    )
    with open_source(target) as written:
        changed = [name for name in fields if texts(written, name) != texts(engine, name)]
    assert changed == []


# -----------------------------------------------------------------------------------------------------------
# DuckDB

whole = st.integers
DUCKDB_TYPES: dict[str, st.SearchStrategy[object]] = {
    "TINYINT": whole(-(2**7), 2**7 - 1),
    "BIGINT": whole(-(2**63), 2**63 - 1),
    "UBIGINT": whole(0, 2**64 - 1),
    "HUGEINT": whole(-(10**38) + 1, 10**38 - 1),
    "UHUGEINT": whole(0, 2**128 - 1),
    "FLOAT": st.floats(width=32),
    "DOUBLE": st.floats(),
    "DECIMAL(4,2)": st.decimals(-99, 99, places=2),
    "DECIMAL(38,10)": st.decimals(-(10**27), 10**27, places=10),
    "DATE": st.dates(),
    "TIMESTAMP": st.datetimes(),
    "TIMESTAMP_S": st.datetimes().map(lambda moment: moment.replace(microsecond=0)),
    "TIMESTAMP_MS": st.datetimes().map(
        lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    ),
    "TIMESTAMP_NS": st.sampled_from(
        ["2020-02-29 01:02:03.123456789", "1969-12-31 23:59:59.999999999"]
    ),
    "TIMESTAMP WITH TIME ZONE": st.datetimes().map(lambda moment: f"{moment}+05"),
    "TIME": st.times(),
    "TIME WITH TIME ZONE": st.sampled_from(["01:02:03+05:30", "23:59:59.000001-08", "00:00:00+00"]),
    "INTERVAL": st.sampled_from(["1 year 2 months 3 days 04:05:06", "1 microsecond", "-3 days"]),
    "BOOLEAN": st.booleans(),
    "UUID": st.uuids().map(str),
    "BLOB": st.sampled_from([r"a\xFF\x00b", r"\x00"]),
    "BIT": st.sampled_from(["10101", "0"]),
    "VARCHAR": st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8),
    "INTEGER[]": st.sampled_from(["[1, 2, NULL]", "[]"]),
    "HUGEINT[]": st.sampled_from(["[1267650600228229401496703205377]"]),
    "STRUCT(h HUGEINT, i INTERVAL)": st.sampled_from(
        ["{'h': 1267650600228229401496703205377, 'i': '3 days'}"]
    ),
    "MAP(VARCHAR, INTEGER)": st.sampled_from(["{a=1}", "{}"]),
    "UNION(n INTEGER, s VARCHAR)": st.sampled_from(["5", "abc"]),
    "ENUM('x', 'y', '*')": st.sampled_from(["x", "y", "*"]),
    "JSON": st.sampled_from(['{"a": [1, 2]}', "1.50", "null"]),
}


@contextmanager
def in_duckdb(columns: dict[str, list[object]]) -> Iterator[tuple[Engine, Path]]:
    """A table with a field of each type, which is called by its type."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with duckdb.connect(str(folder / "source.duckdb")) as database:
            database.execute(
                f"CREATE TABLE t ({', '.join(f'{_quoted(kind)} {kind}' for kind in columns)})"
            )
            marks = ", ".join(f"CAST(? AS {kind})" for kind in columns)
            for row in zip(*columns.values(), strict=True):
                texts_of_row = [None if value is None else str(value) for value in row]
                database.execute(f"INSERT INTO t VALUES ({marks})", texts_of_row)
        with open_source(folder / "source.duckdb") as engine:
            yield engine, folder


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.long("every type through a release; one format stays", but=("parquet",))
@pytest.mark.parametrize("file_format", FORMATS)
@QUICK
@given(data=st.data())
def test_every_type_of_duckdb(file_format: str, data: st.DataObject) -> None:
    rows = data.draw(st.integers(1, 4))
    columns = {
        kind: data.draw(st.lists(st.none() | values, min_size=rows, max_size=rows))
        for kind, values in DUCKDB_TYPES.items()
    }
    with in_duckdb(columns) as (engine, folder):
        assert_kept(engine, folder, file_format, fields=tuple(columns))


def test_every_type_that_duckdb_has_is_asked_for() -> None:
    """A type that a later version brings is written as text until somebody adds it above."""
    found = {
        row[0] for row in duckdb.sql("SELECT DISTINCT logical_type FROM duckdb_types()").fetchall()
    }
    inside = {"LIST", "ARRAY", "MAP", "STRUCT", "UNION", "ENUM", "DECIMAL", "NULL", '"NULL"'}
    alike = {"SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER", "TIME_NS", "BIGNUM"}
    as_text = {"VARIANT", "GEOMETRY", "TIMESTAMPTZ_NS", "TUPLE", "TYPE"}
    asked = {kind.split("(")[0] for kind in DUCKDB_TYPES}
    assert found - asked - inside - alike - as_text == set()
    assert not [kind for kind in as_text if is_held(kind)]


def test_wide_whole_numbers_stay_numbers_where_parquet_can_hold_them() -> None:
    with in_duckdb({"HUGEINT": [2**100 + 1, -5]}) as (engine, folder):
        engine.write(WritePlan(fields=("HUGEINT",)), folder / "out.parquet")
        found = pyarrow.parquet.read_table(folder / "out.parquet")["HUGEINT"]
    assert found.type == pyarrow.decimal128(38, 0)
    assert sorted(map(int, found.to_pylist())) == [-5, 2**100 + 1]


def test_wider_ones_are_text() -> None:
    ends = [-(2**127), 2**127 - 1]
    with in_duckdb({"HUGEINT": list(ends)}) as (engine, folder):
        engine.write(WritePlan(fields=("HUGEINT",)), folder / "out.parquet")
        found = pyarrow.parquet.read_table(folder / "out.parquet")["HUGEINT"].to_pylist()
    assert sorted(found) == sorted(map(str, ends))


# ------------------------------------------------------------------------------------------------------------
# JSON

numbers = st.integers(-(2**200), 2**200) | st.integers(-(2**64), 2**64) | st.integers(-9, 9)


@pytest.mark.long("a release in each format; one stays", every=2)
@pytest.mark.parametrize("file_format", FORMATS)
@QUICK
@given(values=st.lists(st.none() | numbers, min_size=1, max_size=5))
def test_whole_numbers_of_json(values: list[int | None], file_format: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "source.json"
        path.write_text(json.dumps([{"v": value, "w": 0} for value in values]), encoding="utf-8")
        with open_source(path) as engine:
            assert texts(engine) == Counter(
                None if value is None else str(value) for value in values
            )
            assert_kept(engine, Path(scratch), file_format)


@pytest.mark.long("a release in each format; one stays", every=2)
@pytest.mark.parametrize("file_format", FORMATS)
@QUICK
@given(
    values=st.lists(
        st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5
    )
)
def test_real_numbers_of_json(values: list[float | None], file_format: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "source.json"
        path.write_text(json.dumps([{"v": value, "w": 0} for value in values]), encoding="utf-8")
        with open_source(path) as engine:
            assert texts(engine) == Counter(
                None if value is None else repr(value) for value in values
            )
            assert_kept(engine, Path(scratch), file_format)


@pytest.mark.parametrize(
    ("given_as", "expected"),
    [
        ("9007199254740993, 0.5", {"9007199254740993", "0.5"}),
        ("1, 2.5", {"1.0", "2.5"}),
        ("0.0, -0.0", {"0.0", "-0.0"}),
        ("-1, 9223372036854775813", {"-1", "9223372036854775813"}),
        ("1e400, 2", {"1e400", "2"}),
        ('1, "a"', {"1", "a"}),
    ],
)
def test_no_number_of_json_is_rounded(given_as: str, expected: set[str], tmp_path: Path) -> None:
    path = tmp_path / "source.json"
    path.write_text(
        "[" + ",".join(f'{{"v": {value}, "w": 0}}' for value in given_as.split(", ")) + "]"
    )
    with open_source(path) as engine:
        assert set(texts(engine)) == expected


# -------------------------------------------------------------------------------------------------------
# PostgreSQL

POSTGRES_TYPES: dict[str, tuple[str, ...]] = {
    "smallint": ("-32768", "7"),
    "bigint": ("-9223372036854775808", "9223372036854775807"),
    "numeric": ("123456789012345678901234567890.5", "-0.10", "NaN", "7"),
    "numeric(12,2)": ("1.50", "-9999999999.99"),
    "real": ("0.1", "-0", "NaN", "Infinity", "1e-40", "16777216"),
    "double precision": (
        "0.1",
        "-0",
        "NaN",
        "-Infinity",
        "1e308",
        "5e-324",
        "9007199254740993",
        "1e16",
    ),
    "boolean": ("true", "false"),
    "date": ("2020-02-29", "0001-01-01", "9999-12-31"),
    "timestamp": ("2020-02-29 01:02:03.45", "1969-12-31 23:59:59.999999"),
    "timestamptz": ("2020-02-29 01:02:03+05",),
    "time": ("01:02:03.000001",),
    "timetz": ("01:02:03+05:30",),
    "interval": ("1 year 2 mons 3 days 04:05:06", "00:00:00.000001"),
    "uuid": ("00000000-0000-0000-0000-0000000000ff",),
    "inet": ("10.0.0.1",),
    "integer[]": ("{1,2}", "{}"),
    "text": ("*", " x ", 'a"b', "a,b", "two\nlines", "\\", "é"),
    "bytea": (r"\x00ff",),
}


@pytest.mark.long("a release for each type and format; each third stays", every=3)
@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("kind", POSTGRES_TYPES)
def test_every_type_of_postgres(kind: str, file_format: str, tmp_path: Path) -> None:
    server = postgres_server.running()
    table = server.table(("v",), [(value,) for value in (*POSTGRES_TYPES[kind], None)])
    server.run(f'ALTER TABLE {table} ALTER COLUMN "v" TYPE {kind} USING "v"::{kind}')
    with open_source(server.uri(), table=table) as engine:
        assert_kept(engine, tmp_path, file_format)


@pytest.mark.parametrize("value", ["0044-03-15 BC", "infinity"])
def test_dates_of_postgres_that_parquet_cannot_hold_are_refused_or_kept(
    value: str, tmp_path: Path
) -> None:
    server = postgres_server.running()
    table = server.table(("v",), [(value,)])
    server.run(f'ALTER TABLE {table} ALTER COLUMN "v" TYPE date USING "v"::date')
    with open_source(server.uri(), table=table) as engine, contextlib.suppress(TargetError):
        assert_kept(engine, tmp_path, "parquet")


# ------------------------------------------------------------------------------------------------------------
# Spark

SPARK_TYPES = {
    "bigint": pyarrow.array([-(2**63), 2**63 - 1, None], pyarrow.int64()),
    "unsigned": pyarrow.array([2**64 - 1, 0, None], pyarrow.uint64()),
    "double": pyarrow.array(
        [0.1, -0.0, 0.0, float("nan"), float("inf"), 1e308, 5e-324, 1e16, 1e-5], pyarrow.float64()
    ),
    "float": pyarrow.array([0.1, -0.0, 1e-40, 16777216.0], pyarrow.float32()),
    "wide": pyarrow.array(["10000000000000000000000000000000000001", "-5"]).cast(
        pyarrow.decimal128(38, 0)
    ),
    "decimal": pyarrow.array(["1.50", "-0.01", None]).cast(pyarrow.decimal128(18, 2)),
    "boolean": pyarrow.array([True, False, None]),
    "date": pyarrow.array([18321, -1, None], pyarrow.int32()).cast(pyarrow.date32()),
    "timestamp": pyarrow.array([1582938123450000, -1, None], pyarrow.int64()).cast(
        pyarrow.timestamp("us")
    ),
    "text": pyarrow.array(["*", " x ", 'a"b', "a,b", "two\nlines", "\\", "é", None]),
}


@pytest.mark.long("every type through a release of Spark; one format stays", but=("csv",))
@pytest.mark.parametrize("file_format", FORMATS)
def test_every_type_of_spark(file_format: str, tmp_path: Path) -> None:
    longest = max(map(len, SPARK_TYPES.values()))
    padded = {
        kind: pyarrow.concat_arrays([values, pyarrow.nulls(longest - len(values), values.type)])
        for kind, values in SPARK_TYPES.items()
    }
    pyarrow.parquet.write_table(pyarrow.table(padded), tmp_path / "source.parquet")
    spark = spark_local.running()
    with open_source(tmp_path / "source.parquet", engine="spark", spark=spark) as engine:
        assert_kept(engine, tmp_path, file_format, fields=tuple(SPARK_TYPES))


# --------------------------------------------------------------------------------------------------------
# reference


@QUICK
@given(values=st.lists(st.none() | DUCKDB_TYPES["VARCHAR"], min_size=1, max_size=5))
def test_text_of_the_reference(values: list[str | None]) -> None:
    with (
        tempfile.TemporaryDirectory() as scratch,
        open_source(
            [{"v": value, "w": "0"} for value in values], engine="reference", fields=("v", "w")
        ) as engine,
    ):
        target = Path(scratch) / "out.csv"
        engine.write(WritePlan(fields=("v", "w")), target)
        with open_source(target) as written:
            assert texts(written) == texts(engine)


# ----------------------------------------------------------------------------------------------
# nought and its sign

NOUGHTS = (0.0, -0.0, 0.0, 1.5, -0.0, -0.0)


def _noughts_in_duckdb(folder: Path) -> Engine:
    pyarrow.parquet.write_table(
        pyarrow.table({"v": NOUGHTS, "w": list("ababab")}), folder / "source.parquet"
    )
    return open_source(folder / "source.parquet")


def _noughts_in_postgres(folder: Path) -> Engine:
    server = postgres_server.running()
    rows = [(repr(value), letter) for value, letter in zip(NOUGHTS, "ababab", strict=True)]
    table = server.table(("v", "w"), rows)
    server.run(
        f'ALTER TABLE {table} ALTER COLUMN "v" TYPE double precision USING "v"::double precision'
    )
    return open_source(server.uri(), table=table)


def _noughts_in_spark(folder: Path) -> Engine:
    pyarrow.parquet.write_table(
        pyarrow.table({"v": NOUGHTS, "w": list("ababab")}), folder / "source.parquet"
    )
    return open_source(folder / "source.parquet", engine="spark", spark=spark_local.running())


@pytest.mark.long(
    "Spark takes long; other engines stay", but=("_noughts_in_duckdb", "_noughts_in_postgres")
)
@pytest.mark.parametrize("opened", [_noughts_in_duckdb, _noughts_in_postgres, _noughts_in_spark])
def test_two_noughts_are_two_values_in_bins_and_in_files(
    opened: Callable[[Path], Engine], tmp_path: Path
) -> None:
    """Databases compare 0.0 and -0.0 as equal; their texts differ, and so do bins, lookups and
    files."""
    with opened(tmp_path) as engine:
        expected = Counter(map(repr, NOUGHTS))
        assert texts(engine) == expected
        bins = engine.frequencies(("v",))
        assert {
            bins.values[0][code]: int(n) for (code,), n in zip(bins.codes, bins.counts, strict=True)
        } == expected
        inside = engine.frequencies(("w",), sensitive=("v",)).histograms["v"]
        assert Counter({inside.values[v]: 0 for v in inside.value_of}).keys() == expected.keys()
        assert {value for batch in engine.distinct(("v",)) for value in batch["v"].tolist()} == set(
            expected
        )
        lookup = engine.numbers("v", start=10**6).lookup("v")
        plan = WritePlan(fields=("v", "w"), lookups=(lookup,))
        assert engine.write(plan, tmp_path / "numbered.csv") == len(NOUGHTS)
        assert_kept(engine, tmp_path, "csv")
