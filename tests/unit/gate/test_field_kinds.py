"""Kinds of fields at the gate: nobody in a table decides whether a field is text or a number."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import duckdb
import pytest
from gates import ANN, POLICY, a_gate, people

from sfumato.engines import FieldKind
from sfumato.errors import NotAdmitted
from sfumato.gate.decide.protected_table import ProtectedTable
from sfumato.gate.gate_opener import open_gate
from sfumato.gate.settings import Budget, HeldTable, Mode, Settings, Terms

NOISY = Terms(
    mode=Mode.NOISY, budget=Budget(query=1.0, person=9.0, table=9.0), bounds={"cost": (0.0, 1000.0)}
)
ZIPPED = POLICY.replace("[fields.sex]", '[fields.zip]\nrole = "quasi"\n[fields.sex]')


def rows(*, target: bool) -> list[dict[str, Any]]:
    """The target's values are of another kind in every field."""
    out = [{**row, "zip": str(1000 + place % 9)} for place, row in enumerate(people(300))]
    strange = {
        "name": "X",
        "age": "old",
        "town": "Bergen",
        "zip": "A9",
        "sex": "3",
        "test": "weird",
        "cost": "much",
    }
    return [*out, strange] if target else out


def stored(folder: Path, found: list[dict[str, Any]], ending: str) -> Path:
    folder.mkdir()
    plain, path = folder / "people.csv", folder / f"people.{ending}"
    with plain.open("w", newline="") as file:
        out = csv.DictWriter(file, list(found[0]))
        out.writeheader()
        out.writerows(found)
    read = f"SELECT * FROM read_csv('{plain}', all_varchar = true)"
    with duckdb.connect(str(path) if ending == "duckdb" else ":memory:") as base:
        if ending == "duckdb":
            base.execute(f"CREATE TABLE people AS {read}")
        elif ending != "csv":
            base.execute(f"COPY ({read}) TO '{path}'")
    return path


def held(path: Path, *, terms: Terms) -> ProtectedTable:
    (path.parent / "policy.toml").write_text(
        ZIPPED.replace("hierarchy = { numbers", "# hierarchy = { numbers")
    )
    table = HeldTable(name="people", source=str(path), policy=path.parent / "policy.toml")
    settings = Settings(
        folder=path.parent / "state", tables={"people": table}, terms={"public": terms}
    )
    with open_gate(settings) as gate:
        return gate.keeper.holdings["people"]


@pytest.mark.parametrize("ending", ["parquet", "duckdb", "csv", "json"])
def test_nobody_changes_the_kind_of_a_field_of_a_table_whose_membership_is_protected(
    tmp_path, ending
):
    kinds = []
    for target in (False, True):
        path = stored(tmp_path / str(target), rows(target=target), ending)
        kinds.append({name: each.kind for name, each in held(path, terms=NOISY).fields.items()})
    assert kinds[0] == kinds[1]


def test_a_text_of_a_schema_stays_text_whatever_its_values_look_like(tmp_path):
    path = stored(tmp_path / "public", rows(target=False), "parquet")
    assert held(path, terms=Terms()).fields["zip"].kind is FieldKind.TEXT


def test_the_policy_says_what_is_a_number_and_sums_need_not_know(tmp_path):
    """The age has a numeric hierarchy; the cost is a text that is summed between its bounds."""
    with a_gate(tmp_path, [{**row, "cost": 10} for row in people(500)], terms=NOISY) as gate:
        fields = gate.keeper.holdings["people"].fields
        assert (fields["age"].kind, fields["cost"].kind) == (FieldKind.REAL, FieldKind.TEXT)
        total = gate.keeper.ask(ANN, "SELECT SUM(cost) AS n FROM people").rows[0][0]
        assert 0 < total < 20_000
        with pytest.raises(NotAdmitted, match="is text, and is compared with a number"):
            gate.keeper.ask(ANN, "SELECT COUNT(*) AS n FROM people WHERE cost > 3")
        assert gate.keeper.ask(ANN, "SELECT COUNT(*) AS n FROM people WHERE age > 30").rows


def test_a_text_is_summed_with_noise_or_not_at_all(tmp_path):
    """One cell that is no number makes a column text; a refused sum counts as nothing shown."""
    rows = [{**row, "cost": 10} for row in people(500)]
    rows[0]["cost"] = "1.2.3"
    sql = "SELECT AVG(cost) AS n FROM people"
    with a_gate(tmp_path / "bounds", rows, terms=Terms(bounds={"cost": (0, 100)})) as gate:
        answer = gate.keeper.ask(ANN, sql)
        assert answer.noise
        assert "cells of cost that are no number are left out" in answer.marked()[1][0][-1]
    with a_gate(tmp_path / "none", rows, terms=Terms()) as gate:
        with pytest.raises(NotAdmitted, match="no bounds to be summed"):
            gate.keeper.ask(ANN, sql)
        assert not gate.state.all("SELECT * FROM exposures")


def test_a_cell_that_is_no_number_is_missing_from_a_field_that_is_said_to_be_one(tmp_path):
    with a_gate(tmp_path, [*people(200), {**people(1)[0], "age": "old"}], terms=NOISY) as gate:
        age = gate.keeper.holdings["people"].fields["age"]
        assert int((~age.present[age.codes]).sum()) == 1
