"""Attacks on the gate. Each is shown to win against a gate that only counts to five, and must not
against ours.

Ours is asked under the default policy (k = 5, confidence gain 0.1 with two facts). The score is the
confidence gained over the best guess without any gate: see gate_world. docs/gate-attacks.md has all
scores."""

from __future__ import annotations

import gate_reconstruction as reconstruction
import numpy as np
import pytest
from gate_attackers import ATTACKS
from gate_refusals import groups, judged_alone, looked_at
from gate_sets import (
    colluding,
    cut_short,
    gained,
    knowing,
    many,
    minimal_nodes,
    one,
    probing,
    row_order,
    scored,
)
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


@pytest.mark.long("a control for each attacker; each third stays", every=3)
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
    assert (
        gained([person.test for person in EVERYBODY], EVERYBODY) == 1.0
    )  # What a table as it stands would tell.
    assert scored(attack, towns[0].worlds[0], one, terms=EXACT) < LIMIT


def test_what_is_refused_does_not_depend_on_which_group_is_asked_about(towns):
    """Looking at one group after the other tells no more than one bit for each node: see
    gate_refusals."""
    world = towns[0].worlds[0]
    mixed = [
        name
        for name, found in looked_at(world.conditions)
        if len({shown for _, shown in found}) > 1
    ]
    rows = np.array([world.row_of(each) for each in EVERYBODY])
    alone = judged_alone(world.conditions, groups(EVERYBODY)[::20], rows)
    assert mixed == []
    assert 0 < alone.mean() < 1


@pytest.mark.parametrize("kind", ["fillers", "near-duplicates", "left out"])
def test_records_that_are_brought_single_nobody_out(towns, kind):
    assert improvement(probing(kind, ours=False), towns) > 0.9
    assert improvement(probing(kind, ours=True), towns) <= LIMIT


@pytest.mark.long("a large system of equations; other attackers stay in this file")
def test_counts_of_random_people_are_not_solved_for_each_of_them(tmp_path):
    """Four towns, because noise is drawn anew each time: who guesses is within 0.1 of guessing 95
    times of 100."""
    won, lost = [], []
    for town in range(4):
        tests, path = reconstruction.seats(seed=town), tmp_path / str(town) / "people.csv"
        reconstruction.write(path, tests)
        solved = reconstruction.reconstructed(reconstruction.plain(path), len(tests), queries=150)
        won.append(reconstruction.gained(solved, tests))
        with reconstruction.ours(path) as count:
            solved = reconstruction.reconstructed(count, len(tests), queries=10)
        lost.append(reconstruction.gained(solved, tests))
    assert np.mean(won) > 0.9
    assert np.mean(lost) < LIMIT + 0.1
