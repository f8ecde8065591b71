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

from sfumato.errors import Mistake, Refused
from sfumato.gate.decide.cohorts import StateChange
from sfumato.gate.decide.exposure import Exposure
from sfumato.gate.gate_opener import Gate, open_gate
from sfumato.gate.reload import erase_people, reload_tables
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
        folder.mkdir(parents=True, exist_ok=True)
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


@pytest.mark.long("the control of the attack; that states tell nobody apart stays")
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


def guesses_of_erased(folder: Path, *, gates: int) -> list[tuple[int, int]]:
    """For each person who was erased: the value that more of those have who left with them, and the
    truth."""
    out = []
    for seed in range(gates):
        town, draw = Town(folder / str(seed), seed=seed), np.random.default_rng(1000 + seed)
        with town.gate() as gate:
            known = table_of(gate)
            assert known is not None
            for _ in range(12):
                held = set(gate.rows.read("people").people())
                there = [row for row in town.rows if row["id"] in held]
                target = there[int(draw.integers(len(there)))]
                try:
                    erase_people(gate, "people", [target["id"]], by="steward")
                except Mistake:  # Too few remain: a steward alone reads that.
                    break
                now = table_of(gate) or known
                zeros, ones = (known[target["town"], v] - now[target["town"], v] for v in (0, 1))
                guess = int(draw.random() < 0.5) if ones == zeros else int(ones > zeros)
                out.append((guess, target["test"]))
                known = now
    return out


def test_the_attack_on_the_erased_works_where_they_leave_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StateChange, "with_companions", lambda self, leaving, chance: dict(leaving))
    monkeypatch.setattr(
        Exposure, "moved", lambda self, source, cohorts: Exposure.nothing(len(source), self.tied)
    )
    assert improvement(guesses_of_erased(tmp_path, gates=1))[0] == 1.0


@pytest.mark.long("two hundred gates; two stay", but=("two",))
@pytest.mark.parametrize("gates", [pytest.param(2, id="two"), pytest.param(210, id="many")])
def test_erasures_tell_nobodys_value(tmp_path: Path, gates: int) -> None:
    """Over 2,400 erased people, with many gates."""
    gained, upper = improvement(guesses_of_erased(tmp_path, gates=gates))
    assert upper < 0.1 if gates > 2 else gained < 0.6


NUMBERS = POLICY.replace("[fields.test]", "[fields.pay]").replace(
    "confidence_gain = { gain = 0.1, facts = 2 }",
    "value_spread = { width = 5000, share = 0.5, fields = ['pay'] }",
)


def guesses_of_erased_numbers(folder: Path, *, gates: int) -> list[tuple[bool, bool]]:
    """For each person who was erased, whether their pay is within 5,000 of the mean of those who
    left, and of the mean of all. Hardly two people are paid the same."""
    out = []
    for seed in range(gates):
        draw, place = np.random.default_rng(seed), folder / str(seed)
        place.mkdir(parents=True)
        pay = {f"p{number}": int(draw.integers(0, 100_000)) for number in range(300)}
        lines = [
            f"{key},{TOWNS[number % 2]},{own}" for number, (key, own) in enumerate(pay.items())
        ]
        (place / "people.csv").write_text("\n".join(["id,town,pay", *lines]))
        (place / "policy.toml").write_text(NUMBERS)
        table = HeldTable(
            name="people", source=str(place / "people.csv"), policy=place / "policy.toml"
        )
        sql = "SELECT COUNT(*) AS n, SUM(pay) AS s FROM people"
        with open_gate(Settings(folder=place / "state", tables={"people": table})) as gate:
            count, total = gate.keeper.ask(EVE, sql, mode=Mode.EXACT).rows[0]
            for key in draw.choice(sorted(pay), 4, replace=False):
                if not erase_people(gate, "people", [str(key)], by="steward").left:
                    continue  # They had left with somebody else.
                now, rest = gate.keeper.ask(EVE, sql, mode=Mode.EXACT).rows[0]
                mean, usual = (total - rest) / (count - now), total / count
                out.append((abs(mean - pay[key]) <= 5000, abs(usual - pay[key]) <= 5000))
                count, total = now, rest
    return out


def test_the_attack_on_erased_numbers_works_where_they_leave_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StateChange, "with_companions", lambda self, leaving, chance: dict(leaving))
    monkeypatch.setattr(
        Exposure, "moved", lambda self, source, cohorts: Exposure.nothing(len(source), self.tied)
    )
    assert all(right for right, _ in guesses_of_erased_numbers(tmp_path, gates=1))


@pytest.mark.long("a hundred gates; two stay", but=("two",))
@pytest.mark.parametrize("gates", [pytest.param(2, id="two"), pytest.param(100, id="many")])
def test_erasures_tell_nobodys_number(tmp_path: Path, gates: int) -> None:
    found = np.array(guesses_of_erased_numbers(tmp_path, gates=gates), float)
    gained = found[:, 0] - found[:, 1]
    upper = gained.mean() + 1.96 * gained.std() / np.sqrt(len(gained))
    assert upper < 0.1 if gates > 2 else found[:, 0].mean() < 0.8


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
