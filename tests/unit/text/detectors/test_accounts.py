"""Account, policy and member numbers: positive and negative examples."""

from __future__ import annotations

import pytest

from sfumato.text.detectors.accounts import Accounts

ARE = [
    ("account number 4471-88", "4471-88"),
    ("Acct# 99887766", "99887766"),
    ("Member ID #: XYZ123456", "XYZ123456"),
    ("policy no. A-4471", "A-4471"),
    ("her insurance ID is W123456789", "W123456789"),
    ("health plan beneficiary number HPB-99821", "HPB-99821"),
    ("Versichertennummer A123456780", "A123456780"),
    ("número de póliza 998877", "998877"),
    ("subscriber 445566", "445566"),
]
ARE_NOT = [
    "on account of 3 reasons",
    "a group of 12 patients",
    "a group of 1500 patients in 2012",
    "plan: 20 mg daily",
    "plan 2",
    "the policy of 1999",
    "insurance covers 5000 units",
]


@pytest.mark.parametrize(("text", "number"), ARE)
def test_finds(found, text, number):
    assert found(Accounts(), text) == [number]


@pytest.mark.parametrize("text", ARE_NOT)
def test_leaves_alone(found, text):
    assert found(Accounts(), text) == []
