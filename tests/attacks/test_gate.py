"""Attacks on the gate. Each is shown to win against a gate that only counts to five, and must not against ours.

Ours is asked under the default policy (k = 5, confidence gain 0.1 with two facts). The score is the confidence gained
over the best guess without any gate: see gate_world. docs/gate-attacks.md has all scores.
"""

from __future__ import annotations

import gate_reconstruction as reconstruction
import pytest
from gate_attackers import ATTACKS
from gate_sets import colluding, cut_short, gained, knowing, many, minimal_nodes, one, probing, row_order, scored
from gate_world import ONLY_K, World, against_ours, against_plain, improvement, pairs, people

from sfumato.gate.settings import Audience, Mode, Terms

EVERYBODY = people()
LIMIT = 0.1
EXACT = Terms(mode=Mode.EXACT)


@pytest.fixture(scope="module")
def towns(tmp_path_factory):
    return pairs(EVERYBODY, 3, tmp_path_factory.mktemp("gate"))


@pytest.fixture(scope="module")
def only_k(tmp_path_factory):
    """The same people behind a gate with Cellsecu's rule alone, which forgets what it has shown."""
    return World(EVERYBODY, tmp_path_factory.mktemp("only-k"), policy=ONLY_K)


@pytest.mark.parametrize("name", ATTACKS)
def test_the_attacker_wins_against_a_gate_that_counts_to_five(towns, name):
    assert improvement(against_plain(ATTACKS[name]), towns) > 0.9


@pytest.mark.parametrize("name", [name for name in ATTACKS if name != "averaging"])
def test_the_attacker_does_not_win_against_ours(towns, name):
    assert improvement(against_ours(ATTACKS[name], terms=EXACT), towns) <= LIMIT


FORGETFUL = Terms(mode=Mode.EXACT, audience=Audience.PERSON)
WHOLE = {
    "all minimal nodes": minimal_nodes,
    "homogeneity": knowing(0),
    "one fact": knowing(1),
    "two facts": knowing(2),
    "two accounts": colluding,
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_answers_put_together_give_nobody_away(towns, only_k, name):
    assert scored(WHOLE[name], only_k, many, terms=FORGETFUL) > 0.2
    assert scored(WHOLE[name], towns[0].worlds[0], one, terms=EXACT) < LIMIT


@pytest.mark.parametrize("attack", [row_order, cut_short])
def test_the_order_of_rows_tells_nothing(towns, attack):
    assert gained([person.test for person in EVERYBODY], EVERYBODY) == 1.0  # What a table as it stands would tell.
    assert scored(attack, towns[0].worlds[0], one, terms=EXACT) < LIMIT


@pytest.mark.parametrize("kind", ["fillers", "near-duplicates", "left out"])
def test_records_that_are_brought_single_nobody_out(towns, kind):
    assert improvement(probing(kind, ours=False), towns) > 0.9
    assert improvement(probing(kind, ours=True), towns) <= LIMIT


def test_counts_of_random_people_are_not_solved_for_each_of_them(tmp_path):
    tests = reconstruction.seats()
    path = tmp_path / "people.csv"
    reconstruction.write(path, tests)
    size = len(tests)
    won = reconstruction.reconstructed(reconstruction.plain(path), size, queries=200)
    with reconstruction.ours(path) as count:
        lost = reconstruction.reconstructed(count, size, queries=30)
    assert reconstruction.gained(won, tests) > 0.9
    assert reconstruction.gained(lost, tests) < LIMIT
