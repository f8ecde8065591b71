"""Being in one table and not in the other: an attacker who knows somebody's age looks for them in
psychiatry.

The target is the only patient of their age. The attacker asks joins by age and ward, left joins whose
ward is null, and conditions that mean the target alone, and looks at everything but the noisy numbers:
which groups there are, how many, what is refused and in which words, what is left of the budget. In
two worlds, with and without the target's stay, it must be the same. A gate that decides by the rows
which groups it shows tells them apart every time.

The *counter* looks at the numbers: all that the budget allows is spent on counts of one target in
psychiatry, and a mean above a half is taken for a stay."""

from __future__ import annotations

from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.accounting import ChargedMeasurement
from sfumato.errors import Mistake, Refused
from sfumato.gate import noisy_questions, question_keys
from sfumato.gate.keeper import GateKeeper
from sfumato.gate.settings import Asker, Budget, Terms

from ..unit.gate.linked import linked_gate, write_table

Numbers = NDArray[np.float64]
Marks = NDArray[np.bool_]
EVE = Asker(name="eve", profile="public")
TERMS = Terms(budget=Budget(query=0.05, person=5.0, table=5.0), least=1, rows_per_person=3)
TARGETS = tuple(range(90, 96))
ONE_ROW, LOUD = (
    Terms(rows_per_person=1),
    Terms(budget=Budget(query=40.0, person=400.0, table=400.0), rows_per_person=1),
)
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


def counted_over(
    folder: Path, *, gates: int, targets: int = 200, terms: Terms = ONE_ROW
) -> tuple[Numbers, Marks]:
    """The mean count of each target with all noise spent on it, and who is there. Nobody has spent anything
    before a target is attacked."""
    counts, present = [], []
    for seed in range(gates):
        place, draw = folder / str(seed), np.random.default_rng(seed)
        patients = [{"id": f"p{n}", "age": 20 + n % 60} for n in range(600)]
        patients += [{"id": f"t{n}", "age": 100 + n} for n in range(targets)]
        stays = [{"id": f"p{n}", "ward": ("surgery", "psychiatry")[n % 2]} for n in range(500)]
        inside = draw.random(targets) < 0.5
        stays += [
            {"id": f"t{n}", "ward": "psychiatry" if there else "surgery"}
            for n, there in enumerate(inside)
        ]
        held = (
            write_table(place, "patients", patients, PATIENTS),
            write_table(place, "stays", stays, STAYS),
        )
        with linked_gate(place, held, terms=terms) as gate:
            for number, there in enumerate(inside):
                for table in ("exposures", "charged", "records"):
                    gate.state.all(f"DELETE FROM {table}")
                counts.append(_mean_count(gate.keeper, 100 + number))
                present.append(there)
    return np.array(counts), np.array(present)


def gained_over(
    folder: Path, *, gates: int, targets: int = 200, terms: Terms = ONE_ROW
) -> tuple[float, float]:
    """What the counter gains over guessing, and the upper end of its 95 % interval."""
    counts, present = counted_over(folder, gates=gates, targets=targets, terms=terms)
    right = (counts > 0.5) == present
    mean, error = float(np.mean(right)), float(np.std(right)) / len(right) ** 0.5
    return 2 * mean - 1, 2 * (mean + 1.96 * error) - 1


def most_gained(counts: Numbers, present: Marks) -> float:
    """The upper end of the 95 % interval of what the best guess gains: a person is one more in a count with
    normal noise. Rights and wrongs of the same counts say it a tenth as closely, and fail by chance."""
    apart = np.concatenate(
        [counts[present == there] - counts[present == there].mean() for there in (True, False)]
    )
    least = float(np.std(apart, ddof=2)) * (1 - 1.96 / (2 * len(apart)) ** 0.5)
    return 2 * NormalDist().cdf(0.5 / least) - 1 if least > 0 else 1.0


def _mean_count(keeper: GateKeeper, age: int) -> float:
    found: list[float] = []
    for spelling in range(12):
        sql = (
            f"SELECT COUNT(*) AS n {JOIN} WHERE p.age = {age} AND s.ward = 'psychiatry' "
            f"AND p.age > -{spelling}"
        )
        try:
            found.append(float(keeper.ask(EVE, sql).rows[0][0]))
        except Refused:
            break
    return float(np.mean(found))


@pytest.fixture
def same_noise(monkeypatch):
    """What differs is then the gate's doing, and not chance."""
    monkeypatch.setattr(ChargedMeasurement, "add_noise", lambda self, numbers: numbers)


@pytest.mark.usefixtures("same_noise")
def test_a_join_tells_nobody_from_which_table_somebody_is_missing(tmp_path):
    assert set().union(*told_apart(tmp_path)) == set()


@pytest.mark.long("the control of the attack; that it fails against ours stays")
@pytest.mark.usefixtures("same_noise")
def test_the_attack_works_where_rows_decide_which_groups_are_shown(tmp_path, monkeypatch):
    for module in (noisy_questions, question_keys):
        monkeypatch.setattr(module, "is_protected", lambda policy, terms: False)
    assert all(told_apart(tmp_path))


@pytest.mark.long("400 targets; that the counter is right where noise is small stays")
def test_all_noise_spent_on_a_join_gains_little(tmp_path):
    assert most_gained(*counted_over(tmp_path, gates=2)) < 0.1


def test_the_counter_is_right_where_noise_is_small(tmp_path):
    counts, present = counted_over(tmp_path, gates=1, targets=12, terms=LOUD)
    assert ((counts > 0.5) == present).all()
    assert most_gained(counts, present) > 0.9
