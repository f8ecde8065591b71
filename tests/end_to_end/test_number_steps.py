"""Steps of a sensitive number: releases, recount, verification and the gate judge by them alike."""

from __future__ import annotations

import random
from collections import defaultdict

import pandas as pd
import pytest

import sfumato
from sfumato.errors import PolicyError
from sfumato.policy import policy_from_table

WIDTH = 1000


def _people(rows_each=1):
    """People of eight towns, with pay that differs in every row and is much alike in each town."""
    draw = random.Random(3)
    pay = draw.sample(range(10_000), 400 * rows_each)
    rows = [
        {
            "id": f"P{n}",
            "town": f"t{n % 8}",
            "pay": pay[n * rows_each + each] / 10 + 900 * (n % 8 + (n // 8) % 3),
        }
        for n in range(400)
        for each in range(rows_each)
    ]
    return pd.DataFrame(rows)


def _policy(require, **pay):
    return policy_from_table(
        {
            "entity": "id",
            "fields": {
                "id": {"role": "direct", "replace": "number"},
                "town": {"role": "quasi", "hierarchy": {"suppress": True}},
                "pay": {"role": "sensitive", **pay},
            },
            "require": {"k": 2, "max_suppression": 0.6, **require},
        }
    )


def _largest_share(frame):
    """The largest share of the people of a town who have a number in one step, counted plainly."""
    held, everyone = defaultdict(set), defaultdict(set)
    for person, town, pay in frame[["id", "town", "pay"]].itertuples(index=False):
        held[town, int(float(pay) // WIDTH)].add(person)
        everyone[town].add(person)
    return max(len(people) / len(everyone[town]) for (town, _), people in held.items())


@pytest.mark.parametrize(
    "require",
    [
        {"l_diversity": {"l": 3}},
        {"alpha_k": {"alpha": 0.5, "k": 2}},
        {"bounded_knowledge": {"k": 2, "m": 1, "confidence": 0.5}},
    ],
    ids=lambda require: next(iter(require)),
)
def test_a_rule_about_values_is_refused_without_steps(require):
    with pytest.raises(PolicyError, match="number of its own"):
        sfumato.release(_people(), _policy(require))
    with pytest.raises(PolicyError, match="number of its own"):
        sfumato.release(_people(), _policy(require, value_steps=0.05))


@pytest.mark.long("a large search for each model and number of rows; one stays", but=("alpha_k-1",))
@pytest.mark.parametrize("rows_each", [1, 2])
@pytest.mark.parametrize("key", ["alpha_k", "bounded_knowledge"])
def test_numbers_of_one_step_are_one_value(tmp_path, rows_each, key):
    """The pay of some towns is nearly all in one step, and they are not released as they are."""
    asked = {"alpha": 0.45, "k": 2} if key == "alpha_k" else {"k": 2, "m": 1, "confidence": 0.45}
    frame = _people(rows_each)
    source = tmp_path / "people.csv"
    frame.to_csv(source, index=False)
    made = sfumato.release(source, _policy({key: asked}, value_steps=WIDTH), to=tmp_path / "made")
    released = pd.read_csv(made.folder / "release.csv", dtype=str)
    assert _largest_share(frame) > 0.45
    assert _largest_share(released) <= 0.45
    assert any("pay in steps of 1000" in each.requirement for each in made.verdicts)
    assert sfumato.verify(made.folder).outcome == "pass"


def test_steps_by_their_least_numbers_are_ordered(tmp_path):
    asked = {"t_closeness": {"t": 0.3, "distance": "ordered", "fields": ["pay"]}}
    made = sfumato.release(_people(), _policy(asked, value_steps=[0, 1000, 2500, 5000]))
    assert any("pay in 5 steps" in each.requirement for each in made.verdicts)
    with pytest.raises(PolicyError, match="must rise"):
        _policy(asked, value_steps=[10, 5])
    with pytest.raises(PolicyError, match="Steps of values"):
        _policy({}, value_steps=10, role="insensitive")


def test_numbers_on_both_sides_of_a_steps_end_are_close(tmp_path):
    """An attacker names the 500 in which most pay of a town is. All pay of one town is within 100
    of the end of a step, and half of it in each of two steps."""
    frame = _people()
    near = frame["town"] == "t0"
    frame.loc[near, "pay"] = [950 + 2 * n for n in range(near.sum())]
    asked = {"bounded_knowledge": {"k": 2, "m": 1, "confidence": 0.8}}
    made = sfumato.release(frame, _policy(asked, value_steps=WIDTH))
    assert _named(frame) == 1
    assert _named(made.frame) <= 0.8
    assert sum("pay in steps" in each.requirement for each in made.verdicts) == 2


def _named(frame):
    """The largest share of a town's numbers within half a step."""
    most = 0.0
    for _, town in frame.groupby("town"):
        pay = town["pay"].astype(float)
        most = max(most, *((pay.between(low, low + WIDTH / 2)).mean() for low in pay))
    return most
