"""A gate in front of PostgreSQL: rows are read by a role that may only read, and nothing is written
there."""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import psycopg
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "services"))
sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "gate"))

from gates import ANN, POLICY, a_gate, people
from postgres_server import running

from sfumato.gate.gate_opener import open_gate
from sfumato.gate.reload import reload_tables
from sfumato.gate.settings import Budget, HeldTable, Mode, Settings, Terms, ValidationTerms
from sfumato.gate.validation.claims import ValidationClaim

SQL = "SELECT age, town, test FROM people WHERE age < 50"
TERMS = Terms(mode=Mode.EXACT)


@pytest.fixture(scope="module")
def address() -> str:
    server = running()
    name = server.new_name()
    server.run(f"CREATE DATABASE {name}")
    with psycopg.connect(server.uri(name), autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE people (name text, age int, town text, sex text, test int, cost int)"
        )
        with connection.cursor().copy("COPY people FROM STDIN") as into:
            for row in people():
                into.write_row(tuple(row.values()))
        connection.execute(
            f"CREATE ROLE reader_{name} LOGIN; GRANT SELECT ON people TO reader_{name}"
        )
    return str(server.uri(name, user=f"reader_{name}"))


PATIENTS = """
entity = "id"
[fields.id]
role = "direct"
[fields.town]
role = "quasi"
[require]
k = 5
"""
STAYS = (
    PATIENTS.replace("town", "ward")
    + """
[fields.test]
role = "sensitive"
"""
)


def test_linked_tables_are_judged_together_and_reloaded(tmp_path: Path) -> None:
    """Newcomers of a live database wait, and join when there are k of them."""
    server = running()
    name = server.new_name()
    server.run(f"CREATE DATABASE {name}")
    with psycopg.connect(server.uri(name), autocommit=True) as connection:
        connection.execute("CREATE TABLE patients (id int, town text)")
        connection.execute("CREATE TABLE stays (id int, ward text, test int)")
        connection.execute(
            "INSERT INTO patients SELECT n, CASE WHEN n % 2 = 0 THEN 'A' ELSE 'B' END "
            "FROM generate_series(1, 80) AS n"
        )
        connection.execute(
            "INSERT INTO stays SELECT n % 70 + 1, CASE WHEN n % 3 = 0 THEN 'X' ELSE 'Y' END, n % 2 "
            "FROM generate_series(1, 140) AS n"
        )
        tables = {}
        for table, policy in (("patients", PATIENTS), ("stays", STAYS)):
            (tmp_path / f"{table}.toml").write_text(policy)
            tables[table] = HeldTable(
                name=table,
                source=server.uri(name),
                policy=tmp_path / f"{table}.toml",
                table=table,
            )
        sql = "SELECT town, COUNT(*) FROM patients GROUP BY town ORDER BY town"
        with open_gate(Settings(folder=tmp_path / "state", tables=tables)) as gate:
            assert gate.keeper.holdings["stays"].account == gate.keeper.holdings["patients"].account
            assert gate.keeper.ask(ANN, sql).rows == [("A", 40), ("B", 40)]
            connection.execute("INSERT INTO patients VALUES (101, 'A'), (102, 'A')")
            assert reload_tables(gate, "stays", by="eve").waiting == 2
            assert gate.keeper.ask(ANN, sql).rows == [("A", 40), ("B", 40)]
            connection.execute(
                "INSERT INTO patients SELECT n, 'A' FROM generate_series(103, 106) AS n"
            )
            assert reload_tables(gate, "stays", by="eve").joined == 6
            assert gate.keeper.ask(ANN, sql).rows == [("A", 46), ("B", 40)]


def test_answers_are_those_over_a_file(address: str, tmp_path: Path) -> None:
    with a_gate(tmp_path / "file", people(), terms=TERMS) as gate:
        from_file = gate.keeper.ask(ANN, SQL)
    (tmp_path / "policy.toml").write_text(POLICY)
    table = HeldTable(
        name="people", source=address, policy=tmp_path / "policy.toml", table="people"
    )
    settings = Settings(
        folder=tmp_path / "state", tables={"people": table}, terms={"public": TERMS}
    )
    with open_gate(settings) as gate:
        from_server = gate.keeper.ask(ANN, SQL)
    assert from_server.levels == from_file.levels
    assert sorted(from_server.rows) == sorted(from_file.rows)
    with open_gate(settings) as gate:
        again = gate.keeper.ask(ANN, SQL)
    assert again.remembered
    assert again.rows == from_server.rows


@pytest.mark.parametrize("source", ["postgresql", "duckdb"])
def test_a_claim_is_judged_over_a_database(address: str, tmp_path: Path, source: str) -> None:
    (tmp_path / "policy.toml").write_text(POLICY)
    place = address
    if source == "duckdb":
        place = str(tmp_path / "people.duckdb")
        rows = people()
        with duckdb.connect(place) as made:
            made.execute(
                "CREATE TABLE people (name text, age int, town text, sex text, test int, cost int)"
            )
            made.executemany(
                "INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)",
                [tuple(row.values()) for row in rows],
            )
    terms = Terms(
        mode=Mode.NOISY,
        budget=Budget(query=0.5, person=1.0, table=1.0),
        bounds={"cost": (0, 1000)},
        validation=ValidationTerms(allowed=True),
    )
    table = HeldTable(name="people", source=place, table="people", policy=tmp_path / "policy.toml")
    settings = Settings(
        folder=tmp_path / "state", tables={"people": table}, terms={"public": terms}
    )
    with open_gate(settings) as gate:
        true = sum(row["cost"] for row in people()) / len(people())
        sql = "SELECT AVG(cost) FROM people"
        for value, agreement in ((true, "agrees"), (true + 400, "differs")):
            claim = ValidationClaim(sql=sql, value=value, margin=100)
            assert gate.validator.validate(ANN, claim).agreement.value == agreement
