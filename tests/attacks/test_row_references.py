"""An attacker looks in the release for keys of people that a field about other people holds.

The key of a patient is removed, but who infected a patient is the key of another one. Five patients
with the same source share it, so k-anonymity keeps it."""

from __future__ import annotations

import csv
import random

import pytest

import sfumato

PEOPLE = 240


@pytest.fixture
def contacts(tmp_path):
    chance = random.Random(4)
    keys = [str(1_000_000 + 7_919 * n) for n in range(PEOPLE)]
    path = tmp_path / "contacts.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("patient_id", "infected_by", "sex", "age"))
        for place, key in enumerate(keys):
            source = keys[place % 6] if place >= 6 else ""
            writer.writerow((key, source, chance.choice("fm"), chance.choice((30, 40, 50))))
    return path, frozenset(keys)


def _keys_in(made, keys):
    with made.table.open(encoding="utf-8", newline="") as file:
        return {cell for row in csv.DictReader(file) for cell in row.values()} & keys


def test_the_proposed_policy_releases_no_key_of_another_row(contacts, tmp_path):
    path, keys = contacts
    made = sfumato.release(path, to=tmp_path / "release")
    assert not _keys_in(made, keys)


def test_control_a_quasi_identifier_that_holds_keys_keeps_them(contacts, tmp_path):
    path, keys = contacts
    policy = {
        "fields": {
            "patient_id": {"role": "direct"},
            "infected_by": {"role": "quasi", "hierarchy": {"suppress": True}},
            "sex": {"role": "insensitive"},
            "age": {"role": "insensitive"},
        },
        "require": {"k": 5},
    }
    made = sfumato.release(path, policy, to=tmp_path / "release")
    assert _keys_in(made, keys)
