"""The PostgreSQL engine's own manners: which table, as whom, in which state, and leaving everything
as it was."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import postgres_server
import psycopg
import pytest
from postgres_server import PostgresServer

from sfumato.engines import WritePlan, open_source
from sfumato.errors import MissingExtra, SourceError

PEOPLE = (("02138", "f"), ("02138", "m"), ("02139", "f"), (None, "f"))


@pytest.fixture(scope="module")
def server() -> PostgresServer:
    return postgres_server.running()


@pytest.fixture
def database(server: PostgresServer) -> Iterator[str]:
    """A database of its own, with a few tables in it."""
    name = f"d{server.new_name()}"
    server.run(f"CREATE DATABASE {name}")
    server.run(
        "CREATE TABLE people (zip text, sex char(3), gone int, born int GENERATED ALWAYS "
        "AS (gone + 1) STORED)",
        "ALTER TABLE people DROP COLUMN gone CASCADE",
        "CREATE SCHEMA hospital",
        "CREATE TABLE hospital.visits (day date) PARTITION BY RANGE (day)",
        *(
            f"CREATE TABLE hospital.visits_{year} PARTITION OF hospital.visits "
            f"FOR VALUES FROM ('{year}-01-01') TO ('{year + 1}-01-01')"
            for year in (2020, 2021)
        ),
        "INSERT INTO hospital.visits VALUES ('2020-05-05'), ('2021-05-05')",
        "CREATE VIEW hospital.women AS SELECT zip FROM people WHERE sex = 'f'",
        "CREATE MATERIALIZED VIEW hospital.men AS SELECT zip FROM people WHERE sex = 'm'",
        'CREATE TABLE "a.b" ("it\'s" text)',
        database=name,
    )
    with psycopg.connect(server.uri(name)) as connection:
        connection.cursor().executemany("INSERT INTO people VALUES (%s, %s)", PEOPLE)
    yield name
    server.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def reader(server: PostgresServer, database: str) -> Iterator[str]:
    """A role that may connect and read, and nothing else."""
    role = f"reader_{database}"
    server.run(
        f"CREATE ROLE {role} LOGIN PASSWORD 'it''s a/secret@'",
        f"ALTER ROLE {role} SET default_transaction_read_only = on",
        f"GRANT USAGE ON SCHEMA public, hospital TO {role}",
        f"GRANT SELECT ON people, hospital.visits, hospital.women TO {role}",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        database=database,
    )
    yield role
    server.run(f"DROP OWNED BY {role}", database=database)
    server.run(f"REVOKE ALL ON DATABASE {database} FROM {role}", f"DROP ROLE {role}")


# ------------------------------------------------------------------------------------------------------
# which table


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        *(
            ("people", 4),
            ("public.people", 4),
            ("hospital.visits", 2),
            ("visits", 2),
            ("visits_2020", 1),
        ),
        *(("hospital.women", 3), ("men", 0), ("a.b", 0), ("public.a.b", 0)),
    ],
)
def test_tables_views_and_partitions(
    server: PostgresServer, database: str, table: str, rows: int
) -> None:
    with open_source(server.uri(database), table=table) as engine:
        assert engine.count_rows() == rows


def test_what_was_generated_or_dropped(server: PostgresServer, database: str) -> None:
    with open_source(server.uri(database), table="people") as engine:
        assert [info.name for info in engine.fields()] == ["zip", "sex"]
        assert engine.frequencies(("sex",)).values == (("f", "m"),)


def test_a_foreign_table(server: PostgresServer, database: str) -> None:
    if not server.run("SELECT 1 FROM pg_available_extensions WHERE name = 'postgres_fdw'"):
        pytest.skip("these binaries come without postgres_fdw")
    server.run(
        "CREATE EXTENSION postgres_fdw",
        "CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host "
        f"'{server.folder}', port '{server.port}', "
        f"dbname '{database}')",
        "CREATE USER MAPPING FOR postgres SERVER here OPTIONS (user 'postgres')",
        "CREATE FOREIGN TABLE far (zip text, sex text) SERVER here OPTIONS (table_name 'people')",
        database=database,
    )
    with open_source(server.uri(database), table="far") as engine:
        assert engine.frequencies(("zip",)).counts.tolist() == [2, 1, 1]


def test_the_only_table_needs_no_name(server: PostgresServer, database: str) -> None:
    server.run('DROP TABLE "a.b"', "DROP SCHEMA hospital CASCADE", database=database)
    with open_source(server.uri(database)) as engine:
        assert engine.title == f"localhost/{database}.public.people"


def test_one_of_several_tables_is_named(server: PostgresServer, database: str) -> None:
    with pytest.raises(SourceError) as raised:
        open_source(server.uri(database))
    assert (
        "It has 5: hospital.men, hospital.visits, hospital.women, public.a.b, public.people."
        in str(raised.value)
    )


def test_a_table_that_is_not_there(server: PostgresServer, database: str) -> None:
    with pytest.raises(
        SourceError, match=r'has no table called \'poeple\'. Did you mean "people"\?'
    ) as raised:
        open_source(server.uri(database), table="poeple")
    assert "hospital.visits" in str(raised.value)


def test_public_comes_first_and_else_the_schema_must_be_named(
    server: PostgresServer, database: str
) -> None:
    server.run(
        "CREATE SCHEMA other",
        "CREATE TABLE other.people (a text)",
        "CREATE TABLE other.visits (a text)",
        database=database,
    )
    with open_source(server.uri(database), table="people") as engine:
        assert engine.count_rows() == 4
    with pytest.raises(
        SourceError, match=r"Several schemas have one: hospital.visits, other.visits\."
    ):
        open_source(server.uri(database), table="visits")


# ----------------------------------------------------------------------------------------------------------
# as whom


def test_a_role_that_may_only_read_is_enough(
    server: PostgresServer, database: str, reader: str, tmp_path: Path
) -> None:
    """And nothing is changed: the same tables with the same rows, written by the same transactions
    as before."""
    everything = (
        "SELECT oid, relname, relfilenode, relnatts, relacl::text FROM pg_class ORDER BY 1",
        "SELECT oid, proname, xmin::text FROM pg_proc ORDER BY 1",
        "SELECT xmin::text, xmax::text, ctid::text, people::text FROM people ORDER BY 3",
    )
    before = [server.run(question, database=database) for question in everything]
    with open_source(server.uri(database, user=reader), table="people") as engine:
        engine.frequencies(("zip",), sensitive=("sex",))
        stage = engine.staged(WritePlan(fields=("zip", "sex")))
        assert stage.witnesses(("sex",), person="zip", k=2).rows.tolist() == [3, 1]
        assert engine.numbers("zip", start=5).stored
        assert engine.write(WritePlan(fields=("zip",)), tmp_path / "out.csv") == 4
    assert [server.run(question, database=database) for question in everything] == before


def test_permission_denied_says_what_to_grant(
    server: PostgresServer, database: str, reader: str
) -> None:
    with pytest.raises(
        SourceError, match=r'may not read hospital.men.\n  Try .*GRANT SELECT ON "hospital"."men"'
    ):
        open_source(server.uri(database, user=reader), table="men")


def test_columns_that_may_not_be_read_are_not_fields(
    server: PostgresServer, database: str, reader: str
) -> None:
    server.run(
        f"REVOKE SELECT ON people FROM {reader}",
        f"GRANT SELECT (zip) ON people TO {reader}",
        database=database,
    )
    with open_source(server.uri(database, user=reader), table="people") as engine:
        assert [info.name for info in engine.fields()] == ["zip"]
        assert engine.count_rows() == 4


def test_without_temporary_tables(server: PostgresServer, database: str, reader: str) -> None:
    server.run(f"REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC")
    with pytest.raises(
        SourceError, match=f'Try GRANT TEMPORARY ON DATABASE "{database}" TO "{reader}"'
    ):
        open_source(server.uri(database, user=reader), table="people")


def test_a_password_from_the_usual_places(
    server: PostgresServer,
    database: str,
    reader: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A password file, a service file, and nowhere else: no text of ours ever holds it."""
    passwords, services = tmp_path / "pgpass", tmp_path / "services"
    passwords.write_text(f"127.0.0.1:{server.port}:{database}:{reader}:it's a/secret@\n")
    passwords.chmod(0o600)
    services.write_text(
        f"[clinic]\nhost=127.0.0.1\nport={server.port}\ndbname={database}\nuser={reader}\n"
    )
    with pytest.raises(SourceError, match="refused the password, or none was given"):
        open_source(server.tcp(database, user=reader), table="people")
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    for uri in (
        server.tcp(database, user=reader),
        "postgresql://?service=clinic",
        "postgres://?service=clinic",
    ):
        with open_source(uri, table="people") as engine:
            assert engine.title == f"127.0.0.1/{database}.public.people"
            assert engine.count_rows() == 4


def test_no_password_anywhere(server: PostgresServer, database: str, reader: str) -> None:
    uri = server.tcp(database, user=reader, password="it%27s%20a%2Fsecret%40")
    with open_source(uri, table="people") as engine:
        told = [
            repr(engine),
            engine.title,
            repr(engine.snapshot()),
            repr(vars(engine)),
            repr(vars(engine._session)),
        ]
        assert not [text for text in told if "secret" in text]


# ----------------------------------------------------------------------------------------------------
# in which state


def test_one_snapshot_however_the_table_changes(
    server: PostgresServer, database: str, tmp_path: Path
) -> None:
    """Rows that come, go or change are not seen, and the table cannot be emptied under the
    transaction."""
    with open_source(server.uri(database), table="people") as engine:
        before = engine.snapshot()
        server.run(
            "DELETE FROM people WHERE zip = '02138'",
            "INSERT INTO people SELECT 'new', 'x' FROM generate_series(1, 50)",
            "UPDATE people SET sex = 'x'",
            database=database,
        )
        with pytest.raises(psycopg.errors.LockNotAvailable):
            server.run("SET lock_timeout = '50ms'", "TRUNCATE people", database=database)
        assert engine.count_rows() == 4
        assert engine.frequencies(("sex",)).values == (("f", "m"),)
        assert engine.write(WritePlan(fields=("zip",)), tmp_path / "out.csv") == 4
        assert engine.snapshot() == before
    with open_source(server.uri(database), table="people") as engine:
        assert engine.count_rows() == 52
        assert engine.snapshot() != before


def test_the_snapshot_is_taken_when_the_table_is_ours(
    server: PostgresServer, database: str
) -> None:
    """Somebody empties and refills the table just then: an older snapshot would see neither old
    rows nor new ones."""
    with ThreadPoolExecutor() as beside, psycopg.connect(server.uri(database)) as other:
        other.execute("TRUNCATE people")
        other.execute("INSERT INTO people VALUES ('new', 'x'), ('new', 'y')")
        opening = beside.submit(open_source, server.uri(database), table="people")
        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation IS NOT NULL"
        until = time.monotonic() + 600
        while not server.run(waiting, database=database):
            assert time.monotonic() < until
        other.commit()
        with opening.result() as engine:
            assert engine.count_rows() == 2


def test_the_snapshot_is_named(server: PostgresServer, database: str) -> None:
    with open_source(server.uri(database), table="people") as engine:
        found = engine.snapshot()
    assert found.kind == "postgresql snapshot"
    assert set(found.facts) == {"snapshot", "taken", "server"}
    assert str(found.facts["snapshot"]).count(":") == 2
    assert str(found.facts["taken"]).endswith("+00:00")
    assert str(found.facts["server"]).split(".")[0] == str(server.version // 10_000)


def test_the_settings_of_a_role_do_not_matter(
    server: PostgresServer, database: str, reader: str
) -> None:
    server.run(
        "CREATE TABLE odd AS SELECT '2020-02-03'::date d, 1.5::float8 / 7 r, '2020-02-03 "
        "10:00+00'::timestamptz t",
        "CREATE FUNCTION public.md5(bytea) RETURNS text LANGUAGE sql AS $$ SELECT 'mine' $$",
        f"GRANT SELECT ON odd TO {reader}",
        f"ALTER ROLE {reader} SET DateStyle = 'German'",
        f"ALTER ROLE {reader} SET TimeZone = 'Asia/Tokyo'",
        f"ALTER ROLE {reader} SET extra_float_digits = -10",
        f"ALTER ROLE {reader} SET search_path = public, pg_catalog",
        f"ALTER ROLE {reader} SET standard_conforming_strings = off",
        f"ALTER ROLE {reader} SET client_encoding = 'LATIN1'",
        f"ALTER ROLE {reader} SET idle_in_transaction_session_timeout = '100ms'",
        database=database,
    )
    with open_source(server.uri(database, user=reader), table="odd") as engine:
        time.sleep(0.3)
        values = engine.frequencies(("d", "r", "t")).values
        assert values == (("2020-02-03",), ("0.21428571428571427",), ("2020-02-03 10:00:00+00",))
        assert engine.sample("d", 1) == ("2020-02-03",)


# --------------------------------------------------------------------------------------------------------
# no driver


def test_without_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("sfumato.engines.postgres.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[postgres\]'"):
        open_source("postgresql://somewhere/db")


@pytest.mark.parametrize("option", [{"encoding": "latin-1"}, {"separator": ";"}])
def test_what_is_said_about_files_is_not_said_about_databases(option: dict[str, str]) -> None:
    with pytest.raises(SourceError, match="A database was opened with"):
        open_source("postgresql://somewhere/db", **option)
    with pytest.raises(SourceError, match="is not an amount"):
        open_source("postgresql://somewhere/db", encoding="", separator="", memory="plenty")
