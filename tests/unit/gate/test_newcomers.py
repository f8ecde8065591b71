"""The budget of newcomers: a limit is one of each person, and only people who joined later bring
new budget."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from gates import ANN, BOB, POLICY, a_gate, people, write

from sfumato.errors import NotAdmitted, ReleaseBroken
from sfumato.gate.gate_opener import Gate
from sfumato.gate.newcomers import ChargesBefore, since_scope
from sfumato.gate.reload import ReloadReport, erase_people, reload_tables
from sfumato.gate.server import _notices
from sfumato.gate.settings import Budget, Mode, Terms

KEYED = "membership = 'protected'\nentity = 'name'\n" + POLICY
NOISY = Terms(mode=Mode.NOISY, budget=Budget(query=0.1, person=0.2, table=0.2), rows_per_person=1)
ALL = "SELECT COUNT(*) FROM people WHERE age > {}"
NEW = "SELECT COUNT(*) FROM people_since_{day} WHERE age > {cost}"
DAYS = {"20260301": 1772323200.0, "20260401": 1775001600.0, "20260501": 1777593600.0}


def reload(gate: Gate, day: str) -> ReloadReport:
    return reload_tables(gate, "people", by="eve", clock=lambda: DAYS[day])


def some(number: int, count: int) -> list[dict[str, Any]]:
    return [{**row, "name": f"New {number} {row['name']}"} for row in people(count, seed=number)]


def used_up(gate: Gate, *, first: int = 0) -> None:
    for cost in range(first, first + 2):
        assert not gate.keeper.ask(ANN, ALL.format(cost)).remembered
    with pytest.raises(NotAdmitted, match="used up"):
        gate.keeper.ask(ANN, ALL.format(first + 2))


def test_newcomers_bring_new_budget_and_nobody_else_does(tmp_path: Path) -> None:
    rows = people(200)
    with a_gate(tmp_path, rows, policy=KEYED, terms=NOISY) as gate:
        used_up(gate)
        write(tmp_path, [*rows, *some(1, 300)], policy=KEYED)
        assert reload(gate, "20260301").joined == 300
        with pytest.raises(NotAdmitted, match="used up") as refused:
            gate.keeper.ask(ANN, ALL.format(5))
        assert "people_since_20260301" in (refused.value.attempt or "")
        answer = gate.keeper.ask(ANN, NEW.format(day="20260301", cost=-1))
        assert answer.left == 1
        assert abs(answer.rows[0][0] - 300) < 4 * max(answer.noise.values())
        assert gate.keeper.ask(BOB, NEW.format(day="20260301", cost=-1)).remembered
        gate.keeper.ask(ANN, NEW.format(day="20260301", cost=5))
        with pytest.raises(NotAdmitted, match="used up"):
            gate.keeper.ask(ANN, NEW.format(day="20260301", cost=6))
        assert gate.keeper.budget(ANN, "people").rho_left < NOISY.budget.question_rho


def test_a_question_about_everybody_is_charged_to_newcomers_too(tmp_path: Path) -> None:
    rows = people(200)
    with a_gate(tmp_path, rows, policy=KEYED, terms=NOISY) as gate:
        write(tmp_path, [*rows, *some(1, 100)], policy=KEYED)
        reload(gate, "20260301")
        used_up(gate)
        with pytest.raises(NotAdmitted, match="used up"):
            gate.keeper.ask(ANN, NEW.format(day="20260301", cost=1))
        write(tmp_path, [*rows, *some(1, 100), *some(2, 100)], policy=KEYED)
        reload(gate, "20260401")
        gate.keeper.ask(ANN, NEW.format(day="20260401", cost=1))
        for day in DAYS:  # Those who joined first are in no question that is left.
            sql = NEW.format(day="20260301", cost=2)
            with pytest.raises(NotAdmitted):
                gate.keeper.ask(ANN, sql.replace("20260301", day) if day > "20260401" else sql)


@pytest.mark.parametrize("how", ["corrected", "left and returned", "erased"])
def test_whoever_was_there_before_is_no_newcomer(tmp_path: Path, how: str) -> None:
    """Otherwise a lifetime would come back by correcting a row, or by leaving for a while."""
    rows = people(60)
    with a_gate(tmp_path, rows, policy=KEYED, terms=NOISY) as gate:
        used_up(gate)
        changed = [{**row, "cost": row["cost"] + 1} for row in rows[:30]]
        if how == "left and returned":
            write(tmp_path, rows[30:], policy=KEYED)
            reload(gate, "20260301")
            changed = rows[:30]
        if how == "erased":
            erase_people(gate, "people", [row["name"] for row in rows[:30]], by="eve")
        write(tmp_path, [*changed, *rows[30:]], policy=KEYED)
        report = reload(gate, "20260401")
        assert report.joined == (0 if how == "erased" else 30)
        table = gate.keeper.table("people_since_20260401")
        assert table.people == 0
        assert len(gate.rows.read("people")) == (30 if how == "erased" else 60)


def test_newcomers_are_asked_for_noisy_numbers_alone(tmp_path: Path) -> None:
    public = KEYED.replace("protected", "public")
    rows = people(100)
    with a_gate(tmp_path, rows, policy=public, terms=Terms(rows_per_person=1)) as gate:
        gate.keeper.ask(ANN, "SELECT sex, COUNT(*) FROM people GROUP BY sex", mode=Mode.EXACT)
        write(tmp_path, [*rows, *some(1, 100)], policy=public)
        assert reload(gate, "20260301").joined == 100
        for sql in (
            "SELECT age FROM people_since_20260301",
            "SELECT COUNT(*) FROM people_since_20260301 AS a JOIN people AS b ON a.name = b.name",
            "SELECT COUNT(*) FROM people_since_20260302",
        ):
            with pytest.raises(NotAdmitted):
                gate.keeper.ask(ANN, sql)
        assert gate.keeper.ask(ANN, "SELECT COUNT(*) FROM people_since_20260301").noise
        share = "SELECT COUNT(*) * 1.0 / (SELECT COUNT(*) FROM people) FROM people_since_20260301"
        found = gate.keeper.ask(ANN, share)  # Both numbers are noisy, and charged apart.
        assert found.noise
        assert found.left is not None


def test_rows_without_a_person_key_bring_nothing(tmp_path: Path) -> None:
    rows, policy = people(50), KEYED.replace("entity = 'name'\n", "")
    with a_gate(tmp_path, rows, policy=policy, terms=NOISY) as gate:
        write(tmp_path, [*rows, *some(1, 50)], policy=policy)
        reload(gate, "20260301")
        with pytest.raises(NotAdmitted, match="no table"):
            gate.keeper.ask(ANN, NEW.format(day="20260301", cost=1))


def test_the_holder_is_told_where_noise_covers_rows_that_nobody_has(tmp_path: Path) -> None:
    wide = Terms(mode=Mode.NOISY)
    with a_gate(tmp_path / "one", people(30), policy=KEYED, terms=wide) as gate:
        assert any("rows_per_person = 1 under [tables.people]" in each for each in _notices(gate))
    with a_gate(tmp_path / "two", people(30), policy=KEYED, terms=NOISY) as gate:
        assert not any("rows_per_person" in each for each in _notices(gate))


def test_the_most_that_anybody_was_charged() -> None:
    """Two cohorts joined after 3 and 5 were charged to everybody; 2 was charged to the second."""

    def rho(number: int) -> tuple[Fraction, Fraction]:
        return Fraction(number), Fraction(0)

    own = since_scope("everyone", 2)
    before = ChargesBefore(of_cohort={1: {"everyone": rho(3)}, 2: {"everyone": rho(5)}})
    charged = {0: rho(6), 2: rho(2)}
    assert own == "everyone, since 2"
    assert [before.most(charged, "everyone", since=each)[0] for each in (0, 1, 2)] == [6, 3, 3]


KILLED = """
import os, sys
from pathlib import Path
from sfumato.gate import gate_opener, reload, row_store, state
from sfumato.gate.settings import Budget, HeldTable, Mode, Settings, Terms

folder, point = Path(sys.argv[1]), sys.argv[2]
where = {
    "rows written": (row_store.RowStore, "name"),
    "line written": (state.GateState, "see"),
    "state changed": (row_store.RowStore, "clean"),
}[point]
table = HeldTable(name="people", source=str(folder / "people.csv"), policy=folder / "policy.toml")
noisy = Terms(mode=Mode.NOISY, budget=Budget(query=0.1, person=0.2, table=0.2), rows_per_person=1)
settings = Settings(folder=folder / "state", tables={"people": table}, terms={"public": noisy})
with gate_opener.open_gate(settings) as gate:
    setattr(*where, lambda *of: os._exit(9))
    reload.reload_tables(gate, "people", by="eve", clock=lambda: 1772323200.0)
"""


@pytest.mark.long("a process each; one stays", but=("line written",))
@pytest.mark.parametrize("point", ["rows written", "line written", "state changed"])
def test_a_killed_reload_brings_nobody_budget_twice(tmp_path: Path, point: str) -> None:
    """After kill -9 the newcomers are there with their budget, or not there at all; of those who
    were there before nobody has more left than before."""
    rows: Sequence[Mapping[str, Any]] = people(60)
    with a_gate(tmp_path, rows, policy=KEYED, terms=NOISY) as gate:
        gate.keeper.ask(ANN, ALL.format(1))
        left = gate.keeper.budget(ANN, "people").rho_left
    both = [*rows[5:], *some(1, 60)]
    write(tmp_path, both, policy=KEYED)
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), point], check=False)
    assert done.returncode == 9
    with a_gate(tmp_path, both, policy=KEYED, terms=NOISY) as gate:
        assert gate.keeper.budget(ANN, "people").rho_left == left
        there = "people_since_20260301" in gate.keeper.catalogue(ANN)
        assert there == (point == "state changed")
        if not there:
            reload(gate, "20260301")
        gate.keeper.ask(ANN, NEW.format(day="20260301", cost=1))
        write(tmp_path, [*rows, *some(1, 60)], policy=KEYED)
        reload(gate, "20260401")  # Five return, who are no newcomers.
        assert gate.keeper.table("people_since_20260401").people == 0
        assert gate.keeper.budget(ANN, "people").rho_left == left


def test_a_restored_state_does_not_open(tmp_path: Path) -> None:
    """With the state of before, newcomers would have their whole budget once more."""
    rows = people(60)
    with a_gate(tmp_path, rows, policy=KEYED, terms=NOISY) as gate:
        gate.keeper.ask(ANN, ALL.format(1))
        write(tmp_path, [*rows, *some(1, 60)], policy=KEYED)
        reload(gate, "20260301")
    shutil.copy(tmp_path / "state" / "state.db", tmp_path / "older.db")
    both = [*rows, *some(1, 60)]
    with a_gate(tmp_path, both, policy=KEYED, terms=NOISY) as gate:
        gate.keeper.ask(ANN, NEW.format(day="20260301", cost=1))
    shutil.copy(tmp_path / "older.db", tmp_path / "state" / "state.db")
    with pytest.raises(ReleaseBroken), a_gate(tmp_path, both, policy=KEYED, terms=NOISY):
        pass
