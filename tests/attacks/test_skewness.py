"""Skewness: the attacker does not learn what someone has, but learns that it is much likelier than
they thought.

Alice's employer knows from the newspaper how common each illness is. In her bin of the release one
of them is five times as common. Nobody was found and nothing is certain, and she is not promoted
(Li, Li and Venkatasubramanian 2007, section 1; Brickell and Shmatikov 2008). What the employer
believed before is the share in the whole source; what they believe after is the share in the rows
that could be hers.

The control is the k-anonymous release, in which the same employer learns more than each of these
rules allows. The baseline for bets is someone who bets on the commonest illness without looking.
"""

from __future__ import annotations

import math
from collections import Counter

import clinic
import pytest
from clinic import Attacker, interval, people

EVERYONE = people(300)
PRIOR = {value: n / len(EVERYONE) for value, n in Counter(p["diagnosis"] for p in EVERYONE).items()}
T, BETA, DELTA, ALPHA = 0.3, 1.2, 1.6, 0.5
ASKED = {
    "k": {"k": 3},
    "t": {"k": 3, "t_closeness": {"t": T}},
    "basic beta": {"k": 3, "beta_likeness": {"beta": BETA, "kind": "basic"}},
    "beta": {"k": 3, "beta_likeness": {"beta": 9.0}},
    "delta": {"k": 3, "delta_disclosure": {"delta": DELTA}},
    "alpha": {"alpha_k": {"alpha": ALPHA, "k": 3}},
}


@pytest.fixture(scope="module")
def beliefs(tmp_path_factory):
    """Per release, for everyone who is in it: what the attacker believes of them after seeing
    it."""
    folder = tmp_path_factory.mktemp("skewness")
    out = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "sfumato.releases.one_row_flow.render", lambda facts: ""
        )  # the page has tests of its own
        for number, (name, require) in enumerate(ASKED.items()):
            attacker = Attacker(
                clinic.released(EVERYONE, folder / str(number), **require), EVERYONE
            )
            seen = [(person, attacker.diagnoses(person)) for person in EVERYONE]
            out[name] = [
                (p["diagnosis"], {v: n / c.total() for v, n in c.items()}) for p, c in seen if c
            ]
            assert len(out[name]) >= 0.9 * len(EVERYONE)
    return out


def moved(after):
    """How much belief moved from some values to others."""
    return sum(max(after.get(value, 0.0) - share, 0.0) for value, share in PRIOR.items())


def gain(after):
    """By how much of itself the belief in a value grew, at most."""
    return max(share / PRIOR[value] - 1 for value, share in after.items())


def disclosed(after):
    """By how many factors of two the belief in a value changed, at most, either way."""
    return max(
        abs(math.log2(after.get(value, 0.0) / share)) if value in after else math.inf
        for value, share in PRIOR.items()
    )


def won(believed, bet):
    """Bets won, and made, where `bet` says on what."""
    made = [(truth, bet(after)) for truth, after in believed]
    return sum(truth == on for truth, on in made), len(made)


def likeliest(after):
    return max(after, key=lambda value: after[value])


def commonest(after):
    return max(PRIOR, key=lambda value: PRIOR[value])


def test_control_k_anonymity_lets_belief_move_far(beliefs):
    """And bets on what is seen win far more often than those on the commonest."""
    after = [found for _, found in beliefs["k"]]
    assert max(map(moved, after)) > T
    assert max(map(gain, after)) > BETA
    assert max(map(disclosed, after)) > DELTA
    assert interval(*won(beliefs["k"], likeliest))[0] > interval(*won(beliefs["k"], commonest))[1]


def test_t_closeness_bounds_how_far_belief_moves(beliefs):
    """So no bet wins more than t more often than the same bet before; the blind one is the
    baseline."""
    assert max(moved(found) for _, found in beliefs["t"]) <= T + 1e-9
    right, made = won(beliefs["t"], likeliest)
    assert right / made <= max(PRIOR.values()) + T
    assert right / made < won(beliefs["k"], likeliest)[0] / len(beliefs["k"])


def test_beta_likeness_bounds_how_much_likelier_anything_becomes(beliefs):
    """For a rare illness too, which a distance over all of them hardly notices."""
    assert max(gain(found) for _, found in beliefs["basic beta"]) <= BETA + 1e-9
    for _, found in beliefs["beta"]:
        for value, share in found.items():
            assert share <= PRIOR[value] * (1 + min(9.0, -math.log(PRIOR[value]))) + 1e-9


def test_delta_disclosure_bounds_belief_either_way(beliefs):
    """Nothing is ruled out either: an illness that a bin lacked would tell that she does not have
    it."""
    assert max(disclosed(found) for _, found in beliefs["delta"]) < DELTA
    assert all(set(found) == set(PRIOR) for _, found in beliefs["delta"])
    assert any(set(found) < set(PRIOR) for _, found in beliefs["k"])


def test_alpha_bounds_the_best_bet(beliefs):
    assert max(max(found.values()) for _, found in beliefs["alpha"]) <= ALPHA
    right, made = won(beliefs["alpha"], likeliest)
    assert interval(right, made)[0] <= ALPHA
    assert max(max(found.values()) for _, found in beliefs["k"]) == 1


def test_known_limit_alpha_does_not_bound_the_gain(beliefs):
    """Not protected, and documented: half of a bin may have what fewer than one in four has."""
    assert max(gain(found) for _, found in beliefs["alpha"]) > 1


def test_known_limit_what_the_whole_source_tells(beliefs):
    """Not protected by any of them: the commonest illness of the source stays everyone's likeliest
    guess."""
    right, made = won(beliefs["t"], commonest)
    assert right / made == pytest.approx(max(PRIOR.values()), abs=0.03)
