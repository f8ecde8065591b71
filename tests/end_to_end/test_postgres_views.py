"""Views of a live table in PostgreSQL: each role reads its own release, and never the table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "services"))

from postgres_server import PostgresServer, running

import sfumato
from sfumato.errors import Mistake, TargetError
from sfumato.keys import Key

KEY = Key(b"0123456789abcdef0123456789abcdef")
POLICY = """
entity = "id"
[fields.id]
role = "direct"
[fields.age]
role = "quasi"
hierarchy = { numbers = { widths = [10, 20, 40] } }
[fields.sex]
role = "quasi"
[fields.illness]
role = "sensitive"
[require]
k = 3
max_suppression = 0.2
[recipient.research]
[recipient.finance]
distortion = { age = 1.0, sex = 0.0 }
"""


@pytest.fixture
def hospital() -> Iterator[tuple[PostgresServer, str, dict[str, str]]]:
    """A database with a table of people, and two roles that may read nothing."""
    server = running()
    name = server.new_name()
    roles = {"research": f"research_{name}", "finance": f"finance_{name}"}
    server.run(f"CREATE DATABASE {name}")
    server.run(
        "CREATE TABLE people AS SELECT 'p' || i AS id, 20 + i * 7 % 60 AS age, "
        "CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END AS sex, "
        "CASE WHEN i % 3 = 0 THEN 'flu' ELSE 'gout' END AS illness "
        "FROM generate_series(1, 200) AS s(i)",
        database=name,
    )
    for role in roles.values():
        server.run(f"CREATE ROLE {role}")
    yield server, name, roles
    server.run(f"DROP DATABASE {name} WITH (FORCE)")
    for role in roles.values():
        server.run(f"DROP ROLE {role}")


def as_role(
    server: PostgresServer, name: str, role: str, question: str
) -> list[tuple[object, ...]]:
    with psycopg.connect(server.uri(name)) as connection:
        connection.execute(f"SET ROLE {role}")
        return connection.execute(question).fetchall()


def refreshed(
    server: PostgresServer, name: str, roles: dict[str, str], folder: Path
) -> sfumato.RefreshedViews:
    address = server.uri(name)
    return sfumato.refresh_views(
        address, POLICY, to=address, table="people", key=KEY, roles=roles, state=folder / "state"
    )


def test_a_role_reads_its_view_and_nothing_else(
    hospital: tuple[PostgresServer, str, dict[str, str]], tmp_path: Path
) -> None:
    server, name, roles = hospital
    refreshed(server, name, roles, tmp_path)
    role = roles["research"]
    question = "SELECT age, sex, count(*) FROM research.people GROUP BY age, sex"
    found = as_role(server, name, role, question)
    assert found
    assert min(int(str(row[-1])) for row in found) >= 3
    for forbidden in (
        "SELECT * FROM people",
        "SELECT * FROM research_release_1.release",
        "SELECT * FROM finance.people",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            as_role(server, name, role, forbidden)
    server.run(
        "INSERT INTO people SELECT 'n' || i, 35, 'f', 'flu' FROM generate_series(1, 5) AS s(i)",
        database=name,
    )
    assert as_role(server, name, role, question) == found  # Views show what was judged.
    with pytest.raises(Mistake, match="knows nothing"):
        refreshed(server, name, roles, tmp_path / "elsewhere")
    made = refreshed(server, name, roles, tmp_path)
    assert made.number == 2
    newer = as_role(server, name, role, question)
    assert sum(int(str(row[-1])) for row in newer) == sum(int(str(row[-1])) for row in found) + 5
    schemas = server.run(
        "SELECT nspname FROM pg_namespace WHERE nspname LIKE '%release%'", database=name
    )
    assert sorted(row[0] for row in schemas) == ["finance_release_2", "research_release_2"]


def test_a_role_that_reads_the_table_itself_gets_no_view(
    hospital: tuple[PostgresServer, str, dict[str, str]], tmp_path: Path
) -> None:
    server, name, roles = hospital
    server.run(f"GRANT SELECT (age) ON people TO {roles['research']}", database=name)
    missing = {**roles, "finance": "nobody_at_all"}
    with pytest.raises(TargetError, match=r"may read public\.people itself.*no role nobody_at_all"):
        refreshed(server, name, missing, tmp_path)
    address = server.uri(name)
    with pytest.raises(TargetError, match=r"may read public\.people itself"):
        sfumato.refresh_views(  # The only table is found, and was not named.
            address, POLICY, to=address, key=KEY, roles=roles, state=tmp_path / "state"
        )
    server.run(f"REVOKE ALL (age) ON people FROM {roles['research']}", database=name)
    with pytest.raises(TargetError, match="superuser"):
        refreshed(server, name, {**roles, "finance": "postgres"}, tmp_path)


def test_default_privileges_do_not_open_a_release(
    hospital: tuple[PostgresServer, str, dict[str, str]], tmp_path: Path
) -> None:
    server, name, roles = hospital
    role = roles["research"]
    server.run(f"ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO {role}", database=name)
    with pytest.raises(TargetError, match="not changed"):
        refreshed(server, name, roles, tmp_path)
    assert server.run("SELECT 1 FROM pg_views WHERE schemaname = 'research'", database=name) == []
    server.run(f"ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM {role}", database=name)


LINKED = """
entity = "people.id"
[tables.people]
key = "id"
[tables.people.fields]
id = { role = "direct", replace = "number" }
age = { role = "quasi", hierarchy = { numbers = { widths = [10, 20, 40] } } }
sex = "quasi"
illness = "sensitive"
[tables.visits]
links = { id = "people.id" }
row_counts = { bin_size = 3, linking = 1 }
[tables.visits.fields]
id = { role = "direct", replace = "number" }
ward = "insensitive"
[require]
k = 3
max_suppression = 0.3
[recipient.research]
[recipient.finance]
distortion = { age = 1.0, sex = 0.0 }
"""


def test_a_role_reads_views_of_linked_tables(
    hospital: tuple[PostgresServer, str, dict[str, str]], tmp_path: Path
) -> None:
    server, name, roles = hospital
    server.run(
        "CREATE TABLE visits AS SELECT 'p' || (1 + i % 200) AS id, "
        "CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END AS ward FROM generate_series(1, 300) AS s(i)",
        database=name,
    )
    address = server.uri(name)
    made = sfumato.refresh_views(
        address, LINKED, to=address, key=KEY, roles=roles, state=tmp_path / "state"
    )
    assert made.verdicts["together"].outcome == "pass"
    joined = (
        "SELECT age, sex, visits, count(*) FROM finance.people JOIN (SELECT id, count(*) AS visits "
        "FROM finance.visits GROUP BY id) AS v USING (id) GROUP BY age, sex, visits"
    )
    assert min(int(str(row[-1])) for row in as_role(server, name, roles["finance"], joined)) >= 3
    for forbidden in ("SELECT * FROM visits", "SELECT * FROM research.visits"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            as_role(server, name, roles["finance"], forbidden)
