"""A gate in front of PostgreSQL: rows are read by a role that may only read, and nothing is written
there."""

from __future__ import annotations

import sys
from pathlib import Path

import psycopg
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "services"))
sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "gate"))

from gates import ANN, POLICY, a_gate, people
from postgres_server import running

from sfumato.gate.gate_opener import open_gate
from sfumato.gate.settings import HeldTable, Mode, Settings, Terms

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
