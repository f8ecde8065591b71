"""PostgreSQL's types as canonical text, as docs/engines.md says, and the same text in what is
written."""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb
import numpy as np
import postgres_server
import pytest
from postgres_server import PostgresServer

from sfumato.engines import Engine, Lookup, WritePlan, open_source
from sfumato.engines.engine import FieldKind
from sfumato.errors import SourceError, TargetError
from sfumato.policy.records import Order


@pytest.fixture(scope="module")
def server() -> PostgresServer:
    found = postgres_server.running()
    found.run(
        "DROP TYPE IF EXISTS colour CASCADE",
        "DROP DOMAIN IF EXISTS code CASCADE",
        "CREATE TYPE colour AS ENUM ('red', 'blue')",
        "CREATE DOMAIN code AS character(4) CHECK (VALUE <> 'oops')",
    )
    return found


def of(server: PostgresServer, declared: str, *values: str) -> str:
    """A new table with a field `a` of that type, and a field `b` that numbers the rows."""
    name = server.new_name()
    rows = (f"INSERT INTO {name} VALUES ({value}, {number})" for number, value in enumerate(values))
    server.run(f"CREATE TABLE {name} (a {declared}, b int)", *rows)
    return name


# Values of one field as literals, its kind and their canonical text. Null is in every field, too.
TYPED: dict[str, tuple[tuple[str, ...], FieldKind, list[str]]] = {
    "text": (("'b'", "''", "'a'", "' a '"), FieldKind.TEXT, ["b", "a", " a "]),
    "varchar(5)": (("'b'", "''"), FieldKind.TEXT, ["b"]),
    "character(5)": (("'b'", "''", "' b '"), FieldKind.TEXT, ["b", " b"]),
    '"char"': (("'b'", "''"), FieldKind.TEXT, ["b"]),
    "name": (("'b'",), FieldKind.TEXT, ["b"]),
    "colour": (("'red'", "'blue'"), FieldKind.TEXT, ["red", "blue"]),
    "code": (("'x'", "'xy'"), FieldKind.TEXT, ["x", "xy"]),
    "smallint": (("-2", "10"), FieldKind.INTEGER, ["-2", "10"]),
    "integer": (("-2", "10"), FieldKind.INTEGER, ["-2", "10"]),
    "bigint": (("-9223372036854775808", "9223372036854775807"), FieldKind.INTEGER, [str(-(2**63)), str(2**63 - 1)]),
    "numeric(6,2)": (("1.5", "-20"), FieldKind.REAL, ["1.50", "-20.00"]),
    "numeric": (("1.50", "1.5", "1e20"), FieldKind.REAL, ["1.50", "1.5", "100000000000000000000"]),
    "boolean": (("true", "false"), FieldKind.BOOLEAN, ["true", "false"]),
    "date": (("'2020-02-29'", "'0987-01-05'"), FieldKind.DATE, ["2020-02-29", "0987-01-05"]),
    "timestamp": (
        ("'2020-02-29 01:02:03'", "'2020-02-29 01:02:03.450'"),
        FieldKind.TIMESTAMP,
        ["2020-02-29 01:02:03", "2020-02-29 01:02:03.45"],
    ),
    "timestamp(0)": (("'2020-02-29 01:02:03'",), FieldKind.TIMESTAMP, ["2020-02-29 01:02:03"]),
    "timestamptz": (
        ("'2020-02-29 01:00:00+02'", "'2020-07-01 00:00:00 UTC'"),
        FieldKind.TIMESTAMP,
        ["2020-02-28 23:00:00+00", "2020-07-01 00:00:00+00"],
    ),
    "time": (("'01:02:03'",), FieldKind.OTHER, ["01:02:03"]),
    "uuid": (("'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'",), FieldKind.OTHER, ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]),
    "json": (("""'{"a": 1}'""", "'[2]'"), FieldKind.OTHER, ['{"a": 1}', "[2]"]),
    "jsonb": (("""'{"b":2,  "a": 1}'""",), FieldKind.OTHER, ['{"a": 1, "b": 2}']),
    "integer[]": (("'{1,2}'", "'{}'"), FieldKind.OTHER, ["{1,2}", "{}"]),
    "varbit": (("B'01'", "B''"), FieldKind.OTHER, ["01"]),
    "bytea": ((r"'\x00ff'",), FieldKind.OTHER, [r"\x00ff"]),
    "inet": (("'10.0.0.1'",), FieldKind.OTHER, ["10.0.0.1/32"]),
    "interval": (("'1 month'", "'30 days'"), FieldKind.OTHER, ["1 mon", "30 days"]),
    "point": (("'(1,2)'",), FieldKind.OTHER, ["(1,2)"]),
}  # fmt: skip
# Real numbers are written as DuckDB writes them: asked of it, not written down here.
REALS = (
    *(
        "0.1",
        "3",
        "'-0'",
        "1e20",
        "1e-7",
        "123456789.125",
        "1e15",
        "1234567890123456.7",
        "9999999999999998",
        "1e16",
    ),
    *(
        "1e-4",
        "1e-5",
        "0.00012345",
        "1234567.5",
        "12345678",
        "16777216",
        "123456789",
        "1e30",
        "2.5",
        "-7",
        "999999",
    ),
    *("'NaN'", "'Infinity'", "'-Infinity'"),
)
each_type = pytest.mark.parametrize("declared", TYPED)


def opened(server: PostgresServer, declared: str) -> Engine:
    return open_source(server.uri(), table=of(server, declared, *TYPED[declared][0], "NULL"))


@each_type
def test_canonical_text(server: PostgresServer, declared: str) -> None:
    _, kind, texts = TYPED[declared]
    with opened(server, declared) as engine:
        assert engine.fields()[0].kind is kind
        assert engine.frequencies(("a",)).values == ((*sorted(texts), None),)
        assert engine.frequencies(("a", "b"), sensitive=("a",)).values[0] == (*sorted(texts), None)
        assert set(engine.sample("a", 10)) == set(texts)
        assert engine.profile("a").distinct == len(texts)
        assert [value for batch in engine.distinct(("a",)) for value in batch["a"]] == [
            *sorted(texts),
            None,
        ]


@pytest.mark.parametrize("declared", ["real", "double precision"])
def test_real_numbers_are_written_as_duckdb_writes_them(
    server: PostgresServer, tmp_path: Path, declared: str
) -> None:
    theirs = "FLOAT" if declared == "real" else "DOUBLE"
    with duckdb.connect() as other:
        rows = [
            other.execute(f"SELECT CAST({value} AS {theirs})::VARCHAR").fetchall()[0][0]
            for value in REALS
        ]
    with open_source(server.uri(), table=of(server, declared, *REALS)) as engine:
        assert engine.fields()[0].kind is FieldKind.REAL
        assert set(engine.frequencies(("a",)).values[0]) == set(rows)
        engine.write(WritePlan(fields=("a",), order=Order.KEEP), tmp_path / "out.csv")
        assert engine.frequencies(("a",), sensitive=("a",)).counts.sum() == len(REALS)
    assert (tmp_path / "out.csv").read_text().splitlines() == ["a", *rows]


@pytest.mark.long("a file for each type and format; each third stays", every=4)
@each_type
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_what_is_written_counts_as_the_same_text(
    server: PostgresServer, tmp_path: Path, declared: str, suffix: str
) -> None:
    target = tmp_path / f"out{suffix}"
    with opened(server, declared) as engine:
        engine.write(WritePlan(fields=("a", "b"), order=Order.KEEP), target)
        before = engine.frequencies(("a", "b"))
    with open_source(target) as again:
        after = again.frequencies(("a", "b"))
    assert (before.values, before.codes.tolist()) == (after.values, after.codes.tolist())


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        *(
            ("smallint", FieldKind.INTEGER),
            ("numeric(6,2)", FieldKind.REAL),
            ("double precision", FieldKind.REAL),
        ),
        *(
            ("boolean", FieldKind.BOOLEAN),
            ("date", FieldKind.DATE),
            ("timestamp", FieldKind.TIMESTAMP),
        ),
        *(
            ("timestamptz", FieldKind.TIMESTAMP),
            ("json", FieldKind.TEXT),
            ("numeric", FieldKind.TEXT),
        ),
    ],
)
def test_parquet_keeps_types(
    server: PostgresServer, tmp_path: Path, declared: str, kind: FieldKind
) -> None:
    values = TYPED[declared][0] if declared in TYPED else ("0.5", "'NaN'")
    with open_source(server.uri(), table=of(server, declared, *values)) as engine:
        engine.write(WritePlan(fields=("a",)), tmp_path / "out.parquet")
    with open_source(tmp_path / "out.parquet") as again:
        assert again.fields()[0].kind is kind


@pytest.mark.long(
    "a stage for each type; each third stays, and the canonical text of every type", every=3
)
@each_type
def test_sorted_and_staged(server: PostgresServer, tmp_path: Path, declared: str) -> None:
    """Also what PostgreSQL itself has no order for."""
    with opened(server, declared) as engine:
        stage = engine.staged(WritePlan(fields=("a", "b")))
        assert stage.fields() == engine.fields()
        stage.write(WritePlan(fields=("a", "b"), order=Order.SORTED), tmp_path / "out.csv")
        assert stage.frequencies(("a",)).values == engine.frequencies(("a",)).values
    with (tmp_path / "out.csv").open(newline="") as file:
        assert [row[0] for row in csv.reader(file)][-1] == ""
    typed = declared not in ("integer", "smallint", "bigint", "boolean") and "num" not in declared
    if typed:
        with (tmp_path / "out.csv").open(newline="") as file:
            found = [row[0] for row in csv.reader(file)][1:]
        assert [cell for cell in found if cell] == sorted(cell for cell in found if cell)


@pytest.mark.parametrize(
    ("declared", "value", "text"),
    [
        ("date", "'infinity'", "infinity"),
        ("date", "'0044-03-15 BC'", "0044-03-15 BC"),
        ("timestamp", "'-infinity'", "-infinity"),
        ("timestamptz", "'12020-01-01 00:00:00+00'", "12020-01-01 00:00:00+00"),
        ("timestamp", "'294270-01-01'", "294270-01-01 00:00:00"),
    ],
)
def test_dates_outside_the_calendar(
    server: PostgresServer, tmp_path: Path, declared: str, value: str, text: str
) -> None:
    """As text in CSV. Parquet has no place for those before year 1 and beyond time: nothing is
    written."""
    with open_source(server.uri(), table=of(server, declared, value)) as engine:
        assert engine.frequencies(("a",)).values == ((text,),)
        engine.write(WritePlan(fields=("a",)), tmp_path / "out.csv")
        assert (tmp_path / "out.csv").read_text() == f"a\n{text}\n"
        if "BC" in text or text.startswith("2942"):
            with pytest.raises(TargetError, match="before year 1 or later than Parquet can hold"):
                engine.write(WritePlan(fields=("a",)), tmp_path / "out.parquet")
            assert not (tmp_path / "out.parquet").exists()
            return
        engine.write(WritePlan(fields=("a",)), tmp_path / "out.parquet")
    with open_source(tmp_path / "out.parquet") as again:
        assert again.frequencies(("a",)).values == ((text,),)


def test_order_is_by_code_point_whatever_the_collation(
    server: PostgresServer, tmp_path: Path
) -> None:
    values = ["a", "B", "b", "A", "é", "z", "_", "Ä", "10", "9"]
    if server.has_icu:
        name = server.new_name()
        server.run(
            "DROP COLLATION IF EXISTS loose CASCADE",
            "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', "
            "deterministic = false)",
            f"CREATE TABLE {name} (a text COLLATE loose, b int)",
            f"INSERT INTO {name} SELECT unnest(ARRAY{values}), 1",
        )
    else:
        name = server.table(("a", "b"), [(value, "1") for value in values])
    with open_source(server.uri(), table=name) as engine:
        assert engine.frequencies(("a",)).values[0] == tuple(sorted(values))
        assert (engine.profile("a").lowest, engine.profile("a").highest) == (
            min(values),
            max(values),
        )
        assert next(iter(engine.distinct(("a",))))["a"].tolist() == sorted(values)
        plan = WritePlan(fields=("a", "b"), constants={"b": "x"}, order=Order.SORTED)
        engine.write(plan, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        assert [row[0] for row in csv.reader(file)][1:] == sorted(values)


def test_case_insensitive_text_keeps_its_case(server: PostgresServer) -> None:
    if not server.run("SELECT 1 FROM pg_available_extensions WHERE name = 'citext'"):
        pytest.skip("these binaries come without citext")
    server.run("CREATE EXTENSION IF NOT EXISTS citext")
    with open_source(server.uri(), table=of(server, "citext", "'x'", "'X'", "''")) as engine:
        assert engine.fields()[0].kind is FieldKind.TEXT
        assert engine.frequencies(("a",)).values == (("X", "x", None),)


@pytest.mark.parametrize("encoding", ["LATIN1", "WIN1252"])
def test_databases_in_other_encodings(
    server: PostgresServer, tmp_path: Path, encoding: str
) -> None:
    """Windows' bytes are not in the order of code points; a label that the database cannot hold is
    refused."""
    name = f"in_{encoding.lower()}"
    server.run(
        f"DROP DATABASE IF EXISTS {name}",
        f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0",
    )
    values = ["é", "z", "ÿ"] + (["€", "Œ"] if encoding == "WIN1252" else [])
    table = server.table(("a",), [(value,) for value in values], database=name)
    with open_source(server.uri(name), table=table) as engine:
        assert engine.frequencies(("a",)).values[0] == tuple(sorted(values))
        assert next(iter(engine.distinct(("a",))))["a"].tolist() == sorted(values)
        with open_source([{"a": value} for value in values], engine="reference") as reference:
            assert engine.sample("a", 2) == reference.sample("a", 2)
        engine.write(WritePlan(fields=("a",), order=Order.SORTED), tmp_path / "out.csv")
        assert (tmp_path / "out.csv").read_text(encoding="utf-8").split() == ["a", *sorted(values)]
        with pytest.raises(SourceError, match=f"cannot be written in {encoding}"):
            engine.write(WritePlan(fields=("a",), constants={"a": "日本"}), tmp_path / "other.csv")
    assert not (tmp_path / "other.csv").exists()


def test_bytes_that_no_encoding_explains_are_not_told(server: PostgresServer) -> None:
    server.run(
        "DROP DATABASE IF EXISTS raw",
        "CREATE DATABASE raw ENCODING 'SQL_ASCII' TEMPLATE template0 LOCALE 'C'",
    )
    server.run(
        r"CREATE TABLE t AS SELECT convert_from('\xff41'::bytea, 'SQL_ASCII') AS a", database="raw"
    )
    with open_source(server.uri("raw"), table="t") as engine:
        assert engine.count_rows() == 1
        with pytest.raises(
            SourceError, match="SQL_ASCII, which does not say what they mean"
        ) as raised:
            engine.frequencies(("a",))
    assert raised.value.__cause__ is None


def test_very_long_text(server: PostgresServer, tmp_path: Path) -> None:
    name = server.new_name()
    server.run(f"CREATE TABLE {name} AS SELECT repeat('é,\"', 1500000) AS a")
    with open_source(server.uri(), table=name) as engine:
        for suffix in (".csv", ".parquet"):
            assert engine.write(WritePlan(fields=("a",)), tmp_path / f"out{suffix}") == 1
    with open_source(tmp_path / "out.parquet") as again:
        assert again.lengths("a") == (4_500_000, 4_500_000)


def test_names_longer_than_postgresql_takes(server: PostgresServer, tmp_path: Path) -> None:
    """63 bytes are all it has; keys of lookups are called longer, and would be cut to one name."""
    names = tuple(f"{'é' * 30}{i:03d}" for i in range(2))
    table = server.table(names, [("x", "y"), (None, "y")])
    entries = {
        **{
            f"key:{name}": np.array(keys, object)
            for name, keys in zip(names, (["x", None], ["y", "y"]), strict=True)
        },
        **{
            f"new:{name}": np.array(new, object)
            for name, new in zip(names, (["A", "B"], ["C", "D"]), strict=True)
        },
    }
    both = Lookup(keys=names, fields=names, batches=lambda: iter([entries]))
    with open_source(server.uri(), table=table) as engine:
        engine.write(
            WritePlan(fields=names, lookups=(both,), order=Order.KEEP), tmp_path / "out.csv"
        )
        stage = engine.staged(WritePlan(fields=names))
        assert [info.name for info in stage.fields()] == list(names)
        assert stage.frequencies(names).counts.tolist() == [1, 1]
    with (tmp_path / "out.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [list(names), ["A", "C"], ["B", "D"]]
