"""A received file is hostile: what is written in it reads no other file, changes no setting and
ends in time."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from sfumato.engines import open_database, open_source
from sfumato.engines.duckdb import confined_session as duckdb_confined
from sfumato.engines.duckdb import sqlite as duckdb_sqlite
from sfumato.engines.duckdb import view_rule as duckdb_view_rule
from sfumato.errors import ReleaseBroken, SfumatoError, SourceError
from sfumato.releases import release, verify

SECRET = "the-keeper's-own-secret"

VIEWS = {
    "read_text": "SELECT content AS a FROM read_text('{secret}')",
    "read_blob": "SELECT content::VARCHAR AS a FROM read_blob('{secret}')",
    "read_csv": "SELECT * FROM read_csv('{secret}', header = false, columns = {{'a': 'VARCHAR'}})",
    "glob": "SELECT file AS a FROM glob('{folder}/*')",
    "another database": "SELECT * FROM read_duckdb('{other}')",
    "read_parquet": "SELECT * FROM read_parquet('{parquet}')",
    "a macro": "SELECT steal() AS a",
    "a macro of rows": "SELECT * FROM steal_rows()",
    "beneath another view": "SELECT * FROM inner_view",
}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text(f"{SECRET}\n", encoding="utf-8")
    return path


def hostile_duckdb(folder: Path, secret: Path, view: str) -> Path:
    """A DuckDB file with an honest table and a view that reaches for something else."""
    other, parquet, path = (
        folder / "other.duckdb",
        folder / "other.parquet",
        folder / "received.duckdb",
    )
    with duckdb.connect(str(other)) as database:
        database.execute(f"CREATE TABLE a AS SELECT '{SECRET.replace(chr(39), chr(39) * 2)}' AS a")
        database.execute(f"COPY a TO '{parquet}'")
    with duckdb.connect(str(path)) as database:
        places = {"secret": secret, "folder": folder, "other": other, "parquet": parquet}
        database.execute("CREATE TABLE people AS SELECT i AS id, 'x' AS a FROM range(20) t(i)")
        database.execute(f"CREATE MACRO steal() AS (SELECT content FROM read_text('{secret}'))")
        database.execute(
            f"CREATE MACRO steal_rows() AS TABLE SELECT content AS a FROM read_text('{secret}')"
        )
        database.execute(
            f"CREATE VIEW inner_view AS SELECT content AS a FROM read_text('{secret}')"
        )
        database.execute(f"CREATE VIEW stolen AS {view.format(**places)}")
    return path


@pytest.mark.long("a view of every kind; each third stays", every=3)
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_reads_no_file_but_its_own(tmp_path: Path, secret: Path, view: str) -> None:
    path = hostile_duckdb(tmp_path, secret, VIEWS[view])
    with pytest.raises(SourceError) as refused:
        open_source(path, table="stolen").close()
    assert SECRET not in str(refused.value)
    with pytest.raises(SourceError):
        open_database(path).close()


def test_no_release_holds_what_a_view_reached_for(tmp_path: Path, secret: Path) -> None:
    path = hostile_duckdb(tmp_path, secret, VIEWS["read_text"])
    with pytest.raises(SfumatoError):
        release(path, to=tmp_path / "out", table="stolen")
    written = [
        file
        for file in tmp_path.rglob("*")
        if file.is_file() and file != secret and "other" not in file.name
    ]
    assert all(SECRET.encode() not in file.read_bytes() for file in written)
    assert not (tmp_path / "out").exists()


def test_tables_and_honest_views_of_the_file_are_read(tmp_path: Path, secret: Path) -> None:
    path = hostile_duckdb(tmp_path, secret, "SELECT id * 2 AS double, a FROM people WHERE id < 3")
    with open_source(path, table="people") as engine:
        assert engine.count_rows() == 20
    with open_source(path, table="stolen") as engine:
        assert engine.frequencies(("double",)).values == (("0", "2", "4"),)


FOREIGN = {
    "duckdb_databases": "SELECT id, (SELECT max(path) FROM duckdb_databases()) AS a FROM people",
    "duckdb_settings": "SELECT id, (SELECT string_agg(value, ',') FROM duckdb_settings()) AS a FROM people",
    "duckdb_secrets": "SELECT id, (SELECT count(*) FROM duckdb_secrets()) AS a FROM people",
    "current_setting": "SELECT id, current_setting('temp_directory') AS a FROM people",
    "a pragma": "SELECT block_size AS a FROM pragma_database_size()",
    "a view of the system": "SELECT path AS a FROM duckdb_databases",
    "the catalogue": "SELECT table_name AS a FROM information_schema.tables",
    "the catalogue of PostgreSQL": "SELECT datname AS a FROM pg_catalog.pg_database",
    "a name of WITH": "SELECT (WITH duckdb_databases AS (SELECT 1 AS path) FROM duckdb_databases) AS b, path "
    "AS a "
    "FROM duckdb_databases",
    "SHOW": "SELECT * FROM (SHOW DATABASES)",
    "the clock": "SELECT id, now() AS a FROM people",
    "today": "SELECT id, current_date AS a FROM people",
    "the clock by age": "SELECT id, age(TIMESTAMP '2000-01-01') AS a FROM people",
    "the user": "SELECT id, current_user AS a FROM people",
    "chance": "SELECT id, random() AS a FROM people",
    "a chance in a window": "SELECT id, sum(random()) OVER (PARTITION BY id) AS a FROM people",
    "a sample": "SELECT * FROM people USING SAMPLE 3",
    "a sample of a table": "SELECT * FROM people TABLESAMPLE 10%",
    "the environment": "SELECT id, getvariable('x') AS a FROM people",
    "the version": "SELECT id, version() AS a FROM people",
    "a query of text": "SELECT * FROM query('SELECT path FROM duckdb_databases()')",
    "deep in a lambda": "SELECT list_transform([1], lambda x: current_setting('threads')) AS a FROM people",
    "in an order": "SELECT * FROM people ORDER BY current_setting('threads')",
    "below a view": "SELECT * FROM asks",
    "in a computed field": "SELECT * FROM computed",
    "a macro with the name of a function": "SELECT md5('x') AS a FROM people",
}


def foreign_duckdb(path: Path, view: str) -> Path:
    """A DuckDB file with an honest table, and views and a computed field that ask the session."""
    with duckdb.connect(str(path)) as database:
        database.execute(
            "CREATE TABLE people AS SELECT i AS id, DATE '2000-01-01' AS born FROM range(20) t(i)"
        )
        database.execute(
            "CREATE TABLE computed (a INT, b VARCHAR GENERATED ALWAYS AS "
            "(current_setting('threads')))"
        )
        database.execute("CREATE VIEW asks AS SELECT current_setting('threads') AS a")
        database.execute("CREATE MACRO md5(x) AS (SELECT max(path) FROM duckdb_databases())")
        database.execute(f'CREATE VIEW "a view AS such" AS {view}')
    return path


@pytest.mark.long("a view of every kind; each third stays", every=3)
@pytest.mark.parametrize("view", FOREIGN)
def test_a_view_tells_nothing_but_rows_of_its_file(tmp_path: Path, view: str) -> None:
    path = foreign_duckdb(tmp_path / "x.duckdb", FOREIGN[view])
    with pytest.raises(SourceError) as refused:
        open_source(path, table="a view AS such").close()
    assert "Table 'a view AS such' of x.duckdb" in str(refused.value)
    assert "`table` with another table" in str(refused.value)
    with open_source(path, table="people") as engine:
        assert engine.count_rows() == 20


@pytest.mark.long("a view of every kind; each third stays", every=3)
@pytest.mark.parametrize(
    "view",
    [
        "SELECT *, upper(id::VARCHAR) || 'x' AS u FROM people WHERE id BETWEEN 1 AND 5 OR "
        "id IN (SELECT 7)",
        "WITH q AS (SELECT * FROM people) SELECT q.* FROM q JOIN main.people USING (id) "
        "ORDER BY ALL LIMIT 3",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) "
        "SELECT * FROM r",
        "SELECT year(born) AS y, count(*) AS n, string_agg(id::VARCHAR, ',') AS s FROM "
        "people GROUP BY ALL",
        "SELECT id, row_number() OVER (ORDER BY id) AS n, lag(id) OVER (ORDER BY id) AS p "
        "FROM people QUALIFY n < 9",
        "FROM people PIVOT (count(*) FOR id IN (0, 1))",
        "SELECT CASE WHEN id > 3 THEN 'a' END AS c, id % 2 AS m, id IS NULL AS e, NOT (id "
        "= 3) AS f FROM people",
        "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) v(n, t) UNION ALL SELECT id, 'c' FROM people",
        "SELECT age(born, DATE '1990-01-01')::VARCHAR AS a, date_trunc('month', born) AS m "
        "FROM people",
        "SELECT people.id AS user, s.k.a FROM people, s.k",
        "SELECT [x + 1 FOR x IN [1, 2]]::VARCHAR AS l, {'a': id}.a AS n, id::VARCHAR LIKE "
        "'%1' AS k FROM people",
        "SELECT i AS a, coalesce(NULL, i) AS b FROM range(3) t(i)",
        "SELECT 'it''s \" AS quoted' AS a",
    ],
)
def test_honest_views_are_read(tmp_path: Path, view: str) -> None:
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(
            "CREATE TABLE people AS SELECT i AS id, DATE '2000-01-01' AS born FROM range(20) t(i)"
        )
        database.execute("CREATE SCHEMA s")
        database.execute("CREATE TABLE s.k AS SELECT 1 AS a")
        database.execute(f"CREATE VIEW shown AS {view}")
    with open_source(path, table="shown") as engine:
        assert engine.count_rows() > 0


def test_no_function_of_a_view_reads_the_session() -> None:
    query = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE stability <> 'CONSISTENT'"
    tables = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'table'"
    with duckdb.connect() as connection:
        unsteady = {row[0] for row in connection.execute(query).fetchall()}
        rows = {row[0] for row in connection.execute(tables).fetchall()}
    assert not unsteady & duckdb_view_rule.FUNCTIONS
    assert rows & duckdb_view_rule.FUNCTIONS <= duckdb_view_rule.TABLE_FUNCTIONS | {"repeat"}
    assert not any(
        name.startswith(("pg_", "duckdb_", "current_")) for name in duckdb_view_rule.FUNCTIONS
    )


def test_types_of_a_view_stay(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TYPE mood AS ENUM ('low', 'high')")
        database.execute(
            "CREATE TABLE t AS SELECT 170141183460469231731687303715884105727::HUGEINT AS n"
        )
        shown = "n, 'low'::mood AS m, 1.50::DECIMAL(5,2) AS d, DATE '2020-02-29' AS day"
        database.execute(f"CREATE VIEW v AS SELECT {shown} FROM t")
    with open_source(path, table="v") as engine:
        values = engine.frequencies(("n", "m", "d", "day")).values
    assert values == (
        ("170141183460469231731687303715884105727",),
        ("low",),
        ("1.50",),
        ("2020-02-29",),
    )


def test_a_field_that_is_computed_runs_only_where_nothing_can_be_reached(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(
            "CREATE TABLE t (a INT, b VARCHAR GENERATED ALWAYS AS (current_setting('access_mode')))"
        )
    assert [table.runs for table in duckdb_confined.stored_tables(path)] == [True]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_text('{secret}')",
        "ATTACH '{folder}/other.db'",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET allowed_paths = ['/']",
        "SELECT getenv('HOME')",
        "CREATE SECRET s (TYPE s3)",
    ],
)
def test_the_session_that_runs_views_can_do_nothing_else(
    tmp_path: Path, secret: Path, statement: str
) -> None:
    path = hostile_duckdb(tmp_path, secret, "SELECT 1 AS a")
    with (
        duckdb_confined._confined(path, folder=None) as connection,
        pytest.raises(duckdb.Error),
    ):
        connection.execute(statement.format(secret=secret, folder=tmp_path)).fetchall()
    assert not (tmp_path / "out.csv").exists()


def endless_duckdb(path: Path) -> None:
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE VIEW endless AS SELECT i AS a FROM range(1000000000000000) t(i)")


def endless_sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE VIEW endless AS WITH RECURSIVE c(a) AS (SELECT 1 UNION ALL SELECT a + "
            "1 FROM c) SELECT a FROM c"
        )
    database.close()


@pytest.mark.parametrize(
    ("name", "make"), [("x.duckdb", endless_duckdb), ("x.sqlite", endless_sqlite)]
)
def test_a_view_that_never_ends_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, make: Callable[[Path], None]
) -> None:
    make(tmp_path / name)
    monkeypatch.setattr(duckdb_confined, "VIEW_SECONDS", 0.5)
    monkeypatch.setattr(duckdb_sqlite, "VIEW_SECONDS", 0.5)
    start = time.monotonic()
    with pytest.raises(SourceError, match=r"takes more than 0\.5 seconds, which is the limit"):
        open_source(tmp_path / name)
    assert time.monotonic() - start < 30


def test_a_view_that_fills_the_disk_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(
            "CREATE VIEW endless AS SELECT hash(i) AS a, md5('x' || i) AS b FROM "
            "range(1000000000000) t(i)"
        )
    monkeypatch.setattr(duckdb_confined, "VIEW_BYTES", 1 << 20)
    monkeypatch.setattr(duckdb_confined, "VIEW_RATIO", 1)
    with pytest.raises(SourceError, match="takes more than 1 MiB, which is the limit"):
        open_source(path)


def test_sqlite_views_do_nothing_but_select(tmp_path: Path, secret: Path) -> None:
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE people (a)")
        database.execute("INSERT INTO people VALUES ('x')")
        database.execute(
            f"CREATE VIEW stolen AS SELECT load_extension('{secret}') AS a FROM people"
        )
    database.close()
    with pytest.raises(
        SourceError,
        match=r"View 'stolen' of x\.sqlite is not read(.|\n)*`table` with another table",
    ):
        open_source(path, table="stolen").close()
    with open_source(path, table="people") as engine:
        assert engine.count_rows() == 1


def test_a_file_of_another_kind_under_the_name_of_a_database(tmp_path: Path, secret: Path) -> None:
    for name in ("x.duckdb", "x.sqlite"):
        (tmp_path / name).write_bytes(secret.read_bytes() * 100)
        with pytest.raises(SourceError) as refused:
            open_source(tmp_path / name)
        assert SECRET not in str(refused.value)
    sqlite = tmp_path / "y.duckdb"
    with closing(sqlite3.connect(sqlite)) as database, database:
        database.execute("CREATE TABLE people (a)")
    database.close()
    with pytest.raises(SourceError, match="cannot be read as a DuckDB database"):
        open_source(sqlite)


@pytest.mark.parametrize("name", ["*.csv", "[ab].csv", "{a,b}.csv", "**.parquet", "?.json"])
def test_a_name_is_never_a_pattern(tmp_path: Path, name: str) -> None:
    for decoy in ("a", "b"):
        (tmp_path / f"{decoy}.csv").write_text("a\n1\n", encoding="utf-8")
        (tmp_path / f"{decoy}.json").write_text(json.dumps([{"a": 1}]), encoding="utf-8")
        with duckdb.connect() as database:
            database.execute(f"COPY (SELECT 1 AS a) TO '{tmp_path / decoy}.parquet'")
    with pytest.raises(SourceError, match="does not exist"):
        open_source(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        (
            "deep.json",
            '{"a":' + "[" * 100_000 + "]" * 100_000 + "}",
            "nested deeper than 128 levels",
        ),
        ("long.json", '{"a":"' + "9" * (40 << 20) + '"}', "An object is larger than the 16 MiB"),
        (
            "wide.csv",
            ",".join(f"c{n}" for n in range(300_000)) + "\n",
            "300,000 cells; at most 20,000 are read",
        ),
        (
            "wider.csv",
            "c," * 3_000_000,
            "The first line of wider.csv is longer than 4 MiB, which is the limit.",
        ),
        ("name.csv", "n" * 300 + ",b\nx,y\n", "exceeds 255 characters, the limit"),
    ],
)
def test_sizes_that_no_honest_file_has(tmp_path: Path, name: str, content: str, says: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    start = time.process_time()
    with pytest.raises(SourceError) as refused:
        open_source(path)
    assert says in str(refused.value)
    assert time.process_time() - start < 20


def test_a_manifest_that_is_nested_without_end(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("[" * 200_000, encoding="utf-8")
    with pytest.raises(ReleaseBroken, match="is not one that Sfumato wrote"):
        verify(tmp_path)
