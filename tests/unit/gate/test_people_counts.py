"""COUNT(DISTINCT key): people counted by the name of their key, and only where it means them."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pytest
from linked import linked_gate, write_table
from test_joins import ANN, CATALOGUE, JOIN, LEFT, PATIENTS, STAYS, TERMS, hospital

from sfumato.accounting import ChargedMeasurement
from sfumato.errors import NotAdmitted
from sfumato.gate.settings import Mode
from sfumato.gate.sql import admit

NAMED = {name: replace(table, counted_key=table.person_key) for name, table in CATALOGUE.items()}
SAME = (
    "SELECT COUNT(DISTINCT pid) AS n FROM stays",
    "SELECT COUNT(DISTINCT s.PID) AS n FROM Stays AS s WHERE cost > 20",
    "SELECT ward, COUNT(DISTINCT pid) AS n FROM stays GROUP BY ward ORDER BY ward",
    "SELECT COUNT(DISTINCT pid) AS n FROM stays WHERE pid IN (SELECT id FROM patients WHERE sex = 'F')",
    f"SELECT COUNT(DISTINCT p.id) AS n {JOIN}",
    f"SELECT COUNT(DISTINCT s.pid) AS n {JOIN} WHERE smoker = 1",
    f"SELECT COUNT(DISTINCT pid) AS n {JOIN}",
    f"SELECT COUNT(DISTINCT p.id) AS n {LEFT}",
    "SELECT COUNT(pid) AS n FROM stays WHERE cost > 20",
    "SELECT COUNT(CASE WHEN cost > 20 THEN pid END) AS n, COUNT(*) AS m FROM stays",
    "SELECT COUNT(DISTINCT CASE WHEN cost > 20 THEN pid END) AS n, COUNT(DISTINCT pid) AS m FROM stays",
    "SELECT COUNT(DISTINCT CASE WHEN cost > 90 THEN pid WHEN cost < 9 THEN pid ELSE NULL END) AS n FROM stays",
    "SELECT COUNT(DISTINCT CASE ward WHEN 'w1' THEN pid END) FILTER (WHERE cost > 20) AS n FROM stays",
    f"SELECT COUNT(DISTINCT CASE WHEN s.cost > 20 THEN p.id END) * 1.0 / COUNT(DISTINCT p.id) AS n {JOIN}",
)
OTHERS = (
    f"SELECT COUNT(DISTINCT s.pid) AS n {LEFT}",
    f"SELECT COUNT(DISTINCT pid) AS n {LEFT}",
    "SELECT COUNT(pid) AS n FROM stays",
    f"SELECT COUNT(s.pid) AS n {LEFT}",
    "SELECT COUNT(DISTINCT CASE WHEN cost > 20 THEN pid ELSE ward END) AS n FROM stays",
    "SELECT MAX(pid) AS n FROM stays",
    "SELECT COUNT(DISTINCT LEFT(pid, 2)) AS n FROM stays",
    "SELECT pid, COUNT(DISTINCT pid) AS n FROM stays GROUP BY pid",
)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    patients, stays = hospital()
    held = (
        write_table(folder, "patients", patients, PATIENTS),
        write_table(folder, "stays", stays, STAYS),
    )
    with duckdb.connect() as rows:
        for name in ("patients", "stays"):
            rows.execute(f"CREATE TABLE {name} AS FROM '{folder / name}.csv'")
        yield held, rows


def test_without_noise_it_counts_what_a_database_counts(tables, tmp_path, monkeypatch):
    monkeypatch.setattr(ChargedMeasurement, "add_noise", lambda self, numbers: numbers)
    held, rows = tables
    with linked_gate(tmp_path, held, terms=TERMS) as gate:
        for sql in SAME:
            assert gate.keeper.ask(ANN, sql).rows == rows.execute(sql).fetchall(), sql


@pytest.mark.parametrize("sql", OTHERS)
def test_another_question_about_keys_is_refused(sql):
    with pytest.raises(NotAdmitted):
        admit(sql, NAMED)


def test_it_is_the_question_that_counts_people():
    named, plain = (
        admit(f"SELECT ward, COUNT(DISTINCT {each}) AS n FROM stays GROUP BY ward", NAMED)
        for each in ("pid", "person")
    )
    assert named.canonical() == plain.canonical()


def test_a_table_with_a_field_called_person_has_no_such_spelling():
    stays = replace(NAMED["stays"], unknown=("cost", "person"))
    with pytest.raises(NotAdmitted) as refused:
        admit("SELECT COUNT(DISTINCT pid) AS n FROM stays", {"stays": stays})
    assert refused.value.code == "never-shown"


@pytest.mark.parametrize(("membership", "answered"), [("public", False), ("protected", True)])
def test_rows_without_a_key(tmp_path, monkeypatch, membership, answered):
    """A database does not count them, the gate counts them as one person. Where membership is
    protected, that there are any may decide nothing."""
    monkeypatch.setattr(ChargedMeasurement, "add_noise", lambda self, numbers: numbers)
    _, stays = hospital()
    stays = [{**row, "pid": "" if place < 9 else row["pid"]} for place, row in enumerate(stays)]
    policy = f'membership = "{membership}"\n{STAYS}'
    held = write_table(tmp_path, "stays", stays, policy)
    terms = replace(TERMS, mode=Mode.NOISY)
    with linked_gate(tmp_path, [held], terms=terms) as gate:
        sql = "SELECT COUNT(DISTINCT pid) AS n FROM stays"
        if answered:
            ((found,),) = gate.keeper.ask(ANN, sql).rows
            assert found == len({row["pid"] for row in stays})
            return
        with pytest.raises(NotAdmitted) as refused:
            gate.keeper.ask(ANN, sql)
        assert refused.value.code == "never-shown"
