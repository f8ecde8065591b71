"""Joins on person keys: which are admitted, what they count, and whose account pays."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pytest
from linked import linked_gate, write_table

from sfumato.accounting import ChargedMeasurement
from sfumato.errors import NotAdmitted
from sfumato.gate.settings import Asker, Budget, Mode, Terms
from sfumato.gate.sql import admit
from sfumato.gate.sql.admission import QueryableTable

ANN = Asker(name="ann", profile="public")
TERMS = Terms(
    budget=Budget(query=0.5, person=20.0, table=20.0), rows_per_person=50, bounds={"cost": (0, 100)}
)
CATALOGUE = {
    "patients": QueryableTable(
        known=("age", "sex"), unknown=("smoker",), never=("id",), person_key="id", people="all"
    ),
    "stays": QueryableTable(
        known=("ward",), unknown=("cost", "sex"), never=("pid",), person_key="pid", people="all"
    ),
    "staff": QueryableTable(known=("age",), unknown=(), never=("id",), person_key="id", people="x"),
}
PATIENTS = """
entity = "id"
[fields]
id = "direct"
smoker = "sensitive"
[fields.age]
role = "quasi"
[fields.sex]
role = "quasi"
domain = ["F", "M"]
[require]
k = 5
"""
STAYS = """
entity = "pid"
[fields]
pid = "direct"
cost = "insensitive"
[fields.ward]
role = "quasi"
domain = ["w0", "w1", "w2"]
[require]
k = 5
"""


def hospital(seed: int = 1) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    draw = np.random.default_rng(seed)
    patients = [
        {"id": f"p{n}", "age": int(draw.integers(20, 60)), "sex": "FM"[n % 2], "smoker": n % 3}
        for n in range(300)
    ]
    stays = [
        {"pid": f"p{draw.integers(50, 350)}", "ward": f"w{draw.integers(0, 3)}", "cost": n % 90}
        for n in range(700)
    ]
    return patients, stays


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hospital")
    patients, stays = hospital()
    held = (
        write_table(folder, "patients", patients, PATIENTS),
        write_table(folder, "stays", stays, STAYS),
    )
    with duckdb.connect() as rows:
        for name in ("patients", "stays"):
            rows.execute(f"CREATE TABLE {name} AS FROM '{folder / name}.csv'")
        yield held, rows


JOIN = "FROM patients p JOIN stays s ON p.id = s.pid"
LEFT = "FROM patients p LEFT JOIN stays s ON s.pid = p.id"
EXACTLY = (
    f"SELECT COUNT(*) AS n {JOIN}",
    f"SELECT p.sex, COUNT(*) AS n {JOIN} GROUP BY p.sex",
    f"SELECT ward, p.sex, COUNT(*) AS n, SUM(cost) AS c {JOIN} GROUP BY ward, p.sex",
    f"SELECT COUNT(*) AS n {JOIN} WHERE p.age > 30 AND cost > 20 AND p.smoker = 1",
    f"SELECT COUNT(*) AS n {JOIN} AND p.age > 30 AND cost > 20 WHERE p.smoker = 1",
    "SELECT p.sex, COUNT(*) AS n FROM patients p, stays s WHERE (s.pid = p.id AND cost > 20) GROUP BY p.sex",
    f"SELECT COUNT(*) AS n {LEFT}",
    f"SELECT COUNT(*) AS n {LEFT} WHERE s.ward IS NULL",
    f"SELECT p.sex, COUNT(s.cost) AS n {LEFT} GROUP BY p.sex",
    f"SELECT SUM(cost) AS n {LEFT} WHERE p.age < 40",
)


def test_a_join_counts_as_many_rows_as_its_tables_declare(tables, tmp_path, monkeypatch):
    """One row in the first and four in the second are four pairs, and not the fifty of the terms. Who
    has more rows than declared still adds four."""
    monkeypatch.setattr(ChargedMeasurement, "add_noise", lambda self, numbers: numbers)
    (patients, stays), rows = tables
    held = (replace(patients, rows_per_person=1), replace(stays, rows_per_person=4))
    with linked_gate(tmp_path, held, terms=TERMS) as gate:
        few = gate.keeper.ask(ANN, EXACTLY[0])
    pairs = f"SELECT SUM(LEAST(n, 4)) FROM (SELECT COUNT(*) AS n {JOIN} GROUP BY p.id)"
    assert few.rows[0][0] == rows.execute(pairs).fetchone()[0]
    with linked_gate(tmp_path / "wide", (patients, stays), terms=TERMS) as gate:
        many = gate.keeper.ask(ANN, EXACTLY[0])
    assert "at most 4 rows of each person are counted" in few.cuts
    assert few.noise["count(*)"] * 10 < many.noise["count(*)"]


@pytest.mark.parametrize("sql", EXACTLY)
def test_without_noise_a_join_counts_what_a_database_counts(tables, tmp_path, monkeypatch, sql):
    monkeypatch.setattr(ChargedMeasurement, "add_noise", lambda self, numbers: numbers)
    held, rows = tables
    with linked_gate(tmp_path, held, terms=TERMS) as gate:
        answer = gate.keeper.ask(ANN, sql)
    true = {str(row): row for row in rows.execute(sql).fetchall()}
    found = {str(tuple(_plain(cell) for cell in row)) for row in answer.rows}
    assert answer.noise
    assert found == {str(tuple(_plain(cell) for cell in row)) for row in true.values()}


def _plain(cell: Any) -> Any:
    return int(cell) if isinstance(cell, float) else cell


def test_people_in_both_are_counted_once(tables, tmp_path, monkeypatch):
    monkeypatch.setattr(ChargedMeasurement, "add_noise", lambda self, numbers: numbers)
    held, rows = tables
    with linked_gate(tmp_path, held, terms=TERMS) as gate:
        answer = gate.keeper.ask(ANN, f"SELECT COUNT(DISTINCT person) AS n {JOIN}")
    ((people,),) = rows.execute(f"SELECT COUNT(DISTINCT p.id) {JOIN}").fetchall()
    assert answer.rows == [(people,)]


def test_a_person_moves_a_join_by_no_more_than_the_rows_that_count(tables, tmp_path, monkeypatch):
    """Neighbouring tables: one person with all rows in both is missing."""
    monkeypatch.setattr(ChargedMeasurement, "add_noise", lambda self, numbers: numbers)
    terms = Terms(budget=TERMS.budget, rows_per_person=2)
    patients, stays = hospital()
    counts = defaultdict(int)
    for each in stays:
        counts[each["pid"]] += 1
    busiest = max((each["id"] for each in patients), key=lambda name: counts[name])
    assert counts[busiest] > 4
    found = []
    for name, gone in (("with", ""), ("without", busiest)):
        held = (
            write_table(
                tmp_path / name, "patients", [p for p in patients if p["id"] != gone], PATIENTS
            ),
            write_table(tmp_path / name, "stays", [s for s in stays if s["pid"] != gone], STAYS),
        )
        with linked_gate(tmp_path / name, held, terms=terms) as gate:
            gate.keeper.ask(ANN, f"SELECT COUNT(*) AS n {JOIN}")
            found.append(gate.keeper.ask(ANN, f"SELECT COUNT(*) AS n {LEFT}").rows[0][0])
    assert 0 < found[0] - found[1] <= 2


def test_a_join_is_paid_from_the_account_of_its_people(tables, tmp_path):
    with linked_gate(tmp_path, tables[0], terms=TERMS) as gate:
        before = gate.keeper.budget(ANN, "patients").answers_left
        first = gate.keeper.ask(ANN, f"SELECT COUNT(*) AS n {JOIN}")
        again = gate.keeper.ask(
            ANN, f"select count(*) as n {JOIN.replace('p.id = s.pid', 's.pid = p.id')}"
        )
        assert again.remembered
        assert again.rows == first.rows
        for name in ("patients", "stays"):
            assert gate.keeper.budget(ANN, name).answers_left == before - 1


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT p.age, s.ward {JOIN}",
        f"SELECT s.cost {LEFT}",
        f"SELECT MAX(cost) AS m {JOIN}",
    ],
)
def test_rows_and_exact_numbers_of_a_join_are_refused(tables, tmp_path, sql):
    for mode in (Mode.EITHER, Mode.EXACT):
        terms = Terms(mode=mode, budget=TERMS.budget)
        with linked_gate(tmp_path / mode, tables[0], terms=terms) as gate:
            with pytest.raises(NotAdmitted):
                gate.keeper.ask(ANN, sql)
            with pytest.raises(NotAdmitted):
                gate.keeper.ask(ANN, f"SELECT COUNT(*) {JOIN.replace('p.id', 'p.age')}")


@pytest.mark.parametrize(
    "tail",
    [
        "FROM patients p JOIN stays s ON p.age = s.cost",
        "FROM patients p LEFT JOIN stays s ON p.id = s.pid AND s.ward = 'a'",
        "FROM patients p JOIN stays s ON p.id = s.pid OR p.age > 30",
        "FROM patients p JOIN stays s ON p.id <> s.pid",
        "FROM patients p JOIN stays s ON p.id = p.id",
        "FROM patients p JOIN stays s ON true",
        "FROM patients p JOIN stays s USING (id)",
        "FROM patients p CROSS JOIN stays s",
        "FROM patients p NATURAL JOIN stays s",
        "FROM patients p, stays s",
        "FROM patients p RIGHT JOIN stays s ON p.id = s.pid",
        "FROM patients p FULL JOIN stays s ON p.id = s.pid",
        "FROM patients p JOIN patients q ON p.id = q.id",
        "FROM patients p JOIN staff s ON p.id = s.id",
        "FROM patients p JOIN stays s ON p.id = s.pid JOIN stays t ON p.id = t.pid",
        "FROM patients p JOIN (SELECT pid FROM stays) s ON p.id = s.pid",
        "FROM patients p JOIN LATERAL (SELECT 1) s ON true",
        "FROM patients TABLESAMPLE SYSTEM (1) JOIN stays s ON patients.id = s.pid",
        "FROM patients p JOIN stays s TABLESAMPLE SYSTEM (1) ON p.id = s.pid",
        "FROM patients p(a, b) JOIN stays s ON p.id = s.pid",
        "FROM patients p JOIN (stays s JOIN staff t ON s.pid = t.id) ON p.id = s.pid",
        "FROM (patients p JOIN stays s ON p.id = s.pid)",
        "FROM other.patients p JOIN stays s ON p.id = s.pid",
    ],
)
def test_tables_are_joined_on_their_person_keys_alone(tail):
    with pytest.raises(NotAdmitted) as refused:
        admit(f"SELECT COUNT(*) AS n {tail}", CATALOGUE)
    assert refused.value.code == "join"


@pytest.mark.parametrize(
    ("shown", "code"),
    [
        ("sex", "join"),
        ("p.id", "never-shown"),
        ("s.pid", "never-shown"),
        ("p.ward", "unknown-field"),
        ("q.age", "unknown-field"),
        ("nothing", "unknown-field"),
    ],
)
def test_fields_of_a_join_belong_to_one_table_and_keys_are_never_shown(shown, code):
    with pytest.raises(NotAdmitted) as refused:
        admit(f"SELECT {shown}, COUNT(*) AS n {JOIN} GROUP BY {shown}", CATALOGUE)
    assert refused.value.code == code


def test_a_join_is_one_table_whose_fields_have_their_tables_names():
    question = admit(f"SELECT p.Sex, COUNT(*) AS n {JOIN} WHERE Cost > 3 GROUP BY p.sex", CATALOGUE)
    assert question.table == "patients JOIN stays"
    assert (question.groups, question.columns) == (("patients.sex",), ("sex", "n"))
    assert question.having is not None
    assert question.having.fields() == {"stays.cost"}
