"""EXISTS, IN over person keys and numbers by person: what DuckDB gives, with hardly any noise."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import numpy as np
import pytest
from linked import linked_gate, write_table

from sfumato.errors import NotAdmitted
from sfumato.gate.settings import Asker, Budget, Mode, Terms

ANN = Asker(name="ann", profile="public")
TERMS = Terms(
    budget=Budget(query=400.0, person=90_000.0, table=90_000.0),
    rows_per_person=60,
    bounds={"cost": (0, 100), "age": (0, 99)},
)
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
TIED = "stays.pid = patients.id"
LATER = "w.pid = v.pid AND w.cost > v.cost"
BY_PERSON = "SELECT pid, COUNT(*) AS n, SUM(cost) AS total FROM stays GROUP BY pid"
ASKED = (
    f"SELECT COUNT(*) AS n FROM patients WHERE EXISTS (SELECT 1 FROM stays WHERE {TIED})",
    f"SELECT COUNT(*) AS n FROM patients WHERE NOT EXISTS (SELECT 1 FROM stays WHERE {TIED} AND ward = 'w1')",
    f"SELECT sex, COUNT(*) AS n FROM patients WHERE EXISTS (SELECT * FROM stays WHERE {TIED} AND cost / 2 > 20) "
    "GROUP BY sex",
    "SELECT COUNT(*) AS n FROM patients p WHERE p.id IN (SELECT pid FROM stays WHERE ward = 'w0')",
    "SELECT COUNT(*) AS n FROM patients WHERE id IN (SELECT pid FROM stays GROUP BY pid HAVING COUNT(*) >= 3)",
    "SELECT COUNT(*) AS n FROM (SELECT pid FROM stays GROUP BY pid HAVING COUNT(*) > 3) AS often",
    "SELECT COUNT(*) AS n FROM (SELECT DISTINCT pid FROM stays WHERE ward = 'w2') AS x",
    "SELECT n, COUNT(*) AS people FROM (SELECT COUNT(*) AS n FROM stays GROUP BY pid) AS each GROUP BY n ORDER BY n",
    f"SELECT AVG(n) AS mean, AVG(total) AS cost FROM ({BY_PERSON}) AS each",
    f"WITH each AS ({BY_PERSON}) SELECT COUNT(*) AS n FROM each WHERE total > 100",
    f"SELECT sex, AVG(v.n) AS mean FROM patients p JOIN ({BY_PERSON}) v ON p.id = v.pid GROUP BY sex",
    f"SELECT sex, AVG(COALESCE(v.n, 0)) AS mean FROM patients p LEFT JOIN ({BY_PERSON}) v ON p.id = v.pid GROUP BY sex",
    f"SELECT COUNT(*) AS n FROM patients WHERE (SELECT COUNT(*) FROM stays WHERE {TIED}) = 2 AND smoker = 1",
    f"SELECT CASE WHEN (SELECT COUNT(*) FROM stays WHERE {TIED}) > 2 THEN 'often' ELSE 'rarely' END AS x, "
    "COUNT(*) AS n FROM patients GROUP BY 1",
    f"WITH v AS ({BY_PERSON}) SELECT sex, AVG(v.n) AS mean FROM v JOIN patients p ON p.id = v.pid GROUP BY sex",
    f"SELECT COUNT(*) AS n FROM stays v WHERE EXISTS (SELECT 1 FROM stays w WHERE {LATER})",
    f"SELECT ward, COUNT(*) AS n FROM stays v WHERE NOT EXISTS (SELECT 1 FROM stays w WHERE {LATER} AND w.cost <= "
    "v.cost + 10) GROUP BY ward",
    f"SELECT COUNT(DISTINCT v.pid) AS n FROM stays v WHERE (SELECT COUNT(*) FROM stays w WHERE {LATER}) = 1",
    f"SELECT COUNT(*) AS n FROM stays v WHERE (SELECT COUNT(w.ward) FROM stays w WHERE {LATER}) >= 2",
    f"SELECT COUNT(*) AS n FROM patients WHERE EXISTS (SELECT 1 FROM stays WHERE {TIED} AND cost > patients.age)",
    "SELECT COUNT(*) AS n FROM stays v WHERE EXISTS (SELECT 1 FROM patients p WHERE p.id = v.pid AND p.age > v.cost)",
)  # fmt: skip
REFUSED = (
    "SELECT COUNT(*) AS n FROM patients WHERE id NOT IN (SELECT pid FROM stays WHERE ward = 'w0')",
    "SELECT COUNT(*) FROM patients WHERE EXISTS (SELECT 1 FROM stays)",
    "SELECT COUNT(*) FROM patients WHERE EXISTS (SELECT 1 FROM stays WHERE stays.ward = patients.sex)",
    "SELECT COUNT(*) FROM patients p JOIN stays v ON p.id = v.pid WHERE EXISTS (SELECT 1 FROM stays w WHERE "
    "w.pid = p.id AND w.cost > p.age)",
    f"SELECT SUM((SELECT MAX(w.cost) FROM stays w WHERE {LATER})) AS n FROM stays v",
    "SELECT COUNT(*) FROM stays v WHERE EXISTS (SELECT 1 FROM stays w WHERE w.cost > v.cost)",
    f"SELECT cost FROM stays v WHERE EXISTS (SELECT 1 FROM stays w WHERE {LATER})",
    "SELECT COUNT(*) FROM patients WHERE age IN (SELECT cost FROM stays)",
    "SELECT COUNT(*) FROM patients WHERE id IN (SELECT ward FROM stays)",
    "SELECT pid, n FROM (SELECT pid, COUNT(*) AS n FROM stays GROUP BY pid) AS x",
    f"SELECT age FROM patients WHERE EXISTS (SELECT 1 FROM stays WHERE {TIED})",
    f"SELECT COUNT(*) FROM patients WHERE EXISTS (SELECT 1 FROM stays WHERE {TIED} OR 1 = 1)",
    "SELECT COUNT(*) FROM (SELECT pid, ward, COUNT(*) AS n FROM stays GROUP BY pid, ward) AS x",
    f"SELECT COUNT(*) FROM patients WHERE EXISTS (SELECT 1 FROM stays WHERE {TIED} LIMIT 0)",
    "SELECT COUNT(*) FROM (SELECT pid FROM stays GROUP BY pid LIMIT 1) AS x",
    "SELECT COUNT(*) FROM (SELECT pid FROM stays GROUP BY pid ORDER BY COUNT(*) DESC LIMIT 3) AS x",
    f"SELECT COUNT(*) FROM patients WHERE EXISTS (SELECT COUNT(*) FROM stays WHERE {TIED})",
)  # fmt: skip


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hospital")
    draw = np.random.default_rng(4)
    patients = [
        {"id": f"p{n}", "age": int(draw.integers(20, 60)), "sex": "FM"[n % 2], "smoker": n % 3}
        for n in range(300)
    ]
    stays = [
        {"pid": f"p{draw.integers(40, 300)}", "ward": f"w{draw.integers(0, 3)}", "cost": n % 90}
        for n in range(700)
    ]
    held = (
        replace(write_table(folder, "patients", patients, PATIENTS), rows_per_person=1),
        write_table(folder, "stays", stays, STAYS),
    )
    with duckdb.connect() as rows:
        for table in held:
            rows.execute(f"CREATE TABLE {table.name} AS SELECT * FROM '{table.source}'")
        with linked_gate(folder, held, terms=TERMS) as gate:
            yield gate.keeper, rows


@pytest.mark.parametrize("sql", ASKED)
def test_numbers_are_those_of_the_raw_tables(tables, sql):
    keeper, rows = tables
    answer, true = keeper.ask(ANN, sql), rows.execute(sql).fetchall()
    assert answer.noise
    texts = [0] if len(true) > 1 else []
    found = {tuple(str(row[at]) for at in texts): row for row in answer.rows}
    for row in true:
        shown = found[tuple(str(row[at]) for at in texts)]
        for at, cell in enumerate(row):
            if at not in texts:
                assert float(shown[at]) == pytest.approx(float(cell), rel=0.05, abs=1.0)


@pytest.mark.parametrize("sql", REFUSED)
def test_everything_else_is_refused(tables, sql):
    with pytest.raises(NotAdmitted):
        tables[0].ask(ANN, sql)


def test_nothing_of_it_is_exact(tables):
    with pytest.raises(NotAdmitted, match="noisy"):
        tables[0].ask(ANN, ASKED[0].replace("COUNT(*) AS n", "sex"))
    assert tables[0].ask(ANN, ASKED[0], mode=Mode.EXACT).noise


def test_a_person_counts_once_among_people(tables):
    """A table of people has one row for each, so that its noise covers one row."""
    keeper, _ = tables
    alone = keeper.ask(ANN, ASKED[6])
    beside = keeper.ask(ANN, "SELECT COUNT(*) AS n FROM stays", mode=Mode.NOISY)
    assert max(alone.noise.values()) < max(beside.noise.values()) / 8
