"""Homogeneity: the attacker finds Alice's bin, sees that all its rows say the same, and knows what
she has.

Bob lives next door to Alice. He knows her ZIP, age and sex, and that she is in the clinic's
release. The release is k-anonymous, so he cannot say which row is hers; he need not, where all rows
of her bin have one diagnosis (paper Chiang et al. 2001, section 3.1; Machanavajjhala et al. 2006).
His claims are certain: whoever he makes one about, he is right.

The baseline is someone who has only the release and no neighbour: they guess the commonest
diagnosis."""

from __future__ import annotations

import pytest
from clinic import Attacker, interval, people, released

EVERYONE = people()


def certain(attacker):
    """Everyone whose diagnosis the attacker reads off their bin, with what they read."""
    found = ((person, attacker.diagnoses(person)) for person in EVERYONE)
    return [(person, next(iter(inside))) for person, inside in found if len(inside) == 1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("homogeneity")


def test_baseline_guessing_the_commonest_diagnosis():
    attacker = Attacker(EVERYONE, EVERYONE)
    right = sum(person["diagnosis"] == attacker.commonest for person in EVERYONE)
    assert interval(right, len(EVERYONE))[1] < 0.35


def test_k_anonymity_does_not_resist(folder):
    """Nobody is found, and dozens are found out: every claim is right, where the baseline is right
    once in four."""
    rows = released(EVERYONE, folder / "k", k=3)
    attacker = Attacker(rows, EVERYONE)
    claims = certain(attacker)
    right = sum(person["diagnosis"] == said for person, said in claims)
    guessed = sum(person["diagnosis"] == attacker.commonest for person, _ in claims)
    assert len(claims) >= 20
    assert right >= 0.95 * len(
        claims
    )  # those who were left out of the release may be claimed wrongly
    assert interval(right, len(claims))[0] > interval(guessed, len(claims))[1]


@pytest.mark.long("a release for each model; each second stays", every=2)
@pytest.mark.parametrize(
    "require",
    [
        {"non_uniqueness": True},
        {"l_diversity": {"l": 2}},
        {"l_diversity": {"l": 1.5, "kind": "entropy"}},
        {"l_diversity": {"l": 2, "kind": "recursive", "c": 4.0}},
        {"p_sensitive": {"p": 2, "k": 3}},
        {"alpha_k": {"alpha": 0.8, "k": 3}},
        {"t_closeness": {"t": 0.5}},
    ],
    ids=lambda require: next(iter(require)) + str(next(iter(require.values()))),
)
def test_models_about_values_leave_nothing_certain(require, folder):
    """The attacker makes no claim at all, about anyone."""
    rows = released(EVERYONE, folder / "".join(filter(str.isalnum, str(require))), k=3, **require)
    assert len(rows) >= 0.9 * len(EVERYONE)
    assert certain(Attacker(rows, EVERYONE)) == []


def test_known_limit_near_certainty_is_not_certainty(folder):
    """Not protected by non-uniqueness, and documented: nine in ten of a bin may say the same
    (Chiang et al. 2001, section 5).

    A bound on the share of a value, alpha, is what holds the best guess down.
    """
    unique = Attacker(released(EVERYONE, folder / "unique", k=3, non_uniqueness=True), EVERYONE)
    bounded = Attacker(
        released(EVERYONE, folder / "alpha", alpha_k={"alpha": 0.6, "k": 3}), EVERYONE
    )
    assert max(_best_guess(unique.diagnoses(person)) for person in EVERYONE) > 0.8
    assert max(_best_guess(bounded.diagnoses(person)) for person in EVERYONE) <= 0.6


def _best_guess(inside):
    return max(inside.values()) / inside.total() if inside else 0.0
