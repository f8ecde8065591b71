"""Background knowledge: the attacker rules out what someone does not have, until one diagnosis is
left.

Umeko's neighbour knows her bin and knows that people of her descent hardly ever have heart disease
(Machanavajjhala et al. 2006, section 2). Each value that an attacker can rule out takes one away
from the bin. Here the attacker is as lucky as can be: of the values in the bin that the person does
not have, they rule out the most frequent ones. With l values in every bin, l - 2 of them ruled out
leave two.

The baseline is the same knowledge without the release: who can rule out some of six diagnoses
guesses the commonest of the rest."""

from __future__ import annotations

from collections import Counter

import pytest
from clinic import Attacker, interval, people, released

EVERYONE = people()


def without(inside, truth, many):
    """What is left of a bin after ruling out the `many` most frequent values that are not the
    truth."""
    gone = [value for value, _ in inside.most_common() if value != truth][:many]
    return Counter({value: count for value, count in inside.items() if value not in gone})


def certain(attacker, *, rules_out):
    """How many people are left with one diagnosis, which is then theirs."""
    left = (without(attacker.diagnoses(p), p["diagnosis"], rules_out) for p in EVERYONE)
    return sum(1 for values in left if len(values) == 1)


@pytest.fixture(scope="module")
def attackers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("background")
    wanted = {
        "two": {"l_diversity": {"l": 2}},
        "three": {"l_diversity": {"l": 3}},
        "four": {"l_diversity": {"l": 4}},
        "recursive": {"l_diversity": {"l": 3, "kind": "recursive", "c": 3.0}},
    }
    return {
        name: Attacker(released(EVERYONE, folder / name, k=3, **require), EVERYONE)
        for name, require in wanted.items()
    }


def test_baseline_ruling_out_without_the_release():
    """With two of six diagnoses ruled out, the commonest of the rest is right for a minority."""
    everywhere = Counter(person["diagnosis"] for person in EVERYONE)
    right = 0
    for person in EVERYONE:
        left = without(everywhere, person["diagnosis"], 2)
        right += left.most_common(1)[0][0] == person["diagnosis"]
    assert interval(right, len(EVERYONE))[1] < 0.6


def test_two_values_do_not_resist_ruling_one_out(attackers):
    """Non-uniqueness alone: ruling out one value makes many certain."""
    assert certain(attackers["two"], rules_out=0) == 0
    assert certain(attackers["two"], rules_out=1) >= 20


@pytest.mark.parametrize(("name", "many"), [("three", 3), ("four", 4), ("recursive", 3)])
def test_l_values_resist_ruling_out_all_but_two(attackers, name, many):
    for rules_out in range(many - 1):
        assert certain(attackers[name], rules_out=rules_out) == 0


def test_l_values_do_not_resist_ruling_out_one_more(attackers):
    """Where the promise ends: l - 1 values ruled out leave one in the smallest bins."""
    assert certain(attackers["three"], rules_out=2) >= 1


def test_recursive_diversity_also_bounds_the_best_guess(attackers):
    """(c, l) with c = 3, l = 3: whatever one value is ruled out, no guess is right with a chance of
    c/(c+1) or more."""
    for person in EVERYONE:
        inside = attackers["recursive"].diagnoses(person)
        for gone in inside:
            left = Counter({value: count for value, count in inside.items() if value != gone})
            assert max(left.values()) / left.total() < 3 / 4


def test_distinct_diversity_does_not_bound_the_best_guess(attackers):
    """Not protected, and documented: three values in a bin, one of them nearly always."""
    guesses = []
    for person in EVERYONE:
        left = without(attackers["three"].diagnoses(person), person["diagnosis"], 1)
        guesses.append(max(left.values()) / left.total() if left else 0.0)
    assert max(guesses) >= 3 / 4
