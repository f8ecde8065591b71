"""Two states of one table: an attacker who asks the same question before and after each reload.

The attacker knows who came, who left and whose row was corrected, with the town of each, and reads
the difference of the answers: the values of those who came or went. At a gate that takes the new
state as it is, with or without another name, the difference is one person and the attacker is right
about everybody. At ours they guess no better than from the whole table."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.errors import Refused
from sfumato.gate.decide.cohorts import StateChange
from sfumato.gate.decide.exposure import Exposure
from sfumato.gate.gate_opener import Gate, open_gate
from sfumato.gate.reload import reload_tables
from sfumato.gate.settings import Asker, HeldTable, Mode, Settings

EVE = Asker(name="eve", profile="public")
TOWNS = ("Aberdeen", "Bergen")
POLICY = """
entity = "id"
[fields.id]
role = "direct"
[fields.town]
role = "quasi"
[fields.test]
role = "sensitive"
[require]
k = 5
confidence_gain = { gain = 0.1, facts = 2 }
"""
TABLE = "SELECT town, test, COUNT(*) AS n FROM people GROUP BY town, test"
Row = dict[str, Any]


class Town:
    """A live source: people come, go and are corrected."""

    def __init__(self, folder: Path, *, seed: int = 5) -> None:
        self.folder, self.draw, self.count = folder, np.random.default_rng(seed), 0
        self.rows: list[Row] = [
            {**self.newcomer(), "town": TOWNS[place % 2], "test": place // 2 % 2}
            for place in range(800)
        ]
        folder.mkdir(exist_ok=True)
        (folder / "policy.toml").write_text(POLICY)
        self.write()

    def newcomer(self) -> Row:
        self.count += 1
        town, test = str(self.draw.choice(TOWNS)), int(self.draw.random() < 0.5)
        return {"id": f"p{self.count}", "town": town, "test": test}

    def write(self) -> None:
        with (self.folder / "people.csv").open("w", newline="") as file:
            out = csv.DictWriter(file, ["id", "town", "test"])
            out.writeheader()
            out.writerows(self.rows)

    def change(self, number: int) -> list[tuple[Row, int]]:
        """So many come, go and are corrected; each with the sign that they have in a
        difference."""
        new = [self.newcomer() for _ in range(number)]
        some = self.draw.choice(len(self.rows), 2 * number, replace=False)
        gone = [self.rows[place] for place in some[:number]]
        wrong = [self.rows[place] for place in some[number:]]
        right = [{**row, "test": 1 - row["test"]} for row in wrong]
        left = {row["id"] for row in (*gone, *wrong)}
        self.rows = [*(row for row in self.rows if row["id"] not in left), *right, *new]
        self.write()
        changes = [(row, +1) for row in new] + [(row, -1) for row in gone]
        return changes + [(row, +1) for row in right]

    def gate(self) -> Any:
        file, policy = str(self.folder / "people.csv"), self.folder / "policy.toml"
        table = HeldTable(name="people", source=file, policy=policy)
        return open_gate(Settings(folder=self.folder / "state", tables={"people": table}))


def table_of(gate: Gate) -> Counter[tuple[str, int]] | None:
    try:
        rows = gate.keeper.ask(EVE, TABLE, mode=Mode.EXACT).rows
    except Refused:
        return None
    return Counter({(town, test): n for town, test, n in rows})


def guesses(town: Town, *, reloads: int, number: int) -> list[tuple[int, int]]:
    """For each person who came, went or was corrected: the attacker's guess, and the truth."""
    out = []
    with town.gate() as gate:
        known = table_of(gate)
        assert known is not None
        for _ in range(reloads):
            changes = town.change(number)
            reload_tables(gate, "people", by="steward")
            now = table_of(gate)
            for row, sign in changes:
                ones, zeros = known[row["town"], 1], known[row["town"], 0]
                if now is not None:
                    more = [now[row["town"], test] - known[row["town"], test] for test in (0, 1)]
                    step = [sign * each for each in more]
                    if max(step) > 0:
                        zeros, ones = step
                out.append((int(ones > zeros), row["test"]))
            known = now if now is not None else known
    return out


def improvement(found: list[tuple[int, int]]) -> tuple[float, float]:
    """The confidence gained over guessing, and the upper end of its 95 % interval."""
    right = np.array([guess == truth for guess, truth in found], float)
    mean, error = right.mean(), right.std() / np.sqrt(len(right))
    return float(2 * mean - 1), float(2 * (mean + 1.96 * error) - 1)


def test_the_attack_works_where_a_new_state_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A planted fault: everybody comes and goes at once, and what was shown is forgotten."""
    monkeypatch.setattr(StateChange, "able_to_leave", lambda self, leaving: dict(leaving))
    monkeypatch.setattr(StateChange, "able_to_join", lambda self, kept, coming: dict(coming))
    monkeypatch.setattr(
        Exposure, "moved", lambda self, source, cohorts: Exposure.nothing(len(source), self.tied)
    )
    assert improvement(guesses(Town(tmp_path), reloads=12, number=1))[0] > 0.4


@pytest.mark.parametrize("number", [1, 100])
def test_states_tell_nobody_apart(tmp_path: Path, number: int) -> None:
    """One person at a time, and hundreds, who do leave and join in batches."""
    found = guesses(Town(tmp_path), reloads=8 if number == 1 else 4, number=number)
    gained, upper = improvement(found)
    assert gained < 0.1
    assert number == 1 or upper < 0.1


def test_the_states_move(tmp_path: Path) -> None:
    """The promise above is not kept by standing still."""
    town = Town(tmp_path)
    with town.gate() as gate:
        before = table_of(gate)
        left = joined = 0
        for _ in range(3):
            town.change(150)
            report = reload_tables(gate, "people", by="steward")
            left, joined = left + report.left, joined + report.joined
        assert left > 100
        assert joined > 100
        assert table_of(gate) not in (None, before)


PROTECTED = """
membership = "protected"
entity = "id"
[fields.id]
role = "direct"
[fields.town]
role = "quasi"
domain = ["Aberdeen", "Bergen", "Zenda"]
[fields.test]
role = "sensitive"
[require]
k = 5
"""


def seen_after(folder: Path, rows: list[Row], later: list[Row]) -> list[object]:
    """All that a recipient sees of a reload but noisy numbers, where membership is protected."""
    town = Town(folder)
    (folder / "policy.toml").write_text(PROTECTED)
    town.rows = rows
    town.write()
    out: list[object] = []
    with town.gate() as gate:
        for number, state in enumerate((rows, later)):
            town.rows = state
            town.write()
            reload_tables(gate, "people", by="steward", clock=lambda at=number: 1e9 + at)
            for sql in (
                "SELECT town, COUNT(*) AS n FROM people GROUP BY town ORDER BY town",
                "SELECT COUNT(*) AS n FROM people WHERE town = 'Zenda'",
                "SELECT town FROM people",
            ):
                try:
                    answer = gate.keeper.ask(EVE, sql)
                except Refused as refused:
                    out.append(str(refused))
                    continue
                labels = [row[0] for row in answer.rows] if len(answer.columns) > 1 else []
                out += [answer.columns, labels, answer.as_of, answer.left]
                out += [dict(answer.noise), answer.withheld, answer.remembered]
    return out


@pytest.mark.parametrize("change", ["comes", "leaves", "is corrected"])
def test_protected_membership_hides_who_comes_and_goes(tmp_path: Path, change: str) -> None:
    """Nobody waits, so nothing but noise depends on one person; with public membership the same
    person is seen or waits."""
    town = Town(tmp_path / "people")
    target = {"id": "target", "town": "Zenda", "test": 1}
    before = {"comes": [], "leaves": [target], "is corrected": [target]}[change]
    after = {"comes": [target], "leaves": [], "is corrected": [{**target, "town": "Bergen"}]}[
        change
    ]
    moved = seen_after(tmp_path / "moved", [*town.rows, *before], [*town.rows, *after])
    still = seen_after(tmp_path / "still", [*town.rows, *before], [*town.rows, *before])
    assert moved == still
