"""Being in one table and not in the other: an attacker who knows somebody's age looks for them in
psychiatry.

The target is the only patient of their age. The attacker asks joins by age and ward, left joins whose
ward is null, and conditions that mean the target alone, and looks at everything but the noisy numbers:
which groups there are, how many, what is refused and in which words, what is left of the budget. In
two worlds, with and without the target's stay, it must be the same. A gate that decides by the rows
which groups it shows tells them apart every time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sfumato.accounting import ChargedMeasurement
from sfumato.errors import Mistake, Refused
from sfumato.gate import noisy_questions, question_keys
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import Asker, Budget, Terms

from ..unit.gate.linked import linked_gate, write_table

EVE = Asker(name="eve", profile="public")
TERMS = Terms(budget=Budget(query=0.05, person=5.0, table=5.0), least=1, rows_per_person=3)
TARGETS = tuple(range(90, 96))
POLICY = """
entity = "id"
[fields]
id = "direct"
{more}
[require]
k = 2
"""
PATIENTS = POLICY.format(more='[fields.age]\nrole = "quasi"')
STAYS = POLICY.format(more='[fields.ward]\nrole = "quasi"')
TAIL = "FROM patients p {kind} stays s ON p.id = s.id"
JOIN, LEFT = TAIL.format(kind="JOIN"), TAIL.format(kind="LEFT JOIN")


def questions(age: int) -> tuple[str, ...]:
    return (
        f"SELECT p.age, s.ward, COUNT(*) AS n {JOIN} GROUP BY p.age, s.ward",
        f"SELECT s.ward, COUNT(*) AS n {JOIN} WHERE p.age = {age} GROUP BY s.ward",
        f"SELECT COUNT(*) AS n {JOIN} WHERE p.age = {age} AND s.ward = 'psychiatry'",
        f"SELECT COUNT(DISTINCT person) AS n {LEFT} WHERE p.age = {age} AND s.ward IS NULL",
        f"SELECT p.age, COUNT(*) AS n {LEFT} WHERE s.ward IS NULL GROUP BY p.age",
        f"SELECT p.age, s.ward {JOIN} WHERE p.age = {age}",
    )


def seen(keeper: GateKeeper, age: int) -> dict[str, Any]:
    """Everything but noisy numbers."""
    out: dict[str, Any] = {}
    for number, sql in enumerate(questions(age)):
        try:
            answer = keeper.ask(EVE, sql)
        except (Refused, Mistake) as refused:
            out[f"{number} refused"] = str(refused)
            continue
        labels = [row[:-1] for row in answer.rows]
        notes = {"labels": labels, "threshold": answer.threshold, "withheld": answer.withheld}
        out |= {f"{number} {name}": value for name, value in notes.items()}
        out[f"{number} noise"] = dict(answer.noise)
        out[f"{number} look"] = keeper.look(EVE, sql).left
    return out


def told_apart(folder: Path) -> list[set[str]]:
    """For each target, what looks otherwise with their stay and without."""
    out = []
    patients = [{"id": f"p{n}", "age": 20 + n % 60} for n in range(600)]
    stays = [{"id": f"p{n}", "ward": ("surgery", "medicine")[n % 2]} for n in range(500)]
    stays += [{"id": f"p{n}", "ward": "psychiatry"} for n in range(100)]
    for age in TARGETS:
        both = []
        for inside in (0, 1):
            place = folder / f"{age}-{inside}"
            own = [{"id": "target", "ward": "psychiatry"}] if inside else []
            held = (
                write_table(place, "patients", [*patients, {"id": "target", "age": age}], PATIENTS),
                write_table(place, "stays", [*stays, *own], STAYS),
            )
            with linked_gate(place, held, terms=TERMS) as gate:
                both.append(seen(gate.keeper, age))
        out.append(
            {name for name in {**both[0], **both[1]} if both[0].get(name) != both[1].get(name)}
        )
    return out


@pytest.fixture(autouse=True)
def same_noise(monkeypatch):
    """What differs is then the gate's doing, and not chance."""
    monkeypatch.setattr(ChargedMeasurement, "add_noise", lambda self, numbers: numbers)


def test_a_join_tells_nobody_from_which_table_somebody_is_missing(tmp_path):
    assert set().union(*told_apart(tmp_path)) == set()


@pytest.mark.long("the control of the attack; that it fails against ours stays")
def test_the_attack_works_where_rows_decide_which_groups_are_shown(tmp_path, monkeypatch):
    for module in (noisy_questions, question_keys):
        monkeypatch.setattr(module, "is_protected", lambda policy, terms: False)
    assert all(told_apart(tmp_path))
