"""The hospital's database in PostgreSQL: read by a role that may only read, released to files and
to a schema."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import psycopg
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "services"))

from postgres_server import PostgresServer, running

import sfumato
from sfumato.datasets import HOSPITAL_DATABASE_TYPES, write_hospital_database
from sfumato.errors import CandidateFailed, Mistake, TargetError

TABLES = tuple(HOSPITAL_DATABASE_TYPES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables, and a policy that searches for a short time."""
    folder = write_hospital_database(tmp_path_factory.mktemp("hospital"), visits=1_500)
    with (folder / "hospital.policy.toml").open("a", encoding="utf-8") as policy:
        policy.write('\n[solve]\nsolver = "best"\nrounds = 4\n')
    return folder


@pytest.fixture(scope="module")
def hospital(folder: Path) -> tuple[PostgresServer, str]:
    """A database of its own with the six tables, a role that reads them and one that owns an empty
    schema."""
    server = running()
    name = server.new_name()
    server.run(f"CREATE DATABASE {name}")
    with psycopg.connect(server.uri(name), autocommit=True) as connection:
        for table, fields in HOSPITAL_DATABASE_TYPES.items():
            connection.execute(
                f"CREATE TABLE {table} ({', '.join(f'{f} {kind}' for f, kind in fields.items())})"
            )
            with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT csv, HEADER)") as into:
                into.write((folder / f"{table}.csv").read_bytes())
        connection.execute(
            f"CREATE ROLE reader_{name} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public "
            f"TO reader_{name}"
        )
        connection.execute(
            f"CREATE ROLE writer_{name} LOGIN; CREATE SCHEMA shared AUTHORIZATION writer_{name}"
        )
    return server, name


def state(server: PostgresServer, name: str) -> list[tuple[object, ...]]:
    """Every table of the database with its rows, as numbers."""
    found = server.run(
        "SELECT table_schema, table_name FROM information_schema.tables "
        "WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2",
        database=name,
    )
    return [
        (*row, server.run(f'SELECT count(*) FROM "{row[0]}"."{row[1]}"', database=name)[0][0])
        for row in found
    ]


def test_a_reader_releases_to_files(
    hospital: tuple[PostgresServer, str], folder: Path, tmp_path: Path
) -> None:
    server, name = hospital
    before = state(server, name)
    made = sfumato.release(
        server.uri(name, user=f"reader_{name}"),
        folder / "hospital.policy.toml",
        to=tmp_path / "out",
        file_format="csv",
    )
    assert made.outcome == "pass"
    assert set(made.tables) == set(TABLES)
    assert made.manifest["snapshot"]["kind"] == "postgresql snapshot"
    assert state(server, name) == before
    assert {check.outcome for check in sfumato.verify(tmp_path / "out")} == {"pass", "review"}
    with (tmp_path / "out" / "visits.csv").open(encoding="utf-8", newline="") as file:
        assert (
            sum(1 for _ in csv.DictReader(file))
            == made.manifest["tables"]["visits"]["rows"]["released"]
        )


@pytest.mark.long("a release with and without a key; one stays", but=("True",))
@pytest.mark.parametrize("same", [True, False])
def test_a_release_into_a_schema(
    hospital: tuple[PostgresServer, str], folder: Path, tmp_path: Path, same: bool
) -> None:
    """In the transaction that reads, where one role may do both; else over a second connection."""
    server, name = hospital
    schema = server.new_name()
    source = server.uri(name) if same else server.uri(name, user=f"reader_{name}")
    target = server.uri(name) if same else server.uri(name, user=f"writer_{name}")
    server.run(
        f"CREATE SCHEMA {schema}; GRANT ALL ON SCHEMA {schema} TO writer_{name}", database=name
    )
    made = sfumato.release(
        source,
        folder / "hospital.policy.toml",
        to=f"{target}#{schema}",
        documents=tmp_path / "documents",
    )
    assert made.outcome == "pass"
    assert made.tables["visits"] == f"{schema}.visits"
    released = {row[1]: row[2] for row in state(server, name) if row[0] == schema}
    assert released.pop("sfumato_manifest") == 1
    assert released == {
        table: said["rows"]["released"] for table, said in made.manifest["tables"].items()
    }
    assert sorted(path.name for path in (tmp_path / "documents").iterdir()) == [
        "manifest.json",
        "policy.toml",
        "report.html",
    ]
    checks = sfumato.verify(f"{server.uri(name)}#{schema}")
    assert {check.outcome for check in checks} == {"pass", "review"}
    server.run(
        f"UPDATE {schema}.patients SET sex = 'x' WHERE ctid = (SELECT min(ctid) FROM "
        f"{schema}.patients)",
        database=name,
    )
    assert any(check.outcome == "fail" for check in sfumato.verify(f"{server.uri(name)}#{schema}"))
    server.run(f"CREATE TABLE {schema}.stranger (name text)", database=name)
    failing = [
        check.claim
        for check in sfumato.verify(f"{server.uri(name)}#{schema}")
        if check.outcome == "fail"
    ]
    assert "the schema holds the tables of the release and no others" in failing


def test_a_candidate_that_fails_leaves_no_table(
    hospital: tuple[PostgresServer, str],
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, name = hospital
    schema = server.new_name()
    server.run(f"CREATE SCHEMA {schema}", database=name)
    before = state(server, name)
    written = "sfumato.engines.postgres.database._Written"
    monkeypatch.setattr(f"{written}.repeated", lambda self, table, key: 1)
    with pytest.raises(CandidateFailed, match="is not unique"):
        sfumato.release(
            server.uri(name),
            folder / "hospital.policy.toml",
            to=f"{server.uri(name)}#{schema}",
            documents=tmp_path / "documents",
        )
    assert state(server, name) == before
    assert list(tmp_path.iterdir()) == []


def test_a_schema_is_named(hospital: tuple[PostgresServer, str], folder: Path) -> None:
    server, name = hospital
    with pytest.raises(Mistake, match="needs the name of a schema"):
        sfumato.release(server.uri(name), folder / "hospital.policy.toml", to=server.uri(name))


def test_files_are_not_copied_into_a_schema(
    hospital: tuple[PostgresServer, str], folder: Path, tmp_path: Path
) -> None:
    server, name = hospital
    with pytest.raises(TargetError, match="out of tables"):
        sfumato.release(
            folder,
            folder / "hospital.policy.toml",
            to=f"{server.uri(name)}#shared",
            documents=tmp_path / "documents",
        )
    assert not (tmp_path / "documents").exists()
