"""Swapping: the attacker holds a register against a release in which people's values were
exchanged.

First the one who does not know, and looks people up as always: with whole units exchanged every row
leads to somebody, and never to the one it is about (Sweeney 2000, section 5, wrong-map). Then the
one who knows how it was done, down to the window: the method is in the manifest, and only the draws
are secret. What such a one can do is written down here as known limits, and on
docs/techniques/categories.md.

The baseline is a row picked blindly. The control is the table without names, which leads to nearly
everyone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from register import KNOWN, Linking, mean, people, released

from sfumato.engines import FieldKind
from sfumato.policy import policy_from_table
from sfumato.releases import Key
from sfumato.techniques import Cells, KeyedRandom, StepContext, apply_steps

MANY = 400
KEY = Key(bytes(range(32)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("swapping")


@pytest.fixture(scope="module")
def patients(folder):
    return people(folder, MANY)


@pytest.fixture(scope="module")
def swapped(patients, folder):
    step = {"technique": "swap", "fields": list(KNOWN), "method": "unit"}
    return released(patients, folder, {"k": 1}, steps=[step], solve={"solver": "given"}, key=KEY)


def swap(columns, *, secret=b"secret", **step):
    """The columns after one step, for attacks that need many draws."""
    fields = dict.fromkeys(columns, "insensitive")
    policy = policy_from_table(
        {"fields": fields, "steps": [{"technique": "swap", "fields": [*columns], **step}]}
    )
    kinds = dict.fromkeys(columns, FieldKind.TEXT)

    def around(number, taken):
        return StepContext(policy=policy, chance=KeyedRandom(secret), secret=lambda domain: b"")

    cells, _ = apply_steps(
        Cells.of_columns(columns, kinds=kinds), policy.steps, around, progress=lambda said: None
    )
    return {name: cells.columns[name].tolist() for name in columns}


def test_control_without_names_is_not_without_people(patients):
    assert mean(Linking(patients, patients).chances()) > 0.95


def test_whoever_is_looked_up_is_not_found(patients, swapped):
    """Every person still leads to a row, and it is always somebody else's."""
    linking = Linking(swapped, patients)
    assert all(linking.rows_of(person) for person in patients)
    assert linking.chances() == []


def test_whoever_knows_that_the_row_is_wrong_is_back_at_the_baseline(patients, swapped):
    """Of the rows that are left, none is more likely than another: where the own tuple went says
    nothing."""
    place = {row["number"]: tuple(row[name] for name in KNOWN) for row in swapped}
    own = {person["number"]: tuple(person[name] for name in KNOWN) for person in patients}
    home = {number: n for n, number in enumerate(own)}
    came_from = {unit: home[number] for number, unit in own.items()}
    steps = np.array([(came_from[place[number]] - home[number]) % MANY for number in own])
    # How far a unit moved in the source's order: every distance is as good, which is what a random
    # one looks like.
    assert abs(steps.mean() - MANY / 2) < 6 * MANY / np.sqrt(12 * MANY)
    assert np.bincount(steps // (MANY // 4), minlength=4).max() < MANY / 4 + 6 * np.sqrt(
        MANY * 3 / 16
    )


def test_nothing_is_lost_that_is_counted(patients, swapped):
    """The unit moves whole, so every table of these fields stays exact."""
    assert Counter(tuple(row[name] for name in KNOWN) for row in swapped) == Counter(
        tuple(person[name] for name in KNOWN) for person in patients
    )


def test_another_release_with_the_same_key_tells_nothing_new(patients, swapped, folder):
    step = {"technique": "swap", "fields": list(KNOWN), "method": "unit"}
    again = released(patients, folder, {"k": 1}, steps=[step], solve={"solver": "given"}, key=KEY)
    assert {tuple(row.values()) for row in again} == {tuple(row.values()) for row in swapped}


def test_known_limit_releases_with_new_draws_tell_by_elimination():
    """Not protected, and documented: the own unit is the one that never comes. So the holder keeps
    the key."""
    units = {"zip": [str(number) for number in range(6)]}
    seen = [set() for _ in range(6)]
    for number in range(60):
        for row, unit in enumerate(swap(units, method="unit", secret=bytes([number]))["zip"]):
            seen[row].add(unit)
    assert [set(units["zip"]) - found for found in seen] == [{unit} for unit in units["zip"]]


def test_known_limit_two_different_units_are_told_by_not_being_ones_own():
    """Not protected, and told in a warning: a field of two values comes out as its opposite. At
    random, it does not."""
    sexes = {"sex": ["f", "m"] * 100}
    opposite = {"f": "m", "m": "f"}
    assert [opposite[sex] for sex in swap(sexes, method="unit")["sex"]] == sexes["sex"]
    right = sum(
        a == b for a, b in zip(swap(sexes, method="random")["sex"], sexes["sex"], strict=True)
    )
    assert abs(right - 100) < 45


def ranks(column):
    return np.argsort(np.argsort(np.array(column, float), kind="stable"), kind="stable")


def narrowed(window):
    """The chance of the attacker who knows the window and some fields, and keeps rows that are near
    in all of them (Nin, Herranz and Torra 2008)."""
    drawn = np.random.default_rng(5)
    columns = {f"n{i}": [f"{value:.6f}" for value in drawn.normal(size=MANY)] for i in range(3)}
    after = swap(columns, window=window)
    near = np.ones((MANY, MANY), bool)
    for name in columns:
        near &= np.abs(ranks(columns[name])[:, None] - ranks(after[name])[None, :]) <= window * MANY
    assert near[np.arange(MANY), np.arange(MANY)].all()  # the own row is always among them
    return float((1 / near.sum(axis=1)).mean())


def test_known_limit_rank_swapping_against_who_knows_the_window():
    """Not protected beyond this, and documented: three fields and a small window leave few rows. A
    wider one leaves more, and no window leaves fewer than a blind guess."""
    small, wide, whole = narrowed(0.02), narrowed(0.2), narrowed(1.0)
    assert small > 0.5
    assert small > wide > whole == pytest.approx(1 / MANY)
    assert wide < 0.06
