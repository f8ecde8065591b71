"""Chiang et al. 2001, Tables 1 and 2, through the gate: the one most specific answer is the printed
table."""

from __future__ import annotations

from collections import Counter

import tables

from sfumato.gate.gate_opener import open_gate
from sfumato.gate.settings import Asker, HeldTable, Mode, Settings, Terms

SQL = "SELECT height, weight, blood_type, test_result FROM people"
ANYBODY = Asker(name="anybody", profile="public")
PRINTED = {"height": 1, "weight": 1, "blood_type": 1}
"""The paper has two levels of each."""
POLICY = """
[fields.height]
role = "quasi"
hierarchy = "height.csv"
[fields.weight]
role = "quasi"
hierarchy = "weight.csv"
[fields.blood_type]
role = "quasi"
hierarchy = "blood_type.csv"
[fields.test_result]
role = "sensitive"
[require]
k = 2
non_uniqueness = true
"""


def interval(value: str) -> str:
    low = int(value) // 10 * 10
    return f"{low}-{low + 5}"


def test_table_1_is_answered_with_table_2(tmp_path):
    rows = tables.rows("cellsecu_table1.csv")
    named = {"height": interval, "weight": interval, "blood_type": lambda _: "ABO"}
    (tmp_path / "people.csv").write_text(
        "\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)]) + "\n"
    )
    (tmp_path / "policy.toml").write_text(POLICY)
    for name, coarser in named.items():
        values = sorted({row[name] for row in rows})
        (tmp_path / f"{name}.csv").write_text(
            "".join(f"{value};{coarser(value)};*\n" for value in values)
        )
    held = HeldTable(
        name="people",
        source=str(tmp_path / "people.csv"),
        policy=tmp_path / "policy.toml",
        coarsest=PRINTED,
    )
    terms = {"public": Terms(mode=Mode.EXACT)}
    with open_gate(
        Settings(folder=tmp_path / "state", tables={"people": held}, terms=terms)
    ) as gate:
        shapes = gate.keeper.look(ANYBODY, SQL).shapes
        answer = gate.keeper.ask(ANYBODY, SQL)
    assert [dict(shape.levels) for shape in shapes] == [PRINTED]
    printed = Counter(tuple(row.values()) for row in tables.rows("cellsecu_table2.csv"))
    assert Counter(tuple(map(str, row)) for row in answer.rows) == printed
