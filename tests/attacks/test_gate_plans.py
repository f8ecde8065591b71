"""Plans: how a plan ends is an answer, so that an attacker may not read refusals off many of them.

The attacker cuts a table in hundreds of places, one plan for each cut, and reads from the outcomes
on which side of a cut everybody is alike. A gate that rehearses plans for nothing tells them; at ours
a project has one plan, its outcomes are counted as shown, and it shows no more than the same
questions asked one by one would have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sfumato.errors import NotAdmitted, Refused
from sfumato.gate.accounts import GateAccount, Right
from sfumato.gate.decide.cohorts import conditions_of, judged
from sfumato.gate.decide.exposure import Exposure
from sfumato.gate.gate_opener import Gate
from sfumato.gate.plans import PlanOutcome, PlanStatus, propose_plan
from sfumato.gate.settings import Asker, Mode, Terms

from ..unit.gate.gates import POLICY, a_gate, people

EVE = GateAccount(name="eve", right=Right.RECIPIENT, groups=("one", "two"))
EXACT = Terms(mode=Mode.EXACT)
DIVERSE = POLICY.replace("[require]\n", "[require]\nl_diversity = { l = 2 }\n")
FIELDS = ("age", "town", "sex")
CUTS = [f"SELECT COUNT(*) FROM people WHERE age < {age} AND test = 1" for age in range(25, 75)]


def broken(gate: Gate) -> int:
    """How many bins break a rule by all that everybody was shown."""
    packed = gate.state.exposure("everyone", "people")
    assert packed is not None
    exposure = Exposure.unpacked(packed)
    conditions = conditions_of(gate.keeper.holdings)["people"]
    return sum(int(marks.sum()) for _, marks in judged(conditions, exposure))


def test_all_that_a_plan_shows_keeps_to_the_policy(tmp_path: Path) -> None:
    with a_gate(tmp_path, people(700), policy=DIVERSE, terms=EXACT) as gate:
        tables = [
            f"SELECT {a}, {b}, COUNT(*) FROM people GROUP BY {a}, {b}"
            for a in FIELDS
            for b in FIELDS
            if a < b
        ]
        propose_plan(gate, EVE, [*CUTS[:20], *tables], project="one")
        assert broken(gate) == 0


def test_the_recount_finds_what_breaks_the_policy(tmp_path: Path) -> None:
    """The attacker is proven: bins by themselves break it."""
    with a_gate(tmp_path, people(700), policy=DIVERSE, terms=EXACT) as gate:
        gate.keeper.ask(EVE.asker(), "SELECT sex, COUNT(*) FROM people GROUP BY sex")
        bins = len(gate.keeper.holdings["people"].bins)
        packed = gate.state.exposure("everyone", "people")
        apart = Exposure.unpacked(packed or b"").cut(np.arange(bins))
        gate.state.expose("everyone", "people", apart.packed())
        assert broken(gate) > 0


def test_a_project_reads_one_outcome(tmp_path: Path) -> None:
    """Not one for each cut: the second plan waits, and so does every other."""
    with a_gate(tmp_path, people(700), policy=DIVERSE, terms=EXACT) as gate:
        first = propose_plan(gate, EVE, CUTS[:1], project="one")
        second = propose_plan(gate, EVE, CUTS[1:2], project="one")
        assert (first.status, second.status) == (PlanStatus.OPEN, PlanStatus.PROPOSED)
        assert not second.outcomes
        for cut in CUTS[2:]:
            with pytest.raises(NotAdmitted):
                propose_plan(gate, EVE, [cut], project="one")


def test_two_projects_share_what_everybody_was_shown(tmp_path: Path) -> None:
    """A second project of the same person gets nothing that one alone could not."""
    with a_gate(tmp_path, people(700), policy=DIVERSE, terms=EXACT) as gate:
        for project in EVE.groups:
            found = propose_plan(
                gate, EVE, CUTS if project == "one" else CUTS[::-1], project=project
            )
            assert any(each.outcome is PlanOutcome.REFUSED for each in found.outcomes)
        assert broken(gate) == 0
        stranger = Asker(name="ann", profile="public")
        with pytest.raises(Refused):
            gate.keeper.ask(
                stranger, "SELECT age, town, sex, COUNT(*) FROM people GROUP BY age, town, sex"
            )
