"""Terms of gate.toml: stricter ones hold when the gate opens, others when a second person has
agreed before that."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from doors import a_door
from gates import POLICY, a_gate, people, write

from sfumato.gate.accounts import Right
from sfumato.gate.administration import decide_terms
from sfumato.gate.audit import entries
from sfumato.gate.gate_opener import open_gate
from sfumato.gate.server import _notices
from sfumato.gate.settings import Audience, Budget, HeldTable, Mode, Settings, Terms
from sfumato.gate.terms_in_force import _plain, _terms, read_terms

FIRST = Terms(
    budget=Budget(query=0.1, person=0.2, table=0.4),
    bounds={"cost": (0.0, 10.0)},
    steps={"cost": 2.0},
)
MORE = replace(FIRST, budget=Budget(query=0.1, person=20.0, table=40.0))
LESS = replace(
    FIRST, budget=Budget(query=0.1, person=0.1, table=0.2), least=50, audience=Audience.EVERYONE
)


def test_terms_are_read_back_as_they_were_written():
    for terms in (Terms(), FIRST, replace(FIRST, mode=Mode.NOISY, audience=Audience.PERSON)):
        assert _terms(_plain(terms)) == terms


def test_a_larger_budget_waits_and_a_smaller_one_holds(tmp_path):
    with a_gate(tmp_path, people(300), terms=FIRST) as gate:
        assert gate.keeper.settings.terms_of("public") == FIRST
    with a_gate(tmp_path, people(300), terms=MORE) as gate:
        assert gate.keeper.settings.terms_of("public") == FIRST
        assert read_terms(gate.state).changed == ("terms.public.budget",)
    with a_gate(tmp_path, people(300), terms=LESS) as gate:
        assert gate.keeper.settings.terms_of("public") == LESS
        assert read_terms(gate.state).proposed is None
    with a_gate(tmp_path, people(300), terms=None) as gate:
        assert gate.keeper.settings.terms_of("public") == LESS
        kinds = [line["kind"] for line in entries(gate.audit.path)]
    assert [kind for kind in kinds if kind.startswith("terms")] == [
        "terms proposed",
        "terms in force",
        "terms proposed",
    ]


@pytest.mark.parametrize(("approve", "person"), [(True, 20.0), (False, 0.2)])
def test_a_second_person_who_is_older_decides(tmp_path, approve, person):
    with a_door(tmp_path, terms=FIRST) as door:
        assert door.posts("/terms/decision", {"approve": True}, who="stella").status_code == 409
    answer = {"approve": approve, "why": "discussed"}
    with a_gate(tmp_path, people(600), terms=MORE) as gate:
        proposed_at = read_terms(gate.state).at
    with a_door(tmp_path, terms=MORE) as door:
        assert "older" in door.posts("/terms/decision", answer, who=fresh(door)).text
        door.gate.state.all(
            "UPDATE accounts SET content = json_set(content, '$.since', 1.0) WHERE name <> 'zed'"
        )
        assert door.posts("/terms/decision", answer, who="adam").status_code == 403
        assert door.gets("/terms", who="stella").json()["changed"] == ["terms.public.budget"]
        assert door.posts("/terms/decision", answer, who="stella").status_code == 200
        assert door.gate.keeper.settings.terms_of("public").budget.person == 0.2
    with a_gate(tmp_path, people(600), terms=MORE) as gate:
        assert gate.keeper.settings.terms_of("public").budget.person == person
        assert (read_terms(gate.state).proposed is None) == approve
        assert approve or read_terms(gate.state).at > proposed_at


def fresh(door) -> str:
    """A steward who was made after the proposal."""
    door.add("zed", Right.STEWARD)
    return "zed"


def test_a_table_that_is_new_or_has_another_source_is_not_served_until_a_second_person_agrees(
    tmp_path,
):
    """A second name for the same rows, under a policy that shows more."""
    policy = f'entity = "name"\n{POLICY}'
    write(tmp_path, people(300), policy=policy)
    (tmp_path / "lax.toml").write_text(policy.replace("k = 5", "k = 1"))
    first = HeldTable(
        name="people", source=str(tmp_path / "people.csv"), policy=tmp_path / "policy.toml"
    )
    again = replace(first, name="again", policy=tmp_path / "lax.toml")
    settings = Settings(folder=tmp_path / "state", tables={"people": first})
    with open_gate(settings) as gate:
        for name, right in (("sue", Right.STEWARD), ("adam", Right.ADMINISTRATOR)):
            gate.accounts.add(name, "a long enough password", right=right)
    both = replace(settings, tables={"people": first, "again": again})
    with open_gate(both) as gate:
        assert list(gate.keeper.holdings) == ["people"]
        assert read_terms(gate.state).changed == ("tables.again",)
        assert any("again" in notice for notice in _notices(gate))
        decide_terms(gate, "sue", approve=True, why="")
    with open_gate(both) as gate:
        assert list(gate.keeper.holdings) == ["people", "again"]
    shutil.copy(tmp_path / "people.csv", tmp_path / "other.csv")
    moved = replace(again, source=str(tmp_path / "other.csv"))
    with open_gate(replace(both, tables={"people": first, "again": moved})) as gate:
        assert list(gate.keeper.holdings) == ["people"]
