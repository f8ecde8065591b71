"""People whom a new release would expose beside earlier ones, over random releases."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest

from sfumato.keys import Key
from sfumato.policy import Policy, policy_from_table
from sfumato.register import Ledger, LedgerRequirement
from sfumato.releases import PeopleRecord, record_people
from sfumato.releases.people_record import person_tags
from sfumato.views.common_profile import for_common_profile
from sfumato.views.exposed_people import exposed_people

KEY = Key(bytes(range(32)))
Rows = Mapping[str, tuple[str, str]]
"""Of each person the released label and the sensitive value."""


def record(rows: Rows) -> PeopleRecord:
    columns = {
        "person": list(rows),
        "q": [label for label, _ in rows.values()],
        "s": [value for _, value in rows.values()],
    }
    batch = {name: np.array(cells, object) for name, cells in columns.items()}
    return record_people([batch], key=KEY, person="person", fields=["q"], sensitive=["s"])


def without(rows: Rows, tags: np.ndarray) -> dict[str, tuple[str, str]]:
    gone = np.isin(person_tags(list(rows), key=KEY), tags)
    return {person: rows[person] for person, is_gone in zip(rows, gone, strict=True) if not is_gone}


@pytest.mark.parametrize("seed", range(12))
def test_without_exposed_people_every_joint_class_keeps_every_rule(seed: int) -> None:
    chance = random.Random(seed)
    asked = LedgerRequirement(k=3, l=2, t=0.45, gain=0.8)
    values = {f"p{number}": chance.choice("xxyyz") for number in range(200)}
    ledger = Ledger()
    for number in range(3):
        absent = set(chance.sample(sorted(values), 10 * number))
        rows = {p: (chance.choice("abcd"), v) for p, v in values.items() if p not in absent}
        kept = without(rows, exposed_people(ledger, record(rows), requirement=asked))
        ledger.add(str(number), record(kept))
        assert not ledger.failing_people(asked).any()
        if number == 0:
            assert len(kept) == len(rows)
    assert ledger.judge(asked).outcome == "pass"


def test_a_class_whose_absent_people_share_a_value_is_left_out_whole() -> None:
    """Both of a class who stay away have x: that is seen beside the first release."""
    first = {f"p{n}": ("a", "x" if n < 3 else "y") for n in range(6)}
    second = {p: row for p, row in first.items() if p not in ("p0", "p1")}
    ledger = Ledger()
    ledger.add("1", record(first))
    asked = LedgerRequirement(k=2, l=2)
    exposed = exposed_people(ledger, record(second), requirement=asked)
    assert not without(second, exposed)


def policy() -> Policy:
    return policy_from_table(
        {
            "fields": {"age": "quasi", "zip": "quasi"},
            "require": {"k": 2},
            "recipient": {
                "a": {"linking": {"age": 0.2}, "distortion": {"age": 0.0, "zip": 1.0}},
                "b": {"default_linking": 0.5, "distortion": {"age": 1.0, "zip": 0.3}},
            },
        }
    )


def test_the_common_profile_knows_and_needs_what_any_of_several_does() -> None:
    common = for_common_profile(policy(), ["a", "b"]).profile
    assert (common.links_on("age"), common.links_on("zip")) == (0.5, 1.0)
    assert (common.tolerates("age"), common.tolerates("zip")) == (0.0, 0.3)
