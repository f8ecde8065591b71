"""Hierarchy files at the gate are a part of the policy's version: an edited one waits as any change
does."""

from __future__ import annotations

import pytest
from gates import ANN, POLICY, a_gate, people

from sfumato.gate.accounts import Right
from sfumato.gate.administration import decide, propose
from sfumato.gate.policy_versions import Status

TREE = 'hierarchy = { tree = { north = ["Aberdeen", "Bergen"], south = ["Cadiz", "Delphi"] } }'
FILED = POLICY.replace(TREE, 'hierarchy = "town.csv"')
OLD = "Aberdeen;north;*\nBergen;north;*\nCadiz;south;*\nDelphi;south;*\n"
NEW = "Aberdeen;east;*\nBergen;west;*\nCadiz;east;*\nDelphi;west;*\n"


def labels(gate) -> set[str]:
    return set(gate.keeper.holdings["people"].hierarchies["town"].labels[1])


@pytest.mark.parametrize("shown", [False, True])
def test_an_edited_hierarchy_file_waits_for_a_second_person(tmp_path, shown):
    (tmp_path / "town.csv").write_text(OLD)
    with a_gate(tmp_path, people(300), policy=FILED) as gate:
        gate.accounts.add("sue", "a long enough password", right=Right.STEWARD)
        gate.accounts.add("adam", "a long enough password", right=Right.ADMINISTRATOR)
        if shown:
            gate.keeper.ask(ANN, "SELECT town, test FROM people")
    (tmp_path / "town.csv").write_text(NEW)
    with a_gate(tmp_path, people(300), policy=FILED) as gate:
        assert labels(gate) == {"north", "south"}
        (waits,) = gate.policies.waiting()
        assert (waits.by, waits.says) == ("the file", "town.csv")
        made = propose(
            gate, "adam", "people", {"changes": {"require": {"k": 6}}, "why": "stricter"}
        )
        assert made.status is Status.IN_FORCE
        assert labels(gate) == {
            "north",
            "south",
        }  # A change at the gate does not bring the file in.
    with a_gate(tmp_path, people(300), policy=FILED) as gate:
        assert labels(gate) == {"north", "south"}
        (anew,) = (
            gate.policies.waiting()
        )  # What waits is proposed again, of the version that holds now.
        assert (anew.by, anew.after) == ("the file", made.number)
        assert gate.policies.one("people", waits.number).status is Status.REPLACED


def test_an_edited_hierarchy_file_holds_when_somebody_has_agreed(tmp_path):
    (tmp_path / "town.csv").write_text(OLD)
    with a_gate(tmp_path, people(300), policy=FILED) as gate:
        gate.accounts.add("sue", "a long enough password", right=Right.STEWARD)
    (tmp_path / "town.csv").write_text(NEW)
    with a_gate(tmp_path, people(300), policy=FILED) as gate:
        (waits,) = gate.policies.waiting()
        decide(gate, "sue", "people", waits.number, approve=True, why="")
        assert labels(gate) == {"east", "west"}
    with a_gate(tmp_path, people(300), policy=FILED) as gate:
        assert labels(gate) == {"east", "west"}
        assert not gate.policies.waiting()
